//! The marks of a curve: its line, its error bars, its markers.

use super::canvas::{Canvas, Escaped, Length};
use super::look::Look;
use super::marker::{RADIUS, draw_marker, open};
use super::number::{percentage_with_half_width, shortest, with_half_width};
use super::panel::Panel;
use super::{Axis, Curve, Point};

/// Half the length of the cap of an error bar.
const CAP: f64 = 3.5;
/// Within this distance of a point, its tooltip is shown.
const TOUCH: f64 = 9.0;
/// More markers on a curve would cover it: of more points some have none.
const MOST_MARKERS: usize = 40;

/// The points of a curve that have a marker and an error bar.
fn marked(curve: &Curve) -> impl Iterator<Item = Point> {
    curve.points.iter().copied().step_by(curve.points.len().div_ceil(MOST_MARKERS).max(1))
}

/// The line through the points and their error bars.
pub(super) fn draw_line(canvas: &mut Canvas, panel: &Panel, curve: &Curve, look: Look) {
    open(canvas, look);
    let mut path = String::new();
    let mut joined = false;
    for &point in &curve.points {
        let place = panel.place(point);
        if let Some((x, y)) = place {
            path += &format!("{}{} {}", if joined { 'L' } else { 'M' }, Length(x), Length(y));
        }
        joined = place.is_some();
    }
    if !path.is_empty() {
        canvas.put(format_args!("<path d=\"{path}\"/>\n"));
    }
    let bars: String = marked(curve).filter_map(|point| error_bar(panel, point)).collect();
    if !bars.is_empty() {
        canvas.put(format_args!("<path stroke-width=\"0.9\" stroke-dasharray=\"none\" d=\"{bars}\"/>\n"));
    }
    let intervals: String = marked(curve).filter_map(|point| interval_bar(panel, point)).collect();
    if !intervals.is_empty() {
        canvas.put(format_args!("<path stroke-width=\"3\" stroke-dasharray=\"none\" d=\"{intervals}\"/>\n"));
    }
    canvas.put(format_args!("</g>\n"));
}

/// The path of the interval where the error bar is something else: without caps.
fn interval_bar(panel: &Panel, point: Point) -> Option<String> {
    let (x, _) = panel.place(point)?;
    point.deviation?;
    let (low, high) = point.interval()?;
    Some(format!("M{} {}V{}", Length(x), Length(panel.up(low)), Length(panel.up(high))))
}

/// Whether the markers of a curve hide some of its error bars.
pub(super) fn hides_bars(panel: &Panel, curve: &Curve) -> bool {
    marked(curve)
        .filter(|point| panel.place(*point).is_some())
        .filter_map(|point| point.ends())
        .any(|(low, high)| high > low && (panel.up(low) - panel.up(high)) / 2.0 < RADIUS)
}

/// The path of an error bar. Where the frame cuts it off it has no cap, as a sign that it goes on.
fn error_bar(panel: &Panel, point: Point) -> Option<String> {
    let (x, _) = panel.place(point)?;
    let (low, high) = point.ends()?;
    let (bottom, top) = (panel.up(low), panel.up(high));
    let mut path = format!("M{} {}V{}", Length(x), Length(bottom), Length(top));
    for (end, y) in [(low, bottom), (high, top)] {
        if panel.y.contains(end) {
            path += &format!("M{} {}h{}", Length(x - CAP), Length(y), Length(2.0 * CAP));
        }
    }
    Some(path)
}

/// The markers of a curve, each with a tooltip.
pub(super) fn draw_markers(canvas: &mut Canvas, panel: &Panel, axes: [&Axis; 2], curve: &Curve, look: Look) {
    open(canvas, look);
    for point in marked(curve) {
        let Some(place) = panel.place(point) else { continue };
        canvas.put(format_args!("<g><title>{}</title>\n", Escaped(&tooltip(axes, curve, point))));
        draw_marker(canvas, look, place);
        canvas.put(format_args!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" stroke=\"none\" pointer-events=\"all\"/></g>\n",
            Length(place.0),
            Length(place.1),
            Length(TOUCH),
        ));
    }
    canvas.put(format_args!("</g>\n"));
}

/// `SR 0.9 s at 5.4 %: 31.2 ± 0.3 kbit/s`.
fn tooltip([x, y]: [&Axis; 2], curve: &Curve, point: Point) -> String {
    let number = if y.unit() == Some("%") { percentage_with_half_width } else { with_half_width };
    let unit = |unit: Option<&str>| unit.map(|unit| format!(" {unit}")).unwrap_or_default();
    format!(
        "{} at {}{}: {}{}",
        curve.label,
        shortest(point.x),
        unit(x.unit()),
        number(point.y, point.half_width),
        unit(y.unit()),
    )
}
