//! The look of a curve on the canvas: its colour and dash, and its marker.

use super::canvas::{Canvas, Ink, Length};
use super::look::{Look, Marker, curve_colour};

/// Radius of a marker.
pub(super) const RADIUS: f64 = 4.2;

/// Opens a group whose strokes have the curve's colour and dash.
pub(super) fn open(canvas: &mut Canvas, look: Look) {
    let Look { colour, dash, .. } = look;
    canvas.put(format_args!(
        "<g {} fill=\"none\" stroke=\"currentColor\" \
         stroke-width=\"1.6\" stroke-linejoin=\"round\"",
        curve_colour(colour),
    ));
    if !dash.is_empty() {
        canvas.put(format_args!(" stroke-dasharray=\"{dash}\""));
    }
    canvas.put(format_args!(">\n"));
}

/// A marker in the colour of the group that is open.
pub(super) fn draw_marker(canvas: &mut Canvas, look: Look, (x, y): (f64, f64)) {
    let fill = if look.filled { "fill=\"currentColor\"".to_owned() } else { Ink::Paper.fill() };
    let at = |(right, down): (f64, f64)| format!("{} {}", Length(x + right * RADIUS), Length(y + down * RADIUS));
    if look.marker == Marker::Circle {
        let (x, y, radius) = (Length(x), Length(y), Length(RADIUS));
        canvas.put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {fill} stroke-dasharray=\"none\"/>\n"));
        return;
    }
    let strokes = look.marker.strokes();
    if strokes.is_empty() {
        let corners: Vec<_> = look.marker.corners().iter().map(|&corner| at(corner)).collect();
        canvas.put(format_args!("<path d=\"M{}Z\" {fill} stroke-dasharray=\"none\"/>\n", corners.join("L")));
    } else {
        let path: String = strokes.iter().map(|&[from, to]| format!("M{}L{}", at(from), at(to))).collect();
        canvas.put(format_args!("<path d=\"{path}\" stroke-dasharray=\"none\" stroke-width=\"2\"/>\n"));
    }
}
