//! How a multiplexer is set up, and what follows from it: the services by their numbers, the rules, the shares.
//!
//! Services are numbered in the order in which they are brought: 0 is the default one, then each class's that has one of
//! its own, then those of the table. The numbers are what tags carry, so both ends need the same configuration.

use super::class::{Carrier, Class, DEFAULT};
use super::classifier::Classifier;
use super::queue::QueueLimits;
use super::rates::{self, Allocation, RateError, Shares};
use super::rule::Rule;
use super::scheduler::SchedulerConfig;
use super::tables::{Table, Want};
use crate::contract::ServiceId;
use crate::metrics::MeasurementWindow;
use crate::registry::ServiceConfig;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use arqway_units::BitRate;
use core::num::NonZeroUsize;

/// How a multiplexer is set up; both ends need the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// What carries the packets of no class.
    pub default_service: ServiceConfig,
    /// Tried in order; the first that matches counts.
    pub classes: Vec<Class>,
    /// Tried after them.
    pub table: Table,
    /// In which order frames go to the link.
    pub scheduler: SchedulerConfig,
    /// How many frames of a service may wait in the scheduler.
    ///
    /// One pulls late, which keeps timers and acknowledgements fresh. More lets a service queue ahead.
    pub depth: NonZeroUsize,
    /// Where the packets of a service wait whose class says nothing else; without it they wait in the service, which refuses
    /// more than it holds.
    pub queue: Option<QueueLimits>,
    /// What the link below carries, where that is known and stays so: rates of classes are shares of it.
    pub link_rate: Option<BitRate>,
    /// Over what time [metrics](crate::metrics) are taken.
    pub window: MeasurementWindow,
}

impl Config {
    /// One service for all packets, first come, first served.
    #[must_use]
    pub fn new(default_service: ServiceConfig) -> Self {
        Self {
            default_service,
            classes: Vec::new(),
            table: Table::None,
            scheduler: SchedulerConfig::Fcfs,
            depth: NonZeroUsize::MIN,
            queue: None,
            link_rate: None,
            window: MeasurementWindow::default(),
        }
    }

    /// The services by their numbers.
    #[must_use]
    pub fn services(&self) -> Vec<&ServiceConfig> {
        services(&self.default_service, &self.classes, &self.table)
    }

    /// The rules and the shares of the services.
    pub(super) fn plan(&self) -> Result<Plan, ConfigError> {
        let services = self.services().len();
        if services > usize::from(ServiceId::COUNT) {
            return Err(ConfigError::TooManyServices(services));
        }
        let names = Names::of(&self.classes)?;
        let of_classes = names.carriers(&self.classes)?;
        let of_table = |want: Option<Want>| {
            let brought = self.classes.iter().filter(|class| class.service().is_some()).count();
            let number = |want| match want {
                Want::Reliable => 1 + brought,
                Want::LowDelay => 1 + brought + usize::from(self.table.service(Want::Reliable).is_some()),
            };
            want.filter(|want| self.table.service(*want).is_some()).map_or(0, number)
        };
        let mut allocations: Vec<(usize, Allocation)> =
            of_classes.iter().zip(&self.classes).filter_map(|(service, class)| Some((*service, class.rate?))).collect();
        allocations.extend(self.table.allocations().map(|(want, rate)| (of_table(want), rate)));
        if self.scheduler == SchedulerConfig::Fcfs && !allocations.is_empty() {
            return Err(ConfigError::RatesWithoutShares);
        }
        let shares = rates::given(services, &allocations, self.link_rate)?;
        let table_rules: Vec<(Rule, usize)> =
            self.table.rules().into_iter().map(|(rule, want)| (rule, of_table(Some(want)))).collect();
        let rules = self.classes.iter().map(|class| &class.rule).zip(of_classes);
        let rules = rules.chain(table_rules.iter().map(|(rule, service)| (rule, *service)));
        let of_class = |class: &Class| class.service().map(|_| class.queue.or(self.queue));
        let mut queues = alloc::vec![self.queue];
        queues.extend(self.classes.iter().filter_map(of_class));
        queues.resize(services, self.queue);
        Ok(Plan { queues, classifier: Classifier::new(rules.map(|(rule, service)| (rule, id(service)))), shares })
    }
}

/// The services of a link layer by their numbers.
#[must_use]
pub fn services<'config>(
    default: &'config ServiceConfig,
    classes: &'config [Class],
    table: &'config Table,
) -> Vec<&'config ServiceConfig> {
    let of_table = [Want::Reliable, Want::LowDelay].into_iter().filter_map(|want| table.service(want));
    core::iter::once(default).chain(classes.iter().filter_map(Class::service)).chain(of_table).collect()
}

/// What follows from a configuration.
pub(super) struct Plan {
    /// Of each service.
    pub(super) queues: Vec<Option<QueueLimits>>,
    pub(super) classifier: Classifier,
    pub(super) shares: Shares,
}

/// A service's number; that there are not too many is checked before.
fn id(service: usize) -> ServiceId {
    u8::try_from(service).ok().and_then(ServiceId::new).unwrap_or_default()
}

/// Which service each name stands for.
struct Names<'config>(Vec<(&'config str, Option<usize>)>);

impl<'config> Names<'config> {
    fn of(classes: &'config [Class]) -> Result<Self, ConfigError> {
        let mut names = alloc::vec![(DEFAULT, Some(0))];
        let mut next = 1;
        for (index, class) in classes.iter().enumerate() {
            let service = class.service().map(|_| next);
            next += usize::from(service.is_some());
            let Some(name) = class.name.as_deref() else { continue };
            if names.iter().any(|(other, _)| *other == name) {
                return Err(ConfigError::NameTaken { class: index, name: name.to_string() });
            }
            names.push((name, service));
        }
        Ok(Self(names))
    }

    /// Who carries each class.
    fn carriers(&self, classes: &[Class]) -> Result<Vec<usize>, ConfigError> {
        let mut own = 0;
        let carrier = |(index, class): (usize, &Class)| match &class.carrier {
            Carrier::Service(_) => {
                own += 1;
                Ok(own)
            }
            Carrier::With(name) => {
                let known = self.0.iter().find(|(known, _)| known == name).and_then(|(_, service)| *service);
                known.ok_or_else(|| ConfigError::NoSuchClass {
                    class: index,
                    name: name.clone(),
                    right: self.with_service(),
                })
            }
        };
        classes.iter().enumerate().map(carrier).collect()
    }

    /// The names that `with` may say.
    fn with_service(&self) -> String {
        let names: Vec<_> = self
            .0
            .iter()
            .filter(|(_, service)| service.is_some())
            .map(|(name, _)| alloc::format!("`{name}`"))
            .collect();
        names.join(", ")
    }
}

/// Why a multiplexer cannot be set up so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// More services than a tag can tell apart.
    #[error("{0} services on one link: expected at most {max}", max = ServiceId::COUNT)]
    TooManyServices(usize),
    /// A class is carried with one that does not exist, or that has no service of its own.
    #[error("no class called `{name}` has a service of its own; expected one of {right}")]
    NoSuchClass {
        /// Which class says so, counted from 0.
        class: usize,
        /// What it says.
        name: String,
        /// What it may say.
        right: String,
    },
    /// Two classes of one name.
    #[error("a second class called `{name}`; names of classes must differ, and `default` names the default service")]
    NameTaken {
        /// The second of them, counted from 0.
        class: usize,
        /// Their name.
        name: String,
    },
    /// Rates that nobody keeps.
    #[error("rates have no effect with first come, first served; expected `scheduler = \"scfq\"`")]
    RatesWithoutShares,
    /// The shares do not come out.
    #[error(transparent)]
    Rates(#[from] RateError),
}

impl ConfigError {
    /// The class to look at, counted from 0, where it is one.
    #[must_use]
    pub fn class(&self) -> Option<usize> {
        match self {
            Self::NoSuchClass { class, .. } | Self::NameTaken { class, .. } => Some(*class),
            Self::TooManyServices(_) | Self::RatesWithoutShares | Self::Rates(_) => None,
        }
    }
}
