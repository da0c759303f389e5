//! Text as outlines: the same SVG with a path a letter, so that whoever draws it needs no font and no code that lays out text.
//!
//! ```text
//!     <text x="90" y="24" font-size="16" ...>Loss</text>
//!  -> <g transform="translate(90 24) scale(0.0078125)" ...><path d="M201 -1493H403..."/> ...</g>
//! ```
//!
//! It knows what `canvas.rs` writes: a line of text, its place, size, anchor and colour. Letters stand at their widths, unkerned.

use super::canvas::Escaped;
use super::font::{UNITS, glyph};
use super::text::width;
use resvg::usvg::roxmltree::{Document, Error, Node};
use std::fmt::Write as _;

/// The size of text that gives none, as in CSS.
const MEDIUM: f64 = 16.0;

/// The document with outlines in place of its texts.
pub(super) fn outlined(svg: &str) -> Result<String, Error> {
    let document = Document::parse(svg)?;
    let mut drawn = String::new();
    let mut rest = 0;
    for text in document.descendants().filter(|node| node.tag_name().name() == "text") {
        let place = text.range();
        // A text within a text is drawn with it.
        if let Some(before) = svg.get(rest..place.start) {
            drawn += before;
            drawn += &paths(text);
            rest = place.end;
        }
    }
    Ok(drawn + svg.get(rest..).unwrap_or_default())
}

fn paths(text: Node<'_, '_>) -> String {
    let number = |name| text.attribute(name).and_then(|value| value.parse::<f64>().ok());
    let words = text.text().unwrap_or_default().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let (x, y) = (number("x").unwrap_or_default(), number("y").unwrap_or_default());
    let size = number("font-size").unwrap_or(MEDIUM);
    let start = match text.attribute("text-anchor") {
        Some("middle") => x - width(&words, size) / 2.0,
        Some("end") => x - width(&words, size),
        _ => x,
    };
    let mut group = format!("<g transform=\"translate({start} {y}) scale({})\"", size / UNITS);
    let mut put = |part: std::fmt::Arguments<'_>| group.write_fmt(part).expect("a String takes any text");
    if let Some(fill) = text.attribute("fill") {
        put(format_args!(" fill=\"{}\"", Escaped(fill)));
    }
    put(format_args!(">"));
    let mut pen = 0u32;
    for glyph in words.chars().map(glyph) {
        if !glyph.outline.is_empty() {
            put(format_args!("<path transform=\"translate({pen})\" d=\"{}\"/>", glyph.outline));
        }
        pen += u32::from(glyph.advance);
    }
    group + "</g>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(text: &str) -> String {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><title>x</title>{text}<rect/></svg>")
    }

    #[test]
    fn a_text_becomes_a_path_a_letter_and_the_rest_stays() {
        let drawn = outlined(&svg("<text x=\"90\" y=\"24\" font-size=\"16\" fill=\"#1a1a1a\">A &lt;</text>")).unwrap();
        let (a, less) = (glyph('A').outline, glyph('<').outline);
        assert_eq!(
            drawn,
            svg(&format!(
                "<g transform=\"translate(90 24) scale(0.0078125)\" fill=\"#1a1a1a\">\
                 <path transform=\"translate(0)\" d=\"{a}\"/><path transform=\"translate(2052)\" d=\"{less}\"/></g>"
            ))
        );
    }

    #[test]
    fn text_stands_where_its_anchor_says() {
        for (anchor, start) in [("start", 100.0), ("middle", 100.0 - 1401.0 / 2.0), ("end", 100.0 - 1401.0)] {
            let text = svg(&format!("<text x=\"100\" font-size=\"2048\" text-anchor=\"{anchor}\">A</text>"));
            let drawn = outlined(&text).unwrap();
            assert!(drawn.contains(&format!("translate({start} 0) scale(1)")), "{anchor}: {drawn}");
        }
    }

    #[test]
    fn odd_documents_are_no_danger() {
        assert!(outlined("no svg").is_err());
        assert_eq!(outlined(&svg("")).unwrap(), svg(""));
        let nested = outlined(&svg("<text>a<text>b</text></text>")).unwrap();
        assert_eq!(nested, outlined(&svg("<text>a</text>")).unwrap());
    }
}
