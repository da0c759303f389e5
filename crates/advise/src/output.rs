//! What an advice leaves behind: rows, the plot, the experiment that confirms it. Same question, same bytes.

use super::advice::Advice;
use arqway_lab::output::{OutputError, make, save, save_drawing, write_rows};
use std::path::Path;

impl Advice {
    /// What [`write`](Self::write) writes into its folder.
    pub const FILES: [&str; 6] =
        ["rows.csv", "rows.parquet", "advise.svg", "advise.png", "advise.toml", "second-line.toml"];

    /// Writes everything into `directory`; `command` is what to type for it.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub fn write(&self, command: &str, directory: &Path) -> Result<(), OutputError> {
        make(directory)?;
        write_rows(&self.rows, command, directory)?;
        save_drawing(directory, "advise", &self.to_svg())?;
        save(&directory.join("advise.toml"), self.confirm.as_bytes())?;
        match &self.second {
            Some(second) => save(&directory.join("second-line.toml"), second.experiment.as_bytes()),
            None => Ok(()),
        }
    }
}
