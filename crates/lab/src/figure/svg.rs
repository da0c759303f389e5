//! Draws a line plot: paper, grid, axes, curves, then the text around them.

use super::canvas::{Anchor, Canvas, Ink};
use super::curve::{draw_line, draw_markers};
use super::layout::Layout;
use super::look::Look;
use super::panel::{LABEL_ROW, LABEL_SIZE, Panel, TICK_GAP, TICK_SIZE};
use super::sheet::Sheet;
use super::{Axis, Curve, Figure, Scale};

/// The figure as a self-contained SVG document.
pub(super) fn draw(figure: &Figure, sheet: Sheet) -> String {
    let layout = Layout::new(figure, sheet);
    let mut canvas = canvas(figure, sheet, layout.height);
    layout.plot.draw(&mut canvas);
    layout.marks.draw(&mut canvas, layout.plot.frame, &layout.looks);
    let curves: Vec<_> = figure.curves.iter().zip(layout.looks.iter().copied()).collect();
    draw_curves(&mut canvas, &layout.plot, [&figure.x, &figure.y], &curves);
    if let (Some(panel), Some(difference)) = (&layout.difference, &figure.difference) {
        panel.draw(&mut canvas);
        let label = difference.label.clone();
        let y = Axis { label, scale: Scale::Linear, from_zero: true };
        let look = |curve: &Curve| curves.iter().find(|(other, _)| other.scheme == curve.scheme).map(|(_, look)| *look);
        let curves: Vec<_> = difference.curves.iter().filter_map(|curve| Some((curve, look(curve)?))).collect();
        draw_curves(&mut canvas, panel, [&figure.x, &y], &curves);
    }
    let lowest = layout.difference.as_ref().unwrap_or(&layout.plot);
    lowest.draw_tick_labels(&mut canvas);
    let below = lowest.frame.bottom + TICK_GAP + TICK_SIZE + 6.0 + LABEL_SIZE;
    for (row, line) in layout.x_label.iter().enumerate() {
        let place = (f64::midpoint(lowest.frame.left, lowest.frame.right), below + row as f64 * LABEL_ROW);
        canvas.text(line, place, LABEL_SIZE, Ink::Text, Anchor::Middle);
    }
    layout.legend.draw(&mut canvas, &layout.looks, layout.legend_corner);
    layout.around.draw(&mut canvas, layout.bottom);
    canvas.finish()
}

/// The paper of a figure, with what it says to those who cannot see it.
pub(super) fn canvas(figure: &Figure, sheet: Sheet, height: f64) -> Canvas {
    Canvas::new(&sheet.id(&figure.id), &figure.title, &description(figure), (sheet.width(), height))
}

/// Markers above all lines: a line through a hollow marker would fill it.
fn draw_curves(canvas: &mut Canvas, panel: &Panel, axes: [&Axis; 2], curves: &[(&Curve, Look)]) {
    for (curve, look) in curves {
        draw_line(canvas, panel, curve, *look);
    }
    for (curve, look) in curves {
        draw_markers(canvas, panel, axes, curve, *look);
    }
}

/// The figure in words, for those who cannot see it.
fn description(figure: &Figure) -> String {
    let labels: Vec<_> = figure.curves.iter().map(|curve| curve.label.as_str()).collect();
    let curves = match labels.as_slice() {
        [] => "no curves".to_owned(),
        [label] => format!("one curve, {label}"),
        labels => format!("{} curves: {}", labels.len(), labels.join(", ")),
    };
    format!("{} over {}; {curves}. {}", figure.y.label, figure.x.label, figure.small_print())
}
