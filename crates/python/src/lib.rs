//! Arqway from Python: the extension module `arqway._arqway`.
//!
//! ```text
//!     python/arqway/*.py      what a notebook imports: thin, typed, documented
//!     _arqway (here)          experiments read, planned and run; results as Arrow tables; services, frame by frame
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `study.rs` | experiments, read; and what is asked of them, planned |
//! | `values.rs` | Python's values as settings |
//! | `mistakes.rs` | what is wrong with settings, as an exception |
//! | `files.rs` | what the system says of files, as exceptions |
//! | `running.rs` | runs without the interpreter's lock, that Ctrl-C ends at once |
//! | `pieces.rs` | a plan in pieces, for executors |
//! | `results.rs` | rows, means, figures, verdicts, report |
//! | `columns.rs` | rows, means and verdicts as Arrow's columns |
//! | `table.rs` | tables that dataframes take without a copy |
//! | `link/` | services, frame by frame, in Rust or in Python |

mod columns;
mod files;
mod link;
mod mistakes;
mod pieces;
mod planned;
mod results;
mod running;
mod study;
mod table;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod _arqway {
    #[pymodule_export]
    use crate::link::{Event, Frame, Service, Wire, WireRun, connect};
    #[pymodule_export]
    use crate::pieces::{Pieces, Stop, run_task};
    #[pymodule_export]
    use crate::results::{Figure, Results};
    #[pymodule_export]
    use crate::running::cores;
    #[pymodule_export]
    use crate::study::{Plan, Study, figures};
    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "as Python calls it")]
    const __version__: &str = arqway_lab::output::VERSION;
}
