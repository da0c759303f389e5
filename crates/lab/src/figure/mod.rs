//! Figures: line plots with error bars, as SVG and PNG.
//!
//! A small renderer of our own, because figures are results: equal input must give equal bytes, on every host. They are made
//! for print. Curves are told apart by marker, by dash and by colour, each of which suffices alone; the legend stands below
//! the plot and never covers data. The same SVG is inlined in reports, where it follows the reader's dark mode.
//!
//! | file | concept |
//! | --- | --- |
//! | `scale.rs` | which part of an axis is shown, its ticks, where a value lies on it |
//! | `number.rs` | numbers as text |
//! | `font.rs` | the shipped font: widths and outlines of its letters |
//! | `text.rs` | how wide text is; wrapping |
//! | `look.rs` | marker, dash and colour of each curve |
//! | `canvas.rs` | SVG elements, escaped and with fixed decimals |
//! | `layout.rs` | where everything stands |
//! | `curve.rs` | lines, error bars, markers |
//! | `marker.rs` | the colour, dash and marker of one curve |
//! | `mark.rs` | places on the horizontal axis that mean something |
//! | `legend.rs` | labels and looks, in rows below the plot |
//! | `svg.rs` | the drawing as a whole |
//! | `png.rs` | SVG to pixels |
//! | `outlined.rs` | text as outlines, for pixels |
//!
//! `canvas.rs`, `look.rs`, `scale.rs` and `text.rs` also serve the [time-sequence plot](crate::trace::sequence).

pub mod canvas;
mod curve;
mod font;
mod layout;
mod legend;
pub mod look;
mod mark;
mod marker;
pub mod number;
mod outlined;
pub mod png;
pub mod scale;
mod svg;
pub mod text;

pub use scale::Scale;

/// A line plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Names the figure within a document and a folder: `monet08-fig3`.
    pub id: String,
    /// What stands above the plot.
    pub title: String,
    /// The swept parameter.
    pub x: Axis,
    /// What was measured.
    pub y: Axis,
    /// In the order of the legend.
    pub curves: Vec<Curve>,
    /// Places on the horizontal axis that mean something.
    pub marks: Vec<Mark>,
    /// Small print below everything: where the figure comes from, what its error bars are.
    pub source: String,
}

/// One axis of a plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// What is laid along the axis, with its unit in parentheses: `Frame loss rate (%)`.
    pub label: String,
    /// How values are laid along it.
    pub scale: Scale,
    /// Whether a linear axis shows zero even where no value is near.
    pub from_zero: bool,
}

impl Axis {
    /// The unit, if the label ends with one in parentheses.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        let (_, unit) = self.label.strip_suffix(')')?.rsplit_once('(')?;
        Some(unit)
    }
}

/// Points of one scheme, joined by a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The scheme as the legend names it.
    pub label: String,
    /// In the order in which they are joined.
    pub points: Vec<Point>,
}

/// A place on the horizontal axis that means something: a bound, say.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// Its meaning.
    pub label: String,
    /// The curve that it speaks of.
    pub curve: Option<usize>,
}

/// A mean and its confidence interval, and where a paper draws that, one standard deviation beside it: the bar with caps is
/// then the deviation, the thick one the interval.
///
/// A point that its axes cannot show (not a number, infinite, not positive on a logarithmic axis) leaves a gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where on the horizontal axis.
    pub x: f64,
    /// The mean.
    pub y: f64,
    /// Half the width of the confidence interval; `None` where there is none.
    pub half_width: Option<f64>,
    /// One standard deviation, where that is drawn beside the interval.
    pub deviation: Option<f64>,
}

impl Figure {
    /// The figure as a self-contained SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }
}

#[cfg(test)]
mod tests;
