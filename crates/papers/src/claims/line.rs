//! A verdict as a line of `claims.csv`, before it is text.

use super::Judgement;

/// The columns, in their order.
pub(super) const COLUMNS: [&str; 9] = ["id", "kind", "verdict", "paper", "ours", "low", "high", "inferred", "note"];

/// One line; the fields are its columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The claim's id.
    pub id: String,
    /// Its kind, as its file has it.
    pub kind: &'static str,
    /// The verdict.
    pub verdict: String,
    /// The paper's number.
    pub paper: Option<f64>,
    /// Our number.
    pub ours: Option<f64>,
    /// Where our 95 % interval begins.
    pub low: Option<f64>,
    /// Where it ends.
    pub high: Option<f64>,
    /// What of the claim was inferred, not read.
    pub inferred: String,
    /// Why the verdict is what it is.
    pub note: String,
}

impl Line {
    /// The line of a verdict.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Self {
        let claim = &judgement.claim;
        let ours = judgement.number.and_then(|number| number.ours);
        let end = |sign: f64| ours.and_then(|ours| Some(ours.value + sign * ours.half_width?));
        Self {
            id: claim.about.id.clone(),
            kind: claim.kind(),
            verdict: judgement.verdict().to_string(),
            paper: judgement.number.map(|number| number.paper),
            ours: ours.map(|ours| ours.value),
            low: end(-1.0),
            high: end(1.0),
            inferred: claim.about.inferred.join(" "),
            note: judgement.explained(),
        }
    }
}
