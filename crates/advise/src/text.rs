//! The advice for a terminal.

use super::advice::{Advice, Caution, MARGIN_PERCENT, Stage};
use super::criterion::Application;
use super::length::Losses;
use super::opinion::{INPUTS, mean_opinion_score};
use super::race::{Ended, Standing, Verdict};
use super::second::Second;
use arqway_lab::figure::number::{percentage, percentage_with_half_width, significant, with_half_width};
use arqway_lab::results::stats::Summary;
use arqway_lab::results::text_table::{Align, text_table};
use arqway_units::{Octets, Span};

impl Advice {
    /// The facts, each ranking with its block, the cautions.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = self.facts();
        for stage in &self.stages {
            text.push_str(&self.stage_text(stage));
        }
        if let Some(link_layer) = &self.link_layer {
            text.push_str("\nAll of it, to paste:\n\n");
            link_layer.lines().filter(|line| !line.is_empty()).for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        if let Some(second) = &self.second {
            text.push_str(&self.second_text(second));
        }
        for caution in &self.cautions {
            text.push_str(&format!("\ncaution: {caution}\n"));
        }
        text
    }

    fn second_text(&self, second: &Second) -> String {
        let applications = &self.question.applications;
        let heads = applications.iter().filter_map(|one| Some(one.quantity()?.label.to_owned()));
        let mut lines = vec![std::iter::once("Lines".to_owned()).chain(heads).collect::<Vec<_>>()];
        for (label, values) in &second.tried {
            let values = applications.iter().zip(values).map(shown);
            lines.push(std::iter::once(label.clone()).chain(values).collect());
        }
        let gains = second.gains.iter().zip(applications).map(|(gain, application)| {
            let what = match application {
                Application::Web => "pages in a given time",
                Application::Media => "packets in time",
                Application::FileTransfer | Application::TcpBulk => "throughput",
            };
            match gain {
                Some(gain) if *gain >= 0.0 => format!(
                    "{}: {} % more {what} with both than with the better one",
                    application.name(),
                    significant(gain * 100.0, 2)
                ),
                Some(gain) => format!(
                    "{}: {} % less {what} with both than with the better one",
                    application.name(),
                    significant(-gain * 100.0, 2)
                ),
                None => format!("{}: both are not significantly different from the better one", application.name()),
            }
        });
        let align = |column| if column == 0 { Align::Left } else { Align::Right };
        format!(
            "\nA second line, {} replications, each by tally at a rate that is found\n{}\n  {}\n",
            second.replications,
            text_table("", &lines, align),
            gains.collect::<Vec<_>>().join("\n  ")
        )
    }

    fn facts(&self) -> String {
        let link = &self.link;
        let lost = match self.losses {
            Some(Losses { share: 0.0, .. }) => format!("none of {} frames lost", link.look()),
            Some(Losses { share, run }) => {
                format!("a frame loss rate of {} %, {} in a row", percentage(share * 100.0, 2), significant(run, 2))
            }
            None => "errors not measured".to_owned(),
        };
        format!(
            "{}: {} toward the client, a round trip of {} s with packets of {}, {lost}\n{}\n",
            self.question.name,
            link.rate,
            significant(link.path_round_trip.as_seconds(), 2),
            octets(link.packet),
            self.judged_by(),
        ) + &self
            .hears_within()
            .map_or_else(String::new, |within| format!("opinion: played {within} after it was sent, {INPUTS}\n"))
    }

    /// What counts, in words.
    #[must_use]
    pub fn judged_by(&self) -> String {
        let words = self.question.applications.iter().map(|one| match (one, self.link.within) {
            (Application::Media, Some(within)) => {
                format!("the share of media packets that arrive within {within}")
            }
            (Application::Web, _) => "the time to fetch a page".to_owned(),
            (one, _) => format!("the throughput of {}", one.name()),
        });
        let words = words.collect::<Vec<_>>();
        match words.as_slice() {
            [one] => format!("judged by {one}"),
            several => {
                format!("judged by the geometric mean of {}, each relative to the best", several.join(" and "))
            }
        }
    }

    fn stage_text(&self, stage: &Stage) -> String {
        let what = stage.what();
        if stage.ended == Ended::NothingArrived {
            return format!("\n{what}: nothing of this traffic arrived with any of the services tried\n");
        }
        if stage.standings.is_empty() {
            return format!("\n{what}: it carries none of this traffic, so any service will do\n");
        }
        let mut lines = vec![self.heads()];
        lines.extend(stage.standings.iter().enumerate().map(|(index, one)| self.line(stage, index, one)));
        let mut text = format!("\n{what}, {}\n", stage.how());
        // The name and the verdict to the left, numbers to the right.
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let align = |column| if column == 1 || column + 1 == columns { Align::Left } else { Align::Right };
        text.push_str(&text_table("", &lines, align));
        if let Some(best) = stage.standings.first() {
            text.push_str(&format!("\n  {}\n", stage.block(best)));
        }
        text
    }

    fn heads(&self) -> Vec<String> {
        let several = self.question.applications.len() > 1;
        let applications = self.question.applications.iter().filter_map(|one| Some(one.quantity()?.label.to_owned()));
        let opinion = self.hears_within().map(|_| "Opinion (1 to 4.5)".to_owned());
        let score = several.then(|| "Score (%)".to_owned());
        let heads = [String::new(), "Service".to_owned()].into_iter().chain(applications).chain(opinion).chain(score);
        heads.chain(["Against the best (%)".to_owned(), String::new()]).collect()
    }

    fn line(&self, stage: &Stage, index: usize, standing: &Standing) -> Vec<String> {
        let several = self.question.applications.len() > 1;
        let score = several.then(|| {
            let Summary { mean, half_width, .. } = standing.score;
            percentage_with_half_width(mean * 100.0, half_width.map(|width| width * 100.0))
        });
        let said = match standing.verdict {
            Verdict::Advised => "advised",
            Verdict::AsGood => "as good",
            Verdict::NotTold => "no significant difference",
            Verdict::Behind => "",
        };
        let difference = standing.difference.as_ref().map_or_else(|| "the best".to_owned(), percent);
        let start = [(index + 1).to_string(), stage.label(standing).to_owned()];
        start
            .into_iter()
            .chain(self.question.applications.iter().zip(&standing.values).map(shown))
            .chain(self.opinion(standing))
            .chain(score)
            .chain([difference, said.to_owned()])
            .collect()
    }
}

/// What an application has.
fn shown((application, value): (&Application, &Option<Summary>)) -> String {
    let is_percentage = application.quantity().is_some_and(|quantity| quantity.is_percentage());
    let text = if is_percentage { percentage_with_half_width } else { with_half_width };
    value.map_or_else(|| "none".to_owned(), |found| text(found.mean, found.half_width))
}

impl Advice {
    /// How late a packet of a call may be, where calls are judged.
    fn hears_within(&self) -> Option<Span> {
        self.link.within.filter(|_| self.question.applications.contains(&Application::Media))
    }

    /// What people would think of a call with a candidate.
    fn opinion(&self, standing: &Standing) -> Option<String> {
        let within = self.hears_within()?;
        let place = self.question.applications.iter().position(|one| *one == Application::Media)?;
        let in_time = standing.values.get(place)?.as_ref()?.mean / 100.0;
        Some(format!("{:.2}", mean_opinion_score(within, 1.0 - in_time)))
    }
}

impl Stage {
    /// What is decided: `the service of media`.
    #[must_use]
    pub fn what(&self) -> String {
        match &self.class {
            None => "The default service".to_owned(),
            Some(class) => format!("The service of the class {class}"),
        }
    }

    /// How much it rests on, and why no more was run.
    #[must_use]
    pub fn how(&self) -> String {
        let counts = || self.standings.iter().map(|standing| standing.score.n);
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let replications =
            if least == most { format!("{most} replications") } else { format!("{least} to {most} replications") };
        let why = match self.ended {
            Ended::Decided => "all others are significantly behind".to_owned(),
            Ended::Alike => format!("the remaining candidates are within {MARGIN_PERCENT} % of the best"),
            Ended::Replications => "the limit of replications is reached".to_owned(),
            Ended::Events => "the limit of simulated events is reached".to_owned(),
            Ended::NothingArrived => "nothing arrived".to_owned(),
            Ended::Stopped => "stopped".to_owned(),
        };
        format!("{replications}: {why}")
    }
}

/// A packet's length in words.
fn octets(length: Octets) -> String {
    format!("{} octets", length.as_u64())
}

fn percent(share: &Summary) -> String {
    with_half_width(share.mean * 100.0, share.half_width.map(|width| width * 100.0))
}

impl std::fmt::Display for Caution {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotTold { class, others } => {
                let plural = if *others == 1 { "one other does".to_owned() } else { format!("{others} others do") };
                let of = class.as_ref().map_or_else(String::new, |class| format!(" for the class {class}"));
                write!(out, "{plural} not differ significantly from the best{of}; more --replications may decide")
            }
            Self::FewLosses(seen) => {
                let plural = if *seen == 1 { "once" } else { "times" };
                let seen = if *seen == 1 { String::new() } else { format!("{seen} ") };
                write!(
                    out,
                    "the link lost frames only {seen}{plural} in all runs of the best, too few to judge its errors; use more --replications, or a longer file"
                )
            }
            Self::Window(window, room) => write!(
                out,
                "TCP's window of {window} packets does not fill the link, which holds {room}: `tcp.maximum-window` matters more than any service"
            ),
            Self::Cut(cut, all) => write!(
                out,
                "{cut} of {all} runs ended before the file transfer was complete; their throughput covers the time they had"
            ),
            Self::Stopped => write!(out, "it was stopped: the ranking rests on the finished runs"),
        }
    }
}
