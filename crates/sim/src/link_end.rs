//! One end of the wireless link: the link layer, its line and the channel behind it. The simulator's [`Port`].

use crate::channel::{Channel, Direction};
use crate::event::Event;
use crate::kernel::{Alarm, EventQueue};
use crate::line::Line;
use crate::probe::Probe;
use alloc::collections::VecDeque;
use arqway_link::{Checked, Departure, Frame, LinkService, Mux, Packet, Port, Tag, Ticket, pump};
use arqway_units::{Octets, Time};

/// The end that sends in one direction and receives in the other.
#[derive(Debug)]
pub(crate) struct LinkEnd {
    pub(crate) mux: Checked<Mux>,
    direction: Direction,
    line: Line<Frame>,
    channel: Channel,
    charge_tag: bool,
    /// The frame in the transmitter, if its service wants to know when it has left.
    in_transmitter: Option<(Tag, Ticket)>,
    alarm: Alarm,
    delivered: VecDeque<Packet>,
    data_frames: u64,
    data_frames_lost: u64,
}

impl LinkEnd {
    pub(crate) fn new(mux: Mux, direction: Direction, line: Line<Frame>, channel: Channel, charge_tag: bool) -> Self {
        Self {
            mux: Checked::new(mux),
            direction,
            line,
            channel,
            charge_tag,
            in_transmitter: None,
            alarm: Alarm::default(),
            delivered: VecDeque::with_capacity(32),
            data_frames: 0,
            data_frames_lost: 0,
        }
    }

    /// The network layer sends a packet; what the link layer cannot hold is dropped, and counted there.
    pub(crate) fn send(&mut self, packet: Packet, now: Time) {
        let _ = self.mux.handle_packet(packet, now);
    }

    /// A frame has left the transmitter.
    pub(crate) fn depart(&mut self, now: Time) {
        self.line.depart();
        if let Some((tag, ticket)) = self.in_transmitter.take() {
            self.mux.handle_departure(tag, ticket, Departure::Sent, now);
        }
    }

    /// The event of the alarm has come.
    pub(crate) fn ring(&mut self, now: Time) {
        if self.alarm.ring(now) {
            self.mux.handle_timeout(now);
        }
    }

    /// The first frame on its way to the other end is there.
    pub(crate) fn arrive(&mut self) -> Option<Frame> {
        self.line.arrive()
    }

    /// The next packet for the network layer here.
    pub(crate) fn take_delivered(&mut self) -> Option<Packet> {
        self.delivered.pop_front()
    }

    /// Lets the link layer do all it can do now.
    pub(crate) fn pump(&mut self, events: &mut EventQueue<Event>, probe: &mut impl Probe, now: Time) {
        let Self {
            mux,
            direction,
            line,
            channel,
            charge_tag,
            in_transmitter,
            alarm,
            delivered,
            data_frames,
            data_frames_lost,
            ..
        } = self;
        let mut port = SimPort {
            direction: *direction,
            line,
            channel,
            charge_tag: *charge_tag,
            in_transmitter,
            alarm,
            delivered,
            data_frames,
            data_frames_lost,
            events,
            probe,
            now,
        };
        pump(mux, &mut port, now);
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.line.dropped()
    }

    pub(crate) fn frame_loss_rate(&self) -> Option<f64> {
        (self.data_frames > 0).then(|| self.data_frames_lost as f64 / self.data_frames as f64)
    }
}

/// A frame's tag.
const TAG: Octets = Octets::new(1);

struct SimPort<'a, P> {
    direction: Direction,
    line: &'a mut Line<Frame>,
    channel: &'a mut Channel,
    charge_tag: bool,
    in_transmitter: &'a mut Option<(Tag, Ticket)>,
    alarm: &'a mut Alarm,
    delivered: &'a mut VecDeque<Packet>,
    data_frames: &'a mut u64,
    data_frames_lost: &'a mut u64,
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
        let frame = self.line.take_ready()?;
        self.probe.frame_taken(self.direction, &frame, self.now);
        Some(frame)
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        let size = if self.charge_tag { frame.size() } else { frame.size() - TAG };
        let passage = self.line.transmit(size, now);
        let arrives = self.channel.carries(size, now, &passage);
        self.probe.frame_sent(self.direction, &frame, arrives, now);
        let has_data = !frame.body.is_empty();
        *self.data_frames += u64::from(has_data);
        *self.data_frames_lost += u64::from(has_data && !arrives);
        *self.in_transmitter = frame.ticket.map(|ticket| (frame.tag, ticket));
        self.events.schedule(passage.departure, Event::FrameDeparture(self.direction));
        if arrives {
            self.line.launch(frame);
            self.events.schedule(passage.arrival, Event::FrameArrival(self.direction));
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
