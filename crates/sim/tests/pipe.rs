//! A pipe is the link that the simulator has: the same loads meet the same fates at the same times.

use arqway_link::Frame;
use arqway_sim::channel::{
    Ber, Direction, Duplication, ErrorModel, ExponentialJitter, Jitter, Listed, Reordering, TwoState, Uniform,
};
use arqway_sim::mobility::{Change, MobilityConfig, Periodic, Vertical, When};
use arqway_sim::{
    Cause, Pipe, PipeEvent, Probe, Queue, Rate, RateStep, Room, Scenario, StepRate, Streams, Trace, TraceEnd, Wireless,
    World,
};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};
use proptest::prelude::*;

fn ms(milliseconds: u64) -> Span {
    Span::from_milliseconds(milliseconds)
}

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a ratio")
}

fn kbit(kilobits: u64) -> BitRate {
    BitRate::from_bits_per_second(kilobits * 1000).expect("not zero")
}

/// What crosses the link toward the client: sizes and times of what was queued, and what became of it.
#[derive(Debug, Default, PartialEq)]
struct Crossing {
    queued: Vec<(Time, Octets)>,
    dropped: Vec<Time>,
    /// When each starts, and whether it arrives.
    sent: Vec<(Time, bool)>,
    received: Vec<(Time, Octets)>,
}

impl Probe for &mut Crossing {
    fn frame_queued(&mut self, direction: Direction, frame: &Frame, now: Time) {
        if direction == Direction::Down {
            self.queued.push((now, frame.size()));
        }
    }

    fn frame_dropped(&mut self, direction: Direction, _: &Frame, now: Time) {
        if direction == Direction::Down {
            self.dropped.push(now);
        }
    }

    fn frame_sent(&mut self, direction: Direction, _: &Frame, arrives: bool, now: Time) {
        if direction == Direction::Down {
            self.sent.push((now, arrives));
        }
    }

    fn frame_received(&mut self, direction: Direction, frame: &Frame, now: Time) {
        if direction == Direction::Down {
            self.received.push((now, frame.size()));
        }
    }
}

/// Five minutes of a lecture over a link, as the simulator has it.
fn simulated(link: &Wireless, mobility: &MobilityConfig) -> Crossing {
    let mut scenario = Scenario { wireless: link.clone(), mobility: mobility.clone(), ..Scenario::default() };
    scenario.file_transfer.enabled = false;
    scenario.media.enabled = true;
    scenario.duration = ms(300_000);
    let mut seen = Crossing::default();
    World::new(&scenario, &Streams::new(7, 3), &mut seen).expect("a link layer").run();
    seen
}

/// The same loads through a pipe whose owner looks after it `late`, again and again.
fn piped(link: &Wireless, mobility: &MobilityConfig, queued: &[(Time, Octets)], late: Span) -> Crossing {
    let mut pipe = Pipe::new(link, mobility, Direction::Down, &Streams::new(7, 3));
    let mut seen = Crossing { queued: queued.to_vec(), ..Crossing::default() };
    let poll = |pipe: &mut Pipe<Octets>, seen: &mut Crossing, now: Time| {
        while let Some(event) = pipe.poll(now) {
            match event {
                PipeEvent::Started(start) => {
                    assert_eq!(start.arrival.is_none(), start.lost_to.is_some());
                    seen.sent.push((start.at, start.arrival.is_some()));
                }
                PipeEvent::Arrived { at, load, .. } => seen.received.push((at, load)),
            }
        }
    };
    for &(at, size) in queued {
        while let Some(next) = pipe.next().map(|next| next + late).filter(|next| *next < at) {
            poll(&mut pipe, &mut seen, next);
        }
        if pipe.offer(size, size, at).is_err() {
            seen.dropped.push(at);
        }
    }
    poll(&mut pipe, &mut seen, queued.last().map_or(Time::ZERO, |(at, _)| *at + ms(60_000)));
    seen
}

fn link(errors: ErrorModel) -> Wireless {
    Wireless { queue: Queue::DropTail(Room::of(20)), errors, ..Wireless::default() }
}

/// The world ends while loads are on their way: what the simulator saw of them is the beginning of what the pipe saw.
fn assert_same(link: &Wireless, mobility: &MobilityConfig) {
    let mut simulated = simulated(link, mobility);
    let mut piped = piped(link, mobility, &simulated.queued, Span::ZERO);
    assert!(
        simulated.sent.len() > 1000 && simulated.received.len() > 100,
        "too little to compare: {} {}",
        simulated.sent.len(),
        simulated.received.len()
    );
    assert!(piped.sent.len() >= simulated.sent.len() && piped.received.len() >= simulated.received.len());
    piped.sent.truncate(simulated.sent.len());
    piped.received.truncate(simulated.received.len());
    for (place, (piped, simulated)) in piped.sent.iter().zip(&simulated.sent).enumerate() {
        assert_eq!(piped, simulated, "start {place}");
    }
    for (place, (piped, simulated)) in piped.received.iter().zip(&simulated.received).enumerate() {
        assert_eq!(piped, simulated, "arrival {place}");
    }
    assert!(piped.dropped == simulated.dropped, "other loads found no room");
    simulated.sent.retain(|(_, arrives)| !arrives);
    assert!(!simulated.sent.is_empty() || !simulated.dropped.is_empty(), "nothing was lost");
}

#[test]
fn a_pipe_loses_what_the_simulated_link_loses_whatever_the_error_model() {
    let states = TwoState { good: ms(2000), bad: ms(200), good_bit_errors: ratio(1e-5), bad_bit_errors: ratio(1e-2) };
    let models = [
        ErrorModel::Uniform(Uniform { loss: ratio(0.05) }),
        ErrorModel::TwoState(states),
        ErrorModel::Ber(Ber { bit_errors: ratio(1e-5) }),
        ErrorModel::Listed(Listed { down: vec![3, 1, 4, 15, 92], up: Vec::new() }),
    ];
    for errors in models {
        assert_same(&link(errors), &MobilityConfig::default());
    }
}

#[test]
fn a_pipe_delays_duplicates_and_reorders_what_the_simulated_link_does() {
    let mut link = link(ErrorModel::Uniform(Uniform { loss: ratio(0.02) }));
    link.jitter = Jitter::Exponential(ExponentialJitter { mean: ms(20), keep_order: false });
    link.reordering = Some(Reordering { share: ratio(0.1), delay: ms(70) });
    link.duplication = Some(Duplication { share: ratio(0.1), delay: ms(5) });
    let step = |milliseconds, rate| RateStep { length: ms(milliseconds), rate: StepRate(rate) };
    let steps = vec![step(3000, Some(kbit(64))), step(500, None), step(2000, Some(kbit(32)))];
    link.rate = Rate::Trace(Trace::new(steps, TraceEnd::Repeat).expect("a trace"));
    assert_same(&link, &MobilityConfig::default());
}

#[test]
fn a_pipe_has_the_outages_of_the_simulated_link_announced_or_not_and_its_other_link() {
    let errors = ErrorModel::Uniform(Uniform { loss: ratio(0.02) });
    let other = Vertical { rate: Some(Rate::Constant(kbit(128))), delay: Some(ms(10).into()), ..Vertical::default() };
    for (hints, change) in [(true, Change::default()), (false, Change::default()), (true, Change::Vertical(other))] {
        let when = When::Periodic(Periodic { stay: ms(5000) });
        let mobility = MobilityConfig { when, change, outage: ms(700), hints, notice: ms(100) };
        // Room for all that waits: what comes at the moment when the link is back finds room before or behind the first to leave.
        let queue = Queue::DropTail(Room::of(500));
        assert_same(&Wireless { queue, ..link(errors.clone()) }, &mobility);
    }
}

#[test]
fn what_an_outage_takes_is_told_apart_from_what_errors_take() {
    let when = When::Periodic(Periodic { stay: ms(1000) });
    let mobility = MobilityConfig { when, outage: ms(100), hints: false, ..MobilityConfig::default() };
    let link = link(ErrorModel::Listed(Listed { down: vec![0], up: Vec::new() }));
    let mut pipe = Pipe::new(&link, &mobility, Direction::Down, &Streams::new(1, 0));
    let size = Octets::new(250);
    let fate = |pipe: &mut Pipe<()>, at| {
        let at = Time::ZERO + ms(at);
        pipe.offer((), size, at).expect("room");
        let mut starts = std::iter::from_fn(|| pipe.poll(at)).filter_map(|event| match event {
            PipeEvent::Started(start) => Some(start),
            PipeEvent::Arrived { .. } => None,
        });
        starts.next().expect("a free transmitter").lost_to
    };
    // Each takes 31.25 ms and 50 ms: the third is on its way when the link goes, the fourth starts without one.
    let fates = [0, 500, 950, 1050, 1100].map(|at| fate(&mut pipe, at));
    assert_eq!(fates, [Some(Cause::Errors), None, Some(Cause::Outage), Some(Cause::Outage), None]);
}

proptest! {
    #[test]
    fn nothing_depends_on_when_the_owner_of_a_pipe_looks(
        gaps in proptest::collection::vec((0u64..200, 40u64..1500), 1..60),
        late in 0u64..300,
    ) {
        let mut link = link(ErrorModel::Uniform(Uniform { loss: ratio(0.1) }));
        link.jitter = Jitter::Exponential(ExponentialJitter { mean: ms(20), keep_order: false });
        link.queue = Queue::DropTail(Room::of(3));
        let mut at = Time::ZERO;
        let queued: Vec<_> = gaps.iter().map(|(gap, size)| { at += ms(*gap); (at, Octets::new(*size)) }).collect();
        let mobility = MobilityConfig::default();
        prop_assert_eq!(piped(&link, &mobility, &queued, ms(late)), piped(&link, &mobility, &queued, Span::ZERO));
    }
}
