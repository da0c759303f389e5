//! Experiments, read: from files, texts, dictionaries, or built in; and what is asked of them, planned.

use crate::files;
use crate::mistakes;
use crate::planned::Planned;
use crate::results::Results;
use crate::running;
use crate::values;
use arqway_config::{Mistakes, Source, did_you_mean};
use arqway_lab::experiment::overlay::Overlay;
use arqway_lab::experiment::{Effort, Experiment, Files};
use arqway_lab::report::ReportHeader;
use arqway_lab::run::plan::{Plan as Runs, Request};
use arqway_link::ShortForm;
use arqway_papers::library::{self, FigureName};
use arqway_papers::options::{StudyOptions, header_of_reproduction, quoted};
use arqway_papers::with;
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A valid experiment, and where it comes from.
#[pyclass(frozen, module = "arqway._arqway")]
pub(crate) struct Study {
    origin: From,
    /// As it is run in full; what a quick run is, is read again.
    experiment: Experiment,
}

/// Where an experiment comes from.
#[derive(Clone)]
enum From {
    /// A text, and those of the files that it names, as they were when it was read.
    Text { source: Arc<Source>, files: BTreeMap<String, String> },
    /// A figure of a paper, and the schemes that are added to it.
    Figure(FigureName, Vec<ShortForm>),
}

impl From {
    fn read(&self, py: Python<'_>, effort: Effort) -> PyResult<Vec<Experiment>> {
        let read = match self {
            Self::Text { source, files } => {
                Experiment::read_over(source, &Files::kept(files.clone()), effort, &Overlay::default())
                    .map(|read| vec![read])
            }
            Self::Figure(name, _) => library::experiments_of(std::slice::from_ref(name), effort, &Overlay::default()),
        };
        let mut read = read.map_err(|mistakes| mistakes::exception(py, &mistakes))?;
        if let Self::Figure(_, schemes) = self {
            with::add(&mut read, schemes).map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        Ok(read)
    }

    /// What names the experiment on a command line.
    fn file(&self) -> Option<String> {
        let Self::Text { source, .. } = self else { return None };
        let name = std::path::Path::new(source.name()).file_name()?;
        Some(name.to_string_lossy().into_owned())
    }
}

impl Study {
    fn new(py: Python<'_>, origin: From) -> PyResult<Self> {
        let experiment = origin.read(py, Effort::Full)?.into_iter().next();
        let experiment = experiment.ok_or_else(|| PyLookupError::new_err("there is no such experiment"))?;
        Ok(Self { origin, experiment })
    }

    fn of_text(py: Python<'_>, source: Arc<Source>, folder: &Path, before: Mistakes) -> PyResult<Self> {
        let beside = Files::beside(folder);
        let read = |effort| Experiment::read_over(&source, &beside, effort, &Overlay::default());
        let read_in_full = match read(Effort::Full) {
            Ok(experiment) => before.into_result(experiment),
            Err(found) => Err(values::merge(before, found)),
        };
        let experiment = read_in_full.map_err(|mistakes| mistakes::exception(py, &mistakes))?;
        // A quick run may need another file; what is wrong with it is told when it is asked for.
        let _ = read(Effort::Quick);
        Ok(Self { origin: From::Text { source, files: beside.texts() }, experiment })
    }
}

#[pymethods]
impl Study {
    /// Reads a file.
    #[staticmethod]
    fn of_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let name = path.display().to_string();
        let text = files::read(&path)?;
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        Self::of_text(py, Source::new(name, text), &folder, Mistakes::new())
    }

    /// Reads a text.
    #[staticmethod]
    fn of_text_named(py: Python<'_>, text: &str, name: &str, folder: PathBuf) -> PyResult<Self> {
        Self::of_text(py, Source::new(name, text), &folder, Mistakes::new())
    }

    /// Reads a text again, and after its name each file that it names, with its text.
    #[staticmethod]
    #[pyo3(signature = (text, name, *files))]
    fn of_texts(py: Python<'_>, text: &str, name: &str, files: Vec<String>) -> PyResult<Self> {
        let files = files.chunks_exact(2).map(|file| (file[0].clone(), file[1].clone())).collect();
        Self::new(py, From::Text { source: Source::new(name, text), files })
    }

    /// Reads a dictionary.
    #[staticmethod]
    fn of_dict(py: Python<'_>, values: &Bound<'_, PyDict>, name: &str, folder: PathBuf) -> PyResult<Self> {
        let (source, before) = values::to_source(name, values)?;
        Self::of_text(py, source, &folder, before)
    }

    /// A figure of a paper, with further schemes in it.
    #[staticmethod]
    #[pyo3(signature = (paper, figure, *schemes))]
    fn of_figure(py: Python<'_>, paper: &str, figure: &str, schemes: Vec<String>) -> PyResult<Self> {
        let all = library::figures();
        let name = FigureName { paper: paper.to_owned(), figure: figure.to_owned() };
        if !all.contains(&name) {
            let of_paper: Vec<&str> =
                all.iter().filter(|name| name.paper == paper).map(|name| name.figure.as_str()).collect();
            let mut papers: Vec<&str> = all.iter().map(|name| name.paper.as_str()).collect();
            papers.dedup();
            return Err(PyLookupError::new_err(if of_paper.is_empty() {
                format!("no paper is called `{paper}`; {}", did_you_mean(paper, &papers))
            } else {
                format!("{paper} has no figure `{figure}`; {}", did_you_mean(figure, &of_paper))
            }));
        }
        let schemes = schemes.iter().map(|scheme| with::read(scheme)).collect::<Result<_, _>>();
        Self::new(py, From::Figure(name, schemes.map_err(PyValueError::new_err)?))
    }

    /// Its text as TOML.
    #[getter]
    fn text(&self) -> String {
        match &self.origin {
            From::Text { source, .. } => source.text().to_owned(),
            From::Figure(name, _) => {
                library::experiment(name).map(|source| source.text().to_owned()).unwrap_or_default()
            }
        }
    }

    #[getter]
    fn id(&self) -> &str {
        &self.experiment.id
    }

    #[getter]
    fn title(&self) -> &str {
        &self.experiment.title
    }

    #[getter]
    fn replications(&self) -> u32 {
        self.experiment.replications
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.experiment.seed
    }

    #[getter]
    fn swept(&self) -> Option<&str> {
        self.experiment.swept.as_deref()
    }

    #[getter]
    fn points(&self) -> Vec<f64> {
        self.experiment.points.iter().map(|point| point.value).collect()
    }

    #[getter]
    fn schemes(&self) -> Vec<String> {
        self.experiment.schemes.iter().map(|scheme| scheme.full_name()).collect()
    }

    #[getter]
    fn figures(&self) -> Vec<&str> {
        self.experiment.figures.iter().map(|figure| figure.id.as_str()).collect()
    }

    /// How it is made again, as a pickle does: the name of a way, and its arguments.
    fn origin(&self) -> (&'static str, Vec<String>) {
        match &self.origin {
            From::Figure(name, schemes) => {
                let names = [name.paper.clone(), name.figure.clone()];
                ("of_figure", names.into_iter().chain(schemes.iter().map(ShortForm::to_string)).collect())
            }
            From::Text { source, files } => {
                let files = files.iter().flat_map(|(name, text)| [name.clone(), text.clone()]);
                let of_source = [source.text().to_owned(), source.name().to_owned()];
                ("of_texts", of_source.into_iter().chain(files).collect())
            }
        }
    }

    /// The runs that make its results.
    #[pyo3(signature = (replications, seed, quick))]
    fn plan(&self, py: Python<'_>, replications: Option<NonZeroU32>, seed: Option<u64>, quick: bool) -> PyResult<Plan> {
        let effort = if quick { Effort::Quick } else { Effort::Full };
        let experiments = self.origin.read(py, effort)?;
        let mut asked = StudyOptions { replications, quick, seed, ..StudyOptions::default() };
        let (header, figures) = match &self.origin {
            From::Text { .. } => {
                let file = self.origin.file().unwrap_or_else(|| format!("{}.toml", self.experiment.id));
                (
                    ReportHeader::of_run(&self.experiment.title, format!("arqway run {}{asked}", quoted(&file))),
                    Vec::new(),
                )
            }
            From::Figure(name, schemes) => {
                asked.with.clone_from(schemes);
                // What the command does not do unless it is asked for, and the other way round.
                if quick {
                    asked.seeds = Some(NonZeroU32::MIN);
                } else {
                    asked.full = replications.is_none();
                }
                let figures = std::slice::from_ref(&name.figure);
                (header_of_reproduction(Some(&name.paper), figures, effort, &asked), vec![name.clone()])
            }
        };
        let request = Request { replications: asked.replications.map(NonZeroU32::get), seed, ..Request::default() };
        let runs = Runs::new(experiments, &request).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Plan(Arc::new(Planned { runs, header, figures })))
    }
}

/// The runs of an experiment.
#[pyclass(frozen, module = "arqway._arqway")]
pub(crate) struct Plan(Arc<Planned>);

impl Plan {
    pub(crate) fn planned(&self) -> Arc<Planned> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl Plan {
    fn __len__(&self) -> usize {
        self.0.runs.runs.len()
    }

    /// Runs it on `jobs` threads; calls `progress(finished, planned)` now and then.
    fn run(&self, py: Python<'_>, jobs: Option<NonZeroUsize>, progress: Option<Py<PyAny>>) -> PyResult<Results> {
        let measured = running::run(py, &self.0.runs, jobs.unwrap_or_else(running::cores), progress.as_ref())?;
        Results::new(py, Arc::clone(&self.0), &measured)
    }
}

/// All built-in figures, with their papers.
#[pyfunction]
pub(crate) fn figures() -> Vec<(String, String)> {
    library::figures().into_iter().map(|name| (name.paper, name.figure)).collect()
}
