//! A rectangle of axes: where a value lies in it, its grid, its ticks, its label.

use super::canvas::{Anchor, Canvas, Ink, Length};
use super::scale::{Fitted, Range, Scale, Tick};
use super::{Axis, Curve, Point, text};

pub(super) const LABEL_SIZE: f64 = 13.5;
pub(super) const LABEL_ROW: f64 = 17.0;
pub(super) const TICK_SIZE: f64 = 12.5;
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

/// A rectangle of axes, measured.
pub(super) struct Panel {
    pub(super) x: Fitted,
    pub(super) y: Fitted,
    pub(super) frame: Frame,
    /// The vertical axis's, from left to right.
    label: Vec<String>,
    /// What stands above the frame.
    heading: Vec<String>,
    scales: [Scale; 2],
}

/// The axes of a panel, before it is known where it stands.
pub(super) struct Axes {
    x: Fitted,
    y: Fitted,
    label: Vec<String>,
    heading: Vec<String>,
    height: f64,
    scales: [Scale; 2],
}

impl Axes {
    /// Axes on which these curves can be seen, and these places on the horizontal one.
    pub(super) fn new(x: &Axis, y: &Axis, curves: &[Curve], marks: &[f64], height: f64) -> Self {
        let scales = [x.scale, y.scale];
        let points = curves.iter().flat_map(|curve| &curve.points).copied().filter(|&point| shown(scales, point));
        let points: Vec<_> = points.collect();
        let marks = marks.iter().copied().filter(|&mark| x.scale.shows(mark));
        let across = Range::of(points.iter().map(|point| point.x).chain(marks));
        Self {
            x: Fitted::new(x.scale, x.from_zero, across),
            y: fitted(y, &points),
            label: text::wrapped(&y.label, LABEL_SIZE, height),
            heading: Vec::new(),
            height,
            scales,
        }
    }

    /// The same with the label of the vertical axis above the frame, in lines of this width.
    pub(super) fn headed(self, label: &str, width: f64) -> Self {
        Self { label: Vec::new(), heading: text::wrapped(label, LABEL_SIZE, width), ..self }
    }

    /// The room to the left of the frame.
    pub(super) fn left(&self) -> f64 {
        let widest = text::widest(self.y.ticks.iter().map(|tick| &tick.label), TICK_SIZE);
        self.label.len() as f64 * LABEL_ROW + TICK_GAP + widest + TICK_GAP
    }

    /// Horizontal place of a value between these sides of the frame.
    pub(super) fn across(&self, sides: (f64, f64), value: f64) -> f64 {
        across(&self.x, sides, value)
    }

    /// The room above the frame: for its heading, and the power of ten that the labels of the vertical axis share.
    pub(super) fn above(&self) -> f64 {
        above(&self.y, 0) + self.heading.len() as f64 * LABEL_ROW
    }

    /// The panel, the upper corners of its frame there.
    pub(super) fn at(self, (left, right): (f64, f64), top: f64) -> Panel {
        let Self { x, y, label, heading, height, scales } = self;
        Panel { x, y, label, heading, scales, frame: Frame { left, right, top, bottom: top + height } }
    }
}

fn across(axis: &Fitted, (left, right): (f64, f64), value: f64) -> f64 {
    left + INSET + axis.position(value) * (right - left - 2.0 * INSET)
}

/// From the frame up to where this line of the heading stands.
fn above(y: &Fitted, line: usize) -> f64 {
    let factor = if y.factor.is_some() { TICK_SIZE + 4.0 } else { 0.0 };
    factor + line as f64 * LABEL_ROW
}

/// The axis of these values and their bars.
pub(super) fn fitted(axis: &Axis, points: &[Point]) -> Fitted {
    let means = Range::of(points.iter().map(|point| point.y));
    let ends = points.iter().filter_map(Point::ends).flat_map(<[f64; 2]>::from);
    let bars = Range::of(ends.filter(|&end| axis.scale.shows(end)));
    let range = means.map(|means| bars.map_or(means, |bars| means.and(reachable(axis, means, bars))));
    Fitted::new(axis.scale, axis.from_zero, range)
}

impl Panel {
    /// Where the point is drawn; `None` if the axes cannot show it.
    pub(super) fn place(&self, point: Point) -> Option<(f64, f64)> {
        shown(self.scales, point).then(|| (self.across(point.x), self.up(point.y)))
    }

    /// Horizontal place of a value.
    pub(super) fn across(&self, value: f64) -> f64 {
        across(&self.x, (self.frame.left, self.frame.right), value)
    }

    /// Vertical place of a value; what lies beyond the axis is put at its end.
    pub(super) fn up(&self, value: f64) -> f64 {
        self.frame.bottom - self.y.position(value) * (self.frame.bottom - self.frame.top)
    }

    /// Grid, frame, and the vertical axis with its label.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        self.draw_grid(canvas);
        self.draw_frame(canvas);
        let Frame { left, top, bottom, .. } = self.frame;
        for tick in named(&self.y) {
            let place = (left - TICK_GAP, self.up(tick.value) + 0.36 * TICK_SIZE);
            canvas.text(&tick.label, place, TICK_SIZE, Ink::Text, Anchor::End);
        }
        if let Some(factor) = &self.y.factor {
            canvas.text(factor, (left, top - 7.0), TICK_SIZE, Ink::Text, Anchor::Start);
        }
        for (row, line) in self.heading.iter().rev().enumerate() {
            canvas.text(line, (left, top - 7.0 - above(&self.y, row)), LABEL_SIZE, Ink::Text, Anchor::Start);
        }
        let widest = text::widest(self.y.ticks.iter().map(|tick| &tick.label), TICK_SIZE);
        for (row, line) in self.label.iter().rev().enumerate() {
            let x = left - 2.0 * TICK_GAP - widest - row as f64 * LABEL_ROW;
            let y = f64::midpoint(top, bottom);
            canvas.put(format_args!("<g transform=\"translate({} {}) rotate(-90)\">\n", Length(x), Length(y)));
            canvas.text(line, (0.0, 0.0), LABEL_SIZE, Ink::Text, Anchor::Middle);
            canvas.put(format_args!("</g>\n"));
        }
    }

    fn draw_grid(&self, canvas: &mut Canvas) {
        let Frame { left, right, top, bottom } = self.frame;
        let mut path = String::new();
        for tick in &self.x.ticks {
            path += &format!("M{} {}V{}", Length(self.across(tick.value)), Length(bottom), Length(top));
        }
        for tick in &self.y.ticks {
            path += &format!("M{} {}H{}", Length(left), Length(self.up(tick.value)), Length(right));
        }
        canvas.put(format_args!("<path {} stroke-width=\"0.8\" d=\"{path}\"/>\n", Ink::Grid.stroke()));
    }

    /// The frame and the ticks' marks, which point outward.
    fn draw_frame(&self, canvas: &mut Canvas) {
        let [left, right, top, bottom] =
            [self.frame.left, self.frame.right, self.frame.top, self.frame.bottom].map(Length);
        let mut path = format!("M{left} {top}H{right}V{bottom}H{left}Z");
        for (value, length) in marks(&self.x) {
            path += &format!("M{} {bottom}v{}", Length(self.across(value)), Length(length));
        }
        for (value, length) in marks(&self.y) {
            path += &format!("M{left} {}h{}", Length(self.up(value)), Length(-length));
        }
        canvas.put(format_args!("<path {} d=\"{path}\"/>\n", Ink::Axis.stroke()));
    }

    /// The labels of the horizontal axis's ticks.
    pub(super) fn draw_tick_labels(&self, canvas: &mut Canvas) {
        draw_tick_labels(canvas, &self.x, |value| self.across(value), (self.frame.right, self.frame.bottom));
    }
}

/// The labels below a horizontal axis, as many as there is room for, and the power of ten that they share.
pub(super) fn draw_tick_labels(
    canvas: &mut Canvas,
    axis: &Fitted,
    across: impl Fn(f64) -> f64,
    (right, bottom): (f64, f64),
) {
    let below = bottom + TICK_GAP + 0.8 * TICK_SIZE;
    let places: Vec<f64> = named(axis).map(|tick| across(tick.value)).collect();
    let widest = text::widest(named(axis).map(|tick| &tick.label), TICK_SIZE);
    let closest = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let stride = ((widest + TICK_SIZE) / closest).ceil().max(1.0) as usize;
    for (tick, x) in named(axis).zip(&places).step_by(stride) {
        canvas.text(&tick.label, (*x, below), TICK_SIZE, Ink::Text, Anchor::Middle);
    }
    if let Some(factor) = &axis.factor {
        canvas.text(factor, (right, below + LABEL_ROW), TICK_SIZE, Ink::Text, Anchor::End);
    }
}

/// Values with a mark, and its length.
fn marks(axis: &Fitted) -> impl Iterator<Item = (f64, f64)> {
    let major = axis.ticks.iter().map(|tick| (tick.value, MARK));
    major.chain(axis.minor.iter().map(|&value| (value, MARK * 0.55)))
}

/// The ticks that have a label.
fn named(axis: &Fitted) -> impl Iterator<Item = &Tick> {
    axis.ticks.iter().filter(|tick| !tick.label.is_empty())
}

fn shown([x, y]: [Scale; 2], point: Point) -> bool {
    x.shows(point.x) && y.shows(point.y)
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
