//! Links drawn at random, and what a full experiment says of the advice for each: all candidates, runs twice as long, and
//! another seed.

use arqway_advise::{Advice, AdviceOptions, Question, Watcher, advise};
use arqway_config::Source;
use arqway_lab::results::stats::{Summary, paired_difference, summarise};
use arqway_lab::run::cancellation::Cancellation;
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::run;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

/// The difference that an advice does not tell.
pub(crate) const AS_GOOD: f64 = 0.01;

/// `SplitMix64`.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    /// Uniform in \[0, 1\).
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Every power of ten is as likely as the next.
    fn logarithmic(&mut self, low: f64, high: f64) -> f64 {
        low * power(high / low, self.uniform())
    }
}

/// A number to the power of one from 0 to 1, by the bits of the latter: roots are the same on every host, logarithms are not.
fn power(base: f64, exponent: f64) -> f64 {
    let (mut result, mut root, mut left) = (1.0, base, exponent);
    for _ in 0..53 {
        (root, left) = (root.sqrt(), left * 2.0);
        if left >= 1.0 {
            (result, left) = (result * root, left - 1.0);
        }
    }
    result
}

/// A link: its name for people, and its file.
pub(crate) struct Drawn {
    pub(crate) told: String,
    pub(crate) text: String,
}

/// One of the links that a seed draws: 10 kbit/s to 100 Mbit/s, 1 to 500 ms, 0.1 to 20 % of the frames lost, singly or in bursts.
pub(crate) fn draw(random: &mut Draw, fastest: f64, file: &str) -> Drawn {
    let rate = random.logarithmic(1e4, fastest).round();
    let delay_ms = random.logarithmic(1.0, 500.0);
    let loss = random.logarithmic(0.001, 0.2);
    let run = random.logarithmic(2.0, 20.0);
    let is_uniform = random.uniform() < 0.5;
    let frame_s = 1503.0 * 8.0 / rate;
    let (errors, kind) = if is_uniform {
        (format!("{{ kind = \"uniform\", loss = \"{:.4} %\" }}", loss * 100.0), "singly".to_owned())
    } else {
        // A frame is lost if any part of it lies in a bad period.
        let bad = (run - 1.0) * frame_s;
        let good = run * frame_s / loss - bad;
        let periods = format!("good = \"{:.0} us\", bad = \"{:.0} us\"", good * 1e6, bad * 1e6);
        let errors = format!("{{ kind = \"two-state\", {periods}, good-bit-errors = 0, bad-bit-errors = 0.01 }}");
        (errors, format!("{run:.1} in a row"))
    };
    let text = format!(
        "[scenario]\nbase = \"clean\"\nset = {{ \"wireless.rate\" = \"{rate:.0} bit/s\", \"wireless.delay\" = \"{delay_ms:.3} ms\", \
         \"wireless.errors\" = {errors}, \"link-layer.classes\" = [], \"file-transfer.size\" = \"{file}\" }}\n"
    );
    let rate = if rate < 1e6 { format!("{:.0} kbit/s", rate / 1e3) } else { format!("{:.1} Mbit/s", rate / 1e6) };
    let told = format!("{rate} | {delay_ms:.0} ms | {:.2} %, {kind}", loss * 100.0);
    Drawn { told, text }
}

/// What a full experiment says of an advice.
pub(crate) struct Found {
    pub(crate) advised: String,
    pub(crate) best: String,
    /// The advised one's throughput less the best one's, as a share of the latter; none if they are the same.
    pub(crate) behind: Option<Summary>,
    /// The best service that is not tally.
    pub(crate) other: String,
    /// Tally's throughput less that one's, as a share of the latter.
    pub(crate) tally: Option<Summary>,
}

impl Found {
    /// Whether it is worse by more than what counts as good.
    pub(crate) fn is_wrong(&self) -> bool {
        self.behind.and_then(|behind| behind.interval()).is_some_and(|(_, high)| high < -AS_GOOD)
    }
}

pub(crate) fn advice(link: &Drawn, most: u32) -> Advice {
    let question =
        Question::read(&Source::new("link.toml", link.text.as_str()), Path::new(""), &AdviceOptions::default());
    let question = question.unwrap_or_else(|error| panic!("{}: {error}", link.text));
    let stop = Cancellation::new();
    let watcher = Watcher { jobs: jobs(), stop: &stop, planned: &|_| (), finished: &|| () };
    advise(question, None, most, &watcher).unwrap_or_else(|error| panic!("{}: {error}", link.told))
}

fn jobs() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// All candidates, each at full length.
pub(crate) fn held_against_all(advice: &Advice, replications: u32) -> Found {
    let all = advice.experiment_of_all(replications, 1000, 2).unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan::new(vec![all], &Request::default()).expect("cells");
    let rows = run(&plan, jobs(), &Cancellation::new(), || ()).expect("a world").rows(&plan, 0);
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| &*row.metric == "throughput") {
        values.entry(row.scheme.to_string()).or_default().push(row.value);
    }
    let mean = |values: &Vec<f64>| summarise(values).map_or(0.0, |summary| summary.mean);
    let best_of = |is_meant: fn(&str) -> bool| {
        let candidates = values.iter().filter(|(name, _)| is_meant(name));
        candidates.max_by(|one, other| mean(one.1).total_cmp(&mean(other.1))).expect("a candidate").0
    };
    let above = |name: &str, other: &str| {
        let scale = mean(&values[other]);
        let share = |name: &str| values[name].iter().map(|value| value / scale).collect::<Vec<_>>();
        if name == other { None } else { paired_difference(&share(name), &share(other)) }
    };
    let stage = &advice.stages[0];
    let mut ranked = stage.standings.iter().map(|standing| stage.label(standing));
    let advised = ranked.clone().next().expect("an advice");
    let (best, other) = (best_of(|_| true), best_of(|name| !is_tally(name)));
    // Which of its orders counts is not chosen by the runs that judge it.
    let tally = ranked.find(|name| is_tally(name)).expect("a candidate");
    Found {
        advised: advised.to_owned(),
        best: best.clone(),
        behind: above(advised, best),
        other: other.clone(),
        tally: above(tally, other),
    }
}

/// Whether a candidate is tally, whatever its order.
pub(crate) fn is_tally(candidate: &str) -> bool {
    candidate.split(',').next() == Some("Tally")
}
