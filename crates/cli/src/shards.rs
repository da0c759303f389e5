//! Finished runs, kept as pieces in `DIR/pieces`: to resume a study, and to share one among machines.

use crate::study::{Failure, Options, Plans, Runs, Study, as_typed};
use crate::terminal::note;
use arqway_lab::run::partial::{Manifest, Refused, ResultStore, Shard, folder_of};
use std::path::Path;

/// Opens the pieces in a folder of results; reports files that are not pieces.
pub(crate) fn open(out: &Path) -> Result<ResultStore, Failure> {
    let (store, refused) = ResultStore::open(&[folder_of(out)])?;
    report_refused(&refused);
    Ok(store)
}

/// Reports the files that were refused as pieces.
pub(crate) fn report_refused(refused: &[Refused]) {
    for refused in refused {
        note(format_args!("{refused}; its runs will be repeated"));
    }
}

/// Runs one share of a study, and writes its pieces next to the study's command line.
pub(crate) fn shard(study: &Study, plans: &Plans, shard: Shard, options: &Options) -> Result<(), Failure> {
    if options.until.is_some() {
        let reason = "--until needs the results of all shards, and a shard has only its own";
        return Err(Failure::Usage(format!("{reason}; use --replications N")));
    }
    let out = &options.out;
    let question = Manifest::new(study.words.clone(), shard.of(), study.files.clone());
    question.write(out)?;
    let shares = shard.runs_of(&plans.all());
    let mut runs = Runs::new(options.running.jobs(), shares.iter().map(Vec::len).sum())?;
    runs.store = Some(open(out)?);
    for (plan, share) in plans.all().into_iter().zip(&shares) {
        runs.run(plan, share)?;
    }
    runs.finish();
    runs.summarise();
    let out = out.display();
    if runs.is_stopped() {
        let again = format!("arqway {} --shard {shard} --out {out}", as_typed(&study.words));
        return Err(Failure::Failed(format!("to finish shard {shard}: {again}")));
    }
    note(format_args!("shard {shard} is in {out}/pieces; when all shards are there: arqway merge {out}"));
    Ok(())
}
