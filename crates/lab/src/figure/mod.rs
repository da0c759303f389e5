//! Figures: line plots with error bars, and bars where there is one point, as SVG and PNG.
//!
//! A small renderer of our own, because figures are results: equal input must give equal bytes, on every host. They are made
//! for print, for a desk and for a phone. Curves are told apart by marker, by dash and by colour, each of which suffices
//! alone; a scheme has the same in all figures. No text is ever cut, and none covers data. On a screen, figures follow the
//! reader's dark mode.
//!
//! | file | concept |
//! | --- | --- |
//! | `scale.rs` | which part of an axis is shown, its ticks, where a value lies on it |
//! | `number.rs` | numbers as text |
//! | `font.rs` | the shipped font: widths and outlines of its letters |
//! | `text.rs` | how wide text is; wrapping |
//! | `look.rs` | marker, dash and colour of each scheme |
//! | `canvas.rs` | SVG elements, escaped and with fixed decimals |
//! | `sheet.rs` | what a figure is drawn on, its title and its small print |
//! | `panel.rs` | a rectangle of axes |
//! | `layout.rs` | where everything stands |
//! | `curve.rs` | lines, error bars, markers |
//! | `marker.rs` | the colour, dash and marker of one curve |
//! | `mark.rs` | places on the horizontal axis that mean something |
//! | `legend.rs` | labels and looks, beside the plot or below it |
//! | `svg.rs` | a line plot as a whole |
//! | `bars.rs` | a figure of one point |
//! | `png.rs` | SVG to pixels |
//! | `outlined.rs` | text as outlines, for pixels |
//!
//! `canvas.rs`, `look.rs`, `scale.rs` and `text.rs` also serve the [time-sequence plot](crate::trace::sequence).

mod bars;
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
mod panel;
pub mod png;
pub mod scale;
mod sheet;
mod svg;
pub mod text;

pub use scale::Scale;
pub use sheet::Sheet;

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
    /// How some of the curves differ, where they can hardly be told apart: a second panel.
    pub difference: Option<Difference>,
    /// Where the figure comes from.
    pub source: String,
    /// What its values and its error bars are.
    pub caption: String,
}

/// How far some curves lie from one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// From which, with the unit in parentheses: `Difference from SR 0.9 s (kbit/s)`.
    pub label: String,
    /// By their schemes, they look like those of the figure.
    pub curves: Vec<Curve>,
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
    /// The scheme as rows name it, which decides how the curve looks.
    pub scheme: String,
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
    /// The figure as a self-contained SVG document, for a file of its own.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.drawn_on(Sheet::File)
    }

    /// The figure as a self-contained SVG document, for a place of this kind.
    #[must_use]
    pub fn drawn_on(&self, sheet: Sheet) -> String {
        match self.only_place() {
            Some(x) => bars::draw(self, x, sheet),
            None => svg::draw(self, sheet),
        }
    }

    /// Whether some error bar is shorter than the marker in front of it.
    #[must_use]
    pub fn hides_bars(&self) -> bool {
        let hides = |panel: &panel::Panel, curves: &[Curve]| curves.iter().any(|curve| curve::hides_bars(panel, curve));
        // No plot is flatter than a phone's.
        let layout = layout::Layout::new(self, Sheet::Phone);
        let below = layout.difference.as_ref().zip(self.difference.as_ref());
        self.only_place().is_none()
            && (hides(&layout.plot, &self.curves)
                || below.is_some_and(|(panel, difference)| hides(panel, &difference.curves)))
    }

    /// What stands below a figure that is by itself.
    fn small_print(&self) -> String {
        let parts = [&self.source, &self.caption].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests;
