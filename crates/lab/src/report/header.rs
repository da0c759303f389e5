//! What stands at the head of a report: what was run, and how to run it again.

/// What the report says beside the results.
#[derive(Debug, Clone)]
pub struct ReportHeader {
    /// Its heading.
    pub title: String,
    /// What to type to get it again.
    pub command: String,
    /// The command for one figure, if there is one, with `PAPER` and `FIGURE` in place of their names.
    pub figure_command: Option<String>,
    /// What a reader must know of all of it; empty if nothing.
    pub note: String,
}

impl ReportHeader {
    /// Around the results of one experiment; `command` is what to type for them.
    #[must_use]
    pub fn of_run(title: &str, command: String) -> Self {
        Self { title: title.to_owned(), command, figure_command: None, note: String::new() }
    }
}
