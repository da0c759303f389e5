//! Where everything of a figure stands: title above, axes, legend and small print below, each as high as it must be.

use super::legend::Legend;
use super::scale::{Fitted, Range, Scale};
use super::{Axis, Figure, Point, text};

/// Width of every figure, in pixels of CSS: its text is legible in a column of print and, made as narrow as a phone, there.
pub(super) const WIDTH: f64 = 440.0;
const PLOT_HEIGHT: f64 = 250.0;
const PADDING: f64 = 14.0;

pub(super) const TITLE_SIZE: f64 = 15.5;
pub(super) const TITLE_ROW: f64 = 20.0;
pub(super) const LABEL_SIZE: f64 = 13.5;
pub(super) const TICK_SIZE: f64 = 12.5;
pub(super) const SOURCE_SIZE: f64 = 11.0;
pub(super) const SOURCE_ROW: f64 = 14.0;
/// From the frame up to the labels of marks.
pub(super) const MARK_GAP: f64 = 4.0;
/// Length of a tick's mark.
pub(super) const MARK: f64 = 5.0;
/// From the frame to the tick labels.
pub(super) const TICK_GAP: f64 = 9.0;

/// The outermost points keep this distance from the sides of the frame, so that no marker touches it.
const INSET: f64 = 16.0;

/// The rectangle of the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A figure, measured.
pub(super) struct Layout {
    pub(super) x: Fitted,
    pub(super) y: Fitted,
    pub(super) frame: Frame,
    pub(super) title: Vec<String>,
    pub(super) x_label: String,
    pub(super) y_label: String,
    pub(super) legend: Legend,
    pub(super) legend_corner: (f64, f64),
    pub(super) source: Vec<String>,
    pub(super) source_top: f64,
    pub(super) height: f64,
    scales: [Scale; 2],
}

impl Layout {
    pub(super) fn new(figure: &Figure) -> Self {
        let (x, y) = fitted_axes(figure);
        let widest = y.ticks.iter().map(|tick| text::width(&tick.label, TICK_SIZE)).fold(0.0, f64::max);
        let title = text::wrapped(&figure.title, TITLE_SIZE, WIDTH - 2.0 * PADDING);
        let factor = if y.factor.is_some() { TICK_SIZE + 4.0 } else { 0.0 };
        let marks = if figure.marks.is_empty() { 0.0 } else { SOURCE_SIZE + MARK_GAP };
        let top = PADDING + title.len() as f64 * TITLE_ROW + 8.0 + factor + marks;
        let frame = Frame {
            left: PADDING + LABEL_SIZE + TICK_GAP + widest + TICK_GAP,
            right: WIDTH - PADDING - 4.0,
            top,
            bottom: top + PLOT_HEIGHT,
        };
        let legend = Legend::new(&figure.curves, WIDTH - 2.0 * PADDING);
        // The block stands below the middle of the frame, unless it is too wide for that.
        let centred = f64::midpoint(frame.left, frame.right) - legend.width() / 2.0;
        let legend_left = centred.min(WIDTH - PADDING - legend.width()).max(PADDING);
        let legend_top = frame.bottom + TICK_GAP + TICK_SIZE + LABEL_SIZE + 24.0;
        let source_top = legend_top + legend.height() + 8.0;
        let source = text::wrapped(&figure.source, SOURCE_SIZE, WIDTH - 2.0 * PADDING);
        Self {
            x_label: text::cut(&figure.x.label, LABEL_SIZE, frame.right - frame.left),
            y_label: text::cut(&figure.y.label, LABEL_SIZE, PLOT_HEIGHT),
            x,
            y,
            frame,
            title,
            legend,
            legend_corner: (legend_left, legend_top),
            height: (source_top + source.len() as f64 * SOURCE_ROW + PADDING - 4.0).ceil(),
            source,
            source_top,
            scales: [figure.x.scale, figure.y.scale],
        }
    }

    /// Where the point is drawn; `None` if the axes cannot show it.
    pub(super) fn place(&self, point: Point) -> Option<(f64, f64)> {
        shown(self.scales, point).then(|| (self.across(point.x), self.up(point.y)))
    }

    /// Horizontal place of a value.
    pub(super) fn across(&self, value: f64) -> f64 {
        let (left, right) = (self.frame.left + INSET, self.frame.right - INSET);
        left + self.x.position(value) * (right - left)
    }

    /// Vertical place of a value; what lies beyond the axis is put at its end.
    pub(super) fn up(&self, value: f64) -> f64 {
        self.frame.bottom - self.y.position(value) * (self.frame.bottom - self.frame.top)
    }

    /// Where the titles and the small print begin.
    pub(super) fn margin() -> f64 {
        PADDING
    }
}

fn shown([x, y]: [Scale; 2], point: Point) -> bool {
    x.shows(point.x) && y.shows(point.y)
}

fn fitted_axes(figure: &Figure) -> (Fitted, Fitted) {
    let scales = [figure.x.scale, figure.y.scale];
    let points = figure.curves.iter().flat_map(|curve| &curve.points).copied().filter(|&point| shown(scales, point));
    let points: Vec<_> = points.collect();
    let marks = figure.marks.iter().map(|mark| mark.x).filter(|&x| figure.x.scale.shows(x));
    let x = Range::of(points.iter().map(|point| point.x).chain(marks));
    let y = Range::of(points.iter().map(|point| point.y));
    let ends = points.iter().filter_map(Point::ends).flat_map(<[f64; 2]>::from);
    let bars = Range::of(ends.filter(|&end| figure.y.scale.shows(end)));
    let y = y.map(|means| bars.map_or(means, |bars| means.and(reachable(&figure.y, means, bars))));
    (Fitted::new(figure.x.scale, figure.x.from_zero, x), Fitted::new(figure.y.scale, figure.y.from_zero, y))
}

/// The part of the error bars for which a linear axis grows: two or three replications have intervals many times as wide
/// as all means together, which would flatten the curves. Nor does an axis of positive values go below zero for a bar.
fn reachable(axis: &Axis, means: Range, bars: Range) -> Range {
    let zero = Range { low: 0.0, high: 0.0 };
    let base = if axis.from_zero { means.and(zero) } else { means };
    let span = base.high - base.low;
    if axis.scale == Scale::Logarithmic || span == 0.0 {
        return bars;
    }
    let floor = if axis.from_zero && means.low >= 0.0 { 0.0 } else { base.low - span / 2.0 };
    Range { low: bars.low.max(floor), high: bars.high.min(base.high + span / 2.0) }
}

impl Point {
    /// The ends of the error bar: the deviation where it is drawn, else the interval.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        self.around(self.deviation.or(self.half_width))
    }

    /// The ends of the interval.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        self.around(self.half_width)
    }

    fn around(&self, distance: Option<f64>) -> Option<(f64, f64)> {
        let distance = distance.filter(|&distance| distance >= 0.0 && distance.is_finite())?;
        Some((self.y - distance, self.y + distance))
    }
}
