//! Services side by side on one link. The multiplexer is itself a service, so simulator, tunnel, tests and
//! [`Checked`](crate::Checked) treat one service and eight alike.
//!
//! ```text
//!     packet -> classifier -> service 0  --\                     /-->  service 0  -> packet
//!                          -> service 1  ---- scheduler -> link -- tag
//!                          -> service 2  --/                     \-->  service 2
//! ```
//!
//! It drains its services inside its own methods: a service's frame is tagged and queued here, so what the
//! multiplexer hands over is never simply what one of its services handed over.

mod classifier;
mod scheduler;

pub use classifier::{Class, Protocol, ProtocolError};

use classifier::Classifier;
use scheduler::{FirstComeFirstServed, Flow};

use crate::counters::Counters;
use crate::frame::{Frame, Packet, ServiceId, Tag, Ticket};
use crate::registry::{AnyService, ServiceConfig};
use crate::service::{Departure, Full, LinkService, LinkState, Side, Start};
use alloc::vec::Vec;
use arqway_units::Time;
use core::num::NonZeroUsize;

/// How a multiplexer is set up; both ends need the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// What carries the packets of no class.
    pub default_service: ServiceConfig,
    /// Tried in order.
    pub classes: Vec<Class>,
    /// How many frames of a service may wait in the scheduler.
    ///
    /// One pulls late, which keeps timers and acknowledgements fresh. More lets a service queue ahead.
    pub depth: NonZeroUsize,
}

/// Services side by side, at one end.
#[derive(Debug)]
pub struct Mux<S = AnyService> {
    services: Vec<S>,
    classifier: Classifier,
    scheduler: FirstComeFirstServed<Frame>,
    depth: NonZeroUsize,
    /// While the link is down, frames stay in the scheduler.
    down: bool,
    unknown_tags: u64,
}

/// More services than a tag can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} services on one link: right would be at most {max}", max = ServiceId::COUNT)]
pub struct TooManyServices(usize);

impl Mux<AnyService> {
    /// An end with its services built and nothing waiting.
    ///
    /// # Errors
    /// More than 32 services.
    pub fn new(config: &Config, side: Side) -> Result<Self, TooManyServices> {
        let mut services = alloc::vec![config.default_service.build(side)];
        services.extend(config.classes.iter().map(|class| class.service.build(side)));
        let mux = Self::of(services, Classifier::new(&config.classes)?, config.depth);
        Ok(mux)
    }
}

impl<S: LinkService> Mux<S> {
    /// An end made of services that exist already; the first is the default.
    #[must_use]
    fn of(services: Vec<S>, classifier: Classifier, depth: NonZeroUsize) -> Self {
        let scheduler = FirstComeFirstServed::new(services.len());
        Self { services, classifier, scheduler, depth, down: false, unknown_tags: 0 }
    }

    /// What the service of this index has counted: 0 is the default service, then the classes in order.
    #[must_use]
    pub fn counters_of(&self, service: usize) -> Option<Counters> {
        self.services.get(service).map(LinkService::counters)
    }

    fn fill_scheduler(&mut self, now: Time) {
        for (index, service) in self.services.iter_mut().enumerate() {
            let flow = Flow(index);
            while self.scheduler.waiting(flow) < self.depth.get() {
                let Some(mut frame) = service.poll_frame(now) else { break };
                if let Some(id) = u8::try_from(index).ok().and_then(ServiceId::new) {
                    frame.tag = frame.tag.with_service(id);
                }
                self.scheduler.push(flow, frame);
            }
        }
    }
}

impl<S: LinkService> LinkService for Mux<S> {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let index = self.classifier.classify(&packet.octets);
        match self.services.get_mut(index) {
            Some(service) => service.handle_packet(packet, now),
            None => Err(Full(packet)),
        }
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        match self.services.get_mut(frame.tag.service().index()) {
            Some(service) => service.handle_frame(frame, now),
            None => self.unknown_tags += 1,
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        for service in &mut self.services {
            if service.poll_timeout().is_some_and(|deadline| deadline <= now) {
                service.handle_timeout(now);
            }
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.down = state == LinkState::Down;
        for service in &mut self.services {
            service.handle_link(state, now);
        }
    }

    fn poll_frame(&mut self, now: Time) -> Option<Frame> {
        if self.down {
            return None;
        }
        self.fill_scheduler(now);
        self.scheduler.pop().map(|(_, frame)| frame)
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        match self.services.get_mut(frame.tag.service().index()) {
            Some(service) => service.start_frame(frame, now),
            None => Start::Send,
        }
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        if let Some(service) = self.services.get_mut(tag.service().index()) {
            service.handle_departure(tag, ticket, departure, now);
        }
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        self.services.iter_mut().find_map(LinkService::poll_packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.services.iter().filter_map(LinkService::poll_timeout).min()
    }

    /// What all services have counted together; frames of no service count as malformed.
    fn counters(&self) -> Counters {
        let of_mux = Counters { malformed_received: self.unknown_tags, ..Counters::default() };
        self.services.iter().fold(of_mux, |sum, service| sum + service.counters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checked::Checked;
    use crate::raw;
    use alloc::vec;

    fn packet(protocol: Protocol) -> Packet {
        let mut octets = vec![0; 28];
        (octets[0], octets[3], octets[9]) = (0x45, 28, protocol.number());
        Packet::new(octets)
    }

    fn raw_and_udp() -> Config {
        let raw = ServiceConfig::Raw(raw::Config::default());
        Config {
            default_service: raw.clone(),
            classes: vec![Class { protocol: Protocol::UDP, service: raw }],
            depth: NonZeroUsize::MIN,
        }
    }

    #[test]
    fn each_class_travels_under_its_own_tag_and_comes_out_at_the_other_end() {
        let mut near = Checked::new(Mux::new(&raw_and_udp(), Side::Client).expect("two services"));
        let mut far = Checked::new(Mux::new(&raw_and_udp(), Side::Client).expect("two services"));
        for (protocol, service) in [(Protocol::TCP, 0), (Protocol::UDP, 1)] {
            near.handle_packet(packet(protocol), Time::ZERO).expect("room");
            let frame = near.poll_frame(Time::ZERO).expect("a frame for the packet");
            assert_eq!(frame.tag.service().index(), service);
            far.handle_frame(frame, Time::ZERO);
            assert_eq!(far.poll_packet(), Some(packet(protocol)));
        }
    }

    #[test]
    fn a_frame_of_no_service_is_counted_and_dropped() {
        let mut mux = Mux::new(&raw_and_udp(), Side::Client).expect("two services");
        mux.handle_frame(Frame::from_wire(Tag::from_octet(0xff), vec![1, 2, 3].into()), Time::ZERO);
        assert_eq!((mux.counters().malformed_received, mux.poll_packet()), (1, None));
    }

    #[test]
    fn a_service_has_no_more_frames_in_the_scheduler_than_its_depth() {
        for depth in [1, 3] {
            let mut config = raw_and_udp();
            config.depth = NonZeroUsize::new(depth).expect("not zero");
            let mut mux = Mux::new(&config, Side::Client).expect("two services");
            for _ in 0..5 {
                mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
            }
            assert!(mux.poll_frame(Time::ZERO).is_some());
            assert_eq!(mux.scheduler.waiting(Flow(1)), depth - 1);
        }
    }

    #[test]
    fn frames_in_the_scheduler_stay_there_while_the_link_is_down() {
        let mut config = raw_and_udp();
        config.depth = NonZeroUsize::new(2).expect("not zero");
        let mut mux = Checked::new(Mux::new(&config, Side::Client).expect("two services"));
        for _ in 0..2 {
            mux.handle_packet(packet(Protocol::UDP), Time::ZERO).expect("room");
        }
        assert!(mux.poll_frame(Time::ZERO).is_some());
        mux.handle_link(LinkState::Down, Time::ZERO);
        assert_eq!(mux.poll_frame(Time::ZERO), None);
        mux.handle_link(LinkState::Up, Time::ZERO);
        assert!(mux.poll_frame(Time::ZERO).is_some());
    }

    #[test]
    fn more_services_than_a_tag_can_tell_apart_are_refused() {
        let mut config = raw_and_udp();
        config.classes = vec![config.classes[0].clone(); 32];
        let error = Mux::new(&config, Side::Client).map(drop).expect_err("33 services");
        assert_eq!(alloc::string::ToString::to_string(&error), "33 services on one link: right would be at most 32");
    }
}
