//! From rows to what a person looks at: tables of means, and figures.

use crate::experiment::{Bars, Experiment, FigurePlan, Scheme};
use crate::figure::{Axis, Curve, Figure, Mark, Point, Scale, number};
use crate::quantity::Quantity;
use crate::rows::Row;
use crate::stats::{Summary, summarise};

/// Means of one quantity, by point and scheme, in the units of its label.
#[derive(Debug, Clone, PartialEq)]
pub struct MeansTable {
    /// What is swept, with its unit.
    pub x_label: String,
    /// What is measured, with its unit.
    pub y_label: String,
    /// The schemes' labels.
    pub schemes: Vec<String>,
    /// The values of the swept setting.
    pub points: Vec<f64>,
    /// For each point, the mean of each scheme that has rows there.
    pub means: Vec<Vec<Option<Summary>>>,
    /// Places on the horizontal axis that mean something.
    pub marks: Vec<Mark>,
    /// The fewest and the most replications behind a mean.
    pub replications: (usize, usize),
    /// How values are laid along the horizontal axis.
    pub x_scale: Scale,
    /// What error bars show.
    pub bars: Bars,
}

impl MeansTable {
    /// The table of a figure, from the rows of its experiment.
    #[must_use]
    pub fn new(experiment: &Experiment, figure: &FigurePlan, rows: &[Row]) -> Self {
        let Quantity { app, metric, label, factor, .. } = figure.quantity;
        let rows: Vec<&Row> = rows.iter().filter(|row| &*row.app == app && &*row.metric == metric).collect();
        let mean = |point: f64, scheme: &Scheme| {
            let variant = experiment.variant_of(scheme);
            let same = |row: &Row| (&*row.scheme, &*row.variant) == (scheme.name.as_str(), variant.as_str());
            let shown = rows.iter().filter(|row| row.point == point && same(row));
            summarise(&shown.map(|row| row.value * factor).collect::<Vec<_>>())
        };
        let points: Vec<f64> = experiment.points.iter().map(|point| point.value).collect();
        let of_point = |point: &f64| experiment.schemes.iter().map(|scheme| mean(*point, scheme)).collect();
        let means: Vec<Vec<Option<Summary>>> = points.iter().map(of_point).collect();
        let counts = || means.iter().flatten().flatten().map(|summary| summary.n);
        Self {
            x_label: figure.x_label.clone(),
            y_label: label.to_owned(),
            schemes: experiment.schemes.iter().map(|scheme| scheme.label.clone()).collect(),
            marks: figure.marks.clone(),
            replications: (counts().min().unwrap_or(0), counts().max().unwrap_or(0)),
            points,
            means,
            x_scale: figure.x_scale,
            bars: figure.bars,
        }
    }

    /// The heads of its columns.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        std::iter::once(&self.x_label).chain(&self.schemes).cloned().collect()
    }

    /// Its rows as text: the point, then `mean ± half width`.
    #[must_use]
    pub fn text_rows(&self) -> Vec<Vec<String>> {
        let cell = |summary: &Option<Summary>| {
            summary.map_or_else(String::new, |found| number::with_half_width(found.mean, found.half_width))
        };
        let row = |(point, means): (&f64, &Vec<Option<Summary>>)| {
            std::iter::once(point.to_string()).chain(means.iter().map(cell)).collect()
        };
        self.points.iter().zip(&self.means).map(row).collect()
    }

    /// How many replications its means rest on, in words.
    #[must_use]
    pub fn replications_text(&self) -> String {
        let words =
            |count: usize| if count == 1 { "1 replication".to_owned() } else { format!("{count} replications") };
        match self.replications {
            (_, 0) => "no finished run measured this".to_owned(),
            (least, most) if least == most => words(least),
            (least, most) => format!("{least} to {}", words(most)),
        }
    }

    /// The table drawn.
    #[must_use]
    pub fn figure(&self, experiment: &Experiment, id: &str) -> Figure {
        let curve = |(index, label): (usize, &String)| {
            let point = |(x, means): (&f64, &Vec<Option<Summary>>)| {
                let summary = means.get(index).copied().flatten()?;
                let deviation = summary.deviation.filter(|_| self.bars == Bars::Deviation);
                Some(Point { x: *x, y: summary.mean, half_width: summary.half_width, deviation })
            };
            Curve { label: label.clone(), points: self.points.iter().zip(&self.means).filter_map(point).collect() }
        };
        let axis = |label: &str, scale: Scale| Axis { label: label.to_owned(), scale, from_zero: true };
        let bars = match self.bars {
            Bars::Interval => "95 % confidence intervals",
            Bars::Deviation => "bars of one standard deviation, thick: 95 % confidence intervals",
        };
        let hidden = self.points.iter().find(|point| !self.x_scale.shows(**point));
        let hidden = hidden.map_or_else(String::new, |point| format!("; {point} is in the table alone"));
        Figure {
            id: id.to_owned(),
            title: experiment.title.clone(),
            x: axis(&self.x_label, self.x_scale),
            y: axis(&self.y_label, Scale::Linear),
            curves: self.schemes.iter().enumerate().map(curve).collect(),
            marks: self.marks.clone(),
            source: format!("{}; {}, {bars}{hidden}", experiment.source, self.replications_text()),
        }
    }

    /// The table for a terminal, its columns aligned.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut lines = vec![self.columns()];
        lines.extend(self.text_rows());
        let width = |column: usize| {
            lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        let mut text = format!("{}\n", self.y_label);
        for line in &lines {
            let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}
