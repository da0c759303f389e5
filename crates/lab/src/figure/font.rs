//! The font of every figure, DejaVu Sans 2.37: how wide its letters are, and their outlines, for text that becomes pixels.
//!
//! `assets/outlines.txt` has the letters that figures need, a line each; `assets/outlines.py` made it from the font's file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The family as an SVG names it; the second name is for browsers without the first.
pub(crate) const FAMILY: &str = "'DejaVu Sans', sans-serif";

/// Widths and outlines are in this part of the font size.
pub(crate) const UNITS: f64 = 2048.0;

/// One letter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glyph {
    /// How far it is to the next letter.
    pub(crate) advance: u16,
    /// The data of an SVG path; empty for a space.
    pub(crate) outline: &'static str,
}

/// A box, for a letter that the font does not have: letters of other alphabets are about as wide as ours.
const MISSING: Glyph = Glyph { advance: 1400, outline: "M150 300V-1450H1250V300ZM250 200H1150V-1350H250Z" };

static GLYPHS: LazyLock<BTreeMap<char, Glyph>> =
    LazyLock::new(|| include_str!("../../assets/outlines.txt").lines().filter_map(parse).collect());

/// The letter's glyph.
pub(crate) fn glyph(letter: char) -> Glyph {
    GLYPHS.get(&letter).copied().unwrap_or(MISSING)
}

/// Reads `0041 1401 M700 ...`: code point, advance, outline.
fn parse(line: &'static str) -> Option<(char, Glyph)> {
    let (code, rest) = line.split_once(' ')?;
    let (advance, outline) = rest.split_once(' ').unwrap_or((rest, ""));
    let letter = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
    Some((letter, Glyph { advance: advance.parse().ok()?, outline }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_letter() {
        assert_eq!(GLYPHS.len(), include_str!("../../assets/outlines.txt").lines().count());
        let (space, a) = (glyph(' '), glyph('A'));
        assert_eq!((space.advance, space.outline), (651, ""));
        assert!(a.advance == 1401 && a.outline.starts_with('M') && a.outline.ends_with('Z'));
    }

    #[test]
    fn a_letter_that_the_font_does_not_have_is_a_box() {
        assert_eq!(glyph('\u{4E2D}').outline, MISSING.outline);
    }
}
