//! The drawing: two panels over one axis of time.

use super::record::{BIN, Bin};
use super::{About, Link, Recorder};
use crate::figure::canvas::Canvas;
use crate::figure::number;
use crate::figure::scale::{Fitted, Range, Scale};
use crate::trace::plot::marks::{Place, Shape, Style, area, steps};
use crate::trace::plot::page::{PANEL_GAP, Page};
use crate::trace::plot::panel::{Key, Panel, TimeAxis};
use arqway_units::Span;

const RATE_HEIGHT: f64 = 250.0;
const WAIT_HEIGHT: f64 = 150.0;
/// No more steps than can be told apart.
const STEPS: usize = 300;

const CARRIES: Style = Style { shape: Shape::Area, colour: 5 };
const SENT: Style = Style { shape: Shape::Step, colour: 0 };
const WAITS: Style = Style { shape: Shape::Area, colour: 2 };
const RATE_KEY: [Key; 2] = [("the link carries", CARRIES), ("sent into it", SENT)];

/// What is drawn for one step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    seconds: f64,
    carries: f64,
    sent: f64,
    waited: f64,
}

/// The steps, each of so many bins that they can be told apart, in Mbit/s and seconds; and how much the link carries in all.
fn steps_of(recorder: &Recorder, link: &Link<'_>) -> (Vec<Step>, u64) {
    let bins = &recorder.bins;
    let whole = (recorder.from, recorder.from + Span::from_nanoseconds(BIN.as_nanoseconds() * bins.len() as u64));
    let carries = link.carries(recorder.largest, whole, BIN.as_nanoseconds(), bins.len());
    let together = bins.len().div_ceil(STEPS).max(1);
    let seconds = BIN.as_seconds() * together as f64;
    let steps = bins.chunks(together).zip(carries.chunks(together)).zip(0u32..).map(|((bins, carries), index)| {
        // The last one may be shorter.
        let lasts = BIN.as_seconds() * bins.len() as f64;
        let megabits = |octets: u64| octets as f64 * 8e-6 / lasts;
        Step {
            seconds: recorder.from.as_seconds() + f64::from(index) * seconds,
            carries: megabits(carries.iter().sum()),
            sent: megabits(bins.iter().map(|bin| bin.sent).sum()),
            waited: bins.iter().map(|bin| bin.waited).max().unwrap_or_default().as_seconds(),
        }
    });
    (steps.collect(), carries.iter().sum())
}

/// The plot as a self-contained SVG document.
pub(super) fn draw(recorder: &Recorder, about: &About, link: &Link<'_>) -> String {
    let (steps_of, carries) = steps_of(recorder, link);
    let time = TimeAxis::new(recorder.from.as_seconds(), recorder.end().as_seconds());
    let fitted = |values: Vec<f64>| Fitted::new(Scale::Linear, true, Range::of(values));
    let rates = fitted(steps_of.iter().flat_map(|step| [step.carries, step.sent]).collect());
    let waits = fitted(steps_of.iter().map(|step| step.waited).collect());
    let words = in_words(&recorder.bins, carries);
    let page = Page::new(&about.title, &[&rates, &waits], &[words.clone(), about.source.clone()]);
    let rate = Panel::new(&time, "Mbit/s", rates, &RATE_KEY, (page.left, page.top), RATE_HEIGHT);
    let below = (page.left, rate.bottom + PANEL_GAP);
    let wait = Panel::new(&time, "Waits before the link, at most (s)", waits, &[], below, WAIT_HEIGHT);
    let description = format!(
        "Two panels over the time from {} s to {} s: what the link toward the client can carry, with what is sent into it; \
         and how long frames wait before it. {words}",
        recorder.from.as_seconds(),
        recorder.end().as_seconds()
    );
    let mut canvas = page.begin(&about.id, &about.title, &description, &wait);
    rate.draw(&mut canvas, false);
    fill(&mut canvas, CARRIES, &rate, &steps_of, |step| step.carries);
    SENT.draw_path(&mut canvas, &steps(&places(&rate, &steps_of, |step| step.sent), rate.right));
    rate.draw_frame(&mut canvas);
    wait.draw(&mut canvas, true);
    fill(&mut canvas, WAITS, &wait, &steps_of, |step| step.waited);
    wait.draw_frame(&mut canvas);
    page.finish(canvas, &wait)
}

fn places(panel: &Panel<'_>, steps: &[Step], value: impl Fn(&Step) -> f64) -> Vec<Place> {
    steps.iter().map(|step| panel.place(step.seconds, value(step))).collect()
}

fn fill(canvas: &mut Canvas, style: Style, panel: &Panel<'_>, steps: &[Step], value: impl Fn(&Step) -> f64) {
    style.draw_path(canvas, &area(&places(panel, steps, |_| 0.0), &places(panel, steps, value), panel.right));
}

/// What the plot adds up.
fn in_words(bins: &[Bin], carries: u64) -> String {
    let sum = |of: fn(&Bin) -> u64| bins.iter().map(of).sum::<u64>();
    let megabytes = |octets: u64| number::significant(octets as f64 * 1e-6, 3);
    let mut waits: Vec<Span> = bins.iter().map(|bin| bin.waited).collect();
    waits.sort_unstable();
    let mut at = |share: usize| {
        let index = (waits.len() * share / 100).min(waits.len().saturating_sub(1));
        waits.get_mut(index).map_or(0.0, |wait| wait.as_seconds()) * 1e3
    };
    let (half, most) = (number::significant(at(50), 2), number::significant(at(95), 2));
    format!(
        "The link can carry {} MB; {} MB are sent into it, of which its queue has no room for {}. Of the {} ms, half have a wait of \
         at most {half} ms, and 95 % of at most {most} ms.",
        megabytes(carries),
        megabytes(sum(|bin| bin.sent)),
        megabytes(sum(|bin| bin.dropped)),
        bins.len() as u64 * BIN.as_nanoseconds() / 1_000_000,
    )
}
