//! The fit for a terminal: what was seen, how the families compare, the best one's parameters, and what to paste.

use super::family::{Family, Quantity};
use super::{Comparison, Delays, Estimated, Fit, Fitted};
use arqway_lab::figure::number::{percentage, percentage_with_half_width, significant, with_half_width};
use arqway_lab::results::text_table::{Align, text_table};
use arqway_sim::channel::{ErrorModel, MixedPeriods};
use arqway_units::Ratio;

impl Fit {
    /// All that there is to say, as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        [self.seen(), self.compared(), self.parameters(), self.verdict(), self.block()].join("\n")
    }

    fn seen(&self) -> String {
        let why = if self.rate_is_given { "" } else { ", from the spacing of the closest frames" };
        let mut text = format!(
            "{}: {} frames of {} in {} s, {} of them lost\n",
            self.name,
            self.frames,
            self.octets,
            significant(self.length.as_seconds(), 5),
            self.lost
        );
        for (count, what) in [(self.duplicates, "arrived again"), (self.strangers, "arrived without being sent")] {
            if count > 0 {
                text.push_str(&format!("{what}: {count}, ignored\n"));
            }
        }
        let mut lines = vec![vec!["rate".to_owned(), format!("{}{why}", self.rate)]];
        let check = &self.best().check;
        let [loss, run, correlation] = check.half_widths;
        lines.push(vec![
            "loss".to_owned(),
            format!("{} %", percentage_with_half_width(100.0 * self.runs.loss(), Some(100.0 * loss))),
        ]);
        if self.lost > 0 {
            lines.push(vec![
                "mean run".to_owned(),
                format!("{} frames lost in a row", with_half_width(self.runs.mean_lost(), Some(run))),
            ]);
        }
        if let Some(seen) = self.runs.correlation() {
            lines.push(vec![
                "correlation".to_owned(),
                format!("{} between neighbours", with_half_width(seen, Some(correlation))),
            ]);
        }
        lines.extend(self.delays.iter().flat_map(delay_lines));
        text + &text_table("  ", &lines, |_| Align::Left)
    }

    fn compared(&self) -> String {
        let heads = ["family", "parameters", "log likelihood", "BIC", "runs off by", "gaps off by", ""];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        for (index, fitted) in self.families.iter().enumerate() {
            let Fitted { estimate, check } = fitted;
            lines.push(vec![
                estimate.family.name().to_owned(),
                estimate.parameters.len().to_string(),
                format!("{:.1}", estimate.log_likelihood),
                format!("{:.1}", estimate.bic),
                off(check.runs),
                off(check.gaps),
                if index == self.best { "best".to_owned() } else { String::new() },
            ]);
        }
        let mut text = text_table("", &lines, |_| Align::Left);
        if self.families.len() == 1 {
            text.push_str("too few losses, or too few arrivals, to fit a channel with memory\n");
        }
        text
    }

    fn parameters(&self) -> String {
        let estimate = &self.best().estimate;
        let named = estimate.family.parameters().iter().zip(&estimate.parameters);
        let lines: Vec<Vec<String>> = named
            .map(|(parameter, estimated)| {
                vec![
                    parameter.path.to_owned(),
                    amount(parameter.quantity, estimated.value),
                    interval(parameter.quantity, estimated),
                ]
            })
            .collect();
        format!("{}, with 95 % intervals:\n{}", estimate.family.name(), text_table("  ", &lines, |_| Align::Left))
    }

    fn verdict(&self) -> String {
        let Fitted { estimate, check } = self.best();
        let name = estimate.family.name();
        if self.lost == 0 {
            return "No frame was lost: all that is known of the channel is the upper end of the interval.\n"
                .to_owned();
        }
        if check.holds() {
            return format!("The runs of losses and the gaps between them are consistent with a {name} channel.\n");
        }
        let mut text = format!("Even the best does not fit. With a {name} channel,");
        let wrong: Vec<String> = [("runs of losses", check.runs), ("gaps between losses", check.gaps)]
            .into_iter()
            .filter(|(_, comparison)| comparison.is_beyond_all)
            .map(|(what, comparison)| {
                format!(" the shares of {what} differ from those of the trace by up to {}, where chance explains at most {}", percent(comparison.distance), percent(comparison.usual))
            })
            .collect();
        text.push_str(&wrong.join(", and"));
        text.push_str(".\n");
        if self.lengths_differ {
            text.push_str(&format!(
                "Its long frames are lost more often than its short ones. If this is not true of the link, fit all frames with the same length: --frame \"{}\".\n",
                self.octets
            ));
        }
        text + "To replay exactly these losses, use the recording: `errors = { kind = \"trace\", losses = { file = \"fit.losses\" } }`.\n"
    }

    fn block(&self) -> String {
        format!("For a scenario:\n\n  [wireless]\n  rate = \"{}\"\n  errors = {}\n", self.rate, self.errors())
    }

    /// The best channel as it stands in a file.
    #[must_use]
    pub fn errors(&self) -> String {
        in_file(&self.best().estimate.model())
    }
}

fn delay_lines(delays: &Delays) -> [Vec<String>; 3] {
    let ms = |seconds: f64| format!("{} ms", significant(1e3 * seconds, 4));
    [
        vec![
            "delay".to_owned(),
            format!(
                "median {}, 95 % within {}, relative to the shortest, which is {} by the two clocks",
                ms(delays.median_s),
                ms(delays.p95_s),
                ms(delays.shortest_s)
            ),
        ],
        vec!["jitter".to_owned(), format!("{} between neighbours, on average", ms(delays.jitter_s))],
        vec!["reordered".to_owned(), format!("{} of the frames that arrived", percent(delays.reordered))],
    ]
}

/// `1.2 % (2.1 %)`: the distance, and what chance makes of it in 19 of 20 traces.
fn off(comparison: Comparison) -> String {
    let mark = if comparison.is_beyond_all { "!" } else { "" };
    format!("{}{mark} (chance {})", percent(comparison.distance), percent(comparison.usual))
}

fn percent(share: f64) -> String {
    format!("{} %", percentage(100.0 * share, 2))
}

/// A parameter's value as one types it.
fn amount(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Length => length(value),
        Quantity::Share => typed(value),
    }
}

fn interval(quantity: Quantity, Estimated { low, high, .. }: &Estimated) -> String {
    let amount = |value: f64| amount(quantity, super::estimate::rounded(value));
    match (low, high) {
        (Some(low), Some(high)) => format!("{} to {}", amount(*low), amount(*high)),
        (Some(low), None) => format!("{} or more: not determined by the trace", amount(*low)),
        (None, Some(high)) => format!("{} or less: not determined by the trace", amount(*high)),
        (None, None) => "not determined by the trace".to_owned(),
    }
}

fn length(seconds: f64) -> String {
    arqway_units::Span::from_seconds(seconds).to_string()
}

/// A share as a bare number: `0.0522`, `1.02e-6`.
fn typed(share: f64) -> String {
    arqway_lab::figure::number::typed(share)
}

/// An error model as a table in braces.
pub(super) fn in_file(model: &ErrorModel) -> String {
    let share = |ratio: Ratio| typed(ratio.as_f64());
    let mixed = |periods: MixedPeriods| {
        let MixedPeriods { short, long, long_share } = periods;
        format!("{{ short = \"{short}\", long = \"{long}\", long-share = {} }}", share(long_share))
    };
    match model {
        ErrorModel::Uniform(uniform) => format!("{{ kind = \"uniform\", loss = {} }}", share(uniform.loss)),
        ErrorModel::TwoState(states) => format!(
            "{{ kind = \"two-state\", good = \"{}\", bad = \"{}\", good-bit-errors = {}, bad-bit-errors = {} }}",
            states.good,
            states.bad,
            share(states.good_bit_errors),
            share(states.bad_bit_errors)
        ),
        ErrorModel::FourState(states) => format!(
            "{{ kind = \"four-state\", good = {}, bad = {}, good-bit-errors = {}, bad-bit-errors = {} }}",
            mixed(states.good),
            mixed(states.bad),
            share(states.good_bit_errors),
            share(states.bad_bit_errors)
        ),
        other => format!("\"{}\"", other.name()),
    }
}

impl Family {
    /// The name as a legend has it.
    pub(super) fn label(self, is_best: bool) -> String {
        format!("{}{}", self.name(), if is_best { ", the best" } else { "" })
    }
}
