//! One end of the wireless link: the link layer, its line and the channel behind it. The simulator's [`Port`].
//!
//! Who moves to another kind of link takes line and channel of that, and leaves queue, services and what is in them as
//! they are.

use super::layer::Layer;
use super::medium::{Cause, Medium};
use crate::channel::Direction;
use crate::event::Event;
use crate::frame_loss::FrameLoss;
use crate::kernel::{Alarm, EventQueue};
use crate::probe::Probe;
use crate::wireless::Wireless;
use alloc::collections::VecDeque;
use arqway_link::{
    Checked, Departure, Frame, Hint, LineId, LinkService, LinkState, Packet, PerLine, Port, ServiceId, Subscriber, Tag,
    Ticket, pump,
};
use arqway_units::{Octets, Time};
use bytes::Bytes;

/// Octets by the number of a service.
type LineOctets = [u64; ServiceId::COUNT as usize];

/// The end that sends in one direction and receives in the other.
#[derive(Debug)]
pub(crate) struct LinkEnd<S = Checked<Layer>> {
    pub(crate) service: S,
    below: Below,
}

/// What lies below the service.
#[derive(Debug)]
struct Below {
    direction: Direction,
    lines: PerLine<EndLine>,
    charge: Charge,
    alarm: Alarm,
    delivered: VecDeque<Bytes>,
    /// What becomes of the frames with data.
    frame_loss: FrameLoss,
    /// The same when the user came to the present link.
    before_this_link: FrameLoss,
    /// How much of the line each service has taken, by its number, in octets.
    line_octets: LineOctets,
}

/// One line that it sends by.
#[derive(Debug)]
struct EndLine {
    medium: Medium<Frame>,
    /// The frame in the transmitter, if its service wants to know when it has left.
    in_transmitter: Option<(Tag, Ticket)>,
}

impl EndLine {
    fn new(medium: Medium<Frame>) -> Self {
        Self { medium, in_transmitter: None }
    }
}

impl<S: LinkService> LinkEnd<S> {
    /// An end of a link with these lines, one at least.
    pub(crate) fn new(
        service: S,
        direction: Direction,
        lines: usize,
        medium: impl Fn(LineId) -> Medium<Frame>,
        charge: Charge,
    ) -> Self {
        let mut media = PerLine::new(EndLine::new(medium(LineId::FIRST)));
        if let Some(last) = LineId::first(lines).next_back() {
            media.reach(last, |line| EndLine::new(medium(line)));
        }
        let below = Below {
            direction,
            lines: media,
            charge,
            alarm: Alarm::default(),
            delivered: VecDeque::with_capacity(32),
            frame_loss: FrameLoss::default(),
            before_this_link: FrameLoss::default(),
            line_octets: [0; _],
        };
        Self { service, below }
    }

    /// The network layer sends a packet; what the link layer cannot hold is dropped, and counted there. Whether it was taken.
    pub(crate) fn send(&mut self, packet: Packet, now: Time) -> bool {
        self.service.handle_packet(packet, now).is_ok()
    }

    /// A frame has left the transmitter.
    pub(crate) fn depart(&mut self, line: LineId, now: Time) {
        let line = self.below.lines.get_mut(line);
        line.medium.line.depart();
        if let Some((tag, ticket)) = line.in_transmitter.take() {
            self.service.handle_departure(tag, ticket, Departure::Sent, now);
        }
    }

    /// The event of the alarm has come. Whether it was time: a moved alarm waits on.
    pub(crate) fn ring(&mut self, now: Time) -> bool {
        let is_time = self.below.alarm.ring(now);
        if is_time {
            self.service.handle_timeout(now);
        }
        is_time
    }

    /// The first frame on its way to the other end is there.
    pub(crate) fn arrive(&mut self, line: LineId, events: &mut EventQueue<Event>, now: Time) -> Option<Frame> {
        let event = Event::FrameArrival(self.below.direction, line);
        let frame = self.below.lines.get_mut(line).medium.line.arrive(now, events, event)?;
        Some(frame.by(line))
    }

    /// The next packet for the network layer here.
    pub(crate) fn take_delivered(&mut self) -> Option<Bytes> {
        self.below.delivered.pop_front()
    }

    /// What is on its way is lost.
    pub(crate) fn cut(&mut self) {
        self.below.each(|medium| medium.line.cut());
    }

    /// Whether what arrives next was lost so.
    pub(crate) fn next_is_cut(&self, line: LineId) -> bool {
        self.below.lines.get(line).medium.line.next_is_cut()
    }

    /// The link goes down.
    pub(crate) fn fall(&mut self) {
        self.below.each(|medium| medium.air.falls());
    }

    /// The link is up, until an outage that is known by now.
    pub(crate) fn rise(&mut self, next_outage: Option<Time>) {
        self.below.each(|medium| medium.air.rises(next_outage));
    }

    /// The user is on the other link, and this one is the other now.
    pub(crate) fn change_link(&mut self) {
        self.below.each(Medium::change_link);
    }

    /// Notifies link layer and transmitter of the link's state: a frame that was handed over and has not started waits too.
    pub(crate) fn notify(&mut self, hint: &Hint, now: Time) {
        self.below.each(|medium| medium.air.hold(hint.link_state() == LinkState::Down));
        self.service.handle_hint(hint, now);
    }

    /// How many frames were lost because the link was gone.
    pub(crate) fn lost_in_outages(&self) -> u64 {
        self.below.lines.iter().map(|line| line.medium.air.lost()).sum()
    }

    /// Lets the link layer do all it can do now.
    pub(crate) fn pump(&mut self, events: &mut EventQueue<Event>, probe: &mut impl Probe, now: Time) {
        let mut port = SimPort { below: &mut self.below, line: LineId::FIRST, events, probe, now };
        pump(&mut self.service, &mut port, now);
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.below.lines.iter().map(|line| line.medium.line.dropped()).sum()
    }

    /// How much of the line a service has taken, in octets.
    pub(crate) fn line_octets(&self, service: ServiceId) -> u64 {
        self.below.line_octets[service.index()]
    }

    /// What became of the frames with data.
    pub(crate) fn frame_loss(&self) -> &FrameLoss {
        &self.below.frame_loss
    }

    /// The share of frames with data that was lost since the user came to this link, if there were any.
    pub(crate) fn recent_frame_loss(&self) -> Option<f64> {
        self.below.frame_loss.rate_since(&self.below.before_this_link)
    }

    /// The user has come to another link.
    pub(crate) fn forget_frame_loss(&mut self) {
        self.below.before_this_link = self.below.frame_loss;
    }

    /// Whether nothing is being sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.below.lines.iter().any(|line| line.medium.line.is_idle())
    }
}

impl Below {
    fn each(&mut self, act: impl Fn(&mut Medium<Frame>)) {
        self.lines.iter_mut().for_each(|line| act(&mut line.medium));
    }
}

/// What of a frame takes time on the line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Charge {
    /// All of it.
    Whole,
    /// All but its tag, which the papers' frames do not have.
    WithoutTag,
    /// A datagram, with what the path adds to each.
    Datagram {
        /// That.
        overhead: Octets,
    },
}

impl Charge {
    /// A link's, where frames go onto the line themselves.
    pub(crate) fn of(link: &Wireless) -> Self {
        if link.charge_tag { Self::Whole } else { Self::WithoutTag }
    }

    fn size_of(self, frame: &Frame) -> Octets {
        match self {
            Self::Whole => frame.size(),
            Self::WithoutTag => frame.size() - Frame::TAG,
            Self::Datagram { overhead } => frame.size() + overhead,
        }
    }
}

struct SimPort<'a, P> {
    below: &'a mut Below,
    /// The line that it is turned to.
    line: LineId,
    events: &'a mut EventQueue<Event>,
    probe: &'a mut P,
    now: Time,
}

impl<P> SimPort<'_, P> {
    fn medium(&mut self) -> &mut Medium<Frame> {
        &mut self.below.lines.get_mut(self.line).medium
    }
}

impl<P: Probe> Port for SimPort<'_, P> {
    fn lines(&self) -> usize {
        self.below.lines.count()
    }

    fn turn_to(&mut self, line: LineId) {
        self.line = line;
    }

    fn room(&self) -> Option<Octets> {
        self.below.lines.get(self.line).medium.line.accepts().then_some(Octets::MAX)
    }

    fn hand_over(&mut self, frame: Frame, now: Time) -> Result<(), Frame> {
        self.probe.frame_queued(self.below.direction, &frame, now);
        let queued = self.medium().line.offer(frame);
        if let Err(dropped) = &queued {
            self.probe.frame_dropped(self.below.direction, dropped, now);
        }
        queued
    }

    fn take_ready(&mut self) -> Option<Frame> {
        let frame = self.medium().take_ready()?;
        self.probe.frame_taken(self.below.direction, &frame, self.now);
        Some(frame)
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        let size = self.below.charge.size_of(&frame);
        let sent = self.medium().transmit(size, now);
        self.below.line_octets[frame.tag.service().index()] += size.as_u64();
        self.probe.frame_sent(self.below.direction, &frame, sent.lost_to.is_none(), now);
        // What an outage takes tells nothing of the link's errors.
        if !frame.body.is_empty() && sent.lost_to != Some(Cause::Outage) {
            self.below.frame_loss.count(sent.lost_to.is_some());
        }
        let direction = self.below.direction;
        let line = self.below.lines.get_mut(self.line);
        line.in_transmitter = frame.ticket.map(|ticket| (frame.tag, ticket));
        self.events.schedule(sent.departure, Event::FrameDeparture(direction, self.line));
        line.medium.launch(frame, sent.arrivals, self.events, Event::FrameArrival(direction, self.line));
    }

    fn deliver(&mut self, packet: Packet, _now: Time) {
        self.below.delivered.push_back(packet.octets);
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        // A deadline that has passed asks to be woken at once.
        if let Some(at) = self.below.alarm.set(deadline.map(|deadline| deadline.max(self.now))) {
            self.events.schedule(at, Event::ServiceTimer(self.below.direction));
        }
    }

    fn finish(&mut self, _now: Time) {}
}
