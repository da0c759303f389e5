//! Both directions of the modelled link, without a clock and without interfaces.
//!
//! ```text
//!     client -- offer(Up) ---> [ queue, rate, delay, errors ] ---> poll: Arrived --> server
//!     client <-- poll: Arrived [ queue, rate, delay, errors ] <--- offer(Down) ----- server
//! ```
//!
//! They are two [`Pipe`]s with the random numbers of the simulator: what one loses, the other loses.

use arqway_sim::channel::Direction;
use arqway_sim::mobility::MobilityConfig;
use arqway_sim::{Delay, Pipe, PipeEvent, Queue, Rate, Room, Streams, Wireless};
use arqway_units::{BitRate, LineId, Octets, Time};
use bytes::Bytes;

/// How many packets wait in front of a link whose queue is back-pressured in the simulator.
pub const QUEUE: usize = 256;

/// What a world says of its link, as an emulator can have it.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkSettings {
    /// The link.
    pub wireless: Wireless,
    /// When it goes and comes.
    pub mobility: MobilityConfig,
    /// Which of the lines that are emulated at once it is: each has random numbers of its own.
    pub line: LineId,
}

impl LinkSettings {
    /// Each line of a link as a link of its own, with numbers from this one on.
    pub fn lines(wireless: &Wireless, mobility: &MobilityConfig, from: usize) -> impl Iterator<Item = Self> {
        let line = move |line: LineId| {
            let number = LineId::first(LineId::COUNT).nth(from + line.index())?;
            Some(Self { wireless: wireless.of_line(line), mobility: mobility.clone(), line: number })
        };
        LineId::first(wireless.lines()).map_while(line)
    }

    fn streams(&self, seed: u64) -> Streams {
        Streams::new(seed, 0).of_line(self.line)
    }

    /// One direction in a line, for people.
    #[must_use]
    pub fn about(&self, way: Direction) -> String {
        let (Queue::DropTail(room) | Queue::BackPressured(room)) = self.wireless.queue(way);
        let packets = room.packets;
        let (rate, delay) = (self.wireless.rate(way), self.wireless.delay(way));
        let rate = match rate {
            Rate::Constant(rate) => rate.to_string(),
            Rate::Trace(_) | Rate::Wandering(_) => format!("{} on average", rate.mean()),
        };
        let delay = match delay {
            Delay::Constant(delay) => delay.to_string(),
            Delay::Trace(_) => format!("{} on average", delay.mean()),
        };
        format!("{rate}, {delay}, errors: {}, queue: {packets} packets", self.wireless.errors(way).name())
    }

    /// How fast one direction carries packets of this size on average between two times, with the random numbers of this seed.
    #[must_use]
    pub fn mean_rate(&self, way: Direction, seed: u64, size: Octets, (from, to): (Time, Time)) -> BitRate {
        let mean = || {
            let carried = self.wireless.carries(way, &self.streams(seed), size, (from, to));
            let bits = u128::from(carried.as_u64()) * 8 * 1_000_000_000;
            let rate = bits.checked_div(to.since(from).as_nanoseconds().into())?;
            BitRate::from_bits_per_second(u64::try_from(rate).ok()?)
        };
        match self.wireless.rate(way) {
            Rate::Constant(rate) => *rate,
            changing => mean().unwrap_or_else(|| changing.mean()),
        }
    }

    /// These settings with queues that a device can have; and which directions had others.
    ///
    /// A back-pressured queue holds back whoever sends. A kernel's interface cannot be held back, so the queue becomes one
    /// that takes [`QUEUE`] packets and drops the rest.
    #[must_use]
    pub fn with_queues_of_a_device(mut self) -> (Self, Vec<Direction>) {
        let is_back_pressured = |way: &Direction| matches!(self.wireless.queue(*way), Queue::BackPressured(_));
        let changed: Vec<Direction> = [Direction::Down, Direction::Up].into_iter().filter(is_back_pressured).collect();
        for way in &changed {
            let of_way = match way {
                Direction::Down => &mut self.wireless.down,
                Direction::Up => &mut self.wireless.up,
            };
            of_way.queue = Some(Queue::DropTail(Room::of(QUEUE)));
        }
        (self, changed)
    }
}

/// A link, carrying packets both ways.
#[derive(Debug)]
pub struct EmulatedLink {
    down: Pipe<Bytes>,
    up: Pipe<Bytes>,
}

impl EmulatedLink {
    /// An idle link at time zero, with the random numbers of this seed.
    #[must_use]
    pub fn new(settings: &LinkSettings, seed: u64) -> Self {
        let streams = settings.streams(seed);
        let pipe = |way| Pipe::new(&settings.wireless, &settings.mobility, way, &streams);
        Self { down: pipe(Direction::Down), up: pipe(Direction::Up) }
    }

    /// Puts a packet into the queue in front of one direction, where it takes this size of the link.
    ///
    /// # Errors
    /// Hands it back when there is no room.
    pub fn offer(&mut self, way: Direction, packet: Bytes, size: Octets, now: Time) -> Result<(), Bytes> {
        self.pipe_mut(way).offer(packet, size, now)
    }

    /// When [`poll`](Self::poll) has something to do next.
    #[must_use]
    pub fn next(&self) -> Option<Time> {
        [self.down.next(), self.up.next()].into_iter().flatten().min()
    }

    /// What has happened by now in either direction.
    pub fn poll(&mut self, now: Time) -> Option<(Direction, PipeEvent<Bytes>)> {
        let down = self.down.poll(now).map(|event| (Direction::Down, event));
        down.or_else(|| self.up.poll(now).map(|event| (Direction::Up, event)))
    }

    /// How many packets wait in front of a direction, the one being sent included.
    #[must_use]
    pub fn waiting(&self, way: Direction) -> usize {
        match way {
            Direction::Down => self.down.waiting(),
            Direction::Up => self.up.waiting(),
        }
    }

    fn pipe_mut(&mut self, way: Direction) -> &mut Pipe<Bytes> {
        match way {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_sim::channel::{ErrorModel, Uniform};
    use arqway_sim::{Absence, Cause, RateStep, StepRate, Trace, TraceEnd, Wandering, WirelessLine};
    use arqway_units::{Ratio, Span, ToFloat as _};

    #[test]
    fn only_back_pressured_queues_become_those_of_a_device() {
        let mut wireless = Wireless { queue: Queue::BackPressured(Room::of(2)), ..Wireless::default() };
        wireless.down.queue = Some(Queue::DropTail(Room::of(7)));
        let settings = LinkSettings { wireless, mobility: MobilityConfig::default(), line: LineId::FIRST };
        let (settings, changed) = settings.with_queues_of_a_device();
        assert_eq!(changed, [Direction::Up]);
        assert_eq!(settings.wireless.queue(Direction::Down), Queue::DropTail(Room::of(7)));
        assert_eq!(settings.wireless.queue(Direction::Up), Queue::DropTail(Room::of(QUEUE)));
    }

    /// A source that always has the next packet, over a link whose queue holds one.
    fn carried(settings: &LinkSettings, [from, to]: [Time; 2]) -> f64 {
        let size = Octets::new(1500);
        let mut link = EmulatedLink::new(settings, 7);
        let (mut carried, mut now) = (0, Time::ZERO);
        while now <= to {
            while link.offer(Direction::Down, Bytes::new(), size, now).is_ok() {}
            while let Some((_, event)) = link.poll(now) {
                if let PipeEvent::Started(start) = event {
                    carried += u64::from(start.at >= from && start.at < to) * 12_000;
                }
            }
            let Some(next) = link.next() else { break };
            now = next;
        }
        carried.to_f64() / to.since(from).as_seconds()
    }

    /// How long a packet of 100 octets takes at 2 Mbit/s.
    const SENDING: Span = Span::from_nanoseconds(400_000);

    /// What a packet each 10 ms is lost to, for three seconds.
    fn fates(settings: &LinkSettings) -> Vec<Option<Cause>> {
        let (mut link, mut fates) = (EmulatedLink::new(settings, 7), Vec::new());
        for packet in 0..300 {
            let now = Time::ZERO + Span::from_milliseconds(10 * packet);
            link.offer(Direction::Down, Bytes::new(), Octets::new(100), now).expect("room");
            while let Some((_, event)) = link.poll(now) {
                if let PipeEvent::Started(start) = event {
                    fates.push(start.lost_to);
                }
            }
        }
        fates
    }

    #[test]
    fn each_line_of_a_link_has_its_own_rate_absences_and_random_numbers() {
        let rate = |text: &str| Rate::Constant(text.parse().expect("a rate"));
        let (from, until) = (Span::from_seconds(1.0), Span::from_seconds(2.0));
        let slow = Some(rate("2 Mbit/s"));
        let second = WirelessLine { rate: slow, absence: vec![Absence { from, until }], ..WirelessLine::default() };
        let wireless = Wireless {
            rate: rate("10 Mbit/s"),
            errors: ErrorModel::Uniform(Uniform { loss: Ratio::new(0.1).expect("a share") }),
            queue: Queue::DropTail(Room::of(50)),
            line: vec![WirelessLine::default(), second],
            ..Wireless::default()
        };
        let lines: Vec<LinkSettings> = LinkSettings::lines(&wireless, &MobilityConfig::default(), 0).collect();
        assert!(
            lines[0].about(Direction::Down).starts_with("10 Mbit/s")
                && lines[1].about(Direction::Down).starts_with("2 Mbit/s")
        );
        let alone = LinkSettings { wireless: Wireless { line: Vec::new(), ..wireless.clone() }, ..lines[0].clone() };
        let [first, other] = [0, 1].map(|line| fates(&lines[line]));
        let behind: Vec<_> = LinkSettings::lines(&alone.wireless, &alone.mobility, 1).collect();
        assert!(behind.len() == 1 && fates(&behind[0]) != first, "the second of two links is another one");
        assert_eq!(first, fates(&alone), "the first one's random numbers are those of a link that has no other");
        for (packet, fate) in (0..).zip(&other) {
            let at = Time::ZERO + Span::from_milliseconds(10 * packet);
            // On its way for a while, and gone when it arrives.
            let gone = Time::ZERO + from..Time::ZERO + until;
            let (leaves, arrives) = (gone.contains(&at), gone.contains(&(at + wireless.delay.mean() + SENDING)));
            let is_lost = *fate == Some(Cause::Outage);
            assert!(is_lost == (leaves || arrives) || *fate == Some(Cause::Errors), "packet {packet}: {fate:?}");
        }
        let errors =
            |fates: &[Option<Cause>]| fates[..90].iter().map(|fate| *fate == Some(Cause::Errors)).collect::<Vec<_>>();
        assert!(errors(&first).contains(&true) && errors(&first) != errors(&other));
    }

    #[test]
    fn a_mean_rate_is_what_the_link_with_that_seed_carries_in_that_time() {
        let step =
            |bits| RateStep { length: Span::from_seconds(1.0), rate: StepRate(BitRate::from_bits_per_second(bits)) };
        let steps = [step(1_000_000), step(4_000_000), step(2_000_000)];
        let trace = Trace::new(steps.as_slice(), TraceEnd::Repeat).expect("steps");
        for rate in [Rate::Trace(trace), Rate::Wandering(Wandering::default())] {
            let wireless = Wireless { rate, queue: Queue::DropTail(Room::of(1)), ..Wireless::default() };
            let settings = LinkSettings { wireless, mobility: MobilityConfig::default(), line: LineId::FIRST };
            for seconds in [[0, 1], [1, 2], [3, 20]] {
                let times = seconds.map(|seconds| Time::ZERO + Span::from_milliseconds(1000 * seconds));
                let mean = settings.mean_rate(Direction::Down, 7, Octets::new(1500), (times[0], times[1]));
                let (mean, carried) = (mean.as_bits_per_second().to_f64(), carried(&settings, times));
                // Packets that cross an edge.
                assert!((mean - carried).abs() <= 30_000.0, "{mean} and {carried} bit/s in {seconds:?} s");
            }
        }
    }
}
