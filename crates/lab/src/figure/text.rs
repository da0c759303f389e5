//! Text: its font, how wide it is, and where it is broken or cut.
//!
//! Widths are those of the font we ship. A browser without it falls back to another sans serif, nearly all of which are
//! narrower; so what fits here fits there.

/// The font of every figure; the fallback is for browsers.
pub const FONT: &str = "'DejaVu Sans', sans-serif";

/// Advance widths of DejaVu Sans for U+0020 to U+007E, in 1/2048 of the font size.
const ADVANCES: [u16; 95] = [
    651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303, 1303, 1303, 1303, 1303,
    1303, 1303, 1303, 1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587,
    1540, 604, 604, 1343, 1141, 1767, 1532, 1612, 1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403,
    799, 690, 799, 1716, 1024, 1024, 1255, 1300, 1126, 1300, 1260, 721, 1300, 1298, 569, 569, 1186, 569, 1995, 1298,
    1253, 1300, 1300, 842, 1067, 803, 1298, 1212, 1675, 1212, 1212, 1075, 1303, 690, 1303, 1716,
];

/// The width of a line of text.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|letter| f64::from(advance(letter)) * size / 2048.0).sum()
}

fn advance(letter: char) -> u16 {
    let ascii = (letter as usize).checked_sub(0x20).and_then(|index| ADVANCES.get(index));
    match letter {
        '\u{2009}' | '\u{202F}' => 409,
        '⁰'..='₎' | '¹' | '²' | '³' => 821,
        '−' | '×' | '±' => 1716,
        '…' | '—' => 2048,
        // Letters of other alphabets are about as wide as ours.
        _ => ascii.copied().unwrap_or(1400),
    }
}

/// The text in lines of at most the given width, broken between words; a longer word is cut.
pub fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = cut(word, size, most);
        match lines.last_mut() {
            Some(line) if width(line, size) + width(&word, size) + width(" ", size) <= most => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// The text, or as much of it as fits before an ellipsis.
pub fn cut(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = most - width("…", size);
    for letter in text.chars() {
        room -= width(letter.encode_utf8(&mut [0; 4]), size);
        if room < 0.0 {
            break;
        }
        kept.push(letter);
    }
    kept.truncate(kept.trim_end().len());
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        assert_eq!(width("", 13.0), 0.0);
        assert_eq!(width(" ~", 2048.0), f64::from(651 + 1716));
        assert_eq!(width("SR 0.9", 2048.0), f64::from(1300 + 1423 + 651 + 1303 + 651 + 1303));
    }

    #[test]
    fn lines_are_broken_between_words_and_long_words_are_cut() {
        let lines = wrapped("Throughput of the file transfer under uniform errors", 10.0, 120.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width(line, 10.0) <= 120.0), "{lines:?}");
        assert_eq!(lines.join(" "), "Throughput of the file transfer under uniform errors");
        let word = "x".repeat(100);
        let lines = wrapped(&word, 10.0, 120.0);
        assert!(lines.len() == 1 && lines[0].ends_with('…') && width(&lines[0], 10.0) <= 120.0);
        assert!(wrapped("  ", 10.0, 120.0).is_empty());
    }
}
