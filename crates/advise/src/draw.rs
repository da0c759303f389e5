//! The ranking drawn: candidates down, what each application got across.
//!
//! ```text
//!     Selective Repeat, 1.1 s   |            |-o-|   |    filled: advised; hollow and dark: as good, or
//!     RLP, 3 retransmissions    |           |-o-|    |    no significant difference; hollow and light: behind
//!     Raw                       | |o|                |
//!                                throughput (kbit/s)
//! ```

use super::advice::{Advice, Stage};
use super::race::{Standing, Verdict};
use arqway_lab::figure::Scale;
use arqway_lab::figure::canvas::{Anchor, Canvas, Ink, Length};
use arqway_lab::figure::look::{COLOURS, curve_colour};
use arqway_lab::figure::scale::{Fitted, Range};
use arqway_lab::figure::text;
use arqway_lab::results::stats::Summary;

const ROW: f64 = 17.0;
const LABEL: f64 = 12.0;
const SMALL: f64 = 11.0;
const TITLE: f64 = 15.5;
const HEADING: f64 = 13.5;
const MARGIN: f64 = 14.0;
const PANEL: f64 = 230.0;
const GAP: f64 = 22.0;
/// Around the dots of a panel.
const INSET: f64 = 9.0;
/// Above and below the rows of a panel.
const HEAD: f64 = 24.0;
const FOOT: f64 = 44.0;
const RADIUS: f64 = 4.2;

/// One column of dots: what is laid along it, and each candidate's value.
struct Panel<'a> {
    label: String,
    values: Vec<Option<&'a Summary>>,
    factor: f64,
}

impl Panel<'_> {
    fn axis(&self) -> Fitted {
        let ends = self.values.iter().flatten().flat_map(|value| {
            let (low, high) = value.interval().unwrap_or((value.mean, value.mean));
            // Two or three replications have intervals beyond all sense: they are cut at the frame.
            [low.max(0.0).max(value.mean * 0.5), high.min(value.mean * 1.5)]
        });
        Fitted::new(Scale::Linear, true, Range::of(ends.map(|end| end * self.factor)))
    }
}

impl Advice {
    /// The plot as a self-contained SVG document.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let stages: Vec<&Stage> = self.stages.iter().filter(|stage| !stage.standings.is_empty()).collect();
        let names = stages.iter().flat_map(|stage| stage.standings.iter().map(|one| stage.label(one)));
        let labels = text::widest(names, LABEL);
        let panels = stages.first().map_or(0, |stage| self.panels(stage).len());
        let left = MARGIN + labels + 10.0;
        let width = left + panels as f64 * (PANEL + GAP) - GAP + MARGIN + 8.0;
        let title = format!("{}: which service suits it", self.question.name);
        let source = text::wrapped(&self.source(), SMALL, width - 2.0 * MARGIN);
        let of_stage = |stage: &&Stage| HEAD + stage.standings.len() as f64 * ROW + FOOT;
        let height = MARGIN + TITLE + 10.0 + stages.iter().map(of_stage).sum::<f64>();
        let all = (width.ceil(), (height + source.len() as f64 * 14.0 + MARGIN).ceil());
        let mut canvas = Canvas::new("advise", &title, &self.source(), all);
        canvas.text(&title, (MARGIN, MARGIN + 0.85 * TITLE), TITLE, Ink::Text, Anchor::Start);
        let mut top = MARGIN + TITLE + 10.0;
        for stage in &stages {
            canvas.text(&stage.what(), (MARGIN, top + HEADING), HEADING, Ink::Text, Anchor::Start);
            self.draw_stage(&mut canvas, stage, (left, top + HEAD));
            top += of_stage(stage);
        }
        for (row, line) in source.iter().enumerate() {
            canvas.text(line, (MARGIN, top + row as f64 * 14.0 + SMALL), SMALL, Ink::Soft, Anchor::Start);
        }
        canvas.finish()
    }

    fn source(&self) -> String {
        format!(
            "Bars: 95 % confidence intervals. Filled: advised; hollow and dark: as good, or no significant difference; light: behind. {}.",
            capital(&self.judged_by())
        )
    }

    fn panels<'a>(&self, stage: &'a Stage) -> Vec<Panel<'a>> {
        let of = |index: usize| stage.standings.iter().map(|one| one.values.get(index)?.as_ref()).collect();
        let applications = self.question.applications.iter().enumerate();
        let mut panels: Vec<Panel<'_>> = applications
            .filter_map(|(index, one)| {
                Some(Panel { label: one.quantity()?.label.to_owned(), values: of(index), factor: 1.0 })
            })
            .collect();
        if panels.len() > 1 {
            let values = stage.standings.iter().map(|one| Some(&one.score)).collect();
            panels.push(Panel { label: "Score (%)".to_owned(), values, factor: 100.0 });
        }
        panels
    }

    fn draw_stage(&self, canvas: &mut Canvas, stage: &Stage, (left, top): (f64, f64)) {
        let bottom = top + stage.standings.len() as f64 * ROW;
        for (row, standing) in stage.standings.iter().enumerate() {
            let place = (left - 8.0, middle(top, row) + 0.36 * LABEL);
            let ink = if standing.verdict == Verdict::Behind { Ink::Soft } else { Ink::Text };
            canvas.text(stage.label(standing), place, LABEL, ink, Anchor::End);
        }
        for (index, panel) in self.panels(stage).iter().enumerate() {
            let from = left + index as f64 * (PANEL + GAP);
            draw_panel(canvas, panel, &stage.standings, Frame { left: from, right: from + PANEL, top, bottom });
        }
    }
}

struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn across(&self, axis: &Fitted, value: f64) -> f64 {
        self.left + INSET + axis.position(value) * (self.right - self.left - 2.0 * INSET)
    }
}

fn middle(top: f64, row: usize) -> f64 {
    top + (row as f64 + 0.5) * ROW
}

fn draw_panel(canvas: &mut Canvas, panel: &Panel<'_>, standings: &[Standing], frame: Frame) {
    let axis = panel.axis();
    let mut grid = String::new();
    for tick in &axis.ticks {
        grid += &format!("M{} {}V{}", Length(frame.across(&axis, tick.value)), Length(frame.top), Length(frame.bottom));
    }
    for row in 0..standings.len() {
        grid += &format!("M{} {}H{}", Length(frame.left), Length(middle(frame.top, row)), Length(frame.right));
    }
    canvas.put(format_args!("<path {} stroke-width=\"0.8\" d=\"{grid}\"/>\n", Ink::Grid.stroke()));
    let [left, right, top, bottom] = [frame.left, frame.right, frame.top, frame.bottom].map(Length);
    canvas.put(format_args!("<path {} d=\"M{left} {top}H{right}V{bottom}H{left}Z\"/>\n", Ink::Axis.stroke()));
    for tick in axis.ticks.iter().filter(|tick| !tick.label.is_empty()) {
        let place = (frame.across(&axis, tick.value), frame.bottom + 6.0 + 0.8 * SMALL);
        canvas.text(&tick.label, place, SMALL, Ink::Text, Anchor::Middle);
    }
    let factor = axis.factor.as_ref().map_or_else(String::new, |factor| format!(" {factor}"));
    for (row, line) in text::wrapped(&format!("{}{factor}", panel.label), SMALL, PANEL).iter().enumerate() {
        let place = (f64::midpoint(frame.left, frame.right), frame.bottom + 20.0 + (0.8 + 1.2 * row as f64) * SMALL);
        canvas.text(line, place, SMALL, Ink::Text, Anchor::Middle);
    }
    for (row, (standing, value)) in standings.iter().zip(&panel.values).enumerate() {
        if let Some(value) = value {
            draw_value(canvas, panel, &axis, &frame, (row, standing.verdict, value));
        }
    }
}

/// A dot, and its interval.
fn draw_value(
    canvas: &mut Canvas,
    panel: &Panel<'_>,
    axis: &Fitted,
    frame: &Frame,
    (row, verdict, value): (usize, Verdict, &Summary),
) {
    let y = middle(frame.top, row);
    let colour = if verdict == Verdict::Behind { COLOURS.len() - 1 } else { 1 };
    canvas
        .put(format_args!("<g {} fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\">\n", curve_colour(colour)));
    if let Some((low, high)) = value.interval() {
        let [low, high] = [low, high].map(|end| Length(frame.across(axis, end * panel.factor)));
        canvas.put(format_args!(
            "<path d=\"M{low} {}H{high}M{low} {}v7M{high} {}v7\"/>\n",
            Length(y),
            Length(y - 3.5),
            Length(y - 3.5)
        ));
    }
    let fill = if verdict == Verdict::Advised { "fill=\"currentColor\"".to_owned() } else { Ink::Paper.fill() };
    let x = Length(frame.across(axis, value.mean * panel.factor));
    canvas.put(format_args!("<circle cx=\"{x}\" cy=\"{}\" r=\"{RADIUS}\" {fill}/>\n</g>\n", Length(y)));
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
