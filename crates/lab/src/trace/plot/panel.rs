//! One panel: a heading with the key of its marks, a frame, a grid. All panels share the axis of time.

use super::marks::Style;
use crate::figure::canvas::{Anchor, Canvas, Ink, Length};
use crate::figure::scale::{Fitted, Range, Scale, Tick};
use crate::figure::text;

pub(in crate::trace) const WIDTH: f64 = 920.0;
pub(in crate::trace) const PADDING: f64 = 14.0;
pub(in crate::trace) const LABEL_SIZE: f64 = 13.0;
pub(in crate::trace) const TICK_SIZE: f64 = 12.0;
pub(in crate::trace) const TICK_GAP: f64 = 8.0;
const KEY_SIZE: f64 = 12.0;
const KEY_ROW: f64 = 18.0;
const SAMPLE: f64 = 20.0;
const SAMPLE_GAP: f64 = 5.0;
const KEY_GAP: f64 = 16.0;
/// From the heading to the frame.
const HEADING_GAP: f64 = 7.0;

/// The seconds that are shown.
pub(in crate::trace) struct TimeAxis {
    from: f64,
    to: f64,
    /// Those within.
    pub(in crate::trace) ticks: Vec<Tick>,
}

impl TimeAxis {
    pub(in crate::trace) fn new(from: f64, to: f64) -> Self {
        // A run without a frame has no length; it gets an axis all the same.
        let to = if to > from { to } else { from + 1.0 };
        let fitted = Fitted::new(Scale::Linear, false, Some(Range { low: from, high: to }));
        let ticks = fitted.ticks.into_iter().filter(|tick| (from..=to).contains(&tick.value)).collect();
        Self { from, to, ticks }
    }

    fn share(&self, seconds: f64) -> f64 {
        ((seconds - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

/// An entry of a panel's key.
pub(in crate::trace) type Key = (&'static str, Style);

/// A panel, measured.
pub(in crate::trace) struct Panel<'a> {
    time: &'a TimeAxis,
    y: Fitted,
    label: String,
    /// Each entry with its place.
    key: Vec<(Key, f64, f64)>,
    heading: f64,
    pub(in crate::trace) left: f64,
    pub(in crate::trace) right: f64,
    pub(in crate::trace) top: f64,
    pub(in crate::trace) bottom: f64,
}

impl<'a> Panel<'a> {
    /// A panel whose heading begins at `top` and whose frame is `height` high.
    pub(in crate::trace) fn new(
        time: &'a TimeAxis,
        label: &str,
        y: Fitted,
        key: &[Key],
        (left, top): (f64, f64),
        height: f64,
    ) -> Self {
        let right = WIDTH - PADDING - 4.0;
        let label = y.factor.as_ref().map_or_else(|| label.to_owned(), |factor| format!("{label} ({factor})"));
        let (mut x, mut row) = (left + text::width(&label, LABEL_SIZE) + KEY_GAP + 4.0, 0.0);
        let first = x;
        let mut placed = Vec::new();
        for entry in key {
            let width = SAMPLE + SAMPLE_GAP + text::width(entry.0, KEY_SIZE);
            if x + width > right && x > first {
                (x, row) = (first, row + 1.0);
            }
            placed.push((*entry, x, top + (row + 0.5) * KEY_ROW));
            x += width + KEY_GAP;
        }
        let frame_top = top + (row + 1.0) * KEY_ROW + HEADING_GAP;
        Self { time, y, label, key: placed, heading: top, left, right, top: frame_top, bottom: frame_top + height }
    }

    /// Where a value at some second is drawn.
    pub(in crate::trace) fn place(&self, seconds: f64, value: f64) -> (f64, f64) {
        (self.across(seconds), self.bottom - self.y.position(value) * (self.bottom - self.top))
    }

    fn across(&self, seconds: f64) -> f64 {
        self.left + self.time.share(seconds) * (self.right - self.left)
    }

    /// The grid, the heading, the frame with its ticks; the numbers of the seconds only where `numbered`.
    pub(in crate::trace) fn draw(&self, canvas: &mut Canvas, numbered: bool) {
        self.draw_grid(canvas);
        let baseline = self.heading + KEY_ROW / 2.0 + 0.36 * LABEL_SIZE;
        canvas.text(&self.label, (self.left, baseline), LABEL_SIZE, Ink::Text, Anchor::Start);
        for ((label, style), x, y) in &self.key {
            style.draw_sample(canvas, (*x, *y), SAMPLE);
            let place = (x + SAMPLE + SAMPLE_GAP, y + 0.36 * KEY_SIZE);
            canvas.text(label, place, KEY_SIZE, Ink::Text, Anchor::Start);
        }
        for tick in self.y.ticks.iter().filter(|tick| !tick.label.is_empty()) {
            let (_, y) = self.place(0.0, tick.value);
            canvas.text(&tick.label, (self.left - TICK_GAP, y + 0.36 * TICK_SIZE), TICK_SIZE, Ink::Text, Anchor::End);
        }
        if numbered {
            for tick in &self.time.ticks {
                let place = (self.across(tick.value), self.bottom + TICK_GAP + 0.8 * TICK_SIZE);
                canvas.text(&tick.label, place, TICK_SIZE, Ink::Text, Anchor::Middle);
            }
        }
    }

    fn draw_grid(&self, canvas: &mut Canvas) {
        let [left, right, top, bottom] = [self.left, self.right, self.top, self.bottom].map(Length);
        let seconds = self.time.ticks.iter().map(|tick| format!("M{} {bottom}V{top}", Length(self.across(tick.value))));
        let values =
            self.y.ticks.iter().map(|tick| format!("M{left} {}H{right}", Length(self.place(0.0, tick.value).1)));
        let grid: String = seconds.chain(values).collect();
        canvas.put(format_args!("<path {} stroke-width=\"0.8\" d=\"{grid}\"/>\n", Ink::Grid.stroke()));
    }

    /// The frame, above what stands in it.
    pub(in crate::trace) fn draw_frame(&self, canvas: &mut Canvas) {
        let [left, right, top, bottom] = [self.left, self.right, self.top, self.bottom].map(Length);
        canvas.put(format_args!("<path {} d=\"M{left} {top}H{right}V{bottom}H{left}Z\"/>\n", Ink::Axis.stroke()));
    }
}
