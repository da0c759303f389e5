//! A verdict as a line of `claims.csv`, before it is text.

use super::Judgement;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use std::sync::Arc;

/// The columns, in their order.
pub(super) const COLUMNS: [&str; 9] = ["id", "kind", "verdict", "paper", "ours", "low", "high", "inferred", "note"];

/// One line; the fields are its columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) verdict: String,
    pub(super) paper: Option<f64>,
    pub(super) ours: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) inferred: String,
    pub(super) note: String,
}

impl Line {
    pub(super) fn of(judgement: &Judgement) -> Self {
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

/// The verdicts as columns in memory; what `claims.csv` leaves empty is null.
///
/// # Errors
/// None that verdicts could cause.
pub fn batch(judgements: &[Judgement]) -> Result<RecordBatch, ArrowError> {
    let lines: Vec<Line> = judgements.iter().map(Line::of).collect();
    let words = |of: fn(&Line) -> &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(lines.iter().map(of))) };
    let numbers =
        |of: fn(&Line) -> Option<f64>| -> ArrayRef { Arc::new(Float64Array::from_iter(lines.iter().map(of))) };
    let field = |name: &'static str| match name {
        "paper" | "ours" | "low" | "high" => Field::new(name, DataType::Float64, true),
        _ => Field::new(name, DataType::Utf8, false),
    };
    let columns = vec![
        words(|line| &line.id),
        words(|line| line.kind),
        words(|line| &line.verdict),
        numbers(|line| line.paper),
        numbers(|line| line.ours),
        numbers(|line| line.low),
        numbers(|line| line.high),
        words(|line| &line.inferred),
        words(|line| &line.note),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(COLUMNS.map(field).to_vec())), columns)
}
