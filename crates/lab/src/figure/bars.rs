//! A figure of one point: a bar a scheme, with its label on the left and its value on the right.
//!
//! ```text
//!     SSCOP PFRS   |#####|-|          1.23 ± 0.05
//!     SSCOP none   |##########|--|    3.4 ± 0.3
//!                  0    1    2    3
//!                   Recovery (s)
//! ```

use super::canvas::{Anchor, Canvas, Escaped, Ink, Length};
use super::look::{curve_colour, looks};
use super::number::{shortest, with_half_width};
use super::panel::{LABEL_ROW, LABEL_SIZE, TICK_GAP, TICK_SIZE, draw_tick_labels, fitted};
use super::scale::Fitted;
use super::sheet::{Around, PADDING, Sheet};
use super::{Axis, Curve, Figure, Point, Scale, svg, text};

const SIZE: f64 = 13.0;
const LINE: f64 = 16.0;
const BAR: f64 = 13.0;
/// Between one bar's label and the next.
const GAP: f64 = 9.0;
/// Half the length of the cap of an error bar.
const CAP: f64 = 4.0;
/// The labels take no more of the width.
const LABELS: f64 = 0.42;
/// The longest bar stays away from the value by this.
const INSET: f64 = 8.0;

/// Where everything stands.
struct Bars {
    axis: Fitted,
    /// Each label in its lines.
    labels: Vec<Vec<String>>,
    values: Vec<String>,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    below: Vec<String>,
}

impl Bars {
    fn new(figure: &Figure, x: f64, sheet: Sheet, top: f64) -> Self {
        let points: Vec<Point> = figure.curves.iter().filter_map(|curve| figure.point(curve)).collect();
        let labels = figure.curves.iter().map(|curve| text::wrapped(&curve.label, SIZE, LABELS * sheet.inner()));
        let labels: Vec<_> = labels.collect();
        let values: Vec<String> = figure.curves.iter().map(|curve| value(figure, curve)).collect();
        let below = [figure.y.label.clone(), place(&figure.x, x)];
        Self {
            axis: fitted(&Axis { from_zero: true, ..figure.y.clone() }, &points),
            left: PADDING + text::widest(labels.iter().flatten(), SIZE) + GAP,
            right: sheet.width() - PADDING - text::widest(&values, SIZE) - GAP,
            top,
            bottom: top + labels.iter().map(|lines| height(lines)).sum::<f64>() + GAP,
            below: below.iter().flat_map(|line| text::wrapped(line, LABEL_SIZE, sheet.inner())).collect(),
            labels,
            values,
        }
    }

    /// Where the last text ends.
    fn end(&self) -> f64 {
        self.bottom + TICK_GAP + TICK_SIZE + 8.0 + self.below.len() as f64 * LABEL_ROW
    }

    fn across(&self, value: f64) -> f64 {
        self.left + self.axis.position(value) * (self.right - INSET - self.left)
    }

    fn draw_axis(&self, canvas: &mut Canvas, middle: f64) {
        let mut grid = String::new();
        for tick in &self.axis.ticks {
            grid += &format!("M{} {}V{}", Length(self.across(tick.value)), Length(self.bottom), Length(self.top));
        }
        canvas.put(format_args!("<path {} stroke-width=\"0.8\" d=\"{grid}\"/>\n", Ink::Grid.stroke()));
        let [left, right, top, bottom] = [self.left, self.right - INSET, self.top, self.bottom].map(Length);
        canvas.put(format_args!("<path {} d=\"M{left} {top}V{bottom}H{right}\"/>\n", Ink::Axis.stroke()));
        draw_tick_labels(canvas, &self.axis, |value| self.across(value), (self.right - INSET, self.bottom));
        let below = self.bottom + TICK_GAP + TICK_SIZE + 6.0 + LABEL_SIZE;
        for (row, line) in self.below.iter().enumerate() {
            canvas.text(line, (middle, below + row as f64 * LABEL_ROW), LABEL_SIZE, Ink::Text, Anchor::Middle);
        }
    }

    /// A bar from zero, and its interval.
    fn draw_bar(&self, canvas: &mut Canvas, point: Point, y: f64, colour: usize) {
        let (zero, end) = (self.across(0.0), self.across(point.y));
        canvas.put(format_args!(
            "<rect {} fill=\"currentColor\" fill-opacity=\"0.65\" \
             x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
            curve_colour(colour),
            Length(zero.min(end)),
            Length(y - BAR / 2.0),
            Length((end - zero).abs()),
            Length(BAR),
        ));
        let Some((low, high)) = point.ends() else { return };
        let mut path = format!("M{} {}H{}", Length(self.across(low)), Length(y), Length(self.across(high)));
        for cap in [low, high].into_iter().filter(|cap| self.axis.contains(*cap)) {
            path += &format!("M{} {}v{}", Length(self.across(cap)), Length(y - CAP), Length(2.0 * CAP));
        }
        canvas.put(format_args!("<path {} stroke-width=\"1.2\" d=\"{path}\"/>\n", Ink::Axis.stroke()));
    }
}

/// The bars as a self-contained SVG document.
pub(super) fn draw(figure: &Figure, x: f64, sheet: Sheet) -> String {
    let around = Around::new(figure, sheet);
    let bars = Bars::new(figure, x, sheet, around.top());
    let mut canvas = svg::canvas(figure, sheet, around.height(bars.end()));
    bars.draw_axis(&mut canvas, sheet.width() / 2.0);
    let looks = looks(&figure.curves.iter().map(|curve| curve.scheme.as_str()).collect::<Vec<_>>());
    let mut top = bars.top + GAP;
    for (index, curve) in figure.curves.iter().enumerate() {
        let (lines, value) = (&bars.labels[index], &bars.values[index]);
        let middle = top + (height(lines) - GAP) / 2.0;
        canvas.put(format_args!("<g><title>{}: {}</title>\n", Escaped(&curve.label), Escaped(value)));
        for (row, line) in lines.iter().enumerate() {
            let y = middle + (row as f64 - (lines.len() as f64 - 1.0) / 2.0) * LINE + 0.36 * SIZE;
            canvas.text(line, (bars.left - GAP, y), SIZE, Ink::Text, Anchor::End);
        }
        if let Some(point) = figure.point(curve) {
            bars.draw_bar(&mut canvas, point, middle, looks[index].colour);
        }
        let place = (sheet.width() - PADDING, middle + 0.36 * SIZE);
        canvas.text(value, place, SIZE, Ink::Text, Anchor::End);
        canvas.put(format_args!("</g>\n"));
        top += height(lines);
    }
    around.draw(&mut canvas, bars.end());
    canvas.finish()
}

fn height(lines: &[String]) -> f64 {
    lines.len().max(1) as f64 * LINE + GAP
}

/// `31.2 ± 0.3`
fn value(figure: &Figure, curve: &Curve) -> String {
    figure.point(curve).map_or_else(|| "no value".to_owned(), |point| with_half_width(point.y, point.half_width))
}

/// `Frame loss rate: 5.4 %`; empty where nothing is swept.
fn place(axis: &Axis, x: f64) -> String {
    let unit = axis.unit();
    let name = unit.and_then(|unit| axis.label.strip_suffix(&format!(" ({unit})"))).unwrap_or(&axis.label);
    if name.is_empty() {
        return String::new();
    }
    format!("{name}: {} {}", shortest(x), unit.unwrap_or_default()).trim_end().to_owned()
}

impl Figure {
    /// The only place on the horizontal axis where there is anything; then there are no curves to draw.
    pub(super) fn only_place(&self) -> Option<f64> {
        let mut points = self.curves.iter().flat_map(|curve| &curve.points);
        let first = points.next()?;
        let is_one = points.all(|point| point.x == first.x) && self.curves.iter().all(|curve| curve.points.len() < 2);
        (is_one && self.marks.is_empty()).then_some(first.x)
    }

    /// The point of a curve, if the axis can show it.
    fn point(&self, curve: &Curve) -> Option<Point> {
        curve.points.first().copied().filter(|point| self.y.scale.shows(point.y) && Scale::Linear.shows(point.x))
    }
}
