//! Text: how wide it is, and where it is broken. It is never cut.
//!
//! Widths are those of the font we ship. A browser without it falls back to another sans serif, nearly all of which are
//! narrower; so what fits here fits there.

use super::font::{UNITS, glyph};

/// The width of a line of text.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|letter| f64::from(glyph(letter).advance) * size / UNITS).sum()
}

/// The width of the widest of some lines of text.
pub fn widest(lines: impl IntoIterator<Item: AsRef<str>>, size: f64) -> f64 {
    lines.into_iter().map(|line| width(line.as_ref(), size)).fold(0.0, f64::max)
}

/// The text in lines of at most the given width, broken between words; a word that is longer is broken too.
pub fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(broken(word, size, most)),
        }
    }
    lines
}

/// A word in pieces of at most the given width, each of one letter at least.
fn broken(word: &str, size: f64, most: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut room = most;
    for letter in word.chars() {
        let advance = width(letter.encode_utf8(&mut [0; 4]), size);
        if let Some(piece) = pieces.last_mut().filter(|piece| advance <= room || piece.is_empty()) {
            piece.push(letter);
            room -= advance;
        } else {
            pieces.push(letter.to_string());
            room = most - advance;
        }
    }
    pieces
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
    fn lines_are_broken_between_words_and_long_words_within() {
        let lines = wrapped("Throughput of the file transfer under uniform errors", 10.0, 120.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width(line, 10.0) <= 120.0), "{lines:?}");
        assert_eq!(lines.join(" "), "Throughput of the file transfer under uniform errors");
        let word = "x".repeat(100);
        let lines = wrapped(&word, 10.0, 120.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width(line, 10.0) <= 120.0), "{lines:?}");
        assert_eq!(lines.concat(), word, "nothing is left out");
        assert_eq!(wrapped("xy", 10.0, 1.0), ["x", "y"], "a letter is not broken");
        assert!(wrapped("  ", 10.0, 120.0).is_empty());
    }
}
