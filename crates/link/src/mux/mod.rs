//! Services side by side on one link (multiservice, Section V, Fig. 6). The multiplexer is itself a service, so simulator,
//! tunnel, tests and [`Checked`](arqway_contract::Checked) treat one service and eight alike.
//!
//! ```text
//!     packet -> classifier -> queue -> service 0  --\                     /-->  service 0  -> packet
//!                          -> queue -> service 1  ---- scheduler -> link -- tag
//!                          -> queue -> service 2  --/                     \-->  service 2
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `config.rs` | how it is set up; which number a service has |
//! | `class.rs`, `rule.rs` | a class as it is written, and what it asks of a packet |
//! | `tables.rs` | ready-made classes |
//! | `cells.rs`, `classifier.rs` | rules compiled into hashed lookups |
//! | `watch.rs` | flows that no rule knows, told by what they do |
//! | `places.rs` | which place a hash has in a table of a fixed size |
//! | `lane.rs` | a service, the queue in front of it, and what it has put on the link |
//! | `lines.rs` | which service's frames go by which line, where there are several |
//! | `queue/` | where a class's packets wait until their service wants them |
//! | `short_headers.rs` | headers of UDP shortened between queue and service |
//! | `split/` | TCP that ends at both ends of the link |
//! | `recovery.rs` | how much longer a round trip is for who sends through a service that recovers losses |
//! | `flows.rs` | flows that somebody outside has given a service |
//! | `rates.rs` | whose share of the link is how large, given or measured |
//! | `carried.rs` | ... or following from what is to arrive |
//! | `service.rs` | the multiplexer as a service |
//! | `scheduler/` | first come, first served; self-clocked fair queueing |
//!
//! It drains its services inside its own methods: a service's frame is tagged and queued here, so what the
//! multiplexer hands over is never simply what one of its services handed over.
//!
//! It polls only services that may have something: by the contract, a drained service has nothing new before its next input.
//! Deadlines are looked up in all services; measured, that costs a nanosecond for each.

mod carried;
mod cells;
mod class;
mod classifier;
mod config;
mod flows;
mod lane;
mod lines;
mod places;
mod queue;
mod rates;
mod recovery;
mod rule;
pub mod scheduler;
mod service;
mod short_headers;
mod split;
mod tables;
mod watch;

pub use arqway_ip::{
    Addresses, AddressesError, Ds, DsError, FlowLabel, FlowLabelError, Headers, Ports, PortsError, Protocol,
    ProtocolError,
};
pub use class::{Carrier, Class, ClassError, DEFAULT};
pub use classifier::Classifier;
pub use config::{Config, ConfigError, Plan, service_names, services};
pub use flows::FlowId;
pub use queue::{Between, Codel, Fair, L4s, QueueFault, QueueLimits, Queues, QueuesError};
pub use rates::{Allocation, AllocationError, Measured, RateError, Rates, Shares};
pub use rule::{Rule, RuleError};
pub use scheduler::{Scfq, SchedulerConfig};
pub use tables::{BestEffort, DifferentiatedServices, DsAllocation, SubclassBit, SubclassBitError, Table};
pub use watch::Traffic;

use crate::metrics::{EndMetrics, Sliding, Totals};
use crate::registry::{AnyService, ServiceConfig};
use alloc::boxed::Box;
use alloc::vec::Vec;
use arqway_contract::{Counters, Frame, LineId, LinkContext, LinkService, Packet, PerLine, ServiceId};
use arqway_ip::Outline;
use arqway_units::{Octets, Span, Time};
use carried::Carried;
use config::Alone;
use core::num::NonZeroUsize;
use flows::Flows;
use lane::{Lane, Stage};
use lines::Lines;
use queue::ClassQueue;
use rates::Meter;
use scheduler::{LaneId, Scheduler};
use watch::Watch;

/// Services side by side, at one end.
#[derive(Debug)]
pub struct Mux<S = AnyService> {
    /// By the numbers of their services.
    lanes: Vec<Lane<S>>,
    classifier: Classifier,
    flows: Flows,
    /// Flows that no rule knows, and who carries those that want to arrive soon.
    watch: Option<(Watch, ServiceId)>,
    /// Who carries packets that stand alone.
    alone: Option<Alone>,
    /// One for each line.
    schedulers: PerLine<Scheduler<Frame>>,
    /// Of which kind they are.
    scheduled: SchedulerConfig,
    /// Where there are several.
    lines: Option<Box<Lines>>,
    shares: Shares,
    /// Where shares are measured.
    meter: Option<Meter>,
    /// Where they follow from what classes carry.
    carried: Option<Carried>,
    depth: NonZeroUsize,
    /// Where the only frame that there is goes first whatever was before: it need not go through the scheduler.
    goes_by_order: bool,
    /// While the link is down, frames stay in the scheduler.
    down: bool,
    unknown_tags: u64,
    /// Over which metrics are taken.
    window: Sliding,
    /// When an interval of measurement is over next.
    interval_ends: Time,
    /// Services that may have a frame: the others were drained, and nothing was told to them since.
    with_frames: Set,
    /// The smallest room in which one of the others had none: in a larger one it may have.
    drained_in: Octets,
    /// Services that may have a packet.
    with_packets: Set,
}

/// A set of services, a bit each: a tag tells no more than 32 apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Set(u32);

impl Set {
    const NONE: Self = Self(0);

    /// The first `count`.
    #[inline]
    fn of_first(count: usize) -> Self {
        let others = 32_u32.saturating_sub(u32::try_from(count).unwrap_or(u32::MAX));
        Self(u32::MAX.checked_shr(others).unwrap_or(0))
    }

    #[inline]
    fn add(&mut self, service: usize) {
        self.0 |= 1 << service;
    }

    #[inline]
    fn remove(&mut self, service: usize) {
        self.0 &= !(1 << service);
    }

    #[inline]
    fn has(self, service: usize) -> bool {
        self.0 & 1 << service != 0
    }

    #[inline]
    fn first(self) -> Option<usize> {
        (self.0 != 0).then_some(self.0.trailing_zeros() as usize)
    }

    /// The one that is in it, where it is the only one.
    #[inline]
    fn only(self) -> Option<usize> {
        self.0.is_power_of_two().then_some(self.0.trailing_zeros() as usize)
    }
}

impl Mux<AnyService> {
    /// An end with its services built and nothing waiting.
    ///
    /// # Errors
    /// More than 32 services, a class whose carrier does not exist, or rates that the link has not got.
    pub fn new(config: &Config, context: &LinkContext) -> Result<Self, ConfigError> {
        Ok(config.plan()?.build(context))
    }
}

impl Plan {
    /// An end with its services built and nothing waiting.
    #[must_use]
    pub fn build(&self, context: &LinkContext) -> Mux {
        let Self { config, queues, split, classifier, watched, alone, shares, carried } = self;
        let watched = *watched;
        let services = config.services();
        let meter = match config.scheduler {
            SchedulerConfig::Scfq(Scfq { rates: Rates::Measured(settings) }) => {
                Some(Meter::new(settings, services.len()))
            }
            SchedulerConfig::Scfq(Scfq { rates: Rates::Given }) | SchedulerConfig::Fcfs => None,
        };
        Mux {
            schedulers: PerLine::new(Scheduler::new(config.scheduler, shares)),
            scheduled: config.scheduler,
            lines: None,
            meter,
            carried: carried.clone(),
            lanes: (0..ServiceId::COUNT)
                .filter_map(ServiceId::new)
                .zip(services.iter().zip(queues))
                .map(|(id, (service, limits))| {
                    let queue = limits.map(|limits| ClassQueue::new(limits, service.holds_back(), context.seed));
                    // Tally shortens headers itself, TCP's above all.
                    let are_shortened = config.compress_headers && !matches!(service, ServiceConfig::Tally(_));
                    let stage = match () {
                        () if split.contains(&id) => Stage::Split(Box::default()),
                        () if are_shortened => Stage::ShortHeaders(Box::default()),
                        () => Stage::Nothing,
                    };
                    Lane::new(id, service.build(context), queue, service.knows_losses())
                        .with(stage)
                        .duplicating(service.duplicates())
                        .recovering(service)
                })
                .collect(),
            classifier: classifier.clone(),
            flows: Flows::default(),
            alone: *alone,
            watch: watched.map(|service| (Watch::new(), service)),
            shares: shares.clone(),
            depth: config.depth,
            goes_by_order: config.depth == NonZeroUsize::MIN
                && carried.is_none()
                && (services.len() == 1 || config.scheduler == SchedulerConfig::Fcfs),
            down: false,
            unknown_tags: 0,
            window: Sliding::new(config.window, services.len()),
            interval_ends: Time::ZERO,
            with_frames: Set::NONE,
            drained_in: Octets::MAX,
            with_packets: Set::NONE,
        }
    }
}

/// A service that this link has not got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no service {number}; expected 0 to {last}", number = .0.index(), last = .1)]
pub struct NoSuchService(ServiceId, usize);

impl<S: LinkService> Mux<S> {
    /// What the service of this number has counted: 0 is the default service; [`Config::services`] has them in order.
    #[must_use]
    pub fn counters_of(&self, service: usize) -> Option<Counters> {
        self.lanes.get(service).map(Lane::counters)
    }

    /// The octets of a service's frames that have started, tags and heads included.
    #[must_use]
    pub fn link_octets_of(&self, service: usize) -> u64 {
        self.lanes.get(service).map_or(0, |lane| lane.totals().link_octets)
    }

    /// Which service would carry a packet.
    #[must_use]
    pub fn service_of(&self, packet: &[u8]) -> ServiceId {
        self.service_like(packet, None)
    }

    /// The same, by its flow where no rule knows it.
    fn service_like(&self, packet: &[u8], outline: Option<Outline>) -> ServiceId {
        let (service, outline) = self.classify(packet, outline);
        let watched = || {
            let (watch, low_delay) = self.watch.as_ref()?;
            (watch.traffic(outline?) != Traffic::Unknown).then_some(*low_delay)
        };
        service.or_else(watched).unwrap_or_default()
    }

    /// Whether a rule gives a packet its service.
    #[must_use]
    pub fn has_rule(&self, packet: &[u8]) -> bool {
        self.classify(packet, None).0.is_some()
    }

    /// What the flow of a packet was found to be, where no rule knows it and flows are watched.
    #[must_use]
    pub fn traffic_of(&self, packet: &[u8]) -> Traffic {
        let (None, Some(outline)) = self.classify(packet, None) else { return Traffic::Unknown };
        self.watch.as_ref().map_or(Traffic::Unknown, |(watch, _)| watch.traffic(outline))
    }

    /// Whether TCP ends at both ends of the link for the connection of a packet of this end's host.
    #[must_use]
    pub fn is_split(&self, packet: &[u8]) -> bool {
        self.lanes.get(self.service_of(packet).index()).is_some_and(|lane| lane.is_split(packet))
    }

    /// Which service carries a packet that comes now, which tells of its flow, too, where flows are watched.
    #[inline]
    pub fn carrier(&mut self, packet: &mut Packet, now: Time) -> ServiceId {
        let (service, outline) = self.classify(&packet.octets, packet.headers);
        packet.headers = outline;
        let mut watched = || {
            let (watch, low_delay) = self.watch.as_mut()?;
            (watch.see(outline?, &packet.octets, now) != Traffic::Unknown).then_some(*low_delay)
        };
        service.or_else(&mut watched).unwrap_or_default()
    }

    /// Which service the rules give a packet, if any does, and what its headers say, if they had to be read.
    fn classify(&self, packet: &[u8], outline: Option<Outline>) -> (Option<ServiceId>, Option<Outline>) {
        let no_flows = self.flows.is_empty();
        if no_flows && self.classifier.is_empty() && self.watch.is_none() {
            return (None, outline);
        }
        let read = match outline {
            Some(outline) => outline.headers(packet).map(|headers| (headers, Some(outline))),
            None => Outline::read_with_headers(packet),
        };
        let Some((headers, outline)) = read else { return (None, outline) };
        let installed = if no_flows { None } else { self.flows.find(&headers) };
        let by_rule = || {
            let service = self.classifier.classify(&headers)?;
            Some(self.alone.zip(outline).map_or(service, |(alone, outline)| alone.carrier(service, outline)))
        };
        (installed.or_else(by_rule), outline)
    }

    /// Gives one flow a service, whatever the rules say; returns the one it was given before. A flow whose ends are of two
    /// versions of IP has no packets, and is not kept.
    ///
    /// # Errors
    /// There is no such service.
    pub fn install_flow(&mut self, flow: &FlowId, service: ServiceId) -> Result<Option<ServiceId>, NoSuchService> {
        if service.index() >= self.lanes.len() {
            return Err(NoSuchService(service, self.lanes.len().saturating_sub(1)));
        }
        Ok(self.flows.install(flow, service))
    }

    /// Leaves a flow to the rules again; returns the service that it had.
    pub fn remove_flow(&mut self, flow: &FlowId) -> Option<ServiceId> {
        self.flows.remove(flow)
    }

    /// The share of the link that each service has by now.
    #[must_use]
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// Sets the shares from outside: a reservation's. Where they are measured, the next measurement sets them again.
    pub fn set_shares(&mut self, shares: Shares) {
        self.shares = shares;
        self.stamp();
    }

    /// Frames that enter the schedulers from now on are stamped by the present shares.
    fn stamp(&mut self) {
        self.schedulers.iter_mut().for_each(|scheduler| scheduler.set_shares(&self.shares));
    }

    /// The line that frames go by which are asked for now.
    #[inline]
    fn line(&self) -> LineId {
        self.lines.as_ref().map_or(LineId::FIRST, |lines| lines.turn)
    }

    /// Services that may have a frame for it.
    #[inline]
    fn to_ask(&self) -> Set {
        self.lines.as_ref().map_or(self.with_frames, |lines| Set(self.with_frames.0 & lines.may_ask.0))
    }

    /// A service's lane, and a note that it may now have frames and packets.
    fn told(&mut self, service: usize) -> Option<&mut Lane<S>> {
        let told = self.lanes.get_mut(service)?;
        self.with_frames.add(service);
        self.with_packets.add(service);
        Some(told)
    }

    /// What each service has done over the last window: of what it sent, and of what it received.
    pub fn metrics(&mut self, now: Time) -> Vec<EndMetrics> {
        self.keep_time(now);
        let lanes = self.lanes.iter().enumerate();
        lanes.map(|(service, lane)| lane.metrics_since(&self.window.before(service))).collect()
    }

    /// Over how long [`metrics`](Self::metrics) are taken at this time: less than a whole window at the beginning.
    #[must_use]
    pub fn metrics_span(&self, now: Time) -> Span {
        self.window.length(now)
    }

    /// The link is another one from now on, after a vertical handoff: [`metrics`](Self::metrics) are of this one alone.
    pub fn restart_metrics(&mut self, now: Time) {
        self.keep_time(now);
        // Its first part ends later than the present one would have: that is noticed then.
        self.window.restart(self.lanes.iter().map(Lane::totals), now);
    }

    /// The same over the whole time since it was made.
    pub fn metrics_since_start(&self) -> impl Iterator<Item = EndMetrics> {
        self.lanes.iter().map(|lane| lane.metrics_since(&Totals::default()))
    }

    /// Ends the intervals of measurement that are over.
    #[inline]
    fn keep_time(&mut self, now: Time) {
        if now >= self.interval_ends {
            self.end_intervals(now);
        }
    }

    #[cold]
    fn end_intervals(&mut self, now: Time) {
        if self.window.is_due(now) {
            let Self { window, lanes, carried, .. } = self;
            window.advance(lanes.iter().map(Lane::totals), now);
            for (service, lane) in lanes.iter_mut().enumerate() {
                lane.learn_recovery(&window.before(service));
            }
            if let Some(carried) = carried {
                for (service, lane) in lanes.iter().enumerate() {
                    carried.measure(service, &lane.metrics_since(&window.before(service)));
                }
                carried.set(&mut self.shares);
                self.stamp();
            }
        }
        if self.meter.as_mut().is_some_and(|meter| meter.update(&mut self.shares, now)) {
            self.stamp();
        }
        let measured_until = self.meter.as_ref().map_or(Time::MAX, Meter::interval_ends);
        self.interval_ends = self.window.ends().min(measured_until);
    }

    /// The next frame, in the scheduler's order.
    #[inline(never)]
    fn scheduled_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        self.fill_scheduler(now, room);
        // The first one goes first: where it does not fit, nothing goes.
        let scheduler = self.schedulers.get_mut(self.line());
        scheduler.first().filter(|frame| frame.size() <= room)?;
        scheduler.pop().map(|(_, frame)| frame)
    }

    /// Asks every service that may have a frame, while there is room for it.
    fn fill_scheduler(&mut self, now: Time, room: Octets) {
        let (mut to_ask, line) = (self.to_ask(), self.line());
        while let Some(index) = to_ask.first() {
            to_ask.remove(index);
            let Some(lane) = self.lanes.get_mut(index) else { break };
            while self.schedulers.get(line).waiting(LaneId(index)) < self.depth.get() {
                lane.feed(now, room);
                if lane.has_packet() {
                    self.with_packets.add(index);
                }
                let report = self.carried.as_mut().and_then(|carried| carried.poll_report(index, room));
                let Some(frame) = report.or_else(|| lane.poll_frame(now, room)) else {
                    self.with_frames.remove(index);
                    self.drained_in = self.drained_in.min(room);
                    break;
                };
                if let Some(lines) = self.lines.as_ref().filter(|_| lane.duplicates) {
                    lines.duplicate(index, &frame, &mut self.schedulers);
                }
                self.schedulers.get_mut(line).push(LaneId(index), frame.size(), frame);
            }
        }
    }
}

impl<S: LinkService> Mux<S> {
    fn all(&self) -> Set {
        Set::of_first(self.lanes.len())
    }

    /// A larger room than the one in which services had nothing may be enough.
    fn widen(&mut self, room: Octets) {
        if room > self.drained_in {
            (self.with_frames, self.drained_in) = (self.all(), Octets::MAX);
        }
    }

    /// The next frame of the only service that may have one, past a scheduler that holds none.
    #[inline]
    fn only_frame(&mut self, index: usize, now: Time, room: Octets) -> Option<Frame> {
        let lane = self.lanes.get_mut(index)?;
        lane.feed(now, room);
        if lane.has_packet() {
            self.with_packets.add(index);
        }
        let frame = lane.poll_frame(now, room);
        match (&frame, &self.lines) {
            (Some(frame), Some(lines)) if lane.duplicates => lines.duplicate(index, frame, &mut self.schedulers),
            (Some(_), _) => {}
            (None, _) => {
                self.with_frames.remove(index);
                self.drained_in = self.drained_in.min(room);
            }
        }
        frame
    }
}

#[cfg(test)]
mod tests;
