//! One direction of a link for whoever has the time and the loads: an emulator, or a test. No service, no hosts.
//!
//! ```text
//!     offer(load, now) -> [ queue ] -> transmitter -> delay, errors, impairments, outages -> poll(now): Arrived(load)
//! ```
//!
//! A pipe is the very [`Medium`] that a simulated link has, with its random numbers: what is lost, delayed or sent twice
//! here is what is lost, delayed or sent twice there. It keeps its own time: an owner that comes late (a process that was not
//! woken in time) learns late, but no load starts or arrives later than the link would have it.
//!
//! ```
//! use arqway_sim::channel::Direction;
//! use arqway_sim::mobility::MobilityConfig;
//! use arqway_sim::{Pipe, PipeEvent, Streams, Wireless};
//! use arqway_units::{Octets, Time};
//!
//! // 64 kbit/s and 50 ms, without errors.
//! let (link, at_rest) = (Wireless::default(), MobilityConfig::default());
//! let mut pipe = Pipe::new(&link, &at_rest, Direction::Down, &Streams::new(1, 0));
//! pipe.offer("a packet", Octets::new(250), Time::ZERO).unwrap();
//! while let Some(at) = pipe.next() {
//!     while let Some(event) = pipe.poll(at) {
//!         if let PipeEvent::Arrived { at, load, .. } = event {
//!             assert_eq!((load, at.as_nanoseconds()), ("a packet", 81_250_000));
//!         }
//!     }
//! }
//! ```

use super::medium::{Cause, Medium};
use crate::channel::Direction;
use crate::event::OutagePhase;
use crate::kernel::{EventQueue, Streams};
use crate::mobility::{Course, MobilityConfig, Outage};
use crate::wireless::Wireless;
use alloc::collections::VecDeque;
use arqway_units::{Octets, Time};

/// One direction of a link, carrying loads of type `T`.
#[derive(Debug)]
pub struct Pipe<T> {
    medium: Medium<Queued<T>>,
    /// When the link goes and comes, of a user who moves.
    course: Option<Course>,
    /// Whether the transmitter waits while the link is gone, from its announcement on.
    hints: bool,
    pending: EventQueue<Pending>,
    happened: VecDeque<PipeEvent<T>>,
    started: u64,
}

/// What happens to a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PipeEvent<T> {
    /// Its first bit goes out, and its fate is decided.
    Started(Start),
    /// Its last bit is there: once, twice where the link duplicates it, or never.
    Arrived {
        /// Which one, as at its start.
        number: u64,
        /// When it is due; the owner may be late.
        at: Time,
        /// What was offered.
        load: T,
    },
}

/// A load that goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// How many went out before it.
    pub number: u64,
    /// What it takes of the link.
    pub size: Octets,
    /// When it was put into the queue.
    pub offered: Time,
    /// When its first bit goes out.
    pub at: Time,
    /// When its last bit has gone out.
    pub departure: Time,
    /// When it arrives, if it does.
    pub arrival: Option<Time>,
    /// When a copy of it arrives.
    pub copy: Option<Time>,
    /// Why it does not arrive, if it does not.
    pub lost_to: Option<Cause>,
}

#[derive(Debug, Clone)]
struct Queued<T> {
    load: T,
    size: Octets,
    offered: Time,
    /// As it starts.
    number: u64,
}

#[derive(Debug, Clone, Copy)]
enum Pending {
    Departure,
    Arrival,
    Outage(OutagePhase),
}

impl<T: Clone> Pipe<T> {
    /// This direction of a link, idle at time zero, with the random numbers of one replication.
    #[must_use]
    pub fn new(link: &Wireless, mobility: &MobilityConfig, direction: Direction, streams: &Streams) -> Self {
        let mut pipe = Self {
            medium: Medium::new(link, direction, streams).moving(mobility, link, direction, streams),
            // Both directions draw the same outages from streams of the same name.
            course: Course::new(mobility, streams.stream("mobility")),
            hints: mobility.hints,
            pending: EventQueue::default(),
            happened: VecDeque::with_capacity(32),
            started: 0,
        };
        pipe.await_outage(Time::ZERO);
        pipe
    }

    /// Puts a load of this size into the queue. Times do not go back from call to call.
    ///
    /// # Errors
    /// Hands it back when there is no room.
    pub fn offer(&mut self, load: T, size: Octets, now: Time) -> Result<(), T> {
        self.advance(now);
        self.medium.line.offer(Queued { load, size, offered: now, number: 0 }).map_err(|queued| queued.load)?;
        self.start_next(now);
        Ok(())
    }

    /// When [`poll`](Self::poll) has something to do next: at once, where something has happened already.
    #[must_use]
    pub fn next(&self) -> Option<Time> {
        let due = self.happened.front().map(|event| match event {
            PipeEvent::Started(start) => start.at,
            PipeEvent::Arrived { at, .. } => *at,
        });
        due.or_else(|| self.pending.soonest())
    }

    /// What has happened by now, one after the other.
    pub fn poll(&mut self, now: Time) -> Option<PipeEvent<T>> {
        self.advance(now);
        self.happened.pop_front()
    }

    /// How many loads wait, the one being sent included: what the queue's capacity counts.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.medium.line.waiting()
    }

    /// How many loads found no room in the queue.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.medium.line.dropped()
    }

    /// Lets everything happen that is due, at its time.
    fn advance(&mut self, now: Time) {
        while self.pending.soonest().is_some_and(|at| at <= now) {
            let Some((at, pending)) = self.pending.pop() else { return };
            match pending {
                Pending::Departure => {
                    self.medium.line.depart();
                    self.start_next(at);
                }
                Pending::Arrival => {
                    if let Some(Queued { load, number, .. }) =
                        self.medium.line.arrive(at, &mut self.pending, Pending::Arrival)
                    {
                        self.happened.push_back(PipeEvent::Arrived { number, at, load });
                    }
                }
                Pending::Outage(phase) => self.pass_outage(phase, at),
            }
        }
    }

    fn start_next(&mut self, now: Time) {
        let Some(mut queued) = self.medium.take_ready() else { return };
        queued.number = self.started;
        self.started += 1;
        let sent = self.medium.transmit(queued.size, now);
        self.happened.push_back(PipeEvent::Started(Start {
            number: queued.number,
            size: queued.size,
            offered: queued.offered,
            at: now,
            departure: sent.departure,
            arrival: sent.arrivals.frame,
            copy: sent.arrivals.copy,
            lost_to: sent.lost_to,
        }));
        self.pending.schedule(sent.departure, Pending::Departure);
        self.medium.launch(queued, sent.arrivals, &mut self.pending, Pending::Arrival);
    }

    fn await_outage(&mut self, now: Time) {
        let Some(course) = &mut self.course else { return };
        let outage = course.next(now);
        self.medium.air.rises(outage.map(|outage| outage.from));
        let Some(Outage { notice, from, until }) = outage else { return };
        if self.hints {
            self.pending.schedule(notice, Pending::Outage(OutagePhase::Notice));
        }
        self.pending.schedule(from, Pending::Outage(OutagePhase::Falls));
        self.pending.schedule(until, Pending::Outage(OutagePhase::Rises));
    }

    fn pass_outage(&mut self, phase: OutagePhase, now: Time) {
        match phase {
            OutagePhase::Notice => self.medium.air.hold(true),
            OutagePhase::Falls => self.medium.air.falls(),
            OutagePhase::Rises => {
                self.medium.change_link();
                self.await_outage(now);
                self.medium.air.hold(false);
                self.start_next(now);
            }
        }
    }
}
