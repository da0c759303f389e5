//! What the rules for candidates need to know of a link: how long a packet takes, and how long an answer.

use arqway_sim::channel::{Direction, Jitter};
use arqway_sim::{Headers, Queue, Scenario};
use arqway_units::{BitRate, Octets, Span};

/// A TCP acknowledgement with blocks of SACK, in the frame of a service: what an answer of the link layer waits behind.
const ACKNOWLEDGEMENT: Octets = Octets::new(80);
/// A TCP and an IPv4 header.
const HEADERS: u64 = 40;

/// The facts of a link with its traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The longest packet of any application, headers inside.
    pub packet: Octets,
    /// The rate toward the client.
    pub rate: BitRate,
    /// How long the longest packet takes toward the client.
    pub frame: Span,
    /// From a frame's departure to its answer, where neither waits for others: both ways at their longest, an acknowledgement, and what
    /// jitter and reordering add at most.
    pub round_trip: Span,
    /// How long what is sent again may wait for frames that wait below the service already.
    pub queue: Span,
    /// The same from host to host.
    pub path_round_trip: Span,
    /// How long the longest packet takes from host to host toward the client, where it waits for nothing.
    pub path_delay: Span,
    /// How many frames are on their way in a round trip of the link.
    pub in_flight: u64,
    /// How many in one from host to host.
    pub path_in_flight: u64,
    /// How many frames the queue below drops nothing of, where it drops the next.
    pub drop_tail: Option<u64>,
    /// Whether there is TCP.
    pub has_tcp: bool,
    /// Whether there are several flows, so that one may be released while another waits.
    pub has_flows: bool,
    /// The most packets that TCP has outstanding.
    pub tcp_window: u64,
    /// Those of all connections together.
    pub tcp_windows: u64,
    /// How late the media's packets may be, where there are such.
    pub within: Option<Span>,
}

impl Link {
    /// How many frames the look at its errors takes: as many as show several bursts, also where a burst takes hundreds.
    pub(super) fn look(&self) -> u64 {
        let in_20_seconds = 20_000_000_000 / self.frame.as_nanoseconds().max(1);
        in_20_seconds.clamp(20_000, 500_000)
    }

    /// Those of a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let wireless = &scenario.wireless;
        let rate = |way| wireless.rate(way).mean();
        let packet = longest_packet(scenario);
        let frame = rate(Direction::Down).time_to_send(packet);
        let ways = [Direction::Down, Direction::Up];
        let late = ways.iter().fold(Span::ZERO, |sum, way| sum + latest(scenario, *way));
        let propagation = wireless.delay(Direction::Down).longest() + wireless.delay(Direction::Up).longest();
        let round_trip = propagation + late + frame + rate(Direction::Up).time_to_send(ACKNOWLEDGEMENT);
        let path_round_trip = round_trip + scenario.wired.delay * 2;
        let queue = wireless.queue(Direction::Down);
        let below = room(queue).saturating_add(scenario.link_layer.depth.get() as u64);
        let connections = [
            (scenario.file_transfer.enabled, u64::from(scenario.file_transfer.connections.get())),
            (scenario.tcp_bulk.enabled, u64::from(scenario.tcp_bulk.connections.get())),
            (scenario.web.enabled, u64::from(scenario.web.parallel.get())),
            (scenario.media.enabled, 1),
        ];
        // Of media no TCP is made.
        let of_tcp = connections[..3].iter().filter(|(enabled, _)| *enabled).map(|(_, flows)| flows).sum::<u64>();
        let flows: u64 = connections.iter().filter(|(enabled, _)| *enabled).map(|(_, flows)| flows).sum();
        Self {
            packet,
            rate: rate(Direction::Down),
            frame,
            round_trip,
            queue: frame * below.min(MOST_BELOW),
            path_round_trip,
            path_delay: scenario.wired.delay + wireless.delay(Direction::Down).longest() + frame,
            in_flight: frames_in(round_trip, frame),
            path_in_flight: frames_in(path_round_trip, frame),
            drop_tail: matches!(queue, Queue::DropTail(_)).then(|| room(queue)),
            has_tcp: scenario.file_transfer.enabled || scenario.tcp_bulk.enabled || scenario.web.enabled,
            has_flows: flows > 1,
            tcp_window: scenario.tcp.settings().maximum_window.into(),
            tcp_windows: u64::from(scenario.tcp.settings().maximum_window) * of_tcp,
            within: scenario.media.within.filter(|_| scenario.media.enabled),
        }
    }
}

/// Longer queues are hardly ever full of one service's frames.
const MOST_BELOW: u64 = 64;

fn room(queue: Queue) -> u64 {
    let (Queue::DropTail(room) | Queue::BackPressured(room)) = queue;
    room.packets.get() as u64
}

/// How many frames follow one another in a time; one at least.
fn frames_in(time: Span, frame: Span) -> u64 {
    time.as_nanoseconds().div_ceil(frame.as_nanoseconds().max(1)).max(1)
}

/// What impairments add to the way of all frames but one in a few hundred.
fn latest(scenario: &Scenario, way: Direction) -> Span {
    let impairments = scenario.wireless.impairments(way);
    let jitter = match impairments.jitter {
        Jitter::None => Span::ZERO,
        Jitter::Uniform(uniform) => uniform.longest,
        // One in 150 takes longer than five times the mean.
        Jitter::Exponential(exponential) => exponential.mean * 5,
    };
    jitter + impairments.reordering.map_or(Span::ZERO, |reordering| reordering.delay)
}

fn longest_packet(scenario: &Scenario) -> Octets {
    let lengths = [
        (scenario.file_transfer.enabled, scenario.file_transfer.packet),
        (scenario.tcp_bulk.enabled, scenario.tcp_bulk.packet),
        (scenario.web.enabled, scenario.web.packet),
        (scenario.media.enabled, scenario.media.packet),
    ];
    let longest = lengths.iter().filter(|(enabled, _)| *enabled).map(|(_, length)| length.octets().as_u64()).max();
    let on_top = if scenario.headers == Headers::OnTop { HEADERS } else { 0 };
    Octets::new(longest.unwrap_or(1) + on_top)
}
