//! `claims.csv`: a row a claim.

use super::Judgement;
use super::line::{COLUMNS, Line};
use arqway_lab::results::rows::quoted;
use std::io::{self, Write};

/// Writes the verdicts; a cell without a number is empty.
///
/// # Errors
/// What the writer says.
pub fn write_csv(judgements: &[Judgement], mut output: impl Write) -> io::Result<()> {
    writeln!(output, "{}", COLUMNS.join(","))?;
    for Line { id, kind, verdict, paper, ours, low, high, inferred, note } in judgements.iter().map(Line::of) {
        let [paper, ours, low, high] =
            [paper, ours, low, high].map(|value| value.map_or_else(String::new, |value| value.to_string()));
        let cells = [&id, kind, &verdict, &paper, &ours, &low, &high, &inferred, &note];
        writeln!(output, "{}", cells.map(|cell| quoted(cell)).join(","))?;
    }
    Ok(())
}
