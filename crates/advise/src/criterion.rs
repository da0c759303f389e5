//! What each application wants of a link, and the one number that candidates are ranked by.
//!
//! | application | is judged by |
//! | --- | --- |
//! | `file-transfer`, `tcp-bulk` | throughput |
//! | `web` | how many pages load in a given time: the reciprocal of the mean time of a page |
//! | `media` | the share of its packets that are heard in time |
//!
//! Each value is taken relative to the best mean that any candidate has for that application, and the **score** is the
//! geometric mean of these shares: 100 % is a candidate that nothing beats at anything, and who is half as good for one of two
//! applications has 71 %. Scores are made replication by replication, so that they pair.

use arqway_lab::quantity::Quantity;
use arqway_lab::results::rows::Row;
use arqway_sim::Scenario;

/// An application that a candidate is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Application {
    /// Files to the client.
    FileTransfer,
    /// Greedy sources.
    TcpBulk,
    /// Pages.
    Web,
    /// A lecture or a call.
    Media,
}

impl Application {
    /// All of them, in the order in which tables have them.
    pub const ALL: [Self; 4] = [Self::FileTransfer, Self::TcpBulk, Self::Web, Self::Media];

    /// Its name in files and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FileTransfer => "file-transfer",
            Self::TcpBulk => "tcp-bulk",
            Self::Web => "web",
            Self::Media => "media",
        }
    }

    /// The quantity that it is judged by, as experiments call it.
    #[must_use]
    pub const fn quantity_name(self) -> &'static str {
        match self {
            Self::FileTransfer => "file-transfer.throughput",
            Self::TcpBulk => "tcp-bulk.throughput",
            Self::Web => "web.response",
            Self::Media => "media.in-time",
        }
    }

    /// The same, as it is shown.
    #[must_use]
    pub(super) fn quantity(self) -> Option<Quantity> {
        Quantity::of(self.quantity_name())
    }

    /// Whether it runs in a world.
    #[must_use]
    pub fn runs_in(self, scenario: &Scenario) -> bool {
        match self {
            Self::FileTransfer => scenario.file_transfer.enabled,
            Self::TcpBulk => scenario.tcp_bulk.enabled,
            Self::Web => scenario.web.enabled,
            Self::Media => scenario.media.enabled,
        }
    }

    /// How good a measured value is: twice as much is twice as good, and nothing is nothing.
    pub(super) fn merit(self, value: Option<f64>) -> f64 {
        match self {
            Self::Web => value.filter(|seconds| *seconds > 0.0).map_or(0.0, |seconds| 1.0 / seconds),
            _ => value.unwrap_or(0.0).max(0.0),
        }
    }
}

/// What a candidate gave the applications, replication by replication.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Values {
    /// For each application its measured value in each replication, where there is one, in SI units.
    pub(super) measured: Vec<Vec<Option<f64>>>,
}

impl Values {
    /// Those in the rows of one cell, of its replications from the first on that are there.
    pub(super) fn of(rows: &[Row], applications: &[Application]) -> Self {
        let finished = (0..).take_while(|replication| rows.iter().any(|row| row.replication == *replication)).count();
        let of_one = |application: &Application| {
            let mut values = vec![None; finished];
            for row in rows {
                let wanted = application
                    .quantity()
                    .is_some_and(|wanted| (&*row.app, &*row.metric) == (wanted.app(), wanted.metric()));
                if let Some(value) = values.get_mut(row.replication as usize).filter(|_| wanted) {
                    *value = Some(row.value);
                }
            }
            values
        };
        Self { measured: applications.iter().map(of_one).collect() }
    }

    /// How many replications there are.
    pub(super) fn replications(&self) -> usize {
        self.measured.first().map_or(0, Vec::len)
    }

    /// How good the values of each application are, replication by replication.
    fn merits<'a>(&'a self, applications: &'a [Application]) -> impl Iterator<Item = Vec<f64>> + 'a {
        let merits = |(application, values): (&Application, &Vec<Option<f64>>)| {
            values.iter().map(|value| application.merit(*value)).collect()
        };
        applications.iter().zip(&self.measured).map(merits)
    }
}

/// The best mean merit of any candidate for each application.
pub(super) fn best_of(all: &[Values], applications: &[Application]) -> Vec<f64> {
    let mut best = vec![0.0_f64; applications.len()];
    for values in all {
        for (best, merits) in best.iter_mut().zip(values.merits(applications)) {
            if !merits.is_empty() {
                *best = best.max(merits.iter().sum::<f64>() / merits.len() as f64);
            }
        }
    }
    best
}

/// The score of a candidate in each replication.
pub(super) fn scores(values: &Values, best: &[f64], applications: &[Application]) -> Vec<f64> {
    let merits: Vec<Vec<f64>> = values.merits(applications).collect();
    let share = |application: usize, replication: usize| {
        let (merit, best) = (merits[application][replication], best[application]);
        // Where nobody has anything, nobody is behind.
        if best > 0.0 { merit / best } else { 1.0 }
    };
    let score = |replication: usize| geometric_mean((0..merits.len()).map(|index| share(index, replication)));
    (0..values.replications()).map(score).collect()
}

/// Their geometric mean; nothing where one is nothing.
fn geometric_mean(shares: impl Iterator<Item = f64>) -> f64 {
    let (mut product, mut count) = (1.0, 0_u32);
    for share in shares {
        (product, count) = (product * share, count + 1);
    }
    match count {
        0 => 0.0,
        // A root of one would round.
        1 => product,
        2 => libm::sqrt(product),
        _ => libm::pow(product, 1.0 / f64::from(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(measured: &[&[f64]]) -> Values {
        Values { measured: measured.iter().map(|one| one.iter().copied().map(Some).collect()).collect() }
    }

    #[test]
    fn a_score_is_the_geometric_mean_of_shares_of_the_best() {
        let applications = [Application::FileTransfer, Application::Media];
        let all = [values(&[&[100.0, 100.0], &[0.2, 0.2]]), values(&[&[25.0, 50.0], &[0.8, 0.8]])];
        let best = best_of(&all, &applications);
        assert_eq!(best, [100.0, 0.8]);
        assert_eq!(scores(&all[0], &best, &applications), [0.5, 0.5]);
        assert_eq!(scores(&all[1], &best, &applications), [0.5, libm::sqrt(0.5)]);
    }

    #[test]
    fn of_pages_half_the_time_is_twice_as_good_and_no_page_is_nothing() {
        let applications = [Application::Web];
        let mut all = [values(&[&[2.0]]), values(&[&[4.0]]), values(&[&[1.0]])];
        all[2].measured[0][0] = None;
        let best = best_of(&all, &applications);
        let found: Vec<f64> = all.iter().flat_map(|values| scores(values, &best, &applications)).collect();
        assert_eq!(found, [1.0, 0.5, 0.0]);
    }
}
