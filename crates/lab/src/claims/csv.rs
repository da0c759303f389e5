//! `claims.csv`: a row a claim.

use super::Judgement;
use crate::rows::quoted;
use std::io::{self, Write};

/// Writes the verdicts; a cell without a number is empty.
///
/// # Errors
/// What the writer says.
pub fn write_csv(judgements: &[Judgement], mut output: impl Write) -> io::Result<()> {
    writeln!(output, "id,kind,verdict,paper,ours,low,high,inferred,note")?;
    for judgement in judgements {
        let claim = &judgement.claim;
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let ours = judgement.number.and_then(|number| number.ours);
        let end = |sign: f64| ours.and_then(|ours| Some(ours.value + sign * ours.half_width?));
        let cells = [
            claim.about.id.clone(),
            claim.kind().to_owned(),
            judgement.verdict().to_string(),
            number(judgement.number.map(|number| number.paper)),
            number(ours.map(|ours| ours.value)),
            number(end(-1.0)),
            number(end(1.0)),
            claim.about.inferred.join(" "),
            judgement.explained(),
        ];
        writeln!(output, "{}", cells.each_ref().map(|cell| quoted(cell)).join(","))?;
    }
    Ok(())
}
