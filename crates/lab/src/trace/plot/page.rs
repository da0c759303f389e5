//! What stands around the panels of a plot over time.

use super::panel::{LABEL_SIZE, PADDING, Panel, TICK_GAP, TICK_SIZE, WIDTH};
use crate::figure::canvas::{Anchor, Canvas, Ink};
use crate::figure::scale::Fitted;
use crate::figure::text;

const TITLE_SIZE: f64 = 15.0;
const TITLE_ROW: f64 = 20.0;
const SOURCE_SIZE: f64 = 10.5;
const SOURCE_ROW: f64 = 14.0;
/// Between two panels.
pub(in crate::trace) const PANEL_GAP: f64 = 14.0;

/// The heading and the small print, measured; and where the first panel begins.
pub(in crate::trace) struct Page {
    title: Vec<String>,
    small_print: Vec<String>,
    pub(in crate::trace) left: f64,
    pub(in crate::trace) top: f64,
}

impl Page {
    /// A page with this heading, with panels that have these axes, and paragraphs below.
    pub(in crate::trace) fn new(title: &str, axes: &[&Fitted], paragraphs: &[String]) -> Self {
        let room = WIDTH - 2.0 * PADDING;
        let title = text::wrapped(title, TITLE_SIZE, room);
        let ticks = axes.iter().flat_map(|axis| &axis.ticks);
        let widest = text::widest(ticks.map(|tick| &tick.label), TICK_SIZE);
        Self {
            small_print: paragraphs.iter().flat_map(|text| text::wrapped(text, SOURCE_SIZE, room)).collect(),
            left: PADDING + widest + TICK_GAP,
            top: PADDING + title.len() as f64 * TITLE_ROW + 8.0,
            title,
        }
    }

    /// Where the axis of time has its name.
    fn below(last: &Panel<'_>) -> f64 {
        last.bottom + TICK_GAP + TICK_SIZE + LABEL_SIZE + 6.0
    }

    /// A canvas with the heading; `last` is the lowest panel.
    pub(in crate::trace) fn begin(&self, id: &str, title: &str, description: &str, last: &Panel<'_>) -> Canvas {
        let height = (Self::below(last) + 10.0 + self.small_print.len() as f64 * SOURCE_ROW + PADDING).ceil();
        let mut canvas = Canvas::new(id, title, description, (WIDTH, height));
        for (row, line) in (0..).zip(&self.title) {
            let place = (PADDING, PADDING + f64::from(row) * TITLE_ROW + 0.85 * TITLE_SIZE);
            canvas.text(line, place, TITLE_SIZE, Ink::Text, Anchor::Start);
        }
        canvas
    }

    /// The document, once the panels are drawn.
    pub(in crate::trace) fn finish(&self, mut canvas: Canvas, last: &Panel<'_>) -> String {
        let below = Self::below(last);
        let middle = f64::midpoint(last.left, last.right);
        canvas.text("Time (s)", (middle, below), LABEL_SIZE, Ink::Text, Anchor::Middle);
        for (row, line) in (1..).zip(&self.small_print) {
            let place = (PADDING, below + 8.0 + f64::from(row) * SOURCE_ROW);
            canvas.text(line, place, SOURCE_SIZE, Ink::Soft, Anchor::Start);
        }
        canvas.finish()
    }
}
