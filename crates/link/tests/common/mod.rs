//! Two ends of a service over a link that loses, doubles and delays frames but never reorders them.

use arqway_link::{
    Checked, Departure, Frame, Full, Handoff, Hint, LinkOffer, LinkService, LinkState, OneWay, Packet, Port,
    Subscriber, Tag, Ticket, pump,
};
use arqway_units::{BitRate, Octets, Span, Time};
use std::collections::VecDeque;

/// What the queue in front of the line does when it is full.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Queue {
    /// It takes no more: frames wait in the service.
    BackPressured(usize),
    /// It drops.
    DropTail(usize),
}

/// What the link does to each frame, in turn; after the last, frames pass unharmed.
#[derive(Debug, Clone)]
pub(crate) struct Fate {
    /// How many copies arrive: none is a loss, two a duplicate.
    pub(crate) copies: u8,
    /// On top of the time on the line; it never lets a frame overtake another.
    pub(crate) delay: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) packets: [u32; 2],
    pub(crate) fates: [Vec<Fate>; 2],
    pub(crate) queue: Queue,
    pub(crate) time_on_line: Span,
    /// The link goes down and comes back at these times, as hints announce. Meanwhile the owner of each end keeps polling.
    pub(crate) outage: Option<(Time, Time)>,
}

/// One end: a service, its line, and what the network layer there has sent and got.
pub(crate) struct End<S> {
    pub(crate) service: Checked<S>,
    port: LossyPort,
    packet: fn(u32) -> Packet,
    to_send: VecDeque<Packet>,
    pub(crate) received: Vec<Packet>,
    /// When each of them was released.
    pub(crate) released: Vec<Time>,
}

/// A frame that was handed over, and what became of it.
pub(crate) struct Sent {
    /// When its first bit went out, or the queue dropped it.
    pub(crate) at: Time,
    /// As it was on the wire.
    pub(crate) frame: Frame,
    /// How many copies arrived: none is a loss, on the link or in the queue.
    pub(crate) copies: u8,
    /// When, if any did.
    pub(crate) arrival: Time,
}

struct LossyPort {
    queue: VecDeque<Frame>,
    limit: Queue,
    time_on_line: Span,
    fates: VecDeque<Fate>,
    line: Option<(Time, Tag, Option<Ticket>)>,
    arrivals: VecDeque<(Time, Frame)>,
    delivered: Vec<(Packet, Time)>,
    sent: Vec<Sent>,
    deadline: Option<Time>,
    down: bool,
}

impl Port for LossyPort {
    fn room(&self) -> Option<Octets> {
        match self.limit {
            Queue::BackPressured(limit) => (self.queue.len() < limit).then_some(Octets::MAX),
            Queue::DropTail(_) => Some(Octets::MAX),
        }
    }

    fn hand_over(&mut self, frame: Frame, now: Time) -> Result<(), Frame> {
        match self.limit {
            Queue::DropTail(limit) if self.queue.len() >= limit => {
                self.sent.push(Sent { at: now, frame: frame.clone(), copies: 0, arrival: Time::MAX });
                Err(frame)
            }
            _ => {
                self.queue.push_back(frame);
                Ok(())
            }
        }
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.line.is_some() || self.down { None } else { self.queue.pop_front() }
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        let departure = now + self.time_on_line;
        self.line = Some((departure, frame.tag, frame.ticket));
        let fate = self.fates.pop_front().unwrap_or(Fate { copies: 1, delay: Span::ZERO });
        let earliest = self.arrivals.back().map_or(Time::ZERO, |(last, _)| *last);
        // Off the wire: the far end must not rely on where the head ended.
        let octets = frame.parts().concat();
        let frame = Frame::from_wire(frame.tag, octets.into());
        let arrival = earliest.max(departure + fate.delay);
        for _ in 0..fate.copies {
            self.arrivals.push_back((arrival, frame.clone()));
        }
        self.sent.push(Sent { at: now, frame, copies: fate.copies, arrival });
    }

    fn deliver(&mut self, packet: Packet, now: Time) {
        self.delivered.push((packet, now));
    }

    fn wake_at(&mut self, deadline: Option<Time>) {
        self.deadline = deadline;
    }

    fn finish(&mut self, _now: Time) {}
}

impl<S: LinkService> End<S> {
    fn new(service: S, packets: u32, fates: &[Fate], setting: &Setting, packet: fn(u32) -> Packet) -> Self {
        let port = LossyPort {
            queue: VecDeque::new(),
            limit: setting.queue,
            time_on_line: setting.time_on_line,
            fates: fates.iter().cloned().collect(),
            line: None,
            arrivals: VecDeque::new(),
            delivered: Vec::new(),
            sent: Vec::new(),
            deadline: None,
            down: false,
        };
        Self {
            service: Checked::new(service),
            port,
            packet,
            to_send: (0..packets).map(packet).collect(),
            received: Vec::new(),
            released: Vec::new(),
        }
    }

    /// Every frame that it handed over, in the order in which each went out or was dropped.
    pub(crate) fn sent(&self) -> &[Sent] {
        &self.port.sent
    }

    fn turn(&mut self, now: Time) {
        loop {
            pump(&mut self.service, &mut self.port, now);
            for (packet, now) in self.port.delivered.drain(..) {
                self.received.push(packet);
                self.released.push(now);
            }
            // The network layer sends whenever the service has room.
            let Some(packet) = self.to_send.pop_front() else { return };
            if let Err(Full { packet: back, .. }) = self.service.handle_packet(packet, now) {
                self.to_send.push_front(back);
                return;
            }
        }
    }

    /// At rest every packet that was taken has been in a frame, so its octets are counted: goodput is made of them. What a
    /// service gives up may not have been.
    fn check_goodput(&self) {
        let counters = self.service.counters();
        if counters.packets_discarded > 0 {
            return;
        }
        let octets = counters.packets_taken * (self.packet)(0).octets.len() as u64;
        assert_eq!(
            counters.octets_sent, octets,
            "the octets of packets put into frames for the first time: {counters:?}"
        );
    }

    fn next_event(&self) -> Option<Time> {
        let departure = self.port.line.as_ref().map(|(at, ..)| *at);
        let arrival = self.port.arrivals.front().map(|(at, _)| *at);
        [departure, arrival, self.port.deadline].into_iter().flatten().min()
    }
}

/// Packet `number` of an end: an IP packet that names itself, of TCP where the number is even, else of UDP.
pub(crate) fn packet(number: u32) -> Packet {
    packet_of(number, 24)
}

/// The same of any length; one too short for a header names nothing.
pub(crate) fn packet_of(number: u32, length: usize) -> Packet {
    let mut octets = vec![0; length];
    if let Some(header) = octets.first_chunk_mut::<24>() {
        let [high, low] = u16::try_from(length).expect("a packet").to_be_bytes();
        (header[0], header[2], header[3]) = (0x45, high, low);
        // TCP and UDP, and now and then a ping.
        header[9] = if number % 14 == 4 {
            1
        } else if number.is_multiple_of(2) {
            6
        } else {
            17
        };
        header[20..].copy_from_slice(&number.to_be_bytes());
    }
    Packet::new(octets)
}

/// Runs two ends until nothing is left to do, or fails: a service must come to rest.
pub(crate) fn run<S: LinkService>(services: [S; 2], setting: &Setting) -> [End<S>; 2] {
    run_with(services, setting, packet)
}

/// The same with other packets, all of one length.
pub(crate) fn run_with<S: LinkService>(services: [S; 2], setting: &Setting, packet: fn(u32) -> Packet) -> [End<S>; 2] {
    let ends = carry(services, setting, packet);
    ends.iter().for_each(End::check_goodput);
    ends
}

/// The same where their octets need not all be in frames.
pub(crate) fn carry<S: LinkService>(services: [S; 2], setting: &Setting, packet: fn(u32) -> Packet) -> [End<S>; 2] {
    let [near, far] = services;
    let mut ends = [
        End::new(near, setting.packets[0], &setting.fates[0], setting, packet),
        End::new(far, setting.packets[1], &setting.fates[1], setting, packet),
    ];
    let mut changes: VecDeque<(Time, Option<Hint>)> = VecDeque::new();
    if let Some((down, up)) = setting.outage {
        changes.push_back((down, Some(Hint::HandoffBegins(Handoff::Horizontal))));
        changes.extend((0..POLLS_IN_AN_OUTAGE).map(|part| (down + (up - down) / POLLS_IN_AN_OUTAGE * part, None)));
        changes.push_back((up, Some(handoff_ends())));
    }
    come_to_rest(&mut ends, &mut changes, Time::ZERO, setting.packets);
    ends
}

/// Gives both ends, which are at rest, so many packets more, numbered from `first` on, over a link that does no harm any
/// more.
pub(crate) fn send_more<S: LinkService>(ends: &mut [End<S>; 2], first: u32, packets: u32) {
    let later = Time::ZERO + Span::from_seconds(1e7);
    for end in ends.iter_mut() {
        end.port.fates.clear();
        end.to_send.extend((first..first + packets).map(packet));
    }
    come_to_rest(ends, &mut VecDeque::new(), later, [packets; 2]);
    ends.iter().for_each(End::check_goodput);
}

fn come_to_rest<S: LinkService>(
    ends: &mut [End<S>; 2],
    changes: &mut VecDeque<(Time, Option<Hint>)>,
    from: Time,
    packets: [u32; 2],
) {
    let mut now = from;
    for _ in 0..2_000_000 {
        apply_changes(ends, changes, now);
        for index in 0..2 {
            happen(ends, index, now);
        }
        ends.iter_mut().for_each(|end| end.turn(now));
        let next = ends.iter().filter_map(End::next_event).chain(changes.front().map(|(at, _)| *at)).min();
        let Some(next) = next else { return };
        now = next;
    }
    panic!(
        "the service does not come to rest: at {now:?} {:?} of {:?} packets were delivered; {:?}",
        ends.each_ref().map(|end| end.received.len()),
        packets,
        ends.each_ref().map(|end| end.service.counters())
    );
}

/// How often an owner polls while the link is down, beside what happens then.
const POLLS_IN_AN_OUTAGE: u64 = 4;

fn handoff_ends() -> Hint {
    let one_way = OneWay { rate: BitRate::MINIMUM, delay: Span::ZERO };
    Hint::HandoffEnds { kind: Handoff::Horizontal, link: LinkOffer { down: one_way, up: one_way } }
}

fn apply_changes<S: LinkService>(ends: &mut [End<S>; 2], changes: &mut VecDeque<(Time, Option<Hint>)>, now: Time) {
    while let Some((_, hint)) = changes.pop_front_if(|(at, _)| *at <= now) {
        for end in ends.iter_mut() {
            match &hint {
                Some(hint) => {
                    end.port.down = hint.link_state() == LinkState::Down;
                    end.service.handle_hint(hint, now);
                }
                None => {
                    end.service.handle_timeout(now);
                    let found = (end.service.poll_frame(now, Octets::MAX), end.service.poll_timeout());
                    assert_eq!(found, (None, None), "a service is at rest while the link is down");
                }
            }
        }
    }
}

/// What is due at one end now: its frame has departed, its frames arrive at the other end, its timer fires.
fn happen<S: LinkService>(ends: &mut [End<S>; 2], index: usize, now: Time) {
    let end = &mut ends[index];
    if let Some((_, tag, ticket)) = end.port.line.take_if(|(at, ..)| *at <= now)
        && let Some(ticket) = ticket
    {
        end.service.handle_departure(tag, ticket, Departure::Sent, now);
    }
    if end.port.deadline.is_some_and(|deadline| deadline <= now) {
        end.service.handle_timeout(now);
    }
    while let Some((_, frame)) = ends[index].port.arrivals.pop_front_if(|(at, _)| *at <= now) {
        ends[1 - index].service.handle_frame(frame, now);
    }
}
