//! SVG to PNG. Text is drawn from the outlines of the font that is shipped, and no other: the same pixels on every host.

use std::error::Error;

use super::outlined::outlined;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Options, Tree};

/// Pixels a unit of the drawing, where nobody asks for others: sharp on a dense screen and in print.
pub const SCALE: f32 = 2.0;

/// Why an SVG has no PNG.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The text is not an SVG document.
    #[error("the figure is not an SVG document")]
    Svg(#[from] usvg::Error),
    /// The scaled document has no pixels, or more than memory holds.
    #[error("a picture cannot be {width} by {height} pixels large")]
    Size {
        /// Width of the scaled document.
        width: f32,
        /// Height of the scaled document.
        height: f32,
    },
    /// The pixels could not be written.
    #[error("the picture cannot be encoded")]
    Encode(#[source] Box<dyn Error + Send + Sync>),
}

/// Renders an SVG document, `scale` pixels a unit.
///
/// # Errors
///
/// If the text is not an SVG document, or the size not that of a picture.
pub fn to_png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let drawn = outlined(svg).map_err(usvg::Error::ParsingFailed)?;
    let tree = Tree::from_str(&drawn, &Options::default())?;
    let (width, height) = ((tree.size().width() * scale).round(), (tree.size().height() * scale).round());
    // Casts of floats saturate: what is no size becomes 0 or the largest, neither of which is one.
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(PngError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Encode(error.into()))
}
