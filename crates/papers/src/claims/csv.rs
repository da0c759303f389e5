//! `claims.csv`: a row a claim.

use super::Judgement;
use super::line::{COLUMNS, Line};
use std::io::{self, Write};

/// Writes the verdicts; a cell without a number is empty.
///
/// # Errors
/// What the writer says.
pub fn write_csv(judgements: &[Judgement], output: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(COLUMNS)?;
    for Line { id, kind, verdict, paper, ours, low, high, inferred, note } in judgements.iter().map(Line::of) {
        let [paper, ours, low, high] =
            [paper, ours, low, high].map(|value| value.map_or_else(String::new, |value| value.to_string()));
        writer.write_record([&id, kind, &verdict, &paper, &ours, &low, &high, &inferred, &note])?;
    }
    writer.flush()
}
