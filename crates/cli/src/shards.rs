//! Finished runs, kept as pieces in `DIR/pieces`: to resume a study, and to share one among machines.

use crate::failure::Failure;
use crate::study::{Running, Runs, as_typed};
use crate::terminal::note;
use arqway_lab::output_folder::OutputFolder;
use arqway_lab::run::partial::{Manifest, Refused, ResultStore, Shard, folder_of};
use arqway_lab::run::plan::Plan;
use std::collections::BTreeMap;
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

/// Runs one share of the plans of a command, and writes its pieces next to the command's words and files.
pub(crate) fn shard(
    words: &[String],
    files: BTreeMap<String, String>,
    plans: &[&Plan],
    shard: Shard,
    running: &Running,
    out: &Path,
) -> Result<(), Failure> {
    let shares = shard.runs_of(plans);
    let mut runs = Runs::new(running.jobs(), shares.iter().map(Vec::len).sum())?;
    let _locked = OutputFolder::share(out)?;
    Manifest::new(words.to_vec(), shard.of(), files).write(out)?;
    runs.store = Some(open(out)?);
    for (plan, share) in plans.iter().zip(&shares) {
        runs.run(plan, share)?;
    }
    runs.finish();
    runs.summarise();
    let out = out.display();
    runs.unless_stopped(&format!(
        " and kept; to finish shard {shard}: arqway {} --shard {shard} --out {out}",
        as_typed(words)
    ))?;
    note(format_args!("shard {shard} is in {out}/pieces; when all shards are there: arqway merge {out}"));
    Ok(())
}
