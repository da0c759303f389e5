//! Marks: places on the horizontal axis that mean something, such as a bound that a calculation predicts.

use super::canvas::{Canvas, Escaped, Ink, Length};
use super::look::{Look, curve_colour};
use super::panel::Frame;
use super::sheet::SOURCE_SIZE;
use super::{Figure, Mark, text};

/// From the frame up to the labels.
const GAP: f64 = 4.0;
const ROW: f64 = 13.0;
/// Between labels side by side.
const APART: f64 = 8.0;

/// Marks with their labels above the frame, in as many rows as it takes that none covers another.
pub(super) struct Marks {
    rows: usize,
    marks: Vec<Placed>,
}

struct Placed {
    mark: Mark,
    x: f64,
    lines: Vec<String>,
    /// The middle of its label, and how far it reaches to both sides.
    middle: f64,
    reach: f64,
    /// The row of its lowest line, counted from the frame up.
    row: usize,
}

impl Marks {
    /// The marks of a figure whose frame has these sides; `across` knows where on it a value lies.
    pub(super) fn new(figure: &Figure, (left, right): (f64, f64), across: impl Fn(f64) -> f64) -> Self {
        let mut marks: Vec<Placed> = Vec::new();
        for mark in figure.marks.iter().filter(|mark| figure.x.scale.shows(mark.x)) {
            let lines = text::wrapped(&mark.label, SOURCE_SIZE, right - left);
            let reach = text::widest(&lines, SOURCE_SIZE) / 2.0;
            let x = across(mark.x);
            let middle = x.min(right - reach).max(left + reach);
            let covers = |other: &&Placed| (other.middle - middle).abs() < other.reach + reach + APART;
            let row = marks.iter().filter(covers).map(|other| other.row + other.lines.len()).max().unwrap_or(0);
            marks.push(Placed { mark: mark.clone(), x, lines, middle, reach, row });
        }
        let rows = marks.iter().map(|placed| placed.row + placed.lines.len()).max().unwrap_or(0);
        Self { rows, marks }
    }

    pub(super) fn height(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { self.rows as f64 * ROW + GAP }
    }

    /// Dashed lines from top to bottom, each with its label; in a curve's colour if it belongs to one.
    pub(super) fn draw(&self, canvas: &mut Canvas, frame: Frame, looks: &[Look]) {
        for placed in &self.marks {
            let colour = placed.mark.curve.and_then(|curve| looks.get(curve)).map(|look| look.colour);
            let stroke = if let Some(colour) = colour {
                canvas.put(format_args!("<g {} fill=\"currentColor\">\n", curve_colour(colour)));
                "stroke=\"currentColor\"".to_owned()
            } else {
                canvas.put(format_args!("<g {}>\n", Ink::Soft.fill()));
                Ink::Axis.stroke()
            };
            canvas.put(format_args!(
                "<path {stroke} stroke-width=\"1.2\" stroke-dasharray=\"4 4\" d=\"M{} {}V{}\"/>\n",
                Length(placed.x),
                Length(frame.bottom),
                Length(frame.top),
            ));
            for (line, row) in placed.lines.iter().rev().zip(placed.row..) {
                canvas.put(format_args!(
                    "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\">{}</text>\n",
                    Length(placed.middle),
                    Length(frame.top - GAP - row as f64 * ROW),
                    Length(SOURCE_SIZE),
                    Escaped(line),
                ));
            }
            canvas.put(format_args!("</g>\n"));
        }
    }
}
