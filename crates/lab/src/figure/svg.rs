//! Draws a figure: paper, grid, axes, curves, then the text around them.

use super::Figure;
use super::canvas::{Anchor, Canvas, Ink, Length};
use super::curve;
use super::layout::{
    LABEL_SIZE, Layout, MARK, SOURCE_ROW, SOURCE_SIZE, TICK_GAP, TICK_SIZE, TITLE_ROW, TITLE_SIZE, WIDTH,
};
use super::look::Look;
use super::mark;
use super::scale::{Fitted, Tick};
use super::text;

/// The figure as a self-contained SVG document.
pub(super) fn draw(figure: &Figure) -> String {
    let layout = Layout::new(figure);
    let mut canvas = Canvas::new(&figure.id, &figure.title, &description(figure), (WIDTH, layout.height));
    draw_grid(&mut canvas, &layout);
    draw_axes(&mut canvas, &layout);
    draw_tick_labels(&mut canvas, &layout);
    mark::draw(&mut canvas, &layout, figure);
    // Markers above all lines: a line through a hollow marker would fill it.
    for (index, curve) in figure.curves.iter().enumerate() {
        curve::draw_line(&mut canvas, &layout, curve, Look::of(index));
    }
    for (index, curve) in figure.curves.iter().enumerate() {
        curve::draw_markers(&mut canvas, &layout, figure, curve, Look::of(index));
    }
    draw_titles(&mut canvas, &layout);
    layout.legend.draw(&mut canvas, layout.legend_corner);
    canvas.finish()
}

/// The figure in words, for those who cannot see it.
fn description(figure: &Figure) -> String {
    let labels: Vec<_> = figure.curves.iter().map(|curve| curve.label.as_str()).collect();
    let curves = match labels.as_slice() {
        [] => "no curves".to_owned(),
        [label] => format!("one curve, {label}"),
        labels => format!("{} curves: {}", labels.len(), labels.join(", ")),
    };
    format!("{} over {}; {curves}. {}", figure.y.label, figure.x.label, figure.source)
}

fn draw_grid(canvas: &mut Canvas, layout: &Layout) {
    let frame = layout.frame;
    let mut path = String::new();
    for tick in &layout.x.ticks {
        path += &format!("M{} {}V{}", Length(layout.across(tick.value)), Length(frame.bottom), Length(frame.top));
    }
    for tick in &layout.y.ticks {
        path += &format!("M{} {}H{}", Length(frame.left), Length(layout.up(tick.value)), Length(frame.right));
    }
    canvas.put(format_args!("<path {} stroke-width=\"0.8\" d=\"{path}\"/>\n", Ink::Grid.stroke()));
}

/// The frame and the ticks' marks, which point outward.
fn draw_axes(canvas: &mut Canvas, layout: &Layout) {
    let frame = layout.frame;
    let [left, right, top, bottom] = [frame.left, frame.right, frame.top, frame.bottom].map(Length);
    let mut path = format!("M{left} {top}H{right}V{bottom}H{left}Z");
    for (value, length) in marks(&layout.x) {
        path += &format!("M{} {bottom}v{}", Length(layout.across(value)), Length(length));
    }
    for (value, length) in marks(&layout.y) {
        path += &format!("M{left} {}h{}", Length(layout.up(value)), Length(-length));
    }
    canvas.put(format_args!("<path {} d=\"{path}\"/>\n", Ink::Axis.stroke()));
}

/// Values with a mark, and its length.
fn marks(axis: &Fitted) -> impl Iterator<Item = (f64, f64)> {
    let major = axis.ticks.iter().map(|tick| (tick.value, MARK));
    major.chain(axis.minor.iter().map(|&value| (value, MARK * 0.55)))
}

fn draw_tick_labels(canvas: &mut Canvas, layout: &Layout) {
    let frame = layout.frame;
    let below = frame.bottom + TICK_GAP + 0.8 * TICK_SIZE;
    for tick in named(&layout.x).step_by(label_stride(layout)) {
        canvas.text(&tick.label, (layout.across(tick.value), below), TICK_SIZE, Ink::Text, Anchor::Middle);
    }
    for tick in named(&layout.y) {
        let place = (frame.left - TICK_GAP, layout.up(tick.value) + 0.36 * TICK_SIZE);
        canvas.text(&tick.label, place, TICK_SIZE, Ink::Text, Anchor::End);
    }
    if let Some(factor) = &layout.x.factor {
        canvas.text(factor, (frame.right, below + LABEL_SIZE + 8.0), TICK_SIZE, Ink::Text, Anchor::End);
    }
    if let Some(factor) = &layout.y.factor {
        canvas.text(factor, (frame.left, frame.top - 7.0), TICK_SIZE, Ink::Text, Anchor::Start);
    }
}

/// The ticks that have a label.
fn named(axis: &Fitted) -> impl Iterator<Item = &Tick> {
    axis.ticks.iter().filter(|tick| !tick.label.is_empty())
}

/// Every how many labels of the horizontal axis there is room for one.
fn label_stride(layout: &Layout) -> usize {
    let widest = named(&layout.x).map(|tick| text::width(&tick.label, TICK_SIZE)).fold(0.0, f64::max);
    let places: Vec<_> = named(&layout.x).map(|tick| layout.across(tick.value)).collect();
    let closest = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    ((widest + TICK_SIZE) / closest).ceil().max(1.0) as usize
}

fn draw_titles(canvas: &mut Canvas, layout: &Layout) {
    let frame = layout.frame;
    for (row, line) in layout.title.iter().enumerate() {
        let place = (Layout::margin(), Layout::margin() + row as f64 * TITLE_ROW + 0.85 * TITLE_SIZE);
        canvas.text(line, place, TITLE_SIZE, Ink::Text, Anchor::Start);
    }
    let below = frame.bottom + TICK_GAP + TICK_SIZE + LABEL_SIZE + 6.0;
    let place = (f64::midpoint(frame.left, frame.right), below);
    canvas.text(&layout.x_label, place, LABEL_SIZE, Ink::Text, Anchor::Middle);
    let (x, y) = (Layout::margin() + 0.8 * LABEL_SIZE, f64::midpoint(frame.top, frame.bottom));
    canvas.put(format_args!("<g transform=\"translate({} {}) rotate(-90)\">\n", Length(x), Length(y)));
    canvas.text(&layout.y_label, (0.0, 0.0), LABEL_SIZE, Ink::Text, Anchor::Middle);
    canvas.put(format_args!("</g>\n"));
    for (row, line) in layout.source.iter().enumerate() {
        let place = (Layout::margin(), layout.source_top + row as f64 * SOURCE_ROW + SOURCE_SIZE);
        canvas.text(line, place, SOURCE_SIZE, Ink::Soft, Anchor::Start);
    }
}
