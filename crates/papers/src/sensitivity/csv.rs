//! `sensitivity.csv`: a row a verdict.

use super::matrix::{AlternativeFinding, Line, Matrix, number, verdict};
use crate::claims::Judgement;
use std::io::{self, Write};

/// The columns, in their order.
const COLUMNS: [&str; 11] = [
    "paper",
    "parameter",
    "alternative",
    "claim",
    "kind",
    "verdict",
    "plain_verdict",
    "number",
    "plain_number",
    "part",
    "touched",
];

/// Writes the verdicts of all alternatives. Numbers are in percent or in the unit of a value, as in `claims.csv`; what has
/// none is empty. `touched` is `no` where no cell of the claim is another than in the plain world.
///
/// # Errors
/// What the writer says.
pub fn write_csv(matrices: &[Matrix], output: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(COLUMNS)?;
    for matrix in matrices {
        for found in &matrix.alternatives {
            for line in matrix.lines() {
                writer.write_record(row(matrix, found, line))?;
            }
        }
    }
    writer.flush()
}

fn row(matrix: &Matrix, found: &AlternativeFinding, line: Line) -> [String; COLUMNS.len()] {
    let claim = matrix.claim(line);
    let ours = |judgements: &[Judgement]| {
        let ours = number(judgements, line).and_then(|number| number.ours);
        ours.map_or_else(String::new, |ours| ours.value.to_string())
    };
    [
        matrix.paper.clone(),
        matrix.parameter(found).name.clone(),
        found.label.clone(),
        claim.about.id.clone(),
        claim.kind().to_owned(),
        verdict(&found.judgements, line).to_string(),
        verdict(&matrix.plain, line).to_string(),
        ours(&found.judgements),
        ours(&matrix.plain),
        line.part.name().to_owned(),
        if found.touched[line.claim] { "yes" } else { "no" }.to_owned(),
    ]
}
