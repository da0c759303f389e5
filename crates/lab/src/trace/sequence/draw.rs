//! The drawing as a whole: heading, three panels over one axis of time, small print.

use super::record::{Cause, Noted, Sent, Waiting};
use super::{About, Recorder};
use crate::figure::canvas::Canvas;
use crate::figure::scale::{Fitted, Range, Scale};
use crate::trace::plot::marks::{Place, Shape, Style, area, steps};
use crate::trace::plot::page::{PANEL_GAP, Page};
use crate::trace::plot::panel::{Key, Panel, TimeAxis};
use arqway_units::Span;

const SEQUENCE_HEIGHT: f64 = 330.0;
const SMALL_HEIGHT: f64 = 120.0;

/// Colours have one meaning in all panels.
const NEW: usize = 1;
const TIMEOUT: usize = 6;
const REJECT: usize = 4;
const LOST: usize = 2;
const DELIVERED: usize = 3;
const PLAIN: usize = 0;
const OTHERS: usize = 7;

const LOST_MARK: Style = Style { shape: Shape::Cross, colour: LOST };
const REJECT_MARK: Style = Style { shape: Shape::Diamond, colour: REJECT };
const DROPPED_MARK: Style = Style { shape: Shape::Diamond, colour: PLAIN };
const DELIVERED_LINE: Style = Style { shape: Shape::Step, colour: DELIVERED };
const ACKNOWLEDGED_LINE: Style = Style { shape: Shape::Step, colour: PLAIN };
const TIMEOUT_LINE: Style = Style { shape: Shape::DashedLine, colour: PLAIN };
const AREAS: [Style; 3] = [
    Style { shape: Shape::Area, colour: NEW },
    Style { shape: Shape::Area, colour: TIMEOUT },
    Style { shape: Shape::Area, colour: OTHERS },
];

/// The marks of frames that are sent, by why they are.
const SENT: [(Cause, Key); 3] = [
    (Cause::New, ("sent first", Style { shape: Shape::Dot, colour: NEW })),
    (Cause::Timeout, ("again: timeout", Style { shape: Shape::Square, colour: TIMEOUT })),
    (Cause::Reject, ("again: rejected", Style { shape: Shape::Triangle, colour: REJECT })),
];

impl Recorder {
    fn sent_for(&self, cause: Cause) -> impl Iterator<Item = &Sent> {
        self.sent.iter().filter(move |sent| sent.cause == cause)
    }

    fn lost(&self) -> impl Iterator<Item = &Sent> {
        self.sent.iter().filter(|sent| !sent.arrives)
    }
}

/// The plot as a self-contained SVG document.
pub(super) fn draw(recorder: &Recorder, about: &About, timeout: Option<Span>) -> String {
    let time = TimeAxis::new(recorder.from.as_seconds(), recorder.end().as_seconds());
    let [numbers, waiting, waited] = [numbers(recorder), waiting(recorder), waited(recorder, timeout)];
    let paragraphs = [in_words(recorder), about.source.clone()];
    let page = Page::new(&about.title, &[&numbers, &waiting, &waited], &paragraphs);
    let (left, top) = (page.left, page.top);
    let sequence = Panel::new(&time, "Frame number", numbers, &sequence_key(recorder), (left, top), SEQUENCE_HEIGHT);
    let queue = Panel::new(
        &time,
        "Frames in the queue",
        waiting,
        &QUEUE_KEY,
        (left, sequence.bottom + PANEL_GAP),
        SMALL_HEIGHT,
    );
    let age = Panel::new(
        &time,
        "Waited in the queue (s)",
        waited,
        if timeout.is_some() { &TIMEOUT_KEY } else { &[] },
        (left, queue.bottom + PANEL_GAP),
        SMALL_HEIGHT,
    );
    let mut canvas = page.begin(&about.id, &about.title, &description(recorder), &age);
    draw_sequence(&mut canvas, &sequence, recorder);
    draw_queue(&mut canvas, &queue, recorder);
    draw_age(&mut canvas, &age, recorder, timeout);
    page.finish(canvas, &age)
}

fn linear(from_zero: bool, values: impl IntoIterator<Item = f64>) -> Fitted {
    Fitted::new(Scale::Linear, from_zero, Range::of(values))
}

fn numbers(recorder: &Recorder) -> Fitted {
    let sent = recorder.sent.iter().map(|sent| sent.number);
    let noted = [&recorder.rejects, &recorder.dropped, &recorder.acknowledgements, &recorder.deliveries];
    let noted = noted.into_iter().flatten().map(|noted| noted.number);
    linear(false, sent.chain(noted).map(|number| number as f64))
}

fn waiting(recorder: &Recorder) -> Fitted {
    linear(true, recorder.waiting.iter().map(|waiting| f64::from(waiting.new + waiting.copies + waiting.others)))
}

fn waited(recorder: &Recorder, timeout: Option<Span>) -> Fitted {
    let waited = recorder.sent.iter().map(|sent| sent.waited.as_seconds());
    linear(true, waited.chain(timeout.map(|timeout| timeout.as_seconds())))
}

/// What is in the plot, and nothing else.
fn sequence_key(recorder: &Recorder) -> Vec<Key> {
    let sent = SENT.map(|(cause, key)| (recorder.sent_for(cause).next().is_some(), key));
    let others = [
        (recorder.lost().next().is_some(), ("lost", LOST_MARK)),
        (!recorder.dropped.is_empty(), ("no room in the queue", DROPPED_MARK)),
        (!recorder.rejects.is_empty(), ("reject heard", REJECT_MARK)),
        (true, ("delivered", DELIVERED_LINE)),
        (true, ("acknowledged", ACKNOWLEDGED_LINE)),
    ];
    sent.into_iter().chain(others).filter_map(|(is_there, key)| is_there.then_some(key)).collect()
}

const QUEUE_KEY: [Key; 3] = [("first", AREAS[0]), ("copies", AREAS[1]), ("other services", AREAS[2])];
/// The marks of the frames are those of the first panel.
const TIMEOUT_KEY: [Key; 1] = [("timeout", TIMEOUT_LINE)];

fn draw_sequence(canvas: &mut Canvas, panel: &Panel<'_>, recorder: &Recorder) {
    panel.draw(canvas, false);
    let place = |noted: &Noted| panel.place(noted.at.as_seconds(), noted.number as f64);
    for (line, steps_of) in [(ACKNOWLEDGED_LINE, &recorder.acknowledgements), (DELIVERED_LINE, &recorder.deliveries)] {
        let places: Vec<Place> = steps_of.iter().map(place).collect();
        line.draw_path(canvas, &steps(&places, panel.right));
    }
    REJECT_MARK.draw_marks(canvas, recorder.rejects.iter().map(place));
    let sent_place = |sent: &Sent| panel.place(sent.at.as_seconds(), sent.number as f64);
    for (cause, (_, mark)) in SENT {
        mark.draw_marks(canvas, recorder.sent_for(cause).map(sent_place));
    }
    LOST_MARK.draw_marks(canvas, recorder.lost().map(sent_place));
    DROPPED_MARK.draw_marks(canvas, recorder.dropped.iter().map(place));
    panel.draw_frame(canvas);
}

fn draw_queue(canvas: &mut Canvas, panel: &Panel<'_>, recorder: &Recorder) {
    panel.draw(canvas, false);
    let level = |layers: usize| -> Vec<Place> {
        let height =
            |waiting: &Waiting| -> u32 { [waiting.new, waiting.copies, waiting.others].into_iter().take(layers).sum() };
        recorder
            .waiting
            .iter()
            .map(|waiting| panel.place(waiting.at.as_seconds(), f64::from(height(waiting))))
            .collect()
    };
    for (layer, style) in AREAS.into_iter().enumerate() {
        style.draw_path(canvas, &area(&level(layer), &level(layer + 1), panel.right));
    }
    panel.draw_frame(canvas);
}

fn draw_age(canvas: &mut Canvas, panel: &Panel<'_>, recorder: &Recorder, timeout: Option<Span>) {
    panel.draw(canvas, true);
    for (cause, (_, mark)) in SENT {
        let sent = recorder.sent_for(cause);
        mark.draw_marks(canvas, sent.map(|sent| panel.place(sent.at.as_seconds(), sent.waited.as_seconds())));
    }
    if let Some(timeout) = timeout {
        let at = panel.place(recorder.from.as_seconds(), timeout.as_seconds());
        TIMEOUT_LINE.draw_path(canvas, &steps(&[at], panel.right));
    }
    panel.draw_frame(canvas);
}

/// What the plot counts.
fn in_words(recorder: &Recorder) -> String {
    let [new, timeout, reject] = SENT.map(|(cause, _)| recorder.sent_for(cause).count());
    let lost = recorder.lost().count();
    format!(
        "{new} frames are sent first, {timeout} again after a timeout, {reject} again because they were rejected; \
         {lost} of them are lost."
    )
}

fn description(recorder: &Recorder) -> String {
    format!(
        "Three panels over the time from {} s to {} s: the numbers of Selective Repeat's frames toward the client as they \
         are sent, delivered and acknowledged; the frames that wait for the link; how long each frame has waited when \
         it starts. {}",
        recorder.from.as_seconds(),
        recorder.end().as_seconds(),
        in_words(recorder)
    )
}
