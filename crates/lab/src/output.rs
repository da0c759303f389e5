//! What a run leaves behind: rows, figures, a report. Nothing in it depends on wall time, host, path, threads or
//! order of runs: same version, same arguments, same bytes.

use crate::experiment::{Experiment, FigurePlan};
use crate::figure::png;
use crate::page::Page;
use crate::plan::Plan;
use crate::present::MeansTable;
use crate::report::{FigureVerdicts, VerdictLine, Verdicts};
use crate::rows::{self, Row};
use crate::run::Results;
use parquet::errors::ParquetError;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version that results carry.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a run has to say.
#[derive(Debug)]
pub struct Findings {
    /// All rows, each once.
    pub rows: Vec<Row>,
    /// The figures, in the order in which they were asked for.
    pub figures: Vec<FigureFinding>,
}

/// One figure and its table.
#[derive(Debug)]
pub struct FigureFinding {
    /// As in its file name: `monet08-fig3`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Means and intervals.
    pub table: MeansTable,
    /// The drawing.
    pub svg: String,
    /// Which experiment of the plan it belongs to.
    pub experiment: usize,
    /// The figure's own name, as claims have it: `fig3`.
    pub name: String,
}

impl FigureFinding {
    /// A figure of an experiment, which is the plan's `index`-th, and has these rows.
    fn new(experiment: &Experiment, index: usize, figure: &FigurePlan, rows: &[Row]) -> Self {
        let table = MeansTable::new(experiment, figure, rows);
        let id = format!("{}-{}", experiment.paper, figure.id);
        let svg = table.figure(experiment, &id).to_svg();
        Self { id, title: experiment.title.clone(), table, svg, experiment: index, name: figure.id.clone() }
    }

    /// The drawing as a PNG file.
    ///
    /// # Errors
    /// What the renderer says.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        png::to_png(&self.svg, png::SCALE).map_err(|source| OutputError::Png { id: self.id.clone(), source })
    }
}

/// What the report says beside the results.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its heading.
    pub title: String,
    /// What to type to get it again.
    pub command: String,
    /// The command for one figure, if there is one, with `PAPER` and `FIGURE` in place of their names.
    pub figure_command: Option<String>,
    /// What a reader must know of all of it; empty if nothing.
    pub note: String,
}

impl Frame {
    /// Around the results of one experiment; `command` is what to type for them.
    #[must_use]
    pub fn of_run(title: &str, command: String) -> Self {
        Self { title: title.to_owned(), command, figure_command: None, note: String::new() }
    }
}

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file or a folder.
    #[error("cannot write {path}: {source}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file or a folder that is to be read again.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The rows as Parquet.
    #[error("cannot write rows as Parquet: {0}")]
    Parquet(String),
    /// A figure as PNG.
    #[error("cannot draw {id}: {source}")]
    Png {
        /// Of which figure.
        id: String,
        /// What the renderer said.
        source: png::PngError,
    },
    /// The report.
    #[error("cannot write the report: {0}")]
    Report(#[from] askama::Error),
}

/// Makes the folder that results go into, and looks whether files can be written there. What is in it stays as it is.
///
/// # Errors
/// What could not be written, and why.
pub fn prepare(directory: &Path) -> Result<(), OutputError> {
    prepare_for(directory, "rows.csv")
}

/// The same where results are in another file.
///
/// # Errors
/// What could not be written, and why.
pub fn prepare_for(directory: &Path, file: &str) -> Result<(), OutputError> {
    make(&directory.join("figures"))?;
    prepare_without_figures(directory, file)
}

/// The same where there is no folder of figures.
///
/// # Errors
/// What could not be written, and why.
pub fn prepare_without_figures(directory: &Path, file: &str) -> Result<(), OutputError> {
    make(directory)?;
    let file = directory.join(file);
    let is_new = !file.exists();
    let tried = fs::File::options().append(true).create(true).open(&file).map(drop);
    let tried = tried.and_then(|()| if is_new { fs::remove_file(&file) } else { Ok(()) });
    tried.map_err(|source| OutputError::File { path: file, source })
}

impl Findings {
    /// Makes tables and figures from the results of a plan.
    #[must_use]
    pub fn new(plan: &Plan, results: &Results) -> Self {
        let mut figures = Vec::new();
        let rows = each_once(plan.experiments.iter().enumerate().map(|(index, experiment)| {
            let rows = results.rows(plan, index);
            figures
                .extend(experiment.figures.iter().map(|figure| FigureFinding::new(experiment, index, figure, &rows)));
            rows
        }));
        Self { rows, figures }
    }

    /// The tables and verdicts for a terminal.
    #[must_use]
    pub fn to_text(&self, plan: &Plan, verdicts: &Verdicts) -> String {
        let page = Page { findings: self, plan, verdicts };
        let mut text = String::new();
        for figure in &self.figures {
            text.push_str(&format!(
                "{}: {} ({})\n{}",
                figure.id,
                figure.title,
                figure.table.replications_text(),
                figure.table.to_text()
            ));
            let FigureVerdicts { table, lines } = page.verdicts_on(figure);
            text.extend(table.map(|table| table.to_text()));
            text.extend(lines.iter().map(VerdictLine::to_text));
            text.push('\n');
        }
        text + &page.scores_text()
    }

    /// Writes rows, figures and the report into `directory`.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub fn write(&self, plan: &Plan, verdicts: &Verdicts, frame: &Frame, directory: &Path) -> Result<(), OutputError> {
        let figures = directory.join("figures");
        make(&figures)?;
        write_rows(&self.rows, &frame.command, directory)?;
        for figure in &self.figures {
            save(&figures.join(format!("{}.svg", figure.id)), figure.svg.as_bytes())?;
            save(&figures.join(format!("{}.png", figure.id)), &figure.png()?)?;
        }
        save(&directory.join("report.html"), self.report(plan, verdicts, frame)?.as_bytes())
    }

    /// The report as HTML.
    ///
    /// # Errors
    /// The template's.
    pub fn report(&self, plan: &Plan, verdicts: &Verdicts, frame: &Frame) -> Result<String, OutputError> {
        Ok(Page { findings: self, plan, verdicts }.report(frame).to_html()?)
    }
}

/// Writes the rows both ways; `command` is what to type for them.
pub fn write_rows(all: &[Row], command: &str, directory: &Path) -> Result<(), OutputError> {
    let path = directory.join("rows.csv");
    let written = fs::File::create(&path).and_then(|file| {
        let mut file = BufWriter::new(file);
        rows::write_csv(all, &mut file)?;
        file.flush()
    });
    written.map_err(|source| OutputError::File { path, source })?;
    let path = directory.join("rows.parquet");
    let file = fs::File::create(&path).map_err(|source| OutputError::File { path: path.clone(), source })?;
    let metadata = [("version", VERSION.to_owned()), ("command", command.to_owned())];
    let metadata = metadata.map(|(key, value)| (format!("arqway.{key}"), value));
    rows::write_parquet(all, &metadata, file).map_err(|error| not_written(path, error))
}

/// What the Parquet writer says: mostly what the system has said to it.
fn not_written(path: PathBuf, error: ParquetError) -> OutputError {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => OutputError::File { path, source: *source },
            Err(other) => OutputError::Parquet(other.to_string()),
        },
        other => OutputError::Parquet(other.to_string()),
    }
}

/// The rows of experiments, one experiment after the other: those that show the same cell share its rows.
pub fn each_once(of_experiments: impl Iterator<Item = Vec<Row>>) -> Vec<Row> {
    let mut all = Vec::new();
    let mut known: BTreeMap<CellKey, u64> = BTreeMap::new();
    for rows in of_experiments {
        let mut here: BTreeMap<CellKey, u64> = BTreeMap::new();
        for row in rows {
            let key = CellKey::of(&row);
            let digest = here.get(&key).copied().unwrap_or_default().wrapping_add(digest(&row));
            let is_new = !known.contains_key(&key);
            here.insert(key, digest);
            if is_new {
                all.push(row);
            }
        }
        for (cell, digest) in here {
            let earlier = *known.entry(cell.clone()).or_insert(digest);
            debug_assert!(earlier == digest, "two cells that no column tells apart: {cell:?}");
        }
    }
    all
}

/// What tells the runs of a cell from others in the rows of an application.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct CellKey {
    words: [Arc<str>; 6],
    rate_bps: u64,
    connections: u32,
    point: u64,
}

impl CellKey {
    fn of(row: &Row) -> Self {
        let words = [&row.paper, &row.app, &row.errors, &row.beside, &row.scheme, &row.variant].map(Arc::clone);
        Self { words, rate_bps: row.rate_bps, connections: row.connections, point: row.point.to_bits() }
    }
}

/// What a row says, so that the sum over a cell's rows hangs on all of them and not on their order.
fn digest(row: &Row) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&row.metric, row.replication, row.value.to_bits()).hash(&mut hasher);
    hasher.finish()
}

/// Makes a folder, and those above it.
pub fn make(folder: &Path) -> Result<(), OutputError> {
    fs::create_dir_all(folder).map_err(|source| OutputError::File { path: folder.to_owned(), source })
}

/// Writes a file.
///
/// # Errors
/// What could not be written, and why.
pub fn save(path: &Path, octets: &[u8]) -> Result<(), OutputError> {
    fs::write(path, octets).map_err(|source| OutputError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_disk_that_is_full_is_told_by_the_file_that_found_it_so() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            return; // Only some systems have one.
        }
        let folder = std::env::temp_dir().join(format!("arqway-full-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["rows.csv", "rows.parquet"] {
            std::os::unix::fs::symlink(full, folder.join(name)).unwrap();
            let error = write_rows(&[], "arqway", &folder).unwrap_err();
            assert!(matches!(&error, OutputError::File { path, .. } if path.ends_with(name)), "{error}");
            fs::remove_file(folder.join(name)).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_is_tried_without_a_trace() {
        let folder = std::env::temp_dir().join(format!("arqway-prepare-{}", std::process::id()));
        let names = || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        prepare(&folder).unwrap();
        assert_eq!(names(), ["figures"]);
        let rows = folder.join("rows.csv");
        fs::write(&rows, "of an earlier run").unwrap();
        prepare(&folder).unwrap();
        assert_eq!(fs::read_to_string(&rows).unwrap(), "of an earlier run");
        assert!(prepare(&rows).unwrap_err().to_string().starts_with("cannot write"));
        fs::remove_file(&rows).unwrap();
        fs::create_dir(&rows).unwrap();
        assert!(prepare(&folder).unwrap_err().to_string().contains("rows.csv"), "a folder is in the file's place");
        fs::remove_dir_all(&folder).unwrap();
    }
}
