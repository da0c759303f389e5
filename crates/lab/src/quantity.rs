//! What can be measured, and how axes call it. Each application of the simulator has its own quantities.

pub use arqway_sim::app::Quantity;

/// The text at the horizontal axis for a swept setting, where the figure does not say; its unit is empty if it has none.
#[must_use]
pub fn x_label(swept: &str, unit: &str) -> String {
    let name = match swept {
        "wireless.errors.loss" => "Frame loss rate",
        "wireless.errors.distance" => "Mean distance between corruptions",
        "wireless.errors.bit-errors" => "Bit error rate",
        _ => &path_in_words(swept),
    };
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

/// Words that are written in capitals.
const CAPITALS: [&str; 12] = ["ack", "am", "fec", "ip", "nack", "pdu", "rlc", "rlp", "rtt", "sscop", "tcp", "xor"];

/// The path of a setting in words: `services.selective-repeat.timeout` is "Selective repeat: timeout".
fn path_in_words(path: &str) -> String {
    let path = path.strip_prefix("services.").unwrap_or(path);
    let word = |word: &str| if CAPITALS.contains(&word) { word.to_uppercase() } else { word.to_owned() };
    let key = |key: &str| key.split(['-', '_']).map(word).collect::<Vec<_>>().join(" ");
    let words = path.split('.').map(key).collect::<Vec<_>>().join(": ");
    let mut letters = words.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_called_by_words_at_an_axis() {
        assert_eq!(x_label("services.selective-repeat.timeout", "s"), "Selective repeat: timeout (s)");
        assert_eq!(x_label("services.rlp.nack-timeout", "s"), "RLP: NACK timeout (s)");
        assert_eq!(x_label("tcp.maximum-window", ""), "TCP: maximum window");
        assert_eq!(x_label("wireless.errors.loss", "%"), "Frame loss rate (%)");
        assert_eq!(x_label("", ""), "");
    }
}
