//! Marks: places on the horizontal axis that mean something, such as a bound that a calculation predicts.

use super::canvas::{Canvas, Escaped, Ink, Length};
use super::layout::{Layout, MARK_GAP, SOURCE_SIZE};
use super::look::{COLOURS, Look};
use super::{Figure, Mark, text};

/// Dashed lines from top to bottom, each with its label above the frame; in a curve's colour if it belongs to one.
pub(super) fn draw(canvas: &mut Canvas, layout: &Layout, figure: &Figure) {
    let mut marks: Vec<&Mark> = figure.marks.iter().filter(|mark| figure.x.scale.shows(mark.x)).collect();
    marks.sort_by(|one, other| one.x.total_cmp(&other.x));
    let places: Vec<f64> = marks.iter().map(|mark| layout.across(mark.x)).collect();
    for (index, mark) in marks.iter().enumerate() {
        let gap_to = |other: Option<&f64>| other.map_or(f64::INFINITY, |other| (other - places[index]).abs());
        let room =
            gap_to(index.checked_sub(1).and_then(|before| places.get(before))).min(gap_to(places.get(index + 1)));
        match mark.curve.map(|curve| Look::of(curve).colour) {
            Some(colour) => {
                let light = COLOURS[colour].light;
                canvas
                    .put(format_args!("<g class=\"arqway-curve-{colour}\" color=\"{light}\" fill=\"currentColor\">\n"));
                draw_one(canvas, layout, mark, room, "stroke=\"currentColor\"");
            }
            None => {
                canvas.put(format_args!("<g {}>\n", Ink::Soft.fill()));
                draw_one(canvas, layout, mark, room, &Ink::Axis.stroke());
            }
        }
        canvas.put(format_args!("</g>\n"));
    }
}

/// A line and its label, which is cut where its neighbours leave too little room.
fn draw_one(canvas: &mut Canvas, layout: &Layout, mark: &Mark, room: f64, stroke: &str) {
    let (x, frame) = (layout.across(mark.x), layout.frame);
    canvas.put(format_args!(
        "<path {stroke} stroke-width=\"1.2\" stroke-dasharray=\"4 4\" d=\"M{} {}V{}\"/>\n",
        Length(x),
        Length(frame.bottom),
        Length(frame.top),
    ));
    let width = (room - MARK_GAP).min(frame.right - frame.left);
    canvas.put(format_args!(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\">{}</text>\n",
        Length(x),
        Length(frame.top - MARK_GAP),
        Length(SOURCE_SIZE),
        Escaped(&text::cut(&mark.label, SOURCE_SIZE, width)),
    ));
}
