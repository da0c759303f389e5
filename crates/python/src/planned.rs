//! What is planned for an experiment: its runs, the report around them, and the figures that they decide.

use arqway_lab::report::ReportHeader;
use arqway_lab::run::plan::Plan;
use arqway_papers::library::FigureName;

pub(crate) struct Planned {
    pub(crate) runs: Plan,
    pub(crate) header: ReportHeader,
    /// The figures of papers whose claims its rows decide.
    pub(crate) figures: Vec<FigureName>,
}
