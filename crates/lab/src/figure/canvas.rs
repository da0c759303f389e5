//! SVG text: elements with escaped text and fixed decimals, so that equal drawings are equal bytes.
//!
//! Colours stand twice. Attributes carry those of white paper, which is all that printers and rasterisers see; a style sheet
//! overrides them on dark screens, and only there. A page that inlines the figure may set the custom properties
//! `--figure-paper`, `--figure-ink`, `--figure-soft`, `--figure-axis` and `--figure-grid` to its own dark colours.

use std::fmt::{self, Write as _};

use super::font::FAMILY;
use super::look::COLOURS;

/// What something is drawn with: a class of the style sheet, and its colour on white paper.
#[derive(Debug, Clone, Copy)]
pub enum Ink {
    /// The background, and the inside of hollow markers.
    Paper,
    /// Titles and labels.
    Text,
    /// Small print.
    Soft,
    /// The frame and its ticks.
    Axis,
    /// Lines behind the data.
    Grid,
}

impl Ink {
    /// The attributes of something filled.
    pub fn fill(self) -> String {
        let (name, light) = self.class();
        format!("class=\"arqway-{name}\" fill=\"{light}\"")
    }

    /// The attributes of a line.
    pub fn stroke(self) -> String {
        let (name, light) = self.class();
        format!("class=\"arqway-{name}\" fill=\"none\" stroke=\"{light}\"")
    }

    fn class(self) -> (&'static str, &'static str) {
        match self {
            Self::Paper => ("paper", "#ffffff"),
            Self::Text => ("text", "#1a1a1a"),
            Self::Soft => ("soft", "#595959"),
            Self::Axis => ("axis", "#404040"),
            Self::Grid => ("grid", "#dedede"),
        }
    }
}

/// Where a text stands relative to its position.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A coordinate or length: two decimals at most, and no negative zero.
#[derive(Debug, Clone, Copy)]
pub struct Length(pub f64);

impl fmt::Display for Length {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        formatter.write_str(if text == "-0" { "0" } else { text })
    }
}

/// Text as it may stand in XML, in elements and in attributes.
#[derive(Debug)]
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                '\t' | '\n' | '\r' => formatter.write_char(' ')?,
                // XML 1.0 cannot hold these, however they are written.
                '\0'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => formatter.write_char('\u{FFFD}')?,
                _ => formatter.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// An SVG document being written.
#[derive(Debug)]
pub struct Canvas(String);

impl Canvas {
    /// Opens a document of this size. `id` makes its references unique among the figures of one page.
    pub fn new(id: &str, title: &str, description: &str, (width, height): (f64, f64)) -> Self {
        let mut canvas = Self(String::new());
        let id: String = id.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
        let (width, height) = (Length(width), Length(height));
        canvas.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{id}\" class=\"arqway-figure\" role=\"img\" \
             aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-description\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"{FAMILY}\">\n\
             <title id=\"{id}-title\">{}</title>\n\
             <desc id=\"{id}-description\">{}</desc>\n",
            Escaped(title),
            Escaped(description),
        ));
        canvas.dark_mode();
        canvas.put(format_args!("<rect width=\"{width}\" height=\"{height}\" {}/>\n", Ink::Paper.fill()));
        canvas
    }

    /// Everything inside one media rule: what does not know media rules keeps to the attributes.
    fn dark_mode(&mut self) {
        self.0.push_str(
            "<style>@media screen and (prefers-color-scheme:dark){\n\
             .arqway-paper{fill:var(--figure-paper,#16181d)}\n\
             .arqway-text{fill:var(--figure-ink,#e8e8e8)}\n\
             .arqway-soft{fill:var(--figure-soft,#a9aeb6)}\n\
             .arqway-axis{stroke:var(--figure-axis,#9298a1)}\n\
             .arqway-grid{stroke:var(--figure-grid,#31353d)}\n",
        );
        for (index, colour) in COLOURS.iter().enumerate() {
            self.put(format_args!(".arqway-curve-{index}{{color:{}}}\n", colour.dark));
        }
        self.0.push_str("}</style>\n");
    }

    /// Adds an element, or part of one.
    pub fn put(&mut self, element: fmt::Arguments<'_>) {
        self.0.write_fmt(element).expect("a String takes any text");
    }

    /// Adds a line of text.
    pub fn text(&mut self, text: &str, (x, y): (f64, f64), size: f64, ink: Ink, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.put(format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\" {}>{}</text>\n",
            Length(x),
            Length(y),
            Length(size),
            ink.fill(),
            Escaped(text),
        ));
    }

    /// Closes the document.
    pub fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_two_decimals_at_most() {
        for (length, text) in [(0.0, "0"), (-0.001, "0"), (1.0, "1"), (100.0, "100"), (2.5, "2.5"), (1.0 / 3.0, "0.33")]
        {
            assert_eq!(Length(length).to_string(), text);
        }
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(Escaped("a<b & \"c\">\n\u{1}").to_string(), "a&lt;b &amp; &quot;c&quot;&gt; \u{FFFD}");
    }
}
