//! The legend: which look is which scheme, read from left to right, and from top to bottom. A scheme of which nothing was measured has no entry.

use super::Curve;
use super::canvas::{Anchor, Canvas, Ink, Length};
use super::look::Look;
use super::marker::{draw_marker, open};
use super::text;

const SIZE: f64 = 13.0;
/// From one entry to the next, and from one line of an entry to the next.
const ROW: f64 = 21.0;
const LINE: f64 = 16.0;
/// Long enough to tell the longest dash.
const SAMPLE: f64 = 44.0;
const SAMPLE_GAP: f64 = 8.0;
const COLUMN_GAP: f64 = 22.0;

/// The entries and how they are arranged.
pub(super) struct Legend {
    /// Each with the number of its curve, in its lines.
    entries: Vec<(usize, Vec<String>)>,
    columns: usize,
    /// Width of one column, without the gap to the next.
    column: f64,
}

impl Legend {
    /// As many columns as fit into `most`, and no more than even rows need.
    pub(super) fn rows(curves: &[Curve], most: f64) -> Self {
        let one = Self::column(curves, most);
        let fitting = ((most + COLUMN_GAP) / (one.column + COLUMN_GAP)).floor().max(1.0) as usize;
        let rows = one.entries.len().div_ceil(fitting).max(1);
        Self { columns: one.entries.len().div_ceil(rows), ..one }
    }

    /// One column, as wide as it must be, and no wider than `most`: long labels have several lines.
    pub(super) fn column(curves: &[Curve], most: f64) -> Self {
        let room = most - SAMPLE - SAMPLE_GAP;
        let drawn = curves.iter().enumerate().filter(|(_, curve)| !curve.points.is_empty());
        let entries: Vec<_> = drawn.map(|(index, curve)| (index, text::wrapped(&curve.label, SIZE, room))).collect();
        let widest = text::widest(entries.iter().flat_map(|(_, lines)| lines), SIZE);
        Self { columns: entries.len().min(1), entries, column: SAMPLE + SAMPLE_GAP + widest }
    }

    /// The heights of the rows.
    fn heights(&self) -> impl Iterator<Item = f64> {
        let rows = self.entries.chunks(self.columns.max(1));
        let lines = rows.map(|row| row.iter().map(|(_, lines)| lines.len()).max().unwrap_or(1));
        lines.map(|lines| ROW + lines.saturating_sub(1) as f64 * LINE)
    }

    pub(super) fn height(&self) -> f64 {
        self.heights().sum()
    }

    pub(super) fn width(&self) -> f64 {
        (self.columns as f64 * (self.column + COLUMN_GAP) - COLUMN_GAP).max(0.0)
    }

    /// Draws the entries, the upper left corner of their block at this position.
    pub(super) fn draw(&self, canvas: &mut Canvas, looks: &[Look], (left, top): (f64, f64)) {
        let mut row_top = top;
        let entries = self.entries.iter().filter_map(|(index, lines)| Some((lines, looks.get(*index)?)));
        for (row, height) in entries.collect::<Vec<_>>().chunks(self.columns.max(1)).zip(self.heights()) {
            for (column, (lines, look)) in row.iter().enumerate() {
                let (x, y) = (left + column as f64 * (self.column + COLUMN_GAP), row_top + 0.5 * ROW);
                open(canvas, **look);
                canvas.put(format_args!("<path d=\"M{} {}h{}\"/>\n", Length(x), Length(y), Length(SAMPLE)));
                draw_marker(canvas, **look, (x + SAMPLE / 2.0, y));
                canvas.put(format_args!("</g>\n"));
                for (index, line) in lines.iter().enumerate() {
                    let place = (x + SAMPLE + SAMPLE_GAP, y + 0.36 * SIZE + index as f64 * LINE);
                    canvas.text(line, place, SIZE, Ink::Text, Anchor::Start);
                }
            }
            row_top += height;
        }
    }
}
