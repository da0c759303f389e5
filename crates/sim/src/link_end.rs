//! One end of the wireless link: the link layer, its line and the channel behind it. The simulator's [`Port`].
//!
//! Who moves to another kind of link takes line and channel of that, and leaves queue, services and what is in them as
//! they are.

use crate::channel::{Channel, Direction};
use crate::event::Event;
use crate::frame_loss::FrameLoss;
use crate::kernel::{Alarm, EventQueue};
use crate::line::Line;
use crate::mobility::Air;
use crate::probe::Probe;
use crate::rate::Clock;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use arqway_link::{
    Checked, Departure, Frame, Hint, LinkService, LinkState, Mux, Packet, Port, ServiceId, Subscriber, Tag, Ticket,
    pump,
};
use arqway_units::{Octets, Span, Time};

/// Octets by the number of a service.
type LineOctets = [u64; ServiceId::COUNT as usize];

/// The end that sends in one direction and receives in the other.
#[derive(Debug)]
pub(crate) struct LinkEnd<S = Checked<Mux>> {
    pub(crate) service: S,
    below: Below,
}

/// What lies below the service.
#[derive(Debug)]
struct Below {
    direction: Direction,
    line: Line<Frame>,
    channel: Channel,
    air: Air,
    /// Where the user moves next, if that is another kind of link.
    other: Option<Box<OtherLink>>,
    charge_tag: bool,
    /// The frame in the transmitter, if its service wants to know when it has left.
    in_transmitter: Option<(Tag, Ticket)>,
    alarm: Alarm,
    delivered: VecDeque<Packet>,
    /// What becomes of the frames with data.
    frame_loss: FrameLoss,
    /// How much of the line each service has taken, by its number, in octets.
    line_octets: LineOctets,
}

/// What makes a link another one, in one direction.
#[derive(Debug)]
pub(crate) struct OtherLink {
    pub(crate) clock: Clock,
    pub(crate) delay: Span,
    pub(crate) channel: Channel,
}

impl<S: LinkService> LinkEnd<S> {
    pub(crate) fn new(service: S, direction: Direction, line: Line<Frame>, channel: Channel, charge_tag: bool) -> Self {
        let below = Below {
            direction,
            line,
            channel,
            air: Air::default(),
            other: None,
            charge_tag,
            in_transmitter: None,
            alarm: Alarm::default(),
            delivered: VecDeque::with_capacity(32),
            frame_loss: FrameLoss::default(),
            line_octets: [0; _],
        };
        Self { service, below }
    }

    /// The network layer sends a packet; what the link layer cannot hold is dropped, and counted there. Whether it was taken.
    pub(crate) fn send(&mut self, packet: Packet, now: Time) -> bool {
        self.service.handle_packet(packet, now).is_ok()
    }

    /// A frame has left the transmitter.
    pub(crate) fn depart(&mut self, now: Time) {
        self.below.line.depart();
        if let Some((tag, ticket)) = self.below.in_transmitter.take() {
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
    pub(crate) fn arrive(&mut self, events: &mut EventQueue<Event>, now: Time) -> Option<Frame> {
        self.below.line.arrive(now, events, Event::FrameArrival(self.below.direction))
    }

    /// The next packet for the network layer here.
    pub(crate) fn take_delivered(&mut self) -> Option<Packet> {
        self.below.delivered.pop_front()
    }

    /// The user will move between this link and another one.
    pub(crate) fn set_other(&mut self, other: OtherLink) {
        self.below.other = Some(Box::new(other));
    }

    /// What is on its way is lost.
    pub(crate) fn cut(&mut self) {
        self.below.line.cut();
    }

    /// Whether what arrives next was lost so.
    pub(crate) fn next_is_cut(&self) -> bool {
        self.below.line.next_is_cut()
    }

    /// The link goes down.
    pub(crate) fn fall(&mut self) {
        self.below.air.falls();
    }

    /// The link is up, until an outage that is known by now.
    pub(crate) fn rise(&mut self, next_outage: Option<Time>) {
        self.below.air.rises(next_outage);
    }

    /// The user is on the other link, and this one is the other now.
    pub(crate) fn change_link(&mut self) {
        if let Some(other) = &mut self.below.other {
            self.below.line.exchange_link(&mut other.clock, &mut other.delay);
            core::mem::swap(&mut self.below.channel, &mut other.channel);
        }
    }

    /// Notifies link layer and transmitter of the link's state: a frame that was handed over and has not started waits too.
    pub(crate) fn notify(&mut self, hint: &Hint, now: Time) {
        self.below.air.hold(hint.link_state() == LinkState::Down);
        self.service.handle_hint(hint, now);
    }

    /// How many frames were lost because the link was gone.
    pub(crate) fn lost_in_outages(&self) -> u64 {
        self.below.air.lost()
    }

    /// Lets the link layer do all it can do now.
    pub(crate) fn pump(&mut self, events: &mut EventQueue<Event>, probe: &mut impl Probe, now: Time) {
        let mut port = SimPort { below: &mut self.below, events, probe, now };
        pump(&mut self.service, &mut port, now);
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.below.line.dropped()
    }

    /// How much of the line a service has taken, in octets.
    pub(crate) fn line_octets(&self, service: ServiceId) -> u64 {
        self.below.line_octets[service.index()]
    }

    /// What became of the frames with data.
    pub(crate) fn frame_loss(&self) -> &FrameLoss {
        &self.below.frame_loss
    }

    /// Whether nothing is being sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.below.line.is_idle()
    }
}

/// A frame's tag.
const TAG: Octets = Octets::new(1);

struct SimPort<'a, P> {
    below: &'a mut Below,
    events: &'a mut EventQueue<Event>,
    probe: &'a mut P,
    now: Time,
}

impl<P: Probe> Port for SimPort<'_, P> {
    fn accepts_frame(&self) -> bool {
        self.below.line.accepts()
    }

    fn hand_over(&mut self, frame: Frame, now: Time) -> Result<(), Frame> {
        self.probe.frame_queued(self.below.direction, &frame, now);
        let queued = self.below.line.offer(frame);
        if let Err(dropped) = &queued {
            self.probe.frame_dropped(self.below.direction, dropped, now);
        }
        queued
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.below.air.is_held() {
            return None;
        }
        let frame = self.below.line.take_ready()?;
        self.probe.frame_taken(self.below.direction, &frame, self.now);
        Some(frame)
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        let size = if self.below.charge_tag { frame.size() } else { frame.size() - TAG };
        let passage = self.below.line.transmit(size, now);
        let arrivals = self.below.channel.pass(size, now, &passage, self.below.line.clock());
        let is_lost_to_errors = arrivals.frame.is_none();
        let arrivals = self.below.air.carry(arrivals);
        let is_lost = arrivals.frame.is_none();
        self.below.line_octets[frame.tag.service().index()] += size.as_u64();
        self.probe.frame_sent(self.below.direction, &frame, !is_lost, now);
        // What an outage takes tells nothing of the link's errors.
        if !frame.body.is_empty() && is_lost == is_lost_to_errors {
            self.below.frame_loss.count(is_lost);
        }
        self.below.in_transmitter = frame.ticket.map(|ticket| (frame.tag, ticket));
        self.events.schedule(passage.departure, Event::FrameDeparture(self.below.direction));
        if let Some(at) = arrivals.copy {
            self.below.line.launch(frame.clone(), at, self.events, Event::FrameArrival(self.below.direction));
        }
        if let Some(at) = arrivals.frame {
            self.below.line.launch(frame, at, self.events, Event::FrameArrival(self.below.direction));
        }
    }

    fn deliver(&mut self, packet: Packet, _now: Time) {
        self.below.delivered.push_back(packet);
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        if let Some(at) = self.below.alarm.set(deadline) {
            self.events.schedule(at, Event::ServiceTimer(self.below.direction));
        }
    }
}
