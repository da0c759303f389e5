//! The legend: which look is which scheme, in rows below the plot, read from left to right.

use super::Curve;
use super::canvas::{Anchor, Canvas, Ink, Length};
use super::look::Look;
use super::marker::{draw_marker, open};
use super::text;

const SIZE: f64 = 13.0;
const ROW: f64 = 21.0;
/// Long enough to tell the longest dash.
const SAMPLE: f64 = 44.0;
const SAMPLE_GAP: f64 = 8.0;
const COLUMN_GAP: f64 = 22.0;

/// The entries and how they are arranged.
pub(super) struct Legend {
    labels: Vec<String>,
    columns: usize,
    /// Width of one column, without the gap to the next.
    column: f64,
}

impl Legend {
    /// As many columns as fit into `most`, and no more than even rows need.
    pub(super) fn new(curves: &[Curve], most: f64) -> Self {
        let room = most - SAMPLE - SAMPLE_GAP;
        let labels: Vec<_> = curves.iter().map(|curve| text::cut(&curve.label, SIZE, room)).collect();
        let widest = labels.iter().map(|label| text::width(label, SIZE)).fold(0.0, f64::max);
        let column = SAMPLE + SAMPLE_GAP + widest;
        let fitting = ((most + COLUMN_GAP) / (column + COLUMN_GAP)).floor().max(1.0) as usize;
        let rows = labels.len().div_ceil(fitting).max(1);
        Self { columns: labels.len().div_ceil(rows), labels, column }
    }

    pub(super) fn height(&self) -> f64 {
        match self.columns {
            0 => 0.0,
            columns => self.labels.len().div_ceil(columns) as f64 * ROW,
        }
    }

    pub(super) fn width(&self) -> f64 {
        self.columns as f64 * (self.column + COLUMN_GAP) - COLUMN_GAP
    }

    /// Draws the entries, the upper left corner of their block at this position.
    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): (f64, f64)) {
        for (index, label) in self.labels.iter().enumerate() {
            let (row, column) = (index / self.columns, index % self.columns);
            let x = left + column as f64 * (self.column + COLUMN_GAP);
            let y = top + (row as f64 + 0.5) * ROW;
            let look = Look::of(index);
            open(canvas, look);
            canvas.put(format_args!("<path d=\"M{} {}h{}\"/>\n", Length(x), Length(y), Length(SAMPLE)));
            draw_marker(canvas, look, (x + SAMPLE / 2.0, y));
            canvas.put(format_args!("</g>\n"));
            canvas.text(label, (x + SAMPLE + SAMPLE_GAP, y + 0.36 * SIZE), SIZE, Ink::Text, Anchor::Start);
        }
    }
}
