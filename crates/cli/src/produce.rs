//! From a study to its results: runs what is missing, prints tables, writes files, and compares verdicts with the recorded ones.

use crate::failure::Failure;
use crate::shards;
use crate::study::{Options, Plans, Runs, Study};
use crate::terminal::{note, print};
use arqway_lab::experiment::Effort;
use arqway_lab::output_folder::OutputFolder;
use arqway_lab::run::precision::UnsettledMean;
use arqway_papers::Judged;
use arqway_papers::claims::Difference;
use arqway_units::Ratio;

/// Runs experiments, prints their tables and writes their files; or one share of the runs.
pub(crate) fn produce(study: Study, options: &Options) -> Result<(), Failure> {
    let plans = Plans::new(&study)?;
    if plans.plain.runs.is_empty() {
        return Err(Failure::Usage("there is nothing to run".to_owned()));
    }
    if options.until.is_some() && plans.plain.experiments.iter().all(|experiment| experiment.figures.is_empty()) {
        let reason = "--until settles the means of figures, and this experiment has no [[figure]]";
        return Err(Failure::Usage(reason.to_owned()));
    }
    if let Some(shard) = options.pieces.shard {
        if options.until.is_some() {
            let reason = "--until needs the results of all shards, and a shard has only its own";
            return Err(Failure::Usage(format!("{reason}; use --replications N")));
        }
        return shards::shard(&study.words, study.files, &plans.all(), shard, &options.running, &options.out);
    }
    let mut runs = Runs::new(options.running.jobs(), plans.runs())?;
    // Before the first run: a folder that cannot be written should not cost hours of results.
    let _locked = OutputFolder::take(&options.out, &Judged::FILES)?;
    if options.pieces.resume {
        runs.store = Some(shards::open(&options.out)?);
    }
    conclude(study, plans, runs, options)
}

/// Runs what is missing, prints tables and writes files.
pub(crate) fn conclude(study: Study, plans: Plans, mut runs: Runs, options: &Options) -> Result<(), Failure> {
    let Study { claims, header, strict, on_a_screen, .. } = study;
    let Plans { plain: mut plan, other_seeds, today } = plans;
    let (results, wide) = runs.all(&mut plan, options.until)?;
    if results.finished() == 0 {
        return Err(Failure::Nothing);
    }
    let mut judged = Judged::new(&plan, &results, &claims);
    judged.other_seeds = runs.other_seeds(&other_seeds, &claims)?;
    let sections = today.map_or(Ok(Vec::new()), |today| runs.today(&today, &plan, &mut judged))?;
    runs.finish();
    judged.write(&plan, &header, &options.out)?;
    print(&match &on_a_screen {
        Some((recorded, effort)) => judged.to_screen(recorded, *effort, &options.out),
        None => judged.to_text(&plan),
    })?;
    sections.iter().try_for_each(|section| print(&format!("\n{}", section.text)))?;
    if let Some(share) = options.until {
        report_wide(&wide, share);
    }
    runs.summarise();
    if plan.spared() > 0 && on_a_screen.is_none() {
        note(format_args!("{} more runs were not needed, because figures share cells", plan.spared()));
    }
    note(format_args!("report, figures and rows are in {}", options.out.display()));
    let not_compared = if strict.is_some() { "; the verdicts were not compared with the recorded ones" } else { "" };
    runs.unless_stopped(&format!(" and kept{not_compared}"))?;
    let differences = strict.map(|(record, effort)| (record.differences(&judged.judgements, effort), effort));
    match differences {
        Some((differences, effort)) if !differences.is_empty() => Err(Failure::Failed(differing(&differences, effort))),
        _ => Ok(()),
    }
}

/// Says which means `--until` did not settle.
fn report_wide(wide: &[UnsettledMean], share: Ratio) {
    if !wide.is_empty() {
        note(format_args!("these means are not within {share}:"));
    }
    for wide in wide {
        note(format_args!("  {wide}"));
    }
}

/// The verdicts that differ, and the lines that would record them.
fn differing(differences: &[Difference], effort: Effort) -> String {
    let plural = if differences.len() == 1 { "verdict differs" } else { "verdicts differ" };
    let mut text = format!("{} {plural} from the recorded ones:\n", differences.len());
    for difference in differences {
        text.push_str(&format!("  {difference}\n"));
    }
    let table = if effort == Effort::Quick { "quick" } else { "full" };
    text.push_str(&format!("to record the new verdicts, write into claims/recorded/PAPER.toml, under [{table}]:"));
    for difference in differences {
        text.push_str(&format!("\n{}", difference.line()));
    }
    text
}
