//! From what was measured in a cell to its rows: the columns that they share, and one row a metric.

use crate::results::rows::Row;
use crate::run::measured::{Measured, Metric};
use crate::run::plan::Plan;
use arqway_sim::app::{Application, SERVICES};
use arqway_sim::channel::Direction;
use std::sync::Arc;

/// What all rows of a cell share.
#[derive(Debug)]
pub struct CellRows {
    common: Row,
    /// The applications at work.
    apps: Vec<&'static str>,
    /// Whether the experiment asks for what the services of the link did: rows have that only then.
    has_services: bool,
}

impl CellRows {
    /// The cell of a scheme at a point, which has this setting.
    #[must_use]
    pub fn new(plan: &Plan, experiment: usize, point: usize, scheme: usize, setting: usize) -> Self {
        let (experiment, scenario) = (&plan.experiments[experiment], &plan.settings[setting].scenario);
        let empty: Arc<str> = Arc::from("");
        let common = Row {
            paper: experiment.paper.as_str().into(),
            app: empty.clone(),
            errors: experiment.errors.into(),
            beside: empty.clone(),
            rate_bps: scenario.wireless.mean_rate(Direction::Down).as_bits_per_second(),
            connections: scenario.connections(),
            point: experiment.points[point].value,
            scheme: experiment.schemes[scheme].name.as_str().into(),
            variant: experiment.variant_of(&experiment.schemes[scheme]).into(),
            replication: 0,
            metric: empty,
            value: 0.0,
        };
        let has_services = experiment.figures.iter().any(|figure| figure.quantity.is_of_service());
        Self { common, apps: scenario.applications().map(Application::name).collect(), has_services }
    }

    /// What its rows share, but for the application, what is beside it, and the replication.
    pub fn common(&self) -> &Row {
        &self.common
    }

    /// The applications whose rows it has, each with what else uses the link; those of services are last.
    pub fn apps(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let services = self.has_services.then_some(&SERVICES);
        self.apps.iter().chain(services).map(|app| (*app, self.beside(app)))
    }

    /// Adds the rows of its runs, by replication: one for each metric.
    pub(crate) fn rows<'m>(&self, runs: impl IntoIterator<Item = (u32, &'m Measured)>, rows: &mut Vec<Row>) {
        let beside: Vec<(&str, Arc<str>)> = self.apps().map(|(app, beside)| (app, beside.into())).collect();
        for (replication, measured) in runs {
            for Metric { app, name, value } in &measured.metrics {
                let Some((_, beside)) = beside.iter().find(|(known, _)| *known == &**app) else { continue };
                let (app, beside, metric) = (app.clone(), beside.clone(), name.clone());
                rows.push(Row { app, beside, replication, metric, value: *value, ..self.common.clone() });
            }
        }
    }

    /// What else uses the link: `none`, another application, or `all` of several.
    fn beside(&self, app: &str) -> &'static str {
        let others: Vec<_> = self.apps.iter().filter(|other| **other != app).collect();
        match others.as_slice() {
            [] => "none",
            [other] => other,
            _ => "all",
        }
    }
}
