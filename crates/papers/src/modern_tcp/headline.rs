//! One figure in a few numbers: at the point where its schemes are farthest apart, what each of them gets with either TCP, and
//! how far it lies above the raw link. Schemes that the paper does not have are not among the best.

use arqway_lab::figure::number;
use arqway_lab::report::means_table::MeansTable;
use arqway_lab::results::stats::Summary;

/// A figure with both TCPs.
#[derive(Debug)]
pub(super) struct Headline {
    /// `fig18`
    pub(super) figure: String,
    /// `Throughput (kbit/s) at 5.4`
    pub(super) at: String,
    /// The lead of the best scheme over the raw link, then and today; none where there is no raw link.
    pub(super) best: Option<Best>,
    /// A scheme each.
    pub(super) schemes: Vec<SchemeLine>,
}

/// The best scheme's lead over the raw link, as a share of the latter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub(super) then: f64,
    pub(super) today: f64,
    /// Whether some scheme's interval lies above the raw link's today.
    pub(super) is_apart: bool,
}

#[derive(Debug)]
pub(super) struct SchemeLine {
    pub(super) label: String,
    pub(super) then: String,
    pub(super) today: String,
    pub(super) lead_then: String,
    pub(super) lead_today: String,
}

/// The means of both worlds at one point, a scheme each.
struct Point<'a> {
    then: &'a [Option<Summary>],
    today: &'a [Option<Summary>],
    /// How many of them are the paper's: those that were added stand behind these.
    of_paper: usize,
}

impl Headline {
    /// None where no point has means of both.
    pub(super) fn new(figure: &str, then: &MeansTable, today: &MeansTable, of_paper: usize) -> Option<Self> {
        if then.is_series || then.points.len() != today.points.len() {
            return None;
        }
        let points = then.means.iter().zip(&today.means).map(|(then, today)| Point { then, today, of_paper });
        let raw = then.schemes.iter().position(|label| label.to_lowercase().starts_with("raw"));
        let farthest = points.enumerate().max_by(|(_, one), (_, other)| one.spread(raw).total_cmp(&other.spread(raw)));
        let (index, point) = farthest.filter(|(_, point)| point.spread(raw) > 0.0)?;
        let label = then.y_label.to_lowercase();
        let more_is_better = ["throughput", "utilisation"].iter().any(|word| label.contains(word));
        Some(Self {
            figure: figure.to_owned(),
            at: format!("{}, {} {}", then.y_label, then.x_label, number::typed(then.points[index])),
            best: raw.filter(|_| more_is_better).and_then(|raw| point.best(raw)),
            schemes: then.schemes.iter().enumerate().map(|(index, label)| point.line(index, label, raw)).collect(),
        })
    }
}

impl Point<'_> {
    /// How far a scheme's mean with the papers' TCP lies from the raw link's at most, or the highest from the lowest.
    fn spread(&self, raw: Option<usize>) -> f64 {
        let means = || self.then.iter().take(self.of_paper).flatten().map(|summary| summary.mean);
        let (low, high) = (means().fold(f64::INFINITY, f64::min), means().fold(0.0, f64::max));
        let base = raw.and_then(|raw| self.then.get(raw).copied().flatten()).map_or(low, |raw| raw.mean);
        if base > 0.0 && base.is_finite() { (high - base).max(base - low) / base } else { 0.0 }
    }

    fn best(&self, raw: usize) -> Option<Best> {
        let of = |means: &[Option<Summary>]| {
            let raw_mean = means.get(raw).copied().flatten()?;
            let of_paper = means.iter().take(self.of_paper).enumerate();
            let others = of_paper.filter(|(index, _)| *index != raw).filter_map(|(_, found)| *found);
            let best = others.max_by(|one, other| one.mean.total_cmp(&other.mean))?;
            let ends = |summary: Summary| summary.half_width.map(|half| (summary.mean - half, summary.mean + half));
            let is_apart = ends(best).zip(ends(raw_mean)).is_some_and(|((low, _), (_, high))| low > high);
            (raw_mean.mean > 0.0).then_some((best.mean / raw_mean.mean - 1.0, is_apart))
        };
        let ((then, _), (today, is_apart)) = (of(self.then)?, of(self.today)?);
        Some(Best { then, today, is_apart })
    }

    fn line(&self, index: usize, label: &str, raw: Option<usize>) -> SchemeLine {
        let text = |means: &[Option<Summary>]| {
            let found = means.get(index).copied().flatten();
            found.map_or_else(String::new, |found| number::with_half_width(found.mean, found.half_width))
        };
        let lead = |means: &[Option<Summary>]| {
            let of = |index: usize| means.get(index).copied().flatten().map(|found| found.mean);
            let lead = raw.filter(|raw| *raw != index).and_then(|raw| Some(of(index)? / of(raw)? - 1.0));
            lead.filter(|lead| lead.is_finite()).map_or_else(String::new, percent)
        };
        SchemeLine {
            label: label.to_owned(),
            then: text(self.then),
            today: text(self.today),
            lead_then: lead(self.then),
            lead_today: lead(self.today),
        }
    }
}

/// `+43 %`
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = if percent.abs() < 10.0 { 1 } else { 0 };
    let text = format!("{percent:+.digits$}");
    let reads: f64 = text.parse().unwrap_or(percent);
    if reads == 0.0 || reads.abs() == 100.0 {
        let sign = if share > 0.0 { "+" } else { "" };
        return format!("{sign}{} %", number::percentage(percent, 1));
    }
    format!("{} %", text.replace('-', "−"))
}
