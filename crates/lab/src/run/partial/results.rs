//! The results of a batch of runs, as they are sent and kept.
//!
//! ```text
//!     names      [app, metric] ...              each once; runs name them by their place
//!     settings   names of settings ...          likewise
//!     runs       setting, replication, ended-ns, events, file-complete, metrics: [[place, value] ...]
//! ```

use super::PartialError;
use super::envelope::{digits, open, seal};
use super::run_index::{RunId, SettingId};
use crate::run::Measured;
use crate::run::measured::Metric;
use arqway_units::Time;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What came out of some runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartialResults {
    pub(super) runs: BTreeMap<RunId, Measured>,
}

const KIND: &str = "piece";

#[derive(Serialize, Deserialize)]
struct Contents {
    names: Vec<(String, String)>,
    settings: Vec<SettingId>,
    runs: Vec<RunContents>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RunContents {
    setting: usize,
    replication: u32,
    ended_ns: u64,
    events: u64,
    file_complete: Option<bool>,
    losses: Option<f64>,
    metrics: Vec<(usize, f64)>,
}

impl PartialResults {
    /// How many runs are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Its name, from the names of its runs: 32 digits.
    #[must_use]
    pub fn name(&self) -> String {
        let mut hash = Sha256::new();
        for run in self.runs.keys() {
            hash.update(format!("{} {}\n", run.setting.as_str(), run.replication));
        }
        digits(&hash.finalize()[..16])
    }

    /// As octets that say themselves what they are.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut names, mut settings) = (BTreeMap::new(), BTreeMap::new());
        for (run, measured) in &self.runs {
            number(&run.setting, &mut settings);
            for metric in &measured.metrics {
                number((&*metric.app, &*metric.name), &mut names);
            }
        }
        let runs = self.runs.iter().map(|(run, measured)| RunContents {
            setting: number(&run.setting, &mut settings),
            replication: run.replication,
            ended_ns: measured.ended.as_nanoseconds(),
            events: measured.events,
            file_complete: measured.file_complete,
            losses: measured.losses,
            metrics: measured
                .metrics
                .iter()
                .map(|one| (number((&*one.app, &*one.name), &mut names), one.value))
                .collect(),
        });
        let runs = runs.collect();
        let names = in_their_places(names).into_iter().map(|(app, name)| (app.to_owned(), name.to_owned())).collect();
        let settings = in_their_places(settings).into_iter().cloned().collect();
        seal(KIND, &Contents { names, settings, runs })
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// Whatever else it is, and whatever became of it on its way.
    pub fn from_bytes(octets: &[u8]) -> Result<Self, PartialError> {
        let Contents { names, settings, runs } = open(KIND, octets)?;
        let shared = |(app, name): (String, String)| (Arc::from(app), Arc::from(name));
        let names: Vec<(Arc<str>, Arc<str>)> = names.into_iter().map(shared).collect();
        let no_such = |what: &str| PartialError::Contents(format!("a run names {what} that is not in the list"));
        let mut piece = Self::default();
        for run in runs {
            let metric = |(place, value): (usize, f64)| {
                let (app, name) = names.get(place).cloned().ok_or_else(|| no_such("a metric"))?;
                Ok(Metric { app, name, value })
            };
            let metrics = run.metrics.into_iter().map(metric).collect::<Result<_, PartialError>>()?;
            let setting = settings.get(run.setting).cloned().ok_or_else(|| no_such("a setting"))?;
            let ended = Time::from_nanoseconds(run.ended_ns);
            let RunContents { events, file_complete, losses, .. } = run;
            let measured = Measured { metrics, ended, events, file_complete, losses };
            piece.runs.insert(RunId { setting, replication: run.replication }, measured);
        }
        Ok(piece)
    }
}

/// The index of a thing in a list that has each thing once.
fn number<T: Ord>(thing: T, places: &mut BTreeMap<T, usize>) -> usize {
    let next = places.len();
    *places.entry(thing).or_insert(next)
}

fn in_their_places<T>(places: BTreeMap<T, usize>) -> Vec<T> {
    let mut things: Vec<(T, usize)> = places.into_iter().collect();
    things.sort_unstable_by_key(|(_, place)| *place);
    things.into_iter().map(|(thing, _)| thing).collect()
}
