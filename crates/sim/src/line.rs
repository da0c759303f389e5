//! One direction of a wire: a queue, a transmitter, and the way to the other end.
//!
//! ```text
//!     offer -> [ waiting ... ] -> transmitter (rate) -> in flight (delay) -> arrive
//! ```
//!
//! The line knows nothing of what it carries but the size. It tells when the transmitter is free again and when the load
//! would arrive; its owner schedules the one, and says what happens then for the other. What is in flight is kept in the
//! order of its arrival. That is the order in which it was sent, unless a channel behind the line lets one load overtake
//! another. So only the first needs an event in the queue, which stays short however much is in flight; the others have
//! taken their turn.

use crate::delay::{Delay, Propagation};
use crate::kernel::{EventQueue, Moment};
use crate::rate::Clock;
use alloc::collections::VecDeque;
use arqway_units::{Octets, Time};
use core::num::NonZeroUsize;
use serde::{Deserialize, Serialize};

/// The queue in front of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Queue {
    /// Accepts every frame and drops those that exceed its capacity, like ns-2's `DropTail`.
    DropTail(Room),
    /// Accepts no more than its capacity: further frames wait in the services above.
    BackPressured(Room),
}

/// The capacity of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Room {
    /// Its capacity in frames or packets, including the one being sent, as in ns-2.
    pub packets: NonZeroUsize,
}

impl Room {
    /// Room for whatever comes.
    pub const UNLIMITED: Self = Self { packets: NonZeroUsize::MAX };

    /// Room for so many packets; one at least.
    #[must_use]
    pub fn of(packets: usize) -> Self {
        Self { packets: NonZeroUsize::new(packets).unwrap_or(NonZeroUsize::MIN) }
    }
}

/// When something that the transmitter took leaves it, and when it is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Its last bit has gone out; the transmitter is free.
    pub(crate) departure: Time,
    /// Its last bit has arrived.
    pub(crate) arrival: Time,
}

/// One direction, carrying `T`.
#[derive(Debug)]
pub(crate) struct Line<T> {
    clock: Clock,
    propagation: Propagation,
    queue: Queue,
    waiting: VecDeque<T>,
    transmitter: Transmitter,
    in_flight: VecDeque<InFlight<T>>,
    dropped: u64,
}

/// What the transmitter does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transmitter {
    Free,
    /// An event will tell when it is free again.
    Sends,
    /// It is free again then; nothing waits for that, so there is no event yet.
    SendsUntil(Moment),
}

/// A load on its way.
#[derive(Debug)]
struct InFlight<T> {
    arrival: Moment,
    /// Whether its event is in the queue.
    is_scheduled: bool,
    /// Whether it will not arrive: the line was cut meanwhile.
    is_cut: bool,
    load: T,
}

impl<T> Line<T> {
    /// An idle line.
    pub(crate) fn new(clock: Clock, delay: &Delay, queue: Queue) -> Self {
        Self {
            clock,
            propagation: Propagation::new(delay),
            queue,
            waiting: VecDeque::with_capacity(32),
            transmitter: Transmitter::Free,
            in_flight: VecDeque::with_capacity(32),
            dropped: 0,
        }
    }

    /// Whether the queue takes another load.
    pub(crate) fn accepts(&self) -> bool {
        match self.queue {
            Queue::DropTail(_) => true,
            Queue::BackPressured(room) => self.has_room(room),
        }
    }

    /// Puts a load into the queue.
    ///
    /// # Errors
    /// Hands it back, counted as dropped, when there is no room.
    pub(crate) fn offer(&mut self, load: T) -> Result<(), T> {
        let (Queue::DropTail(room) | Queue::BackPressured(room)) = self.queue;
        if !self.has_room(room) {
            self.dropped += 1;
            return Err(load);
        }
        self.waiting.push_back(load);
        Ok(())
    }

    fn has_room(&self, room: Room) -> bool {
        self.waiting() < room.packets.get()
    }

    /// How many loads wait, the one being sent included.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len() + usize::from(!self.is_idle())
    }

    /// Takes the head of the queue if the transmitter is free.
    pub(crate) fn take_ready(&mut self) -> Option<T> {
        if self.is_idle() { self.waiting.pop_front() } else { None }
    }

    /// Occupies the transmitter with a load of this size from now on.
    pub(crate) fn transmit(&mut self, size: Octets, now: Time) -> Passage {
        debug_assert!(self.is_idle(), "the transmitter sends one load at a time");
        self.transmitter = Transmitter::Sends;
        let departure = self.clock.departure(size, now);
        Passage { departure, arrival: self.propagation.arrival(departure) }
    }

    /// Exchanges rate and delay for those of another link; what is being sent leaves and arrives as it was to.
    pub(crate) fn exchange_link(&mut self, clock: &mut Clock, propagation: &mut Propagation) {
        core::mem::swap(&mut self.clock, clock);
        core::mem::swap(&mut self.propagation, propagation);
    }

    /// The clock of the transmitter.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The transmitter is free again.
    pub(crate) fn depart(&mut self) {
        self.transmitter = Transmitter::Free;
    }

    /// Where nobody but the next load waits for a departure: puts a load into the queue, or drops it where there is no room.
    pub(crate) fn enqueue<E>(&mut self, load: T, events: &EventQueue<E>) {
        if let Transmitter::SendsUntil(moment) = self.transmitter
            && moment < events.happening()
        {
            self.transmitter = Transmitter::Free;
        }
        // One that finds no room is counted, and lost.
        let _ = self.offer(load);
    }

    /// Where nobody but the next load waits for a departure: takes the head of the queue, and occupies the transmitter with it,
    /// if that is free. `departure` happens when it is free again, but only if something waits by then.
    pub(crate) fn send_next<E>(
        &mut self,
        size: impl Fn(&T) -> Octets,
        now: Time,
        events: &mut EventQueue<E>,
        departure: E,
    ) -> Option<(T, Passage)> {
        if let Transmitter::SendsUntil(moment) = self.transmitter
            && !self.waiting.is_empty()
        {
            self.transmitter = Transmitter::Sends;
            events.schedule_at(moment, departure);
            return None;
        }
        let load = self.take_ready()?;
        let passage = self.transmit(size(&load), now);
        let moment = events.moment(passage.departure);
        if self.waiting.is_empty() {
            self.transmitter = Transmitter::SendsUntil(moment);
        } else {
            events.schedule_at(moment, departure);
        }
        Some((load, passage))
    }

    /// A load is on its way and arrives at `arrival`, behind those that arrive before it or at the same time; `event` happens
    /// then.
    #[inline]
    pub(crate) fn launch<E>(&mut self, load: T, arrival: Time, events: &mut EventQueue<E>, event: E) {
        let load = InFlight { arrival: events.moment(arrival), is_scheduled: false, is_cut: false, load };
        if self.in_flight.back().is_some_and(|last| last.arrival > load.arrival) {
            self.overtake(load);
        } else {
            self.in_flight.push_back(load);
        }
        self.await_first(events, event);
    }

    /// Apart, because it is seldom: most links never get here.
    #[cold]
    fn overtake(&mut self, load: InFlight<T>) {
        let place = self.in_flight.partition_point(|other| other.arrival <= load.arrival);
        self.in_flight.insert(place, load);
    }

    fn await_first<E>(&mut self, events: &mut EventQueue<E>, event: E) {
        if let Some(first) = self.in_flight.front_mut().filter(|first| !first.is_scheduled) {
            first.is_scheduled = true;
            events.schedule_at(first.arrival, event);
        }
    }

    /// The first load on its way has arrived; `event` happens when the next one does.
    pub(crate) fn arrive<E>(&mut self, now: Time, events: &mut EventQueue<E>, event: E) -> Option<T> {
        let InFlight { arrival, load, .. } = self.in_flight.pop_front()?;
        debug_assert_eq!(arrival.time(), now, "every load has an event at its arrival");
        self.await_first(events, event);
        Some(load)
    }

    /// What is on its way now will arrive as something that was cut.
    pub(crate) fn cut(&mut self) {
        self.in_flight.iter_mut().for_each(|load| load.is_cut = true);
    }

    /// Whether what arrives next was cut on its way.
    pub(crate) fn next_is_cut(&self) -> bool {
        self.in_flight.front().is_some_and(|load| load.is_cut)
    }

    /// Whether the transmitter has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.transmitter == Transmitter::Free
    }

    /// How many loads found no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::{BitRate, Span};

    fn line(queue: Queue) -> Line<u32> {
        let rate = BitRate::from_bits_per_second(64_000).expect("a rate");
        Line::new(Clock::steady(rate), &Span::from_milliseconds(50).into(), queue)
    }

    #[test]
    fn a_frame_takes_its_octets_at_the_rate_and_then_the_delay() {
        let mut line = line(Queue::DropTail(Room::of(2)));
        let passage = line.transmit(Octets::new(250), Time::ZERO);
        assert_eq!(passage.departure, Time::from_nanoseconds(31_250_000));
        assert_eq!(passage.arrival, Time::from_nanoseconds(81_250_000));
    }

    #[test]
    fn a_queue_of_two_holds_one_while_one_is_sent() {
        let mut line = line(Queue::DropTail(Room::of(2)));
        assert_eq!(line.offer(1), Ok(()));
        assert_eq!(line.take_ready(), Some(1));
        line.transmit(Octets::new(250), Time::ZERO);
        assert_eq!((line.offer(2), line.offer(3), line.dropped()), (Ok(()), Err(3), 1));
        assert_eq!(line.take_ready(), None);
        line.depart();
        assert_eq!(line.take_ready(), Some(2));
    }

    #[test]
    fn a_back_pressured_queue_says_so_before_it_drops() {
        let mut line = line(Queue::BackPressured(Room::of(1)));
        assert!(line.accepts());
        assert_eq!(line.offer(1), Ok(()));
        assert!(!line.accepts());
    }

    #[test]
    fn what_is_in_flight_arrives_in_the_order_of_its_times_and_ties_in_the_order_of_launching() {
        let mut line = line(Queue::DropTail(Room::of(2)));
        let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
        let mut events = EventQueue::default();
        for (load, arrival) in [(1, 30), (2, 40), (3, 20), (4, 20), (5, 40), (6, 10)] {
            line.launch(load, at(arrival), &mut events, ());
        }
        let mut arrivals = std::vec::Vec::new();
        while let Some((now, ())) = events.pop() {
            arrivals.push((now, line.arrive(now, &mut events, ()).expect("an event has its load")));
        }
        let expected = [(10, 6), (20, 3), (20, 4), (30, 1), (40, 2), (40, 5)];
        assert_eq!(arrivals, expected.map(|(arrival, load)| (at(arrival), load)));
    }

    #[test]
    fn a_departure_is_an_event_only_where_something_waits_for_it_and_has_its_turn_then() {
        let mut line = line(Queue::DropTail(Room::of(2)));
        let mut events = EventQueue::default();
        let at = |microseconds: u64| Time::from_nanoseconds(microseconds * 1000);
        let send = |line: &mut Line<u32>, events: &mut EventQueue<_>, now| {
            line.send_next(|_| Octets::new(250), now, events, "departure").map(|(load, _)| load)
        };
        events.schedule(at(10_000), "another load comes");
        line.enqueue(1, &events);
        assert_eq!(send(&mut line, &mut events, Time::ZERO), Some(1));
        events.schedule(at(31_250), "something else at the time of the departure");
        assert_eq!(events.pop(), Some((at(10_000), "another load comes")), "nothing waits yet");
        line.enqueue(2, &events);
        assert_eq!(send(&mut line, &mut events, at(10_000)), None);
        line.enqueue(3, &events);
        assert_eq!(line.dropped(), 1, "the one being sent counts");
        assert_eq!(events.pop(), Some((at(31_250), "departure")), "before what was scheduled later");
        line.depart();
        assert_eq!(send(&mut line, &mut events, at(31_250)), Some(2));
        assert_eq!(events.pop(), Some((at(31_250), "something else at the time of the departure")));
        assert_eq!(events.pop(), None, "nothing waits");
        events.schedule(at(62_500), "a load that comes with the departure");
        events.pop();
        line.enqueue(4, &events);
        assert_eq!(send(&mut line, &mut events, at(62_500)), Some(4), "the departure had the earlier turn");
    }

    #[test]
    fn what_is_in_flight_arrives_before_what_is_scheduled_later_for_the_same_time() {
        let mut line = line(Queue::DropTail(Room::of(2)));
        let mut events = EventQueue::default();
        let at = Time::ZERO + Span::from_milliseconds(10);
        for load in [1, 2] {
            line.launch(load, at, &mut events, true);
        }
        events.schedule(at, false);
        let mut happened = std::vec::Vec::new();
        while let Some((now, is_arrival)) = events.pop() {
            happened.push(if is_arrival { line.arrive(now, &mut events, true) } else { None });
        }
        assert_eq!(happened, [Some(1), Some(2), None], "although the second was not in the queue of events yet");
    }
}
