//! SVG to PNG, with the font that is shipped and no other: the same pixels on every host.
//!
//! `assets/DejaVuSans-subset.ttf` is DejaVu Sans 2.37 cut down to the letters that figures need (Latin-1, Greek, a few
//! signs, superscripts and subscripts), by fonttools:
//!
//! ```text
//! pyftsubset DejaVuSans.ttf --output-file=DejaVuSans-subset.ttf --no-hinting --layout-features=kern \
//!   --name-IDs=0,1,2,3,4,5,6,13,14 --no-recalc-timestamp \
//!   --unicodes=U+0020-007E,U+00A0-00FF,U+0391-03A9,U+03B1-03C9,U+2009,U+2011,U+2013,U+2014,U+2018,U+2019,\
//! U+201C,U+201D,U+2022,U+2026,U+202F,U+2030,U+2032,U+2033,U+2070,U+2074-2079,U+207B,U+2080-2089,U+2190-2193,\
//! U+2212,U+221E,U+2248,U+2260,U+2264,U+2265
//! ```

use std::error::Error;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Options, Tree, fontdb};

const FONT: &[u8] = include_bytes!("../../assets/DejaVuSans-subset.ttf");
const FAMILY: &str = "DejaVu Sans";

/// Pixels a unit of the drawing, where nobody asks for others: sharp on a dense screen and in print.
pub const SCALE: f32 = 2.0;

/// Why an SVG has no PNG.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The text is not an SVG document.
    #[error("the figure is no SVG")]
    Svg(#[from] usvg::Error),
    /// The scaled document has no pixels, or more than memory holds.
    #[error("no picture is {width} by {height} pixels large")]
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
/// A text that is no SVG, and a size that is no picture's.
pub fn to_png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let tree = Tree::from_str(svg, &options())?;
    let (width, height) = ((tree.size().width() * scale).round(), (tree.size().height() * scale).round());
    // Casts of floats saturate: what is no size becomes 0 or the largest, neither of which is one.
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(PngError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Encode(error.into()))
}

fn options() -> Options<'static> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    Options { font_family: FAMILY.to_owned(), fontdb: Arc::new(fonts), ..Options::default() }
}
