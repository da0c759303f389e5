//! From rows to what a person looks at: tables of means, and figures.

use super::coinciding::{Coinciding, Measured};
use crate::experiment::{Bars, Experiment, FigurePlan, Scheme};
use crate::figure::{Axis, Curve, Figure, Mark, Point, Scale, number};
use crate::quantity::Quantity;
use crate::results::rows::Row;
use crate::results::stats::{Summary, summarise};
use crate::results::text_table::{Align, text_table};
use arqway_sim::channel::Direction;
use arqway_units::Ratio;
use std::collections::BTreeMap;

/// Means of one quantity, by point and scheme, in the units of its label.
#[derive(Debug, Clone, PartialEq)]
pub struct MeansTable {
    /// What is swept, with its unit.
    pub x_label: String,
    /// What is measured, with its unit.
    pub y_label: String,
    /// The schemes' labels.
    pub schemes: Vec<String>,
    /// The same as rows name them.
    pub names: Vec<String>,
    /// The values of the swept setting, or where along its series the quantity was measured.
    pub points: Vec<f64>,
    /// For each point, the mean of each scheme that has rows there.
    pub means: Vec<Vec<Option<Summary>>>,
    /// Where points lie on the horizontal axis, where that is not the swept setting.
    pub against: Option<Against>,
    /// The schemes that can hardly be told apart, and by how much they differ.
    pub coinciding: Option<Coinciding>,
    /// Places on the horizontal axis that mean something.
    pub marks: Vec<Mark>,
    /// The fewest and the most replications behind a mean.
    pub replications: (usize, usize),
    /// The one replication that is shown, where it is one.
    pub replication: Option<u32>,
    /// The scale of the horizontal axis.
    pub x_scale: Scale,
    /// The scale of the vertical axis.
    pub y_scale: Scale,
    /// Whether it is a series: its horizontal axis begins where the series does.
    pub is_series: bool,
    /// The meaning of error bars.
    pub bars: Bars,
}

/// Another quantity for the horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Against {
    /// What it is, with its unit.
    pub label: String,
    /// For each point, the mean of each scheme.
    pub means: Vec<Vec<Option<f64>>>,
    /// The share of frames that the line loses, where what at most arrives is drawn.
    pub erasures: Option<f64>,
}

/// Where on the horizontal axis a row belongs, if it is one of a figure's metric.
fn place_of(row: &Row, figure: &FigurePlan, metric: &str) -> Option<f64> {
    match figure.quantity.along {
        Some(_) => figure.quantity.place_of(&row.metric),
        None => (&*row.metric == metric).then_some(row.point),
    }
}

/// What was measured of a scheme at each place, from the rows of a quantity.
fn measured(
    experiment: &Experiment,
    scheme: &Scheme,
    places: &[f64],
    figure: &FigurePlan,
    rows: &[(f64, &Row)],
) -> Measured {
    let variant = experiment.variant_of(scheme);
    // Two schemes may differ in nothing but the connections, or in the rate of the link.
    let of_point = experiment.points.iter().enumerate().filter_map(|(index, point)| {
        let scenario = scheme.scenario(index, point)?;
        let rate = scenario.wireless.mean_rate(Direction::Down).as_bits_per_second();
        Some((point.value, scenario.connections(), rate))
    });
    let cells: Vec<(f64, u32, u64)> = of_point.collect();
    let same = |row: &Row| (&*row.scheme, &*row.variant) == (scheme.name.as_str(), variant.as_str());
    let same = |row: &Row| same(row) && cells.contains(&(row.point, row.connections, row.rate_bps));
    let mut values = vec![BTreeMap::new(); places.len()];
    for (place, row) in rows.iter().filter(|(_, row)| same(row)) {
        let found = places.iter().position(|known| known == place);
        if let Some(index) = found {
            values[index].insert(row.replication, row.value * figure.quantity.factor);
        }
    }
    values
}

impl Against {
    fn new(experiment: &Experiment, figure: &FigurePlan, quantity: Quantity, rows: &[Row]) -> Self {
        let alone = FigurePlan { quantity, against: None, ..figure.clone() };
        let table = MeansTable::new(experiment, &alone, rows);
        let mean = |found: &Option<Summary>| found.map(|found| found.mean);
        let means = table.means.iter().map(|of_point| of_point.iter().map(mean).collect()).collect();
        Self { label: table.y_label, means, erasures: figure.erasures.map(Ratio::as_f64) }
    }

    /// What at most arrives, in percent over percent: of 100 octets and so many more all but the share that the line loses.
    fn bound(&self) -> Option<Curve> {
        let erasures = self.erasures?;
        let at = |beyond: f64| Point {
            x: beyond,
            y: (100.0 + beyond) * (1.0 - erasures),
            half_width: None,
            deviation: None,
        };
        let enough = 100.0 * erasures / (1.0 - erasures);
        let last = self.means.iter().flatten().flatten().copied().fold(enough, f64::max);
        let points = vec![at(0.0), at(enough), Point { x: last, ..at(enough) }];
        Some(Curve { label: "At most, whatever is sent".to_owned(), scheme: "bound".to_owned(), points })
    }
}

impl MeansTable {
    /// The table of a figure, from the rows of its experiment.
    #[must_use]
    pub fn new(experiment: &Experiment, figure: &FigurePlan, rows: &[Row]) -> Self {
        let (app, metric) = (figure.quantity.app(), figure.metric());
        let replication = figure.replication.as_ref().map(|only| only.value);
        let against = figure.against.map(|quantity| Against::new(experiment, figure, quantity, rows));
        let wanted = |row: &&Row| &*row.app == app && replication.is_none_or(|only| row.replication == only);
        let rows: Vec<(f64, &Row)> =
            rows.iter().filter(wanted).filter_map(|row| Some((place_of(row, figure, &metric)?, row))).collect();
        let mut points: Vec<f64> = match figure.quantity.along {
            Some(_) => rows.iter().map(|(place, _)| *place).collect(),
            None => experiment.points.iter().map(|point| point.value).collect(),
        };
        if figure.quantity.along.is_some() {
            points.sort_by(f64::total_cmp);
            points.dedup();
        }
        let of_schemes: Vec<Measured> =
            experiment.schemes.iter().map(|scheme| measured(experiment, scheme, &points, figure, &rows)).collect();
        let mean = |values: &BTreeMap<u32, f64>| summarise(&values.values().copied().collect::<Vec<_>>());
        let of_point = |index: usize| of_schemes.iter().map(|values| mean(&values[index])).collect();
        let means: Vec<Vec<Option<Summary>>> = (0..points.len()).map(of_point).collect();
        let can_coincide = figure.quantity.along.is_none() && against.is_none() && figure.y_scale == Scale::Linear;
        let counts = || means.iter().flatten().flatten().map(|summary| summary.n);
        Self {
            x_label: figure.x_label.clone(),
            y_label: figure.y_label(),
            schemes: experiment.schemes.iter().map(|scheme| scheme.label.clone()).collect(),
            names: experiment.schemes.iter().map(Scheme::full_name).collect(),
            coinciding: can_coincide.then(|| Coinciding::of(&of_schemes, &means)).flatten(),
            against,
            marks: figure.marks.clone(),
            replications: (counts().min().unwrap_or(0), counts().max().unwrap_or(0)),
            replication,
            points,
            means,
            x_scale: figure.x_scale,
            y_scale: figure.y_scale,
            is_series: figure.quantity.along.is_some(),
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
        let is_percentage = self.y_label.contains("(%");
        let text = if is_percentage { number::percentage_with_half_width } else { number::with_half_width };
        let cell =
            |summary: &Option<Summary>| summary.map_or_else(String::new, |found| text(found.mean, found.half_width));
        let row = |(point, means): (&f64, &Vec<Option<Summary>>)| {
            std::iter::once(number::typed(*point)).chain(means.iter().map(cell)).collect()
        };
        self.points.iter().zip(&self.means).step_by(self.shown_every()).map(row).collect()
    }

    /// Every how many points the table has a row: a long series is in the rows, and in the figure.
    fn shown_every(&self) -> usize {
        const MOST_ROWS: usize = 60;
        self.points.len().div_ceil(MOST_ROWS).max(1)
    }

    /// How many replications its means rest on, in words.
    #[must_use]
    pub fn replications_text(&self) -> String {
        let words =
            |count: usize| if count == 1 { "1 replication".to_owned() } else { format!("{count} replications") };
        if let Some(only) = self.replication.filter(|_| self.replications.1 > 0) {
            return format!("replication {only} alone");
        }
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
            let point = |(place, (x, means)): (usize, (&f64, &Vec<Option<Summary>>))| {
                let summary = means.get(index).copied().flatten()?;
                let deviation = summary.deviation.filter(|_| self.bars == Bars::Deviation);
                let x = match &self.against {
                    Some(against) => against.means[place][index]?,
                    None => *x,
                };
                Some(Point { x, y: summary.mean, half_width: summary.half_width, deviation })
            };
            let points = self.points.iter().zip(&self.means).enumerate().filter_map(point).collect();
            Curve { label: label.clone(), scheme: self.names[index].clone(), points }
        };
        let axis = |label: &str, scale: Scale, from_zero| Axis { label: label.to_owned(), scale, from_zero };
        let mut curves: Vec<Curve> = self.schemes.iter().enumerate().map(curve).collect();
        curves.extend(self.against.as_ref().and_then(Against::bound));
        let x_label = self.against.as_ref().map_or(&self.x_label, |against| &against.label);
        let y = axis(&self.y_label, self.y_scale, !self.is_series && self.against.is_none());
        let mut figure = Figure {
            id: id.to_owned(),
            title: experiment.title.clone(),
            x: axis(x_label, self.x_scale, !self.is_series),
            difference: self.coinciding.as_ref().map(|found| found.panel(&self.points, &curves, &y)),
            y,
            curves,
            marks: self.marks.clone(),
            source: experiment.source.clone(),
            caption: String::new(),
        };
        figure.caption = self.caption(&figure);
        figure
    }

    /// What the values and the error bars of its figure are.
    fn caption(&self, figure: &Figure) -> String {
        let bars = match self.bars {
            _ if self.replication.is_some() => None,
            Bars::Interval => Some("95 % confidence intervals"),
            Bars::Deviation => Some("bars of one standard deviation, thick: 95 % confidence intervals"),
        };
        let mut words =
            [Some(self.replications_text().as_str()), bars].into_iter().flatten().collect::<Vec<_>>().join(", ");
        if bars.is_some() && figure.hides_bars() {
            words.push_str("; a bar that cannot be seen is shorter than its marker");
        }
        if figure.difference.is_some() {
            words.push_str("; below: differences, paired by replication");
        }
        if let Some(point) = self.points.iter().find(|point| !self.x_scale.shows(**point)) {
            words.push_str(&format!("; {} is in the table alone", number::typed(*point)));
        }
        words
    }

    /// The table for a terminal, its columns aligned.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut lines = vec![self.columns()];
        lines.extend(self.text_rows());
        let text = match self.shown_every() {
            1 => format!("{}\n", self.y_label),
            every => format!("{}, one row of {every}\n", self.y_label),
        };
        text + &text_table("", &lines, |_| Align::Right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Effort;
    use arqway_config::{Located, Origin, Source};

    /// Two schemes that differ in their connections alone, and the rows of a cell of each.
    fn experiment(sweep: &str) -> Experiment {
        let text = format!(
            "[experiment]\nid = 'study'\n{sweep}\n[[scheme]]\nuse = 'raw'\n[[scheme]]\nuse = 'raw'\n\
             world = {{ 'file-transfer.connections' = 5 }}\n[[figure]]\nid = 'fig'\ny = 'file-transfer.throughput'\n"
        );
        let read = Experiment::read(&Source::new("study.toml", text), std::path::Path::new(""), Effort::Full);
        read.unwrap_or_else(|mistakes| panic!("{mistakes}"))
    }

    fn row(metric: &str, connections: u32, replication: u32, value: f64) -> Row {
        Row {
            paper: "study".into(),
            app: "file-transfer".into(),
            errors: "none".into(),
            beside: "none".into(),
            rate_bps: 64_000,
            connections,
            point: 0.0,
            scheme: "raw".into(),
            variant: "".into(),
            replication,
            metric: metric.into(),
            value,
        }
    }

    fn of_bulk(row: Row) -> Row {
        Row { app: "tcp-bulk".into(), ..row }
    }

    fn means(table: &MeansTable) -> Vec<Vec<Option<f64>>> {
        table.means.iter().map(|means| means.iter().map(|mean| mean.map(|mean| mean.mean)).collect()).collect()
    }

    #[test]
    fn a_figure_against_another_quantity_has_its_points_at_the_means_of_both_and_what_at_most_arrives_beside_them() {
        let text = "[experiment]\nid = 'study'\n[scenario]\nset = { 'media.enabled' = true, 'media.playout' = '60 ms' }\n\
                    [[scheme]]\nuse = 'raw'\n[[figure]]\nid = 'fig'\ny = 'media.played'\nagainst = 'media.overhead'\n\
                    erasures = '20 %'\n";
        let read = Experiment::read(&Source::new("study.toml", text), std::path::Path::new(""), Effort::Full);
        let study = read.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let of_media = |metric, replication, value| Row { app: "media".into(), ..row(metric, 1, replication, value) };
        let rows = [
            of_media("played", 0, 0.9),
            of_media("played", 1, 0.7),
            of_media("overhead", 0, 0.2),
            of_media("overhead", 1, 0.4),
        ];
        let figure = MeansTable::new(&study, &study.figures[0], &rows).figure(&study, "fig");
        assert_eq!(figure.x.label, "Link octets for the media beyond their packets (%)");
        let points: Vec<Vec<(f64, f64)>> = figure
            .curves
            .iter()
            .map(|curve| curve.points.iter().map(|point| (point.x.round(), point.y.round())).collect())
            .collect();
        assert_eq!(points, [vec![(30.0, 80.0)], vec![(0.0, 80.0), (25.0, 100.0), (30.0, 100.0)]]);
    }

    #[test]
    fn curves_that_differ_in_connections_alone_have_each_its_own_rows() {
        let study = experiment("");
        let rows = [row("throughput", 1, 0, 1e3), row("throughput", 5, 0, 5e3), row("throughput", 5, 1, 7e3)];
        let table = MeansTable::new(&study, &study.figures[0], &rows);
        assert_eq!((table.points.as_slice(), means(&table)), (&[0.0][..], vec![vec![Some(1.0), Some(6.0)]]));
    }

    #[test]
    fn a_series_is_drawn_along_its_own_axis_and_may_be_of_one_replication() {
        let study = experiment("");
        let quantity = Quantity::of("tcp-bulk.window").expect("a series");
        let rows = [
            row("window@2.5", 1, 0, 8.0),
            row("window@2.5", 1, 1, 10.0),
            row("window@0.5", 1, 0, 2.0),
            row("window@0.5", 5, 0, 3.0),
            row("windows@1", 1, 0, 99.0),
        ]
        .map(of_bulk);
        let origin = Origin::whole(&Source::new("study.toml", ""));
        let figure = |only: Option<u32>| {
            let replication = only.map(|value| Located { value, origin: origin.clone() });
            FigurePlan { quantity, replication, ..study.figures[0].clone() }
        };
        let mean = MeansTable::new(&study, &figure(None), &rows);
        assert_eq!(mean.points, [0.5, 2.5]);
        assert_eq!(means(&mean), [[Some(2.0), Some(3.0)], [Some(9.0), None]]);
        let first = MeansTable::new(&study, &figure(Some(0)), &rows);
        assert_eq!(means(&first), [[Some(2.0), Some(3.0)], [Some(8.0), None]]);
        assert_eq!(first.replications_text(), "replication 0 alone");
        assert!(first.figure(&study, "fig").caption.ends_with("replication 0 alone"));
    }

    #[test]
    fn a_figure_of_a_service_has_the_rows_of_that_service_alone() {
        let study = experiment("");
        let service = Located { value: "voice".to_owned(), origin: Origin::whole(&Source::new("study.toml", "")) };
        let quantity = Quantity::of("service.loss").expect("a quantity of services");
        let figure = FigurePlan { quantity, service: Some(service), ..study.figures[0].clone() };
        let rows = [("loss@default", 0.5), ("loss@voice", 0.25), ("goodput@voice", 0.125), ("loss", 0.0)];
        let rows = rows.map(|(metric, value)| Row { app: "service".into(), ..row(metric, 1, 0, value) });
        let table = MeansTable::new(&study, &figure, &rows);
        assert_eq!(means(&table), [[Some(25.0), None]]);
        assert_eq!(table.y_label, "Service voice: residual loss (%)");
    }

    #[test]
    fn a_long_series_has_a_short_table_that_says_so_and_every_point_in_its_figure() {
        let study = experiment("");
        let quantity = Quantity::of("tcp-bulk.window").expect("a series");
        let row = |at| of_bulk(row(&format!("window@{}", f64::from(at) / 100.0), 1, 0, 1.0));
        let rows: Vec<Row> = (0..500).map(row).collect();
        let table = MeansTable::new(&study, &FigurePlan { quantity, ..study.figures[0].clone() }, &rows);
        assert_eq!((table.points.len(), table.text_rows().len()), (500, 56));
        assert!(table.to_text().contains(", one row of 9\n"));
        assert_eq!(table.figure(&study, "fig").curves[0].points.len(), 500);
    }
}
