//! Where everything of a line plot stands: one panel or two above each other, and the legend.

use super::legend::Legend;
use super::look::{Look, looks};
use super::mark::Marks;
use super::panel::{Axes, LABEL_ROW, LABEL_SIZE, Panel, TICK_GAP, TICK_SIZE};
use super::sheet::{Around, PADDING, Sheet};
use super::{Axis, Figure, Scale, text};

/// Longer legends stand below the plot even where there is room beside it.
const MOST_BESIDE: usize = 10;
/// The legend beside a plot is no wider.
const WIDEST_BESIDE: f64 = 280.0;
const LEGEND_GAP: f64 = 24.0;
/// Between two panels.
const PANEL_GAP: f64 = 18.0;

/// A line plot, measured.
pub(super) struct Layout {
    pub(super) around: Around,
    pub(super) plot: Panel,
    /// Differences, below the plot.
    pub(super) difference: Option<Panel>,
    pub(super) marks: Marks,
    pub(super) x_label: Vec<String>,
    pub(super) looks: Vec<Look>,
    pub(super) legend: Legend,
    pub(super) legend_corner: (f64, f64),
    /// Where plot and legend end.
    pub(super) bottom: f64,
    pub(super) height: f64,
}

impl Layout {
    pub(super) fn new(figure: &Figure, sheet: Sheet) -> Self {
        let looks = looks(&figure.curves.iter().map(|curve| curve.scheme.as_str()).collect::<Vec<_>>());
        let around = Around::new(figure, sheet);
        let places: Vec<f64> = figure.marks.iter().map(|mark| mark.x).collect();
        let plot = Axes::new(&figure.x, &figure.y, &figure.curves, &places, sheet.plot());
        let difference = figure.difference.as_ref().map(|difference| {
            let y = Axis { label: difference.label.clone(), scale: Scale::Linear, from_zero: true };
            let axes = Axes::new(&figure.x, &y, &difference.curves, &places, sheet.plot() * 0.6);
            axes.headed(&difference.label, sheet.inner() * 0.75)
        });
        let is_beside = sheet == Sheet::Desk && figure.curves.len() <= MOST_BESIDE;
        let beside = is_beside.then(|| Legend::column(&figure.curves, WIDEST_BESIDE));
        let left = PADDING + difference.as_ref().map_or(0.0, Axes::left).max(plot.left());
        let right = sheet.width() - PADDING - 4.0 - beside.as_ref().map_or(0.0, |legend| legend.width() + LEGEND_GAP);
        let sides = (left, right);
        let marks = Marks::new(figure, sides, |value| plot.across(sides, value));
        let top = around.top() + plot.above() + marks.height();
        let plot = plot.at(sides, top);
        let difference = difference.map(|axes| {
            let top = plot.frame.bottom + PANEL_GAP + axes.above();
            axes.at(sides, top)
        });
        let x_label = text::wrapped(&figure.x.label, LABEL_SIZE, right - left);
        let below = difference.as_ref().unwrap_or(&plot).frame.bottom
            + TICK_GAP
            + TICK_SIZE
            + 8.0
            + x_label.len() as f64 * LABEL_ROW;
        let (legend, legend_corner, bottom) = if let Some(legend) = beside {
            let bottom = below.max(top + legend.height());
            (legend, (right + LEGEND_GAP, top), bottom)
        } else {
            let legend = Legend::rows(&figure.curves, sheet.inner());
            // The block stands below the middle of the frame, unless it is too wide for that.
            let centred = f64::midpoint(left, right) - legend.width() / 2.0;
            let corner = (centred.min(sheet.width() - PADDING - legend.width()).max(PADDING), below + 8.0);
            let bottom = corner.1 + legend.height();
            (legend, corner, bottom)
        };
        let height = around.height(bottom);
        Self { around, plot, difference, marks, x_label, looks, legend, legend_corner, bottom, height }
    }
}
