//! What is promised of a fit: it finds the channel that made a trace, says what it cannot tell, and says when nothing fits.

use super::*;
use crate::chain::Chain;
use crate::family::Scales;
use crate::tape::Tape;
use crate::timeline::OnLine;
use arqway_config::Source;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_sim::Streams;
use arqway_sim::channel::{
    Channel, Direction, ErrorModel, FourState, Impairments, Losses, MixedPeriods, TwoState, Uniform,
};
use arqway_units::{Ratio, Time};
use std::path::Path;

fn ratio(share: f64) -> Ratio {
    Ratio::new(share).expect("a share")
}

fn rate(kilobits: u64) -> BitRate {
    BitRate::from_bits_per_second(1000 * kilobits).expect("a rate")
}

/// The channels that are to be found again, each with the values of its parameters.
fn channels() -> [(Family, ErrorModel, Vec<f64>); 3] {
    let seconds = Span::from_seconds;
    let mixed =
        |short, long, share| MixedPeriods { short: seconds(short), long: seconds(long), long_share: ratio(share) };
    let uniform = ErrorModel::Uniform(Uniform { loss: ratio(0.05) });
    let two = ErrorModel::TwoState(TwoState {
        good: seconds(1.0),
        bad: seconds(0.3),
        good_bit_errors: ratio(1e-5),
        bad_bit_errors: ratio(1e-3),
    });
    let four = ErrorModel::FourState(FourState {
        good: mixed(0.3, 3.0, 0.35),
        bad: mixed(0.06, 0.9, 0.35),
        good_bit_errors: ratio(5e-6),
        bad_bit_errors: ratio(2e-3),
    });
    [
        (Family::Uniform, uniform, vec![0.05]),
        (Family::TwoState, two, vec![1.0, 0.3, 1e-5, 1e-3]),
        (Family::FourState, four, vec![0.3, 3.0, 0.35, 0.06, 0.9, 0.35, 5e-6, 2e-3]),
    ]
}

/// Frames of 250 octets back to back at 64 kbit/s, through the simulator's own channel.
fn back_to_back(model: &ErrorModel, seed: u64, count: u64) -> Frames {
    let mut channel = Channel::new(model, &Impairments::default(), Direction::Down, &Streams::new(seed, 0));
    let octets = Octets::new(250);
    let frame = |number| {
        let at = Time::ZERO + rate(64).time_to_send(octets) * number;
        let lost = channel.loses(octets, at, rate(64));
        SentFrame { at, octets, fate: if lost { Fate::Lost } else { Fate::Arrived } }
    };
    Frames { frames: (0..count).map(frame).collect(), ..Frames::default() }
}

/// Frames of two lengths at random distances, some of them closer than the link can send them.
fn scattered(model: &ErrorModel, seed: u64, count: u64) -> Frames {
    let streams = Streams::new(seed, 0);
    let mut channel = Channel::new(model, &Impairments::default(), Direction::Down, &streams);
    let mut random = streams.stream("scattered");
    let (mut at, mut free) = (Time::ZERO, Time::ZERO);
    let mut frames = Vec::new();
    for _ in 0..count {
        let octets = Octets::new(if random.uniform() < 0.3 { 40 } else { 500 });
        let start = at.max(free);
        let lost = channel.loses(octets, start, rate(640));
        frames.push(SentFrame { at, octets, fate: if lost { Fate::Lost } else { Fate::Arrived } });
        free = start + rate(640).time_to_send(octets);
        at += Span::from_seconds(random.exponential(0.02));
    }
    Frames { frames, ..Frames::default() }
}

fn estimates(frames: &Frames, rate: BitRate) -> Vec<Estimate> {
    estimate::all(&Timeline::new(frames, rate))
}

fn best(estimates: &[Estimate]) -> &Estimate {
    estimates.iter().min_by(|a, b| a.bic.total_cmp(&b.bic)).expect("a family")
}

/// Over so many seeds: how often the true family is preferred, and each parameter's mean error, root mean square error, and
/// how often its interval holds the truth.
fn recover(family: Family, model: &ErrorModel, truth: &[f64], seeds: u64) -> (u64, Vec<(f64, f64, u64)>) {
    let (mut preferred, mut found) = (0, vec![(0.0, 0.0, 0); truth.len()]);
    for seed in 0..seeds {
        let estimates = estimates(&back_to_back(model, 1000 + seed, 100_000), rate(64));
        preferred += u64::from(best(&estimates).family == family);
        let of_family = estimates.iter().find(|estimate| estimate.family == family).expect("all are fitted");
        for ((error, square, covered), (estimated, truth)) in
            found.iter_mut().zip(of_family.parameters.iter().zip(truth))
        {
            let off = estimated.value / truth - 1.0;
            *error += off / seeds as f64;
            *square += off * off / seeds as f64;
            let holds =
                estimated.low.is_none_or(|low| low <= *truth) && estimated.high.is_none_or(|high| high >= *truth);
            *covered += u64::from(holds);
        }
    }
    (preferred, found.into_iter().map(|(error, square, covered)| (error, f64::sqrt(square), covered)).collect())
}

#[test]
fn each_family_is_recognised_and_its_parameters_are_found_within_a_tenth_from_100_000_frames() {
    for (family, model, truth) in channels() {
        let (preferred, found) = recover(family, &model, &truth, 3);
        assert_eq!(preferred, 3, "{family:?}");
        assert!(found.iter().all(|(error, ..)| error.abs() < 0.1), "{family:?}: {found:?}");
    }
}

/// `cargo test --release -p arqway-fit --lib -- --ignored --nocapture` prints what `docs/fit.md` says.
#[test]
#[ignore = "takes minutes"]
fn in_100_seeds_each_family_is_recognised_95_times_and_its_parameters_are_found_within_a_tenth() {
    for (family, model, truth) in channels() {
        let (preferred, found) = recover(family, &model, &truth, 100);
        println!("{}: preferred {preferred} of 100", family.name());
        for (parameter, (error, square, covered)) in family.parameters().iter().zip(&found) {
            println!(
                "  {}: off by {error:+.4} on average, {square:.4} in root mean square, covered {covered}",
                parameter.path
            );
        }
        assert!(preferred >= 95, "{family:?}: {preferred}");
        assert!(found.iter().all(|(error, square, _)| error.abs() < 0.03 && *square < 0.1), "{family:?}: {found:?}");
        assert!(found.iter().all(|(.., covered)| *covered >= 88), "{family:?}: {found:?}");
    }
}

#[test]
fn frames_of_any_length_at_any_time_tell_the_same_channel() {
    let (_, model, truth) = channels()[1].clone();
    let frames = scattered(&model, 3, 60_000);
    let estimates = estimates(&frames, rate(640));
    let found = best(&estimates);
    assert_eq!(found.family, Family::TwoState);
    for (estimated, truth) in found.parameters.iter().zip(truth) {
        assert!((estimated.value / truth - 1.0).abs() < 0.12, "{estimated:?} for {truth}");
    }
}

/// A chain of four states, and a few frames of two lengths with gaps.
fn few(fates: u32) -> (Chain<4>, Timeline) {
    let scales = Scales { spacing: 0.03, bits: 2000.0, length: 100.0 };
    let chain = family::four_state(&[-1.0, 1.0, 0.3, -3.0, -1.0, -0.5, -2.0, 0.7], &scales);
    let frame = |number: u64| OnLine {
        start: Time::ZERO,
        octets: Octets::new(100 + 150 * (number % 2)),
        lost: fates >> number & 1 == 1,
        gap: Span::from_milliseconds(10 * (number % 3)),
    };
    (chain, Timeline { rate: rate(64), frames: (0..8).map(frame).collect() })
}

#[test]
fn all_that_can_become_of_eight_frames_has_the_probability_one() {
    let probability = |fates| {
        let (chain, timeline) = few(fates);
        libm::exp(Tape::new(&timeline, &timeline.frames).log_likelihood(&chain))
    };
    let all: f64 = (0..256).map(probability).sum();
    assert!((all - 1.0).abs() < 1e-9, "{all}");
}

#[test]
fn steps_folded_into_powers_have_the_likelihood_of_steps_laid_out() {
    let (_, model, _) = channels()[2].clone();
    let timeline = Timeline::new(&back_to_back(&model, 5, 3000), rate(64));
    let (chain, _) = few(0);
    let folded = Tape::new(&timeline, &timeline.frames);
    let laid_out = Tape::laid_out(&timeline, &timeline.frames);
    assert!(folded.len() < laid_out.len() / 2);
    let (one, other) = (folded.log_likelihood(&chain), laid_out.log_likelihood(&chain));
    assert!((one - other).abs() < 1e-7 * other.abs(), "{one} {other}");
}

#[test]
fn the_gradient_is_the_slope_of_the_likelihood() {
    let (_, model, _) = channels()[2].clone();
    let timeline = Timeline::new(&scattered(&model, 5, 2000), rate(640));
    let scales = Scales::of(&timeline);
    let at = [-1.0, 1.0, 0.3, -3.0, -1.0, -0.5, -4.0, 0.7];
    let tape = Tape::new(&timeline, &timeline.frames);
    let (value, slopes) = tape.gradient(&at, |numbers| family::four_state(numbers, &scales));
    assert!((value - tape.log_likelihood(&family::four_state(&at, &scales))).abs() < 1e-9);
    for (index, slope) in slopes.iter().enumerate() {
        let beside = |step: f64| {
            let mut moved = at;
            moved[index] += step;
            tape.log_likelihood(&family::four_state(&moved, &scales))
        };
        let differenced = (beside(1e-4) - beside(-1e-4)) / 2e-4;
        assert!((slope - differenced).abs() < 1e-4 * differenced.abs().max(1.0), "{index}: {slope} {differenced}");
    }
}

#[test]
fn what_no_family_gives_is_called_a_misfit_and_what_one_gives_is_not() {
    // Three lost in a row, every forty frames, as by a clock.
    let mut frames = back_to_back(&ErrorModel::None, 1, 20_000);
    for (number, frame) in frames.frames.iter_mut().enumerate() {
        frame.fate = if number % 40 < 3 { Fate::Lost } else { Fate::Arrived };
    }
    let fit = Fit::new("clock.csv", &frames, None).expect("a trace");
    assert!(!fit.best().check.holds());
    assert!(fit.to_text().contains("Even the best does not fit"), "{}", fit.to_text());
    let (_, model, _) = channels()[1].clone();
    let fit = Fit::new("two.csv", &back_to_back(&model, 8, 20_000), None).expect("a trace");
    assert!(fit.best().check.holds(), "{}", fit.to_text());
    assert_eq!((fit.rate, fit.rate_is_given), (rate(64), false));
}

#[test]
fn losses_that_do_not_depend_on_length_are_told_from_those_of_bits() {
    let (_, model, _) = channels()[1].clone();
    let mut frames = scattered(&model, 3, 20_000);
    for (number, frame) in frames.frames.iter_mut().enumerate() {
        frame.fate = if number % 100 < 10 && number % 7 > 1 { Fate::Lost } else { Fate::Arrived };
    }
    let told = Fit::new("queue.csv", &frames, Some(rate(640))).expect("a trace").to_text();
    assert!(told.contains("fit all frames with the same length: --frame \""), "{told}");
}

#[test]
fn traces_that_lost_nothing_everything_or_hardly_anything_are_uniform() {
    for lost in [0, 1, 3, 497, 500] {
        let mut frames = back_to_back(&ErrorModel::None, 1, 500);
        frames.frames.iter_mut().take(lost).for_each(|frame| frame.fate = Fate::Lost);
        let fit = Fit::new("few.csv", &frames, None).expect("a trace");
        let estimated = fit.best().estimate.parameters[0];
        assert_eq!((fit.families.len(), estimated.value), (1, estimate::rounded(lost as f64 / 500.0)));
        assert!(estimated.high > Some(lost as f64 / 500.0 - 1e-9) && estimated.low < Some(lost as f64 / 500.0 + 1e-9));
        assert!(!fit.to_text().contains("NaN"), "{}", fit.to_text());
    }
}

/// A second's frames, all stamped with the second, and a long outage: the time stamps of many a log.
#[test]
fn frames_that_share_a_time_were_sent_one_after_the_other_before_the_next_time() {
    let octets = Octets::new(250);
    let frame = |number: u64| {
        let at = Time::from_nanoseconds(number / 100 * 1_000_000_000);
        SentFrame { at, octets, fate: if number.is_multiple_of(7) { Fate::Lost } else { Fate::Arrived } }
    };
    let frames = Frames { frames: (0..5_000).map(frame).collect(), ..Frames::default() };
    let fit = Fit::new("a log", &frames, None).expect("a fit");
    assert_eq!(fit.rate, rate(200));
}

#[test]
fn hours_in_which_nothing_is_sent_change_nothing() {
    let (_, model, truth) = &channels()[1];
    let octets = Octets::new(250);
    let mut channel = Channel::new(model, &Impairments::default(), Direction::Down, &Streams::new(5, 0));
    let frame = |number: u64| {
        let at = Time::ZERO + rate(64).time_to_send(octets) * number + Span::from_seconds(3600.0) * (number / 2_000);
        let lost = channel.loses(octets, at, rate(64));
        SentFrame { at, octets, fate: if lost { Fate::Lost } else { Fate::Arrived } }
    };
    let frames = Frames { frames: (0..40_000).map(frame).collect(), ..Frames::default() };
    let fit = Fit::new("downloads", &frames, None).expect("a fit");
    assert_eq!((fit.rate, fit.best().estimate.family), (rate(64), Family::TwoState));
    assert!(fit.best().check.holds());
    for (found, truth) in fit.best().estimate.parameters.iter().zip(truth).take(2) {
        assert!((found.value / truth - 1.0).abs() < 0.15, "{found:?} instead of {truth}");
    }
}

#[test]
fn an_outage_of_many_thousand_frames_has_a_likelihood() {
    let octets = Octets::new(250);
    let frame = |number: u64| {
        let at = Time::ZERO + rate(64).time_to_send(octets) * number;
        let is_lost = number.is_multiple_of(100) || (20_000..90_000).contains(&number);
        SentFrame { at, octets, fate: if is_lost { Fate::Lost } else { Fate::Arrived } }
    };
    let frames = Frames { frames: (0..100_000).map(frame).collect(), ..Frames::default() };
    let estimates = estimates(&frames, rate(64));
    assert!(estimates.iter().all(|estimate| estimate.log_likelihood.is_finite()), "{estimates:?}");
    assert_ne!(best(&estimates).family, Family::Uniform);
}

#[test]
fn a_trace_that_is_too_short_or_contradicts_the_rate_is_refused_with_what_is_expected() {
    let told = |frames: &Frames, rate| Fit::new("t.csv", frames, rate).expect_err("refused").to_string();
    assert_eq!(told(&Frames::default(), None), "t.csv has fewer than two frames; expected a trace of thousands");
    let frames = back_to_back(&ErrorModel::None, 1, 100);
    assert!(told(&frames, Some(rate(8))).contains("without --rate the trace says 64 kbit/s"));
    let at_once = Frames { frames: vec![frames.frames[0]; 3], ..Frames::default() };
    assert!(told(&at_once, None).contains("--rate"));
    assert!(Fit::new("t.csv", &at_once, Some(rate(64))).is_ok(), "what was asked for is enough");
    let mut burst = frames.frames.clone();
    burst.splice(0..0, vec![frames.frames[0]; 10_000]);
    let burst = Frames { frames: burst, ..Frames::default() };
    let said = told(&burst, None);
    assert!(said.contains("bursts of frames that could not leave in time") && said.contains("--rate"), "{said}");
    let said = told(&burst, Some(rate(64)));
    assert!(said.starts_with("at 64 kbit/s") && !said.contains("--rate"), "it is not asked for again: {said}");
}

#[test]
fn what_is_written_runs_and_is_the_channel_that_was_fitted() {
    for (family, model, _) in channels() {
        let fit = Fit::new("trace.csv", &back_to_back(&model, 4, 30_000), None).expect("a trace");
        assert_eq!(fit.best().estimate.family, family);
        assert_eq!(fit.to_losses().parse::<Losses>().expect("a recording").lost(), fit.lost);
        let source = Source::new("fit.toml", fit.to_experiment());
        let experiment = Experiment::read(&source, Path::new(""), Effort::Full).expect("no mistakes");
        let wireless = &experiment.points[0].scenario.wireless;
        assert_eq!((&wireless.errors, wireless.rate.mean()), (&fit.best().estimate.model(), rate(64)));
    }
}

#[test]
fn a_fit_is_the_same_to_the_octet_whatever_the_number_of_threads() {
    let (_, model, _) = channels()[2].clone();
    let frames = back_to_back(&model, 9, 20_000);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let fit = pool.install(|| Fit::new("t.csv", &frames, None).expect("a trace"));
        (fit.to_csv(), fit.to_text(), fit.figures().map(|figure| figure.to_svg()))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn delays_are_told_beyond_the_shortest_by_hand() {
    let frame = |number: u64, fate| SentFrame { at: Time::from_nanoseconds(10 * number), octets: Octets::new(1), fate };
    let fates = [Fate::After(-5), Fate::Lost, Fate::After(40), Fate::After(20), Fate::After(30)];
    let frames: Vec<SentFrame> = (0..).zip(fates).map(|(number, fate)| frame(number, fate)).collect();
    let delays = Delays::of(&Frames { frames, ..Frames::default() }).expect("delays");
    // Sent at 0, 20, 30 and 40, arrived at -5, 60, 50 and 70: the one sent at 30 comes before the one sent at 20.
    let nanoseconds = |seconds: f64| (seconds * 1e9).round();
    assert_eq!(
        [delays.shortest_s, delays.median_s, delays.p95_s, delays.jitter_s].map(nanoseconds),
        [-5.0, 25.0, 45.0, 15.0]
    );
    assert_eq!((delays.reordered, delays.frames), (0.25, 4));
}
