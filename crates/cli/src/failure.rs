//! Why a command fails, and with which exit code.

#[cfg(feature = "lab")]
use crate::interrupt;
#[cfg(feature = "lab")]
use arqway_advise::AdviseError;
use arqway_config::{LONGEST_SETTINGS, Mistakes, Source, read_text};
#[cfg(feature = "lab")]
use arqway_lab::output::OutputError;
#[cfg(feature = "lab")]
use arqway_lab::run::{
    RunError,
    partial::{ManifestError, PartialError, StoreError},
    plan::RequestError,
};
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Why a command has failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
    #[error("{0}")]
    Usage(String),
    #[cfg(feature = "lab")]
    #[error(transparent)]
    Request(#[from] RequestError),
    #[cfg(feature = "lab")]
    #[error(transparent)]
    Run(#[from] RunError),
    #[cfg(feature = "lab")]
    #[error(transparent)]
    Advise(#[from] AdviseError),
    #[cfg(feature = "lab")]
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error("cannot watch for Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
    #[error("cannot print: {0}")]
    Print(#[from] io::Error),
    #[cfg(feature = "lab")]
    #[error("stopped before any run finished: there are no results")]
    Nothing,
    #[cfg(feature = "lab")]
    /// Ctrl-C, after which there are results of a part.
    #[error("stopped: {0}")]
    Stopped(String),
    #[error("{0}")]
    Failed(String),
    #[cfg(feature = "lab")]
    #[error(transparent)]
    Pieces(#[from] StoreError),
    #[cfg(feature = "lab")]
    #[error(transparent)]
    PartialResults(#[from] PartialError),
    #[cfg(feature = "lab")]
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Net(#[from] arqway_net::NetError),
}

impl Failure {
    pub(crate) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    pub(crate) fn failed(error: impl Display) -> Self {
        Self::Failed(error.to_string())
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Mistakes(_) | Self::Usage(_) => 2,
            #[cfg(feature = "lab")]
            Self::Request(_) => 2,
            #[cfg(feature = "lab")]
            Self::Nothing | Self::Stopped(_) | Self::Advise(AdviseError::Nothing) => interrupt::EXIT_CODE,
            _ => 1,
        })
    }
}

/// The text of a file, and the folder of the files that it names.
pub(crate) fn read_source(path: &Path) -> Result<(Arc<Source>, PathBuf), Failure> {
    let name = path.display().to_string();
    let text =
        read_text(path, LONGEST_SETTINGS).map_err(|error| Failure::Usage(format!("cannot read {name}: {error}")))?;
    Ok((Source::new(name, text), path.parent().unwrap_or(Path::new("")).to_owned()))
}
