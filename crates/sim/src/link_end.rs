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
        Self {
            service,
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
        }
    }

    /// The network layer sends a packet; what the link layer cannot hold is dropped, and counted there. Whether it was taken.
    pub(crate) fn send(&mut self, packet: Packet, now: Time) -> bool {
        self.service.handle_packet(packet, now).is_ok()
    }

    /// A frame has left the transmitter.
    pub(crate) fn depart(&mut self, now: Time) {
        self.line.depart();
        if let Some((tag, ticket)) = self.in_transmitter.take() {
            self.service.handle_departure(tag, ticket, Departure::Sent, now);
        }
    }

    /// The event of the alarm has come. Whether it was time: a moved alarm waits on.
    pub(crate) fn ring(&mut self, now: Time) -> bool {
        let is_time = self.alarm.ring(now);
        if is_time {
            self.service.handle_timeout(now);
        }
        is_time
    }

    /// The first frame on its way to the other end is there.
    pub(crate) fn arrive(&mut self, events: &mut EventQueue<Event>, now: Time) -> Option<Frame> {
        self.line.arrive(now, events, Event::FrameArrival(self.direction))
    }

    /// The next packet for the network layer here.
    pub(crate) fn take_delivered(&mut self) -> Option<Packet> {
        self.delivered.pop_front()
    }

    /// The user will move between this link and another one.
    pub(crate) fn set_other(&mut self, other: OtherLink) {
        self.other = Some(Box::new(other));
    }

    /// What is on its way is lost.
    pub(crate) fn cut(&mut self) {
        self.line.cut();
    }

    /// Whether what arrives next was lost so.
    pub(crate) fn next_is_cut(&self) -> bool {
        self.line.next_is_cut()
    }

    /// The link goes down.
    pub(crate) fn fall(&mut self) {
        self.air.falls();
    }

    /// The link is up, until an outage that is known by now.
    pub(crate) fn rise(&mut self, next_outage: Option<Time>) {
        self.air.rises(next_outage);
    }

    /// The user is on the other link, and this one is the other now.
    pub(crate) fn change_link(&mut self) {
        if let Some(other) = &mut self.other {
            self.line.exchange_link(&mut other.clock, &mut other.delay);
            core::mem::swap(&mut self.channel, &mut other.channel);
        }
    }

    /// Notifies link layer and transmitter of the link's state: a frame that was handed over and has not started waits too.
    pub(crate) fn notify(&mut self, hint: &Hint, now: Time) {
        self.air.hold(hint.link_state() == LinkState::Down);
        self.service.handle_hint(hint, now);
    }

    /// How many frames were lost because the link was gone.
    pub(crate) fn lost_in_outages(&self) -> u64 {
        self.air.lost()
    }

    /// Lets the link layer do all it can do now.
    pub(crate) fn pump(&mut self, events: &mut EventQueue<Event>, probe: &mut impl Probe, now: Time) {
        let Self {
            service,
            direction,
            line,
            channel,
            air,
            charge_tag,
            in_transmitter,
            alarm,
            delivered,
            frame_loss,
            line_octets,
            ..
        } = self;
        let mut port = SimPort {
            direction: *direction,
            line,
            channel,
            air,
            charge_tag: *charge_tag,
            in_transmitter,
            alarm,
            delivered,
            frame_loss,
            line_octets,
            events,
            probe,
            now,
        };
        pump(service, &mut port, now);
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.line.dropped()
    }

    /// How much of the line a service has taken, in octets.
    pub(crate) fn line_octets(&self, service: ServiceId) -> u64 {
        self.line_octets[service.index()]
    }

    /// What became of the frames with data.
    pub(crate) fn frame_loss(&self) -> &FrameLoss {
        &self.frame_loss
    }

    /// Whether nothing is being sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.line.is_idle()
    }
}

/// A frame's tag.
const TAG: Octets = Octets::new(1);

struct SimPort<'a, P> {
    direction: Direction,
    line: &'a mut Line<Frame>,
    channel: &'a mut Channel,
    air: &'a mut Air,
    charge_tag: bool,
    in_transmitter: &'a mut Option<(Tag, Ticket)>,
    alarm: &'a mut Alarm,
    delivered: &'a mut VecDeque<Packet>,
    frame_loss: &'a mut FrameLoss,
    line_octets: &'a mut LineOctets,
    events: &'a mut EventQueue<Event>,
    probe: &'a mut P,
    now: Time,
}

impl<P: Probe> Port for SimPort<'_, P> {
    fn accepts_frame(&self) -> bool {
        self.line.accepts()
    }

    fn hand_over(&mut self, frame: Frame, now: Time) -> Result<(), Frame> {
        self.probe.frame_queued(self.direction, &frame, now);
        let queued = self.line.offer(frame);
        if let Err(dropped) = &queued {
            self.probe.frame_dropped(self.direction, dropped, now);
        }
        queued
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.air.is_held() {
            return None;
        }
        let frame = self.line.take_ready()?;
        self.probe.frame_taken(self.direction, &frame, self.now);
        Some(frame)
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        let size = if self.charge_tag { frame.size() } else { frame.size() - TAG };
        let passage = self.line.transmit(size, now);
        let arrivals = self.channel.pass(size, now, &passage, self.line.clock());
        let is_lost_to_errors = arrivals.frame.is_none();
        let arrivals = self.air.carry(arrivals);
        let is_lost = arrivals.frame.is_none();
        self.line_octets[frame.tag.service().index()] += size.as_u64();
        self.probe.frame_sent(self.direction, &frame, !is_lost, now);
        // What an outage takes tells nothing of the link's errors.
        if !frame.body.is_empty() && is_lost == is_lost_to_errors {
            self.frame_loss.count(is_lost);
        }
        *self.in_transmitter = frame.ticket.map(|ticket| (frame.tag, ticket));
        self.events.schedule(passage.departure, Event::FrameDeparture(self.direction));
        if let Some(at) = arrivals.copy {
            self.line.launch(frame.clone(), at, self.events, Event::FrameArrival(self.direction));
        }
        if let Some(at) = arrivals.frame {
            self.line.launch(frame, at, self.events, Event::FrameArrival(self.direction));
        }
    }

    fn deliver(&mut self, packet: Packet, _now: Time) {
        self.delivered.push_back(packet);
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        if let Some(at) = self.alarm.set(deadline) {
            self.events.schedule(at, Event::ServiceTimer(self.direction));
        }
    }
}
