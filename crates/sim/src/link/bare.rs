//! A link with a service at either end, and nothing else: no hosts, no TCP. Every event is reported, so that whoever learns or
//! writes a protocol sees what it does.
//!
//! Lines, channels and the loop that drains a service are those of a [`World`](crate::World): what is seen here is what runs there.
//!
//! ```
//! use arqway_link::{Packet, ShortForm, Side, WorldDefaults};
//! use arqway_sim::{Streams, BareLink, LinkEventKind, Wireless};
//! use arqway_units::Time;
//!
//! let service = "sr:0.5".parse::<ShortForm>().unwrap().in_world(&WorldDefaults::default()).unwrap();
//! let ends = [Side::AccessPoint, Side::Client].map(|side| service.build(&side.into()));
//! let mut link = BareLink::new(ends, &Wireless::default(), &Streams::new(1, 0));
//! assert!(link.send(Side::AccessPoint, Packet::new("a packet")));
//! let mut delivered = Vec::new();
//! while link.step(Time::MAX) {
//!     delivered.extend(link.take_steps().into_iter().filter(|step| matches!(step.what, LinkEventKind::PacketDelivered(_))));
//! }
//! assert_eq!(delivered.len(), 1);
//! ```

use super::end::{Charge, LinkEnd};
use super::medium::Medium;
use crate::channel::Direction;
use crate::event::Event;
use crate::kernel::{EventQueue, Streams};
use crate::probe::Probe;
use crate::wireless::Wireless;
use alloc::vec::Vec;
use arqway_link::{Frame, Hint, LineId, LinkService, LinkState, Packet, Side};
use arqway_units::Time;

/// A link with a service at either end.
#[derive(Debug)]
pub struct BareLink<S> {
    now: Time,
    events: EventQueue<Event>,
    access_point: LinkEnd<S>,
    client: LinkEnd<S>,
    seen: Seen,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkEvent {
    /// When.
    pub at: Time,
    /// At which end.
    pub end: Side,
    /// What.
    pub what: LinkEventKind,
}

/// What happened at an end.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkEventKind {
    /// The network layer sent a packet, and the service took it.
    PacketTaken(Packet),
    /// The service had no room for a packet.
    PacketRefused(Packet),
    /// The service handed a frame over to the queue below.
    FrameQueued(Frame),
    /// That queue had no room for it.
    FrameDropped(Frame),
    /// The service took a frame back when its turn had come.
    FrameWithdrawn(Frame),
    /// The first bit of a frame is on the line.
    FrameSent {
        /// As it goes out.
        frame: Frame,
        /// Whether the channel will let it arrive.
        arrives: bool,
    },
    /// The last bit of the frame sent last has left.
    FrameDeparted,
    /// A frame has arrived, as the octets that crossed the line.
    FrameReceived(Frame),
    /// The service released a packet to the network layer.
    PacketDelivered(Packet),
    /// A frame was on its way when the link went down.
    FrameCut(Frame),
    /// The service's deadline has come.
    TimerExpired,
    /// The service and its transmitter were notified of the link's state.
    LinkHeard(LinkState),
}

impl<S: LinkService> BareLink<S> {
    /// The end at the access point, which sends down, and the one at the client, which sends up, at time zero.
    #[must_use]
    pub fn new(ends: [S; 2], link: &Wireless, streams: &Streams) -> Self {
        let end = |service: S, direction: Direction| {
            let medium = |line| Medium::of_line(link, line, direction, streams);
            LinkEnd::new(service, direction, link.lines(), medium, Charge::of(link))
        };
        let [access_point, client] = ends;
        let (access_point, client) = (end(access_point, Direction::Down), end(client, Direction::Up));
        let (events, seen) = (EventQueue::default(), Seen::default());
        let mut link = Self { now: Time::ZERO, events, access_point, client, seen };
        // A service may have a timer that runs before anything was sent.
        [Direction::Down, Direction::Up].into_iter().for_each(|direction| link.pump(direction));
        link
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now
    }

    /// The service at one end.
    #[must_use]
    pub fn service(&self, end: Side) -> &S {
        match end {
            Side::AccessPoint => &self.access_point.service,
            Side::Client => &self.client.service,
        }
    }

    /// The network layer at one end sends a packet now. Whether the service took it.
    pub fn send(&mut self, end: Side, packet: Packet) -> bool {
        let now = self.now;
        let direction = sent_by(end);
        let taken = self.end(direction).send(packet.clone(), now);
        self.see(end, if taken { LinkEventKind::PacketTaken(packet) } else { LinkEventKind::PacketRefused(packet) });
        self.pump(direction);
        taken
    }

    /// The link goes down or comes back, now. While it is down nothing gets through, and what is on its way is lost.
    ///
    /// If the ends are notified, their services stand still and what waits in the queues waits on; else they go on sending in vain.
    pub fn set_link(&mut self, link: LinkState, notify: bool) {
        let hint = match link {
            LinkState::Down => Hint::Down,
            LinkState::Up => Hint::Up,
        };
        for direction in [Direction::Down, Direction::Up] {
            let now = self.now;
            let end = self.end(direction);
            match link {
                LinkState::Down => {
                    end.fall();
                    end.cut();
                }
                LinkState::Up => end.rise(None),
            }
            if notify {
                end.notify(&hint, now);
                self.see(direction.sender(), LinkEventKind::LinkHeard(link));
            }
            self.pump(direction);
        }
    }

    /// Lets happen what comes next, at `until` the latest. False if nothing does; then it is `until`, where that is an end.
    pub fn step(&mut self, until: Time) -> bool {
        let is_due = self.events.soonest().is_some_and(|soonest| soonest <= until);
        let Some((at, event)) = is_due.then(|| self.events.pop()).flatten() else {
            if until != Time::MAX {
                self.now = self.now.max(until);
            }
            return false;
        };
        self.now = at;
        self.happen(event);
        true
    }

    /// What has happened since the last call.
    pub fn take_steps(&mut self) -> Vec<LinkEvent> {
        core::mem::take(&mut self.seen.steps)
    }

    fn happen(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::FrameDeparture(direction, line) => {
                self.see(direction.sender(), LinkEventKind::FrameDeparted);
                self.end(direction).depart(line, now);
                self.pump(direction);
            }
            Event::FrameArrival(direction, line) => self.arrive(direction, line),
            Event::ServiceTimer(direction) => {
                if self.end(direction).ring(now) {
                    self.see(direction.sender(), LinkEventKind::TimerExpired);
                }
                self.pump(direction);
            }
            // Nothing else is scheduled here.
            _ => {}
        }
    }

    fn arrive(&mut self, direction: Direction, line: LineId) {
        let Self { access_point, client, events, now, .. } = self;
        let (sender, receiver, back) = match direction {
            Direction::Down => (access_point, client, Direction::Up),
            Direction::Up => (client, access_point, Direction::Down),
        };
        let is_cut = sender.next_is_cut(line);
        let Some(frame) = sender.arrive(line, events, *now) else { return };
        let frame = Frame::from_wire(frame.tag, frame.parts().concat().into()).by(line);
        if is_cut {
            self.see(back.sender(), LinkEventKind::FrameCut(frame));
            return;
        }
        let seen = LinkEventKind::FrameReceived(frame.clone());
        receiver.service.handle_frame(frame, *now);
        self.see(back.sender(), seen);
        self.pump(back);
    }

    fn pump(&mut self, direction: Direction) {
        let Self { access_point, client, events, seen, now, .. } = self;
        let end = match direction {
            Direction::Down => access_point,
            Direction::Up => client,
        };
        end.pump(events, seen, *now);
        seen.end_of_pump(*now);
        while let Some(packet) = self.end(direction).take_delivered() {
            self.see(direction.sender(), LinkEventKind::PacketDelivered(Packet::new(packet)));
        }
    }

    fn end(&mut self, sending: Direction) -> &mut LinkEnd<S> {
        match sending {
            Direction::Down => &mut self.access_point,
            Direction::Up => &mut self.client,
        }
    }

    fn see(&mut self, end: Side, what: LinkEventKind) {
        self.seen.steps.push(LinkEvent { at: self.now, end, what });
    }
}

/// The direction in which an end sends.
fn sent_by(end: Side) -> Direction {
    match end {
        Side::AccessPoint => Direction::Down,
        Side::Client => Direction::Up,
    }
}

/// Notes what a probe sees.
#[derive(Debug, Default)]
struct Seen {
    steps: Vec<LinkEvent>,
    /// A frame that has left the queue, to be sent or withdrawn.
    taken: Option<(Direction, Frame)>,
}

impl Seen {
    fn note(&mut self, direction: Direction, now: Time, what: LinkEventKind) {
        self.steps.push(LinkEvent { at: now, end: direction.sender(), what });
    }

    /// What was taken before and not sent was withdrawn.
    fn end_of_pump(&mut self, now: Time) {
        if let Some((direction, frame)) = self.taken.take() {
            self.note(direction, now, LinkEventKind::FrameWithdrawn(frame));
        }
    }
}

impl Probe for Seen {
    fn frame_queued(&mut self, direction: Direction, frame: &Frame, now: Time) {
        self.note(direction, now, LinkEventKind::FrameQueued(frame.clone()));
    }

    fn frame_dropped(&mut self, direction: Direction, frame: &Frame, now: Time) {
        self.note(direction, now, LinkEventKind::FrameDropped(frame.clone()));
    }

    fn frame_taken(&mut self, direction: Direction, frame: &Frame, now: Time) {
        self.end_of_pump(now);
        self.taken = Some((direction, frame.clone()));
    }

    fn frame_sent(&mut self, direction: Direction, frame: &Frame, arrives: bool, now: Time) {
        self.taken = None;
        self.note(direction, now, LinkEventKind::FrameSent { frame: frame.clone(), arrives });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use arqway_link::rlc::am;
    use arqway_link::{AnyService, ServiceConfig, ShortForm, WorldDefaults};
    use arqway_units::Span;

    fn bare_link(name: &str, settings: &str) -> BareLink<AnyService> {
        let service = name.parse::<ShortForm>().and_then(|form| form.in_world(&WorldDefaults::default()));
        let service = service.expect("a short form");
        let mut link = Wireless::default();
        if settings == "the first frame is lost" {
            link.errors = crate::channel::ErrorModel::Listed(crate::channel::Listed { down: vec![0], up: vec![] });
        }
        let ends = [Side::AccessPoint, Side::Client].map(|side| service.build(&side.into()));
        BareLink::new(ends, &link, &Streams::new(1, 0))
    }

    fn all_steps(link: &mut BareLink<AnyService>, until: Time) -> Vec<LinkEvent> {
        while link.step(until) {}
        link.take_steps()
    }

    #[test]
    fn a_frame_takes_its_time_on_the_line_and_then_the_delay() {
        let mut link = bare_link("raw", "");
        link.send(Side::AccessPoint, Packet::new(vec![0; 249]));
        let steps = all_steps(&mut link, Time::MAX);
        let last = steps.last().expect("a delivery");
        // 250 octets with the tag, at 64 kbit/s, and 50 ms.
        assert_eq!((last.at, last.end), (Time::ZERO + Span::from_nanoseconds(81_250_000), Side::Client));
        assert!(matches!(&last.what, LinkEventKind::PacketDelivered(packet) if packet.octets.len() == 249));
    }

    #[test]
    fn a_loss_is_reported_when_the_frame_starts_and_the_frame_is_sent_again_after_the_timeout() {
        let mut link = bare_link("sr:0.5", "the first frame is lost");
        link.send(Side::AccessPoint, Packet::new("a packet"));
        let steps = all_steps(&mut link, Time::from_nanoseconds(2_000_000_000));
        // Further copies may follow: the acknowledgement waits for a while for something to ride on.
        assert_eq!(frames_sent(&steps)[..2], [false, true]);
        assert!(steps.iter().any(|step| step.what == LinkEventKind::TimerExpired));
        assert_eq!(link.now(), Time::from_nanoseconds(2_000_000_000));
    }

    /// A packet is sent, and the link is down from 20 ms on, while the frame is on its way, until a minute later.
    fn outage(notify: bool) -> Vec<LinkEvent> {
        let mut link = bare_link("sr:0.5", "");
        link.send(Side::AccessPoint, Packet::new("a packet"));
        let mut steps = all_steps(&mut link, Time::from_nanoseconds(20_000_000));
        link.set_link(LinkState::Down, notify);
        steps.extend(all_steps(&mut link, Time::from_nanoseconds(60_000_000_000)));
        link.set_link(LinkState::Up, notify);
        steps.extend(all_steps(&mut link, Time::from_nanoseconds(61_000_000_000)));
        steps
    }

    fn frames_sent(steps: &[LinkEvent]) -> Vec<bool> {
        let sent = steps.iter().filter_map(|step| match step.what {
            LinkEventKind::FrameSent { arrives, .. } if step.end == Side::AccessPoint => Some(arrives),
            _ => None,
        });
        sent.collect()
    }

    fn deliveries(steps: &[LinkEvent]) -> usize {
        steps.iter().filter(|step| matches!(step.what, LinkEventKind::PacketDelivered(_))).count()
    }

    #[test]
    fn services_that_are_notified_of_an_outage_send_nothing_in_it_and_go_on_where_their_timers_were() {
        let steps = outage(true);
        assert!(steps.iter().any(|step| matches!(step.what, LinkEventKind::FrameCut(_))));
        let expired =
            steps.iter().find(|step| step.what == LinkEventKind::TimerExpired && step.end == Side::AccessPoint);
        // Half a second after the frame had left, which took 1.375 ms; the outage of 59.98 s is not counted.
        assert_eq!(expired.map(|step| step.at), Some(Time::from_nanoseconds(60_481_375_000)));
        let in_outage = |step: &&LinkEvent| (20_000_000..60_000_000_000).contains(&step.at.as_nanoseconds());
        let in_outage: Vec<&LinkEventKind> = steps.iter().filter(in_outage).map(|step| &step.what).collect();
        assert!(
            in_outage.iter().all(|what| matches!(what, LinkEventKind::LinkHeard(_) | LinkEventKind::FrameCut(_))),
            "{in_outage:?}"
        );
        assert_eq!(deliveries(&steps), 1);
        let heard = steps.iter().filter(|step| matches!(step.what, LinkEventKind::LinkHeard(_))).count();
        assert_eq!(heard, 4, "two ends hear of both");
    }

    #[test]
    fn an_outage_that_is_over_before_a_frame_would_arrive_has_cut_it_all_the_same() {
        let mut link = bare_link("raw", "");
        link.send(Side::AccessPoint, Packet::new("a packet"));
        link.set_link(LinkState::Down, true);
        let mut steps = all_steps(&mut link, Time::from_nanoseconds(10_000_000));
        link.set_link(LinkState::Up, true);
        link.send(Side::AccessPoint, Packet::new("another one"));
        steps.extend(all_steps(&mut link, Time::MAX));
        assert_eq!(steps.iter().filter(|step| matches!(step.what, LinkEventKind::FrameCut(_))).count(), 1);
        assert_eq!(deliveries(&steps), 1);
    }

    #[test]
    fn services_that_are_not_notified_send_in_vain() {
        let steps = outage(false);
        let sent = frames_sent(&steps);
        assert!(sent.len() > 100 && sent.iter().filter(|arrives| **arrives).count() <= 4, "{sent:?}");
        assert_eq!(deliveries(&steps), 1);
    }

    #[test]
    fn a_timer_that_runs_from_the_start_expires_though_nothing_was_sent() {
        let config = am::Config { profile: am::Profile::UmtsUniform, ..am::Config::default() };
        let ends =
            [Side::AccessPoint, Side::Client].map(|side| ServiceConfig::RlcAm(config.clone()).build(&side.into()));
        let mut link = BareLink::new(ends, &Wireless::default(), &Streams::new(1, 0));
        let steps = all_steps(&mut link, Time::from_nanoseconds(500_000_000));
        let expired = steps.iter().filter(|step| step.what == LinkEventKind::TimerExpired);
        let at = Time::from_nanoseconds(400_000_000);
        assert_eq!(
            expired.map(|step| (step.at, step.end)).collect::<Vec<_>>(),
            [(at, Side::AccessPoint), (at, Side::Client)]
        );
    }

    #[test]
    fn nothing_happens_behind_the_end_that_was_set() {
        let mut link = bare_link("raw", "");
        link.send(Side::AccessPoint, Packet::new(vec![0; 249]));
        let until = Time::from_nanoseconds(80_000_000);
        assert!(!all_steps(&mut link, until).iter().any(|step| step.end == Side::Client));
        assert_eq!(link.now(), until);
        assert!(
            all_steps(&mut link, Time::MAX).iter().any(|step| matches!(step.what, LinkEventKind::PacketDelivered(_)))
        );
    }
}
