//! Runs that are kept as pieces, in `DIR/pieces`: to go on where a study was interrupted, and to share it among machines.

use crate::study::{Failure, Options, Plans, Runs, Study, as_typed};
use crate::terminal::tell;
use arqway_lab::run::partial::{Manifest, Refused, ResultStore, Shard, folder_of};
use std::path::Path;

/// The pieces in a folder of results; those that are none are told.
pub(crate) fn open(out: &Path) -> Result<ResultStore, Failure> {
    let (store, refused) = ResultStore::open(&[folder_of(out)]).map_err(Failure::Output)?;
    tell_refused(&refused);
    Ok(store)
}

/// Says which files are no pieces, and what becomes of their runs.
pub(crate) fn tell_refused(refused: &[Refused]) {
    for refused in refused {
        tell(format_args!("{refused}; its runs are run again"));
    }
}

/// Runs one share of a study, and leaves its pieces beside what was asked.
pub(crate) fn shard(study: &Study, plans: &Plans, shard: Shard, options: &Options) -> Result<(), Failure> {
    if options.until.is_some() {
        let reason = "--until decides by all results how many replications follow, and a shard has only its own";
        return Err(Failure::Usage(format!("{reason}: give the number, as --replications N")));
    }
    let out = &options.out;
    let question = Manifest::new(study.words.clone(), shard.of(), study.files.clone());
    question.lay(out)?;
    let shares = shard.runs_of(&plans.all());
    let mut runs = Runs::new(options.running.jobs(), shares.iter().map(Vec::len).sum())?;
    runs.store = Some(open(out)?);
    for (plan, share) in plans.all().into_iter().zip(&shares) {
        runs.run(plan, share)?;
    }
    runs.finish();
    runs.tell();
    let out = out.display();
    if runs.is_stopped() {
        let again = format!("arqway {} --shard {shard} --out {out}", as_typed(&study.words));
        return Err(Failure::Stopped(format!("the rest of shard {shard}: {again}")));
    }
    tell(format_args!("shard {shard} is in {out}/pieces; when all are there: arqway merge {out}"));
    Ok(())
}
