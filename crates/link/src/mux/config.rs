//! How a multiplexer is set up, and what follows from it: the services by their numbers, the rules, the shares.
//!
//! Services are numbered in the order in which they are brought: 0 is the default one, then each class's that has one of
//! its own, then those of the table. The numbers are what tags carry, so both ends need the same configuration.

use super::carried::Carried;
use super::class::{Carrier, Class, DEFAULT};
use super::classifier::Classifier;
use super::queue::{QueueFault, QueueLimits};
use super::rates::{Allocation, RateError, Rates, SetAside, Shares};
use super::rule::Rule;
use super::scheduler::{Scfq, SchedulerConfig};
use super::tables::{Table, Want};
use crate::metrics::MeasurementWindow;
use crate::registry::ServiceConfig;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_ip::{Outline, Protocol};
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
    /// Whether headers of UDP are shortened, by all services but tally, which has a setting of its own.
    pub compress_headers: bool,
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
            compress_headers: false,
            link_rate: None,
            window: MeasurementWindow::default(),
        }
    }

    /// The services by their numbers.
    #[must_use]
    pub fn services(&self) -> Vec<&ServiceConfig> {
        services(&self.default_service, &self.classes, &self.table)
    }

    /// What follows from it, by which any number of ends can be built.
    ///
    /// # Errors
    /// More than 32 services, a class whose carrier does not exist, or rates that the link has not got.
    pub fn plan(&self) -> Result<Plan, ConfigError> {
        let services = self.services().len();
        // Reports on what is carried take a number of their own.
        let carries = self.classes.iter().any(|class| class.carries.is_some());
        let most = usize::from(ServiceId::COUNT) - usize::from(carries);
        if services > most {
            return Err(ConfigError::TooManyServices { services, most });
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
        let classes = || of_classes.iter().copied().zip(&self.classes);
        let mut given: Vec<_> = classes().filter_map(|(service, class)| Some((service, class.rate?))).collect();
        given.extend(self.table.allocations().map(|(want, rate)| (of_table(want), rate)));
        let carried = classes().filter_map(|(service, class)| Some((service, Allocation::Rate(class.carries?))));
        let carried: Vec<_> = carried.collect();
        match self.scheduler {
            SchedulerConfig::Fcfs if carries || !given.is_empty() => return Err(ConfigError::RatesWithoutShares),
            SchedulerConfig::Scfq(Scfq { rates: Rates::Measured(_) }) if carries => {
                return Err(ConfigError::CarriesWithMeasuredShares);
            }
            _ => {}
        }
        let set_aside = SetAside::new(services, &given, &carried, self.link_rate)?;
        let table_rules: Vec<(Rule, usize)> =
            self.table.rules().into_iter().map(|(rule, want)| (rule, of_table(Some(want)))).collect();
        let rules = self.classes.iter().map(|class| &class.rule).zip(of_classes);
        let rules = rules.chain(table_rules.iter().map(|(rule, service)| (rule, *service)));
        let of_class = |class: &Class| class.service().map(|_| class.queue.or(self.queue));
        let mut queues = alloc::vec![self.queue];
        queues.extend(self.classes.iter().filter_map(of_class));
        queues.resize(services, self.queue);
        if let Some(fault) = queues.iter().flatten().find_map(QueueLimits::fault) {
            let has = |class: &Class| class.queue.as_ref().and_then(QueueLimits::fault) == Some(fault);
            return Err(ConfigError::Queue { class: self.classes.iter().position(has), fault });
        }
        let classifier = Classifier::new(rules.map(|(rule, service)| (rule, id(service))));
        let shares = set_aside.shares();
        let carried = carries.then(|| Carried::new(set_aside, id(services), services));
        let low_delay = of_table(Some(Want::LowDelay));
        let split = self.split_services()?;
        let watched = (self.table.watches() && low_delay > 0).then(|| id(low_delay));
        let alone = self.table.copies().then(|| Alone {
            instead_of: id(of_table(Some(Want::Reliable))),
            carrier: id(low_delay),
            is_tcp_split: self.table.splits(),
        });
        Ok(Plan { config: self.clone(), queues, split, classifier, watched, alone, shares, carried })
    }
}

impl Config {
    /// The services in front of which TCP ends, by their numbers: what is acknowledged there nobody may give up.
    fn split_services(&self) -> Result<Vec<ServiceId>, ConfigError> {
        let of_classes = self
            .classes
            .iter()
            .enumerate()
            .filter_map(|(index, class)| class.service().map(|service| (class.split, service, Some(index))));
        let of_table = [Want::Reliable, Want::LowDelay].into_iter().filter_map(|want| {
            let is_split = want == Want::Reliable && self.table.splits();
            self.table.service(want).map(|service| (is_split, service, None))
        });
        let is_split_without = self.table.splits() && self.table.service(Want::Reliable).is_none();
        if is_split_without {
            return Err(ConfigError::SplitLoses { class: None });
        }
        let mut split = Vec::new();
        for (number, (is_split, service, class)) in (1..).zip(of_classes.chain(of_table)) {
            let keeps_all = matches!(service, ServiceConfig::Tally(tally) if tally.persistence.is_none());
            match (is_split, keeps_all) {
                (true, false) => return Err(ConfigError::SplitLoses { class }),
                (true, true) => split.push(id(number)),
                (false, _) => {}
            }
        }
        Ok(split)
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

/// What the services of a link layer are called, by their numbers: the default one, a class's by the class, a table's by
/// what it wants; by its number where that is no name, or one that is taken.
#[must_use]
pub fn service_names(classes: &[Class], table: &Table) -> Vec<String> {
    let of_classes = classes.iter().filter(|class| class.service().is_some()).map(|class| class.name.as_deref());
    let of_table = [(Want::Reliable, "reliable"), (Want::LowDelay, "low-delay")].into_iter();
    let of_table = of_table.filter(|(want, _)| table.service(*want).is_some()).map(|(_, name)| Some(name));
    let mut names: Vec<String> = Vec::new();
    for name in core::iter::once(Some(DEFAULT)).chain(of_classes).chain(of_table) {
        let free = name.filter(|name| names.iter().all(|known| known != name));
        names.push(free.map_or_else(|| names.len().to_string(), ToString::to_string));
    }
    names
}

/// A configuration that was checked, and what follows from it.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) config: Config,
    /// Of each service.
    pub(super) queues: Vec<Option<QueueLimits>>,
    /// Those in front of which TCP ends.
    pub(super) split: Vec<ServiceId>,
    pub(super) classifier: Classifier,
    /// Who carries flows that no rule knows and that want to arrive soon, where flows are watched.
    pub(super) watched: Option<ServiceId>,
    /// Who carries packets that stand alone, where that is not who carries others of their flows.
    pub(super) alone: Option<Alone>,
    pub(super) shares: Shares,
    pub(super) carried: Option<Carried>,
}

/// Packets that stand alone go by a service that sends them twice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alone {
    /// The service of their rules.
    instead_of: ServiceId,
    carrier: ServiceId,
    /// Both ends of the link have to see the first segments of TCP where they stand in for its ends.
    is_tcp_split: bool,
}

impl Alone {
    /// Who carries a packet that its rule gives a service.
    pub(super) fn carrier(self, service: ServiceId, outline: Outline) -> ServiceId {
        let is_meant = service == self.instead_of
            && outline.stands_alone()
            && !(self.is_tcp_split && outline.protocol() == Protocol::TCP);
        if is_meant { self.carrier } else { service }
    }
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
    #[error(
        "{services} services on one link: expected at most {most}{}",
        if *most < usize::from(ServiceId::COUNT) { ", as one number is for reports on what they carry" } else { "" }
    )]
    TooManyServices {
        /// How many.
        services: usize,
        /// How many there may be: one less where a class says what it carries.
        most: usize,
    },
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
    /// Two sources of shares.
    #[error("`carries` has no effect on shares that are measured from the traffic; expected `scheduler = \"scfq\"`")]
    CarriesWithMeasuredShares,
    /// TCP would be told that data have arrived that may be lost.
    #[error("`split` with a service that may give packets up; expected `tally` without `persistence`")]
    SplitLoses {
        /// Which class says so, counted from 0; otherwise the table does.
        class: Option<usize>,
    },
    /// A queue that cannot be.
    #[error("{fault}")]
    Queue {
        /// Which class says so, counted from 0; otherwise the link layer does.
        class: Option<usize>,
        /// What is wrong with it.
        fault: QueueFault,
    },
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
            Self::SplitLoses { class } | Self::Queue { class, .. } => *class,
            Self::TooManyServices { .. }
            | Self::RatesWithoutShares
            | Self::CarriesWithMeasuredShares
            | Self::Rates(_) => None,
        }
    }
}
