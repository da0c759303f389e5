//! What error models do to frames sent back to back, against closed forms: the share of lost frames, the mean length of a
//! run of losses, and where there is one the correlation of losses so many frames apart.
//!
//! Each law is held against 24 replications from a fixed seed. Their spread gives the standard error of their mean,
//! and the mean has to lie within four of them: by chance that fails once in 2,000 laws (Student's t, 23 degrees of
//! freedom), and the seed decides once and for all.

use arqway_link::Frame;
use arqway_sim::channel::{Ber, Bit, Direction, ErrorModel, FourState, MixedPeriods, TwoState, Uniform};
use arqway_sim::mobility::MobilityConfig;
use arqway_sim::{
    Delay, DelayStep, NoProbe, Pipe, PipeEvent, Probe, Queue, Rate, RateStep, Room, Scenario, StepRate, Streams, Trace,
    TraceEnd, Wandering, Wireless, World,
};
use arqway_units::{BitRate, Octets, Ratio, Span, Time};

const REPLICATIONS: u32 = 24;
/// Of 250 octets at 64 kbit/s.
const FRAME_SECONDS: f64 = 0.031_25;
const FRAME_BITS: f64 = 2000.0;

/// A link toward the client that is kept busy with frames of 250 octets for so many seconds.
fn busy_link(errors: ErrorModel, seconds: u64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.file_transfer.enabled = false;
    scenario.wireless.charge_tag = false;
    scenario.wireless.errors = errors;
    scenario.channel.enabled = true;
    scenario.channel.duration = Span::from_milliseconds(seconds * 1000);
    scenario
}

/// The fates of the frames toward the client: whether each is lost.
#[derive(Default)]
struct Fates(Vec<bool>);

impl Probe for Fates {
    fn frame_sent(&mut self, direction: Direction, _: &Frame, arrives: bool, _: Time) {
        assert_eq!(direction, Direction::Down, "nobody answers");
        self.0.push(!arrives);
    }
}

/// The fates of each replication.
fn fates(errors: &ErrorModel, seconds: u64) -> Vec<Vec<bool>> {
    let one = |replication| {
        let (scenario, mut fates) = (busy_link(errors.clone(), seconds), Fates::default());
        World::new(&scenario, &Streams::new(1, replication), &mut fates).expect("one service").run();
        // One frame every 31.25 ms: the link is never idle.
        assert_eq!(fates.0.len() as u64, seconds * 32);
        fates.0
    };
    (0..REPLICATIONS).map(one).collect()
}

/// Holds the mean of a statistic over all replications to its expectation.
fn hold(what: &str, replications: &[Vec<bool>], expected: f64, statistic: impl Fn(&[bool]) -> f64) {
    let values: Vec<f64> = replications.iter().map(|fates| statistic(fates)).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    assert!((mean - expected).abs() < 4.0 * error, "{what}: {mean} +- {error}, expected {expected}");
    assert!(error < 0.05 * expected.abs().max(0.05), "{what}: {error} is too coarse to tell {expected}");
}

fn loss(fates: &[bool]) -> f64 {
    fates.iter().filter(|lost| **lost).count() as f64 / fates.len() as f64
}

fn mean_run(fates: &[bool]) -> f64 {
    let runs = fates.windows(2).filter(|pair| !pair[0] && pair[1]).count() + usize::from(fates[0]);
    fates.iter().filter(|lost| **lost).count() as f64 / runs as f64
}

/// The correlation of the losses of frames that are `lag` apart.
fn correlation(fates: &[bool], lag: usize) -> f64 {
    let share = loss(fates);
    let both = fates.iter().zip(&fates[lag..]).filter(|(one, other)| **one && **other).count();
    (both as f64 / (fates.len() - lag) as f64 - share * share) / (share * (1.0 - share))
}

/// Frames that are lost independently with probability p: runs of 1 / (1 - p), no correlation.
fn hold_independent(errors: &ErrorModel, expected: f64) {
    let fates = fates(errors, 3000);
    hold("loss", &fates, expected, loss);
    hold("mean run", &fates, 1.0 / (1.0 - expected), mean_run);
    for lag in [1, 2, 10] {
        hold(&format!("correlation at {lag}"), &fates, 0.0, |fates| correlation(fates, lag));
    }
}

#[test]
fn uniform_losses_are_independent_with_their_probability() {
    hold_independent(&ErrorModel::Uniform(Uniform { loss: ratio(0.054) }), 0.054);
}

#[test]
fn independent_bit_errors_spare_a_frame_of_n_bits_with_probability_1_minus_p_to_the_n() {
    hold_independent(&ErrorModel::Ber(Ber { bit_errors: ratio(3e-5) }), 1.0 - (1.0 - 3e-5f64).powi(2000));
}

#[test]
fn exponential_distances_between_corruptions_lose_1_minus_exp_of_minus_size_over_mean() {
    let errors = ErrorModel::Bit(Bit { distance: Octets::new(4096) });
    hold_independent(&errors, 1.0 - libm::exp(-250.0 / 4096.0));
}

#[test]
fn the_multi_service_papers_frames_of_1000_octets_are_lost_as_it_says() {
    // "0.8 % ... 5.9 %" for means of 2^17 ... 2^14 octets.
    for (exponent, printed) in [(17, 0.0076), (14, 0.0592)] {
        let exact = 1.0 - libm::exp(-1000.0 / f64::from(1 << exponent));
        assert!((exact - printed).abs() < 0.000_05, "{exact} for {printed}");
        let mut scenario = busy_link(ErrorModel::Bit(Bit { distance: Octets::new(1 << exponent) }), 60_000);
        scenario.channel.packet = Octets::new(1000).try_into().expect("a packet");
        let outcome = World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("one service").run();
        let measured = outcome.network.frame_loss_rate.expect("frames");
        // Four standard errors of a binomial share of 480,000 frames.
        let error = (exact * (1.0 - exact) / 480_000.0).sqrt();
        assert!((measured - exact).abs() < 4.0 * error, "{measured} +- {error} for {exact}");
    }
}

/// A link that goes between states, seen by frames of time T back to back, in closed form.
///
/// Let Q be the generator of the states, L the rates of errors in them, pi the equilibrium. M = exp((Q - L) T) holds the
/// probabilities to arrive and to be in a state then, P = exp(Q T) those of the state alone. So a frame arrives with
/// probability pi M 1, and two that are k apart both do with pi M P^(k-1) M 1.
struct Law<const N: usize> {
    equilibrium: [f64; N],
    arrival: Matrix<N>,
    step: Matrix<N>,
}

type Matrix<const N: usize> = [[f64; N]; N];

impl<const N: usize> Law<N> {
    /// Of the generator, the equilibrium up to a factor, and the probability that a bit is wrong in each state.
    fn new(generator: Matrix<N>, weights: [f64; N], bit_errors: [Ratio; N]) -> Self {
        let all: f64 = weights.iter().sum();
        let mut dying = generator;
        for (state, errors) in bit_errors.iter().enumerate() {
            dying[state][state] += libm::log1p(-errors.as_f64()) * FRAME_BITS / FRAME_SECONDS;
        }
        let [arrival, step] = [dying, generator].map(|rates| exponential(rates, FRAME_SECONDS));
        Self { equilibrium: weights.map(|weight| weight / all), arrival, step }
    }

    /// The probability that so many frames, each so many behind the one before it, all arrive.
    fn arrive(&self, frames: usize, lag: usize) -> f64 {
        let mut states = after(self.equilibrium, &self.arrival);
        for _ in 1..frames {
            states = (1..lag).fold(states, |states, _| after(states, &self.step));
            states = after(states, &self.arrival);
        }
        states.iter().sum()
    }

    fn loss(&self) -> f64 {
        1.0 - self.arrive(1, 1)
    }

    fn mean_run(&self) -> f64 {
        self.loss() / (self.arrive(1, 1) - self.arrive(2, 1))
    }

    fn correlation(&self, lag: usize) -> f64 {
        let arrives = self.arrive(1, 1);
        (self.arrive(2, lag) - arrives * arrives) / (arrives * (1.0 - arrives))
    }
}

fn two_state_law(states: TwoState) -> Law<2> {
    let [good, bad] = [states.good, states.bad].map(Span::as_seconds);
    let generator = [[-1.0 / good, 1.0 / good], [1.0 / bad, -1.0 / bad]];
    Law::new(generator, [good, bad], [states.good_bit_errors, states.bad_bit_errors])
}

/// The states: good and short, good and long, bad and short, bad and long.
fn four_state_law(states: FourState) -> Law<4> {
    let kinds = |periods: MixedPeriods| {
        let long = periods.long_share.as_f64();
        [(periods.short.as_seconds(), 1.0 - long), (periods.long.as_seconds(), long)]
    };
    let [[g, h], [b, c]] = [states.good, states.bad].map(kinds);
    let all = [g, h, b, c];
    let leave = |from: usize, to: usize| match (from < 2, to < 2) {
        _ if from == to => -1.0 / all[from].0,
        (true, false) | (false, true) => all[to].1 / all[from].0,
        _ => 0.0,
    };
    let generator = std::array::from_fn(|from| std::array::from_fn(|to| leave(from, to)));
    let (good, bad) = (states.good_bit_errors, states.bad_bit_errors);
    Law::new(generator, all.map(|(mean, share)| mean * share), [good, good, bad, bad])
}

fn after<const N: usize>(states: [f64; N], step: &Matrix<N>) -> [f64; N] {
    std::array::from_fn(|to| (0..N).map(|from| states[from] * step[from][to]).sum())
}

fn product<const N: usize>(a: &Matrix<N>, b: &Matrix<N>) -> Matrix<N> {
    a.map(|row| after(row, b))
}

/// exp(A t): its series at t / 2^20, squared 20 times.
fn exponential<const N: usize>(rates: Matrix<N>, t: f64) -> Matrix<N> {
    let small = rates.map(|row| row.map(|rate| rate * t / f64::from(1 << 20)));
    let one: Matrix<N> = std::array::from_fn(|row| std::array::from_fn(|column| f64::from(u8::from(row == column))));
    let (mut sum, mut term) = (one, one);
    for order in 1..8 {
        term = product(&term, &small).map(|row| row.map(|entry| entry / f64::from(order)));
        sum = std::array::from_fn(|row| std::array::from_fn(|column| sum[row][column] + term[row][column]));
    }
    (0..20).fold(sum, |power, _| product(&power, &power))
}

/// monet08 §III: good periods of 10 s, bit error rates of 10^-6 and 10^-2.
fn monet08(bad_milliseconds: u64) -> TwoState {
    TwoState {
        good: Span::from_milliseconds(10_000),
        bad: Span::from_milliseconds(bad_milliseconds),
        good_bit_errors: ratio(1e-6),
        bad_bit_errors: ratio(1e-2),
    }
}

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a share")
}

#[test]
fn monet08s_four_links_lose_what_the_paper_prints() {
    for (bad, printed) in [(100, 0.015), (200, 0.025), (500, 0.054), (1000, 0.098)] {
        let exact = two_state_law(monet08(bad)).loss();
        // 1.46, 2.43, 5.22 and 9.53 %: the paper rounds, and does not say how it measured.
        assert!((exact / printed - 1.0).abs() < 0.04, "{exact} for {printed}");
    }
}

/// Holds the losses of a link that goes between states to their law.
fn hold_law<const N: usize>(what: &str, errors: &ErrorModel, law: &Law<N>) {
    let fates = fates(errors, 6000);
    hold(&format!("loss, {what}"), &fates, law.loss(), loss);
    hold(&format!("mean run, {what}"), &fates, law.mean_run(), mean_run);
    for lag in [1, 2, 8, 24] {
        hold(&format!("correlation at {lag}, {what}"), &fates, law.correlation(lag), |fates| correlation(fates, lag));
    }
}

#[test]
fn two_state_losses_have_the_share_the_runs_and_the_correlation_of_their_closed_form() {
    for bad in [100, 200, 500, 1000] {
        let states = monet08(bad);
        hold_law(&format!("{bad} ms"), &ErrorModel::TwoState(states), &two_state_law(states));
    }
}

#[test]
fn four_state_losses_have_the_share_the_runs_and_the_correlation_of_their_closed_form() {
    let mixed = |short, long, share| MixedPeriods {
        short: Span::from_milliseconds(short),
        long: Span::from_milliseconds(long),
        long_share: ratio(share),
    };
    let states = FourState {
        good: mixed(200, 8000, 0.4),
        bad: mixed(50, 1500, 0.3),
        good_bit_errors: ratio(1e-6),
        bad_bit_errors: ratio(1e-3),
    };
    let law = four_state_law(states);
    hold_law("of two lengths", &ErrorModel::FourState(states), &law);
    // Without a second kind of period it is the two-state link.
    let plain = FourState { good: mixed(10_000, 1, 0.0), bad: mixed(500, 1, 0.0), ..states };
    let two = TwoState { good_bit_errors: ratio(1e-6), bad_bit_errors: ratio(1e-3), ..monet08(500) };
    assert_eq!(fates(&ErrorModel::FourState(plain), 100), fates(&ErrorModel::TwoState(two), 100));
}

#[test]
fn a_rate_that_follows_a_trace_carries_the_area_under_it() {
    let step = |milliseconds, rate: u64| RateStep {
        length: Span::from_milliseconds(milliseconds),
        rate: StepRate(BitRate::from_bits_per_second(rate)),
    };
    let steps = [step(2000, 64_000), step(1000, 0), step(3000, 10_000)];
    let mut scenario = busy_link(ErrorModel::None, 600);
    scenario.wireless.rate = Rate::Trace(Trace::new(steps.as_slice(), TraceEnd::Repeat).expect("steps"));
    let mut fates = Fates::default();
    World::new(&scenario, &Streams::new(1, 0), &mut fates).expect("one service").run();
    // 158 kbit in 6 s, a hundred times: 7,900 frames.
    assert_eq!(fates.0.len(), 7900);
}

#[test]
fn a_wandering_rate_carries_its_mean_in_the_long_run_and_the_same_whatever_is_sent() {
    let wandering = Wandering::default();
    let carried = |replication, packet: &str| {
        let mut scenario = busy_link(ErrorModel::None, 400);
        scenario.wireless.rate = Rate::Wandering(wandering);
        scenario.channel.packet = packet.parse::<Octets>().expect("a size").try_into().expect("a packet");
        let mut fates = Fates::default();
        World::new(&scenario, &Streams::new(1, replication), &mut fates).expect("one service").run();
        fates.0.len() as f64 * f64::from(packet[..4].trim().parse::<u16>().expect("octets") * 8) / 400.0
    };
    let values: Vec<f64> = (0..REPLICATIONS).map(|replication| carried(replication, "1500 octets")).collect();
    let (n, expected) = (values.len() as f64, wandering.mean().as_bits_per_second() as f64);
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    assert!((mean - expected).abs() < 4.0 * error && error < expected / 20.0, "{mean} ± {error} for {expected}");
    let (large, small) = (values[0], carried(0, "0500 octets"));
    assert!((large - small).abs() < 200.0, "{large} and {small}");
}

/// A delay of these steps, each with its length and its delay in milliseconds.
fn delay_trace(steps: &[(u64, u64)]) -> Delay {
    let step = |(length, delay): &(u64, u64)| DelayStep {
        length: Span::from_milliseconds(*length),
        delay: Span::from_milliseconds(*delay),
    };
    Delay::Trace(Trace::new(steps.iter().map(step).collect::<Vec<_>>(), TraceEnd::Repeat).expect("steps"))
}

#[test]
fn a_delay_that_follows_a_trace_is_that_of_the_step_in_which_a_frame_leaves_and_keeps_the_order() {
    let steps = [(150, 22), (150, 38), (150, 27), (150, 33)];
    let queue = Queue::DropTail(Room::of(3));
    let link = Wireless { delay: delay_trace(&steps), queue, ..Wireless::default() };
    let mut pipe = Pipe::new(&link, &MobilityConfig::default(), Direction::Down, &Streams::new(1, 0));
    // Two at a time, each of which takes 1.25 ms.
    let (mut starts, mut arrived) = (Vec::new(), Vec::new());
    for number in 0..4000u64 {
        let now = Time::from_nanoseconds(number / 2 * 4_750_000);
        let mut take = |event| match event {
            PipeEvent::Started(start) => starts.push(start),
            PipeEvent::Arrived { number, at, .. } => arrived.push((number, at)),
        };
        while let Some(at) = pipe.next().filter(|at| *at <= now) {
            while let Some(event) = pipe.poll(at) {
                take(event);
            }
        }
        pipe.offer((), Octets::new(10), now).expect("room for two");
    }
    let (mut last, mut waited, mut sum) = (Time::ZERO, 0, 0.0);
    for start in &starts {
        let place = start.departure.as_nanoseconds() / 1_000_000 % 600 / 150;
        let due = start.departure + Span::from_milliseconds(steps[usize::try_from(place).expect("small")].1);
        let arrival = start.arrival.expect("no errors");
        assert_eq!(arrival, due.max(last), "{start:?}");
        waited += u64::from(arrival > due);
        sum += arrival.since(start.departure).as_seconds();
        last = arrival;
    }
    assert!(waited > 50 && waited < starts.len() as u64 / 20, "{waited} of {}", starts.len());
    let in_order = arrived.iter().enumerate().all(|(place, (number, _))| place as u64 == *number);
    assert!(in_order && arrived.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    // Those that waited add to the mean of the recording, by a few milliseconds each.
    let (mean, of_steps) = (sum / starts.len() as f64, link.delay.mean().as_seconds());
    assert!(mean >= of_steps - 1e-4 && mean < of_steps * 1.02, "{mean} for {of_steps}");
}

#[test]
fn a_recording_of_one_delay_is_that_delay() {
    let outcome = |delay: Delay| {
        let mut scenario = busy_link(ErrorModel::Uniform(Uniform { loss: ratio(0.05) }), 100);
        scenario.file_transfer.enabled = true;
        scenario.wireless.delay = delay;
        World::new(&scenario, &Streams::new(1, 0), NoProbe).expect("one service").run()
    };
    assert_eq!(outcome(delay_trace(&[(70, 80), (30, 80)])), outcome(Span::from_milliseconds(80).into()));
}
