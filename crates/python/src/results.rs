//! The results of an experiment.

use crate::columns;
use crate::files;
use crate::mistakes;
use crate::planned::Planned;
use crate::table::Table;
use arqway_config::{Source, did_you_mean};
use arqway_lab::figure::png;
use arqway_lab::output::{OutputError, save};
use arqway_lab::output_folder::OutputFolder;
use arqway_lab::report::findings::FigureFinding;
use arqway_lab::results::rows::means;
use arqway_lab::run::Results as Measured;
use arqway_papers::Judged;
use arqway_papers::claims::{self, Evidence};
use arqway_papers::library;
use pyo3::exceptions::{PyLookupError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::Arc;

/// The results of an experiment: rows, means, figures, verdicts, a report.
///
/// ``Experiment.run`` returns them. Results cannot be pickled: ``write`` keeps them, and the experiment and its seed reproduce
/// them, bit for bit.
#[pyclass(frozen, module = "arqway")]
pub(crate) struct Results {
    plan: Arc<Planned>,
    judged: Judged,
    rows: Py<Table>,
    simulated_s: f64,
    events: u64,
    finished: usize,
}

impl Results {
    pub(crate) fn new(py: Python<'_>, plan: Arc<Planned>, measured: &Measured) -> PyResult<Self> {
        let claims = library::claims_of(&plan.figures).map_err(|mistakes| mistakes::exception(py, &mistakes))?;
        let judged = py.detach(|| Judged::new(&plan.runs, measured, &claims));
        let rows = columns::of_rows(&judged.findings.rows)?;
        let (simulated_s, events) = measured.simulated();
        Ok(Self { plan, judged, rows: Py::new(py, rows)?, simulated_s, events, finished: measured.finished() })
    }
}

/// What could not be written; a file's error is Python's.
fn exception(error: &OutputError) -> PyErr {
    match error {
        OutputError::File { path, source } | OutputError::Read { path, source } => files::exception(path, source),
        OutputError::InUse { .. } | OutputError::Parquet(_) | OutputError::Png { .. } | OutputError::Report(_) => {
            PyRuntimeError::new_err(error.to_string())
        }
    }
}

#[pymethods]
impl Results {
    /// One row for each metric of each cell, with the columns and the order of ``rows.csv``.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Py<Table> {
        self.rows.clone_ref(py)
    }

    /// The number of runs.
    #[getter]
    fn runs(&self) -> usize {
        self.finished
    }

    /// The simulated time of all runs, in seconds.
    #[getter]
    fn simulated_s(&self) -> f64 {
        self.simulated_s
    }

    /// The number of events of all runs.
    #[getter]
    fn events(&self) -> u64 {
        self.events
    }

    /// The mean of each metric of each cell over its replications, and its 95 % confidence interval.
    ///
    /// Returns
    /// -------
    /// Table
    ///     The columns of ``rows`` without ``replication`` and ``value``, then ``mean``, ``low`` and ``high`` (null for a
    ///     single replication) and ``replications``.
    fn means(&self) -> PyResult<Table> {
        columns::of_means(&means(&self.judged.findings.rows))
    }

    /// The names of the figures.
    #[getter]
    fn figures(&self) -> Vec<&str> {
        self.judged.findings.figures.iter().map(|figure| figure.name.as_str()).collect()
    }

    /// Draw a figure.
    ///
    /// Parameters
    /// ----------
    /// name : str, optional
    ///     Its id, such as ``"fig3"``; optional if there is only one figure.
    #[pyo3(signature = (name=None))]
    fn figure(&self, name: Option<&str>) -> PyResult<Figure> {
        let all = &self.judged.findings.figures;
        let found = match (name, all.as_slice()) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(name), _) => all.iter().find(|figure| figure.name == name || figure.id == name),
        };
        let figure = found.ok_or_else(|| {
            let known = self.figures();
            PyLookupError::new_err(match (name, known.as_slice()) {
                (_, []) => "the experiment has no [[figure]]".to_owned(),
                (None, _) => format!("which figure? Expected one of {}", known.join(", ")),
                (Some(name), _) => format!("no figure is called `{name}`; {}", did_you_mean(name, &known)),
            })
        })?;
        Ok(Figure::of(figure))
    }

    /// Judge what a paper claims.
    ///
    /// Parameters
    /// ----------
    /// claims : path, optional
    ///     A file of claims. By default, those of the paper's figure that was run; an experiment of your own has none.
    ///
    /// Returns
    /// -------
    /// Table
    ///     The columns of ``claims.csv``: id, kind, verdict, paper, ours, low, high, inferred, note.
    #[pyo3(signature = (claims=None))]
    fn judge(&self, py: Python<'_>, claims: Option<PathBuf>) -> PyResult<Table> {
        let Some(path) = claims else { return columns::of_verdicts(&self.judged.judgements) };
        let text = files::read(&path)?;
        let read = claims::read(&Source::new(path.display().to_string(), text));
        let read = read.map_err(|mistakes| mistakes::exception(py, &mistakes))?;
        let evidence = Evidence::of(&self.judged.findings.rows);
        let judgements: Vec<_> = read.iter().map(|claim| claim.judge(&evidence)).collect();
        columns::of_verdicts(&judgements)
    }

    /// The report as one self-contained HTML page.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.judged.report(&self.plan.runs, &self.plan.header)).map_err(|error| exception(&error))
    }

    /// Write the same files as the command: rows.csv, rows.parquet, claims.csv, report.html and figures/, byte for byte.
    ///
    /// Parameters
    /// ----------
    /// folder : path
    ///     Created if it does not exist; files of the same names are replaced.
    fn write(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let written = py.detach(|| {
            let _locked = OutputFolder::take(&folder, &Judged::FILES)?;
            self.judged.write(&self.plan.runs, &self.plan.header, &folder)
        });
        written.map_err(|error| exception(&error))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "results cannot be pickled; keep what results.write writes, or pyarrow.table(results.rows): the experiment, \
             which can be pickled, makes the results again",
        ))
    }

    fn __str__(&self) -> String {
        self.judged.to_text(&self.plan.runs)
    }

    fn __repr__(&self) -> String {
        let id = self.plan.runs.experiments.first().map_or("", |experiment| experiment.id.as_str());
        format!("<arqway.Results of {id}: {} runs, {} rows>", self.finished, self.judged.findings.rows.len())
    }
}

/// A figure. Notebooks show it; it can be saved as SVG or PNG.
#[pyclass(frozen, module = "arqway")]
pub(crate) struct Figure {
    id: String,
    title: String,
    text: String,
    svg: String,
}

impl Figure {
    fn of(figure: &FigureFinding) -> Self {
        let FigureFinding { id, title, table, svg, .. } = figure;
        Self { id: id.clone(), title: title.clone(), text: table.to_text(), svg: svg.clone() }
    }

    /// Drawn on first use: that takes longer than all the rest.
    fn pixels(&self) -> PyResult<Vec<u8>> {
        png::to_png(&self.svg, png::SCALE).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Figure {
    /// The name of its file: ``monet08-fig3``.
    #[getter]
    fn id(&self) -> &str {
        &self.id
    }

    /// Its heading.
    #[getter]
    fn title(&self) -> &str {
        &self.title
    }

    /// Its means and intervals as a text table.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The drawing as an SVG document.
    #[getter]
    fn svg(&self) -> &str {
        &self.svg
    }

    /// The drawing as a PNG file.
    #[getter]
    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &py.detach(|| self.pixels())?))
    }

    /// Save it, as ``.svg`` or ``.png``, by the file name.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     The file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let octets = match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => self.svg.clone().into_bytes(),
            Some("png") => py.detach(|| self.pixels())?,
            _ => {
                let message = format!("expected a file name that ends in .svg or .png, not {}", path.display());
                return Err(PyValueError::new_err(message));
            }
        };
        save(&path, &octets).map_err(|error| exception(&error))
    }

    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py)
    }

    fn __repr__(&self) -> String {
        format!("<arqway.Figure {}: {}>", self.id, self.title)
    }
}
