//! One direction of the link under study: a line, the channel behind it, and the outages of a user who moves.
//!
//! ```text
//!     offer -> [ queue ] -> transmitter (rate) -> propagation delay -> errors -> impairments -> outages -> arrive
//! ```
//!
//! Two owners drive it: an end of the simulated link, whose frames are handed over by a service, and a [`Pipe`](crate::Pipe),
//! whose loads come from wherever its owner has them.

use crate::channel::{Arrivals, Channel, Direction};
use crate::delay::Propagation;
use crate::kernel::{EventQueue, Streams};
use crate::line::Line;
use crate::mobility::{Air, Change, MobilityConfig};
use crate::rate::{Clock, Rate};
use crate::wireless::{Absence, MtuStep, Wireless, mtu_at};
use alloc::boxed::Box;
use alloc::vec::Vec;
use arqway_link::LineId;
use arqway_units::{Octets, Time};

/// One direction of the link, carrying `T`.
#[derive(Debug)]
pub(crate) struct Medium<T> {
    pub(crate) line: Line<T>,
    channel: Channel,
    /// The largest load that arrives, and from when on.
    mtu: Vec<MtuStep>,
    pub(crate) air: Air,
    /// When it is gone.
    absences: Vec<Absence>,
    /// Where the user moves next, if that is another kind of link.
    other: Option<Box<OtherLink>>,
}

/// What makes a link another one, in one direction.
#[derive(Debug)]
struct OtherLink {
    clock: Clock,
    propagation: Propagation,
    channel: Channel,
}

/// What becomes of a load whose first bit goes out now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transmission {
    /// When its last bit has gone out.
    pub(crate) departure: Time,
    pub(crate) arrivals: Arrivals,
    /// Why it does not arrive.
    pub(crate) lost_to: Option<Cause>,
}

/// What loses a load on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The channel's errors.
    Errors,
    /// The link was gone when it would have arrived.
    Outage,
    /// It is larger than what the path carries.
    TooLarge,
}

impl<T> Medium<T> {
    /// One direction of an idle link.
    pub(crate) fn new(link: &Wireless, direction: Direction, streams: &Streams) -> Self {
        Self::of_line(link, LineId::FIRST, direction, streams)
    }

    /// The same of a line of that link. Each line draws from streams of its own.
    pub(crate) fn of_line(link: &Wireless, line: LineId, direction: Direction, streams: &Streams) -> Self {
        let (absences, streams) = (link.absences(line).to_vec(), &streams.of_line(line));
        let link = &link.of_line(line);
        Self {
            line: Line::new(
                clock(link.rate(direction), direction, streams),
                link.delay(direction),
                link.queue(direction),
            ),
            channel: Channel::new(link.errors(direction), &link.impairments(direction), direction, streams),
            mtu: link.mtu.clone(),
            air: Air::default(),
            absences,
            other: None,
        }
    }

    /// The same, of a user who moves between this link and the one that `mobility` names, if that names one.
    pub(crate) fn moving(
        mut self,
        mobility: &MobilityConfig,
        link: &Wireless,
        way: Direction,
        streams: &Streams,
    ) -> Self {
        if let Change::Vertical(other) = &mobility.change {
            let (rate, delay, errors) = other.one_way(link, way);
            let streams = streams.of_part("mobility.other");
            let channel = Channel::new(errors, &link.impairments(way), way, &streams);
            let clock = clock(rate, way, &streams);
            self.other = Some(Box::new(OtherLink { clock, propagation: Propagation::new(delay), channel }));
        }
        self
    }

    /// Takes the head of the queue if the transmitter is free and tries.
    pub(crate) fn take_ready(&mut self) -> Option<T> {
        if self.air.is_held() { None } else { self.line.take_ready() }
    }

    /// Occupies the transmitter with a load of this size from now on, whose fate is decided with that.
    pub(crate) fn transmit(&mut self, size: Octets, now: Time) -> Transmission {
        let passage = self.line.transmit(size, now);
        let spared = self.channel.pass(size, now, &passage, self.line.clock());
        let mut arrivals = self.air.carry(spared);
        let is_gone = |at: Time| self.absences.iter().any(|absence| absence.has(now) || absence.has(at));
        arrivals.frame = arrivals.frame.filter(|at| !is_gone(*at));
        arrivals.copy = arrivals.copy.filter(|at| !is_gone(*at));
        if size > mtu_at(&self.mtu, now) {
            arrivals = Arrivals { frame: None, copy: None };
            return Transmission { departure: passage.departure, arrivals, lost_to: Some(Cause::TooLarge) };
        }
        let lost_to = match (spared.frame, arrivals.frame) {
            (None, _) => Some(Cause::Errors),
            (Some(_), None) => Some(Cause::Outage),
            (Some(_), Some(_)) => None,
        };
        Transmission { departure: passage.departure, arrivals, lost_to }
    }

    /// A load is on its way, as often as it arrives; `event` happens then, each time.
    pub(crate) fn launch<E: Copy>(&mut self, load: T, arrivals: Arrivals, events: &mut EventQueue<E>, event: E)
    where
        T: Clone,
    {
        if let Some(at) = arrivals.copy {
            self.line.launch(load.clone(), at, events, event);
        }
        if let Some(at) = arrivals.frame {
            self.line.launch(load, at, events, event);
        }
    }

    /// The user is on the other link, and this one is the other now.
    pub(crate) fn change_link(&mut self) {
        if let Some(other) = &mut self.other {
            self.line.exchange_link(&mut other.clock, &mut other.propagation);
            core::mem::swap(&mut self.channel, &mut other.channel);
        }
    }
}

impl Wireless {
    /// How much goes out of one direction between two times, in datagrams of this size, where there is always one to send: what a rate that
    /// changes carries in just that time, with the random numbers of one replication.
    #[must_use]
    pub fn carries(&self, way: Direction, streams: &Streams, size: Octets, (from, to): (Time, Time)) -> Octets {
        let mut carried = Octets::ZERO;
        self.each_departure(way, streams, size, (from, to), |_| carried += size);
        carried
    }

    /// When each of these datagrams is out, by one line after the other.
    pub fn each_departure(
        &self,
        way: Direction,
        streams: &Streams,
        size: Octets,
        (from, to): (Time, Time),
        mut is_out: impl FnMut(Time),
    ) {
        for line in LineId::first(self.lines()) {
            let mut clock = clock(self.of_line(line).rate(way), way, &streams.of_line(line));
            let mut at = clock.departure(size, from);
            while at <= to {
                is_out(at);
                let next = clock.departure(size, at);
                if next <= at {
                    break;
                }
                at = next;
            }
        }
    }
}

/// The clock of a transmitter, whose stream is `wireless.down.rate` or `wireless.up.rate` where it is random.
fn clock(rate: &Rate, way: Direction, streams: &Streams) -> Clock {
    Clock::new(rate, || {
        streams.stream(match way {
            Direction::Down => "wireless.down.rate",
            Direction::Up => "wireless.up.rate",
        })
    })
}
