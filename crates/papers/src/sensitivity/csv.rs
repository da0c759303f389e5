//! `sensitivity.csv`: a row a verdict.

use super::matrix::{AlternativeFinding, Line, Matrix, number, verdict};
use crate::claims::Judgement;
use arqway_lab::results::rows::quoted;
use std::io::{self, Write};

/// Writes the verdicts of all alternatives. Numbers are in percent or in the unit of a value, as in `claims.csv`; what has
/// none is empty. `touched` is `no` where no cell of the claim is another than in the plain world.
///
/// # Errors
/// What the writer says.
pub fn write_csv(matrices: &[Matrix], mut output: impl Write) -> io::Result<()> {
    writeln!(output, "paper,parameter,alternative,claim,kind,verdict,plain_verdict,number,plain_number,part,touched")?;
    for matrix in matrices {
        for found in &matrix.alternatives {
            for line in matrix.lines() {
                let row = row(matrix, found, line);
                writeln!(output, "{}", row.each_ref().map(|cell| quoted(cell)).join(","))?;
            }
        }
    }
    Ok(())
}

fn row(matrix: &Matrix, found: &AlternativeFinding, line: Line) -> [String; 11] {
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
