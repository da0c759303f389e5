//! What is reported of an application: its name, how it is shown, and how it follows from what a run measured.

use super::service::{self, Service};
use super::{Application, Configs, Outcomes};
use crate::network_outcome::NetworkOutcome;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use arqway_units::{Span, Time, ToFloat};
use core::cmp::Ordering;

/// A metric of an application, and how it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    /// `file-transfer.throughput`, as experiments ask for it.
    pub name: &'static str,
    /// The text at the axis, with its unit.
    pub label: &'static str,
    /// From SI units to the label's.
    pub factor: f64,
    /// Where it is a series, `window@15.01`, what the number behind the `@` is, with its unit.
    pub along: Option<&'static str>,
    measure: Measure,
    needs: Option<Needed>,
}

/// What must be set for a quantity to be measured, beside its application: in words, and whether it is.
type Needed = (&'static str, fn(&Measured<'_>) -> bool);

/// What of a scenario decides which quantities are measured.
pub(crate) struct Measured<'a> {
    /// The applications that take part.
    pub(crate) applications: Configs<'a>,
    /// Whether there is a forwarding node.
    pub(crate) has_forwarding_node: bool,
    /// Whether the scheduler keeps shares of the link.
    pub(crate) has_shares: bool,
}

/// How a quantity follows from a run.
#[derive(Debug, Clone, Copy)]
enum Measure {
    Once(fn(&Run<'_>) -> Option<f64>),
    /// Each value with its place in the series.
    Series(fn(&Run<'_>) -> Vec<(f64, f64)>),
    /// One value for each service of the link.
    OfService(fn(&Service) -> Option<f64>),
}

/// A run that has ended.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// When it ended.
    pub ended: Time,
    /// What came of the applications.
    pub applications: &'a Outcomes,
    /// What the network did.
    pub network: &'a NetworkOutcome,
    /// How long users waited for what they got.
    pub delays: &'a dyn DelayDistributions,
}

/// How long users waited for what applications delivered, as a probe has recorded it
/// ([`Probe::delivered`](crate::Probe::delivered)).
pub trait DelayDistributions {
    /// The time, in seconds, that this share of the delays does not exceed; `None` without any.
    fn quantile_s(&self, application: Application, share: f64) -> Option<f64>;

    /// The share of the delays that were no longer than `most`; `None` without any.
    fn share_within(&self, application: Application, most: Span) -> Option<f64>;
}

impl Run<'_> {
    /// How often the access point's retransmission timers expired, for each frame that it sent for the first time.
    fn link_timeouts(&self) -> Option<f64> {
        let sent = self.network.access_point.frames_sent;
        (sent > 0).then(|| self.network.access_point.timeouts.to_f64() / sent.to_f64())
    }
}

impl Quantity {
    /// A quantity that a run measures once.
    pub(super) const fn once(
        name: &'static str,
        label: &'static str,
        factor: f64,
        measure: fn(&Run<'_>) -> Option<f64>,
    ) -> Self {
        Self { name, label, factor, along: None, measure: Measure::Once(measure), needs: None }
    }

    /// A quantity that a run measures many times, or for many values of something else.
    pub(super) const fn series(
        name: &'static str,
        label: &'static str,
        factor: f64,
        along: &'static str,
        measure: fn(&Run<'_>) -> Vec<(f64, f64)>,
    ) -> Self {
        Self { name, label, factor, along: Some(along), measure: Measure::Series(measure), needs: None }
    }

    /// A quantity that a run measures of each service of the link.
    pub(crate) const fn of_service(
        name: &'static str,
        label: &'static str,
        factor: f64,
        measure: fn(&Service) -> Option<f64>,
    ) -> Self {
        Self { name, label, factor, along: None, measure: Measure::OfService(measure), needs: None }
    }

    /// The same, measured only where a setting says so.
    pub(crate) const fn needs(self, setting: &'static str, is_set: fn(&Measured<'_>) -> bool) -> Self {
        Self { needs: Some((setting, is_set)), ..self }
    }

    /// What would have to be set for this to be measured, where its application takes part; nothing where it is.
    pub(crate) fn missing_in(&self, measured: &Measured<'_>) -> Option<&'static str> {
        self.needs.filter(|(_, is_set)| !is_set(measured)).map(|(setting, _)| setting)
    }

    /// The access point's timeouts, under an application's name for them.
    pub(super) const fn link_timeouts(name: &'static str) -> Self {
        Self::once(name, "Link layer timeouts (% of the frames)", 100.0, |run| run.link_timeouts())
    }

    /// The loss of frames toward the client, under an application's name for it.
    pub(super) const fn frame_loss(name: &'static str) -> Self {
        Self::once(name, "Measured frame loss rate (%)", 100.0, |run| run.network.frame_loss_rate)
    }

    /// The quantities of all applications, and those of services.
    pub fn all() -> impl Iterator<Item = Self> {
        let of_applications = Application::ALL.iter().flat_map(|application| application.quantities());
        of_applications.chain(service::QUANTITIES).copied()
    }

    /// The names of all quantities.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::all().map(|quantity| quantity.name).collect()
    }

    /// The quantity of this name, such as `file-transfer.throughput`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::all().find(|quantity| quantity.name == name)
    }

    /// Whether it is shown in percent.
    #[must_use]
    pub fn is_percentage(&self) -> bool {
        self.label.contains("(%")
    }

    /// The application, `file-transfer`.
    #[must_use]
    pub fn app(&self) -> &'static str {
        self.parts().0
    }

    /// Its name among the metrics of the application, `throughput`.
    #[must_use]
    pub fn metric(&self) -> &'static str {
        self.parts().1
    }

    /// The unit of its values in rows: an SI unit, or `share`, where 1 is 100 %; empty for a count.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self.label.rsplit_once('(').map_or("", |(_, unit)| unit.trim_end_matches(')')) {
            "kbit/s" => "bit/s",
            "s" => "s",
            "packets" => "packets",
            percent if percent.starts_with('%') => "share",
            _ => "",
        }
    }

    /// Its label without the unit.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        self.label.rsplit_once(" (").map_or(self.label, |(meaning, _)| meaning)
    }

    /// Whether each service of the link has its own.
    #[must_use]
    pub fn is_of_service(&self) -> bool {
        matches!(self.measure, Measure::OfService(_))
    }

    /// Its name among the metrics where it is that of one service: `goodput@media`.
    #[must_use]
    pub fn metric_of(&self, service: &str) -> String {
        alloc::format!("{}@{service}", self.metric())
    }

    /// Its value for one service.
    pub(crate) fn value_of(&self, service: &Service) -> Option<f64> {
        match self.measure {
            Measure::OfService(measure) => measure(service),
            Measure::Once(_) | Measure::Series(_) => None,
        }
    }

    fn parts(&self) -> (&'static str, &'static str) {
        self.name.split_once('.').unwrap_or((self.name, ""))
    }

    /// Where along its series a metric lies: `window@15.01` at 15.01.
    #[must_use]
    pub fn place_of(&self, metric: &str) -> Option<f64> {
        metric.strip_prefix(self.metric())?.strip_prefix('@')?.parse().ok()
    }

    /// Its values in a run, each with its place, for a series.
    fn values(&self, run: &Run<'_>) -> Vec<(Option<f64>, f64)> {
        match self.measure {
            Measure::Once(measure) => measure(run).map(|value| (None, value)).into_iter().collect(),
            Measure::Series(measure) => measure(run).into_iter().map(|(place, value)| (Some(place), value)).collect(),
            Measure::OfService(_) => Vec::new(),
        }
    }
}

/// Quantities are known by their names.
impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Application {
    /// What a run measured of it: metrics and their values, as rows have them. Series along the same axis take turns.
    #[must_use]
    pub fn metrics(self, run: &Run<'_>) -> Vec<(String, f64)> {
        let mut metrics = Vec::new();
        for quantities in self.quantities().chunk_by(|one, next| one.along.is_some() && one.along == next.along) {
            let of_one = |quantity: &Quantity| {
                let metric = quantity.metric();
                quantity.values(run).into_iter().map(move |(place, value)| (place, metric, value))
            };
            let mut values: Vec<_> = quantities.iter().flat_map(of_one).collect();
            values.sort_by(|(one, ..), (other, ..)| one.partial_cmp(other).unwrap_or(Ordering::Equal));
            metrics.extend(values.into_iter().map(|(place, metric, value)| {
                (place.map_or_else(|| metric.to_string(), |place| alloc::format!("{metric}@{place}")), value)
            }));
        }
        metrics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_rows_and_the_factor_to_the_labels_unit_belong_together() {
        for quantity in Quantity::all() {
            let factor = match quantity.unit() {
                "bit/s" => 1e-3,
                "share" => 100.0,
                _ => 1.0,
            };
            assert!((quantity.factor - factor).abs() < 1e-9, "{}", quantity.name);
            assert_eq!(quantity.unit().is_empty(), !quantity.label.contains(" ("), "{}", quantity.name);
        }
    }
}
