//! What others wrote, as a terminal may show it: a file, a name or an option must not move the cursor, change colours or fill the
//! screen.
//!
//! ```
//! use arqway_config::{one_line, printable};
//!
//! assert_eq!(printable("two\nlines, \u{1b}[31mred"), "two\nlines, \\u{1b}[31mred");
//! assert_eq!(one_line("two\nlines", 80), "two\\u{a}lines");
//! assert_eq!(one_line("from the beginning to the end", 12), "from the …  end");
//! ```

use std::borrow::Cow;

/// Whether a terminal obeys a character, or shows those around it in another order, instead of showing it.
#[must_use]
pub fn is_obeyed(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A text of several lines, with everything else that a terminal obeys escaped.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |character| is_obeyed(character) && !matches!(character, '\n' | '\t'))
}

/// A text as one line of about as many characters at most: what a terminal obeys is escaped, and a long one cut in its middle.
#[must_use]
pub fn one_line(text: &str, most: usize) -> Cow<'_, str> {
    // What is escaped is longer than it was.
    match cut_in_middle(text, most) {
        Some(text) => {
            let shown = escaped(&text, is_obeyed);
            Cow::Owned(cut_in_middle(&shown, most + MARK).unwrap_or_else(|| shown.into_owned()))
        }
        None => {
            let shown = escaped(text, is_obeyed);
            cut_in_middle(&shown, most).map_or(shown, Cow::Owned)
        }
    }
}

/// What stands where something is cut out, in characters.
const MARK: usize = 3;

/// More of its start, which says what it is about, than of its end; nothing where it is short enough.
fn cut_in_middle(text: &str, most: usize) -> Option<String> {
    text.char_indices().nth(most)?;
    let (first, last) = (most * 2 / 3, most / 3);
    let start = text.char_indices().nth(first).map_or(text.len(), |(place, _)| place);
    let end = text.char_indices().nth_back(last).map_or(0, |(place, character)| place + character.len_utf8());
    Some(format!("{} … {}", &text[..start], &text[end..]))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            _ if is_escaped(character) => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}
