//! Two figures: how many runs of losses, and how many gaps between them, are at least so long; seen, and by each family.

use super::runs::{Runs, survival};
use super::{Fit, Fitted};
use arqway_lab::figure::{Axis, Curve, Figure, Point, Scale};

impl Fit {
    /// The runs of losses, and the gaps between them.
    #[must_use]
    pub fn figures(&self) -> [Figure; 2] {
        [
            self.figure("fit-runs", "Runs of losses", "Frames lost in a row, at least", "Share of runs", |runs| {
                &runs.lost
            }),
            self.figure(
                "fit-gaps",
                "Gaps between losses",
                "Frames arrived in a row, at least",
                "Share of gaps",
                |runs| &runs.arrived,
            ),
        ]
    }

    fn figure(&self, id: &str, what: &str, x: &str, y: &str, lengths: fn(&Runs) -> &Vec<u32>) -> Figure {
        let seen = lengths(&self.runs);
        // Beyond, a family may have something where a trace of this length has nothing.
        let least = 0.3 / seen.len().max(1) as f64;
        let longest = seen.last().copied().unwrap_or(1).saturating_mul(2);
        let curve = |label: String, lengths: &[u32]| {
            let points = ladder(longest).map(|length| (length, survival(lengths, length)));
            let points = points.filter(|(_, share)| *share >= least).map(|(length, share)| Point {
                x: f64::from(length),
                y: share,
                half_width: None,
                deviation: None,
            });
            Curve { scheme: label.clone(), label, points: points.collect() }
        };
        let mut curves = vec![curve("seen".to_owned(), seen)];
        for (index, Fitted { estimate, check }) in self.families.iter().enumerate() {
            curves.push(curve(estimate.family.label(index == self.best), lengths(&check.simulated)));
        }
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Logarithmic, from_zero: false };
        Figure {
            id: id.to_owned(),
            title: format!("{what}: {}", self.name),
            x: axis(x),
            y: axis(y),
            curves,
            marks: Vec::new(),
            difference: None,
            source: String::new(),
            caption: format!(
                "{} frames, {} lost; each family as fitted, sending the same frames at the same times",
                self.frames, self.lost
            ),
        }
    }
}

/// Every length up to ten, then twelve a decade.
fn ladder(longest: u32) -> impl Iterator<Item = u32> {
    let steps = (0u32..).map(|step| (10.0 * libm::pow(10.0, f64::from(step) / 12.0)).round());
    let steps = steps.map(|length| length as u32);
    (1..10).chain(steps).take_while(move |length| *length <= longest)
}
