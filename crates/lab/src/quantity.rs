//! What can be measured, and how axes call it. Each application of the simulator has its own quantities.

pub use arqway_sim::app::Quantity;

/// The text at the horizontal axis for a swept setting, where the figure does not say; its unit is empty if it has none.
#[must_use]
pub fn x_label(swept: &str, unit: &str) -> String {
    let name = match swept {
        "wireless.errors.loss" => "Frame loss rate",
        "wireless.errors.distance" => "Mean distance between corruptions",
        "wireless.errors.bit-errors" => "Bit error rate",
        _ => swept,
    };
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}
