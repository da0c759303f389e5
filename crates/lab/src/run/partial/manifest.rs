//! The manifest of a sharded study: the command and every file that it reads, beside the pieces, so that `arqway merge` needs
//! nothing else. It is `DIR/pieces/question.json`.

use super::PROGRAM;
use super::shard::{MOST_SHARDS, ShardError};
use crate::output::{OutputError, make, save};
use arqway_config::read_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// A command that was shared out, with every file that it reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The program that was asked.
    program: String,
    /// What was typed after its name, but for what changes no result.
    pub arguments: Vec<String>,
    /// Into how many shares.
    pub shards: NonZeroU32,
    /// The texts of files by the names under which the command finds them.
    pub files: BTreeMap<String, String>,
}

/// Why a folder has no manifest, or not this one.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// No file.
    #[error("no shard has been run into {}: it has no pieces/{NAME}", folder.display())]
    None {
        /// Where it should be.
        folder: PathBuf,
    },
    /// A file that cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said, or the reader.
        error: String,
    },
    /// Shards of another program.
    #[error("{} was written by arqway {found}, and this is arqway {PROGRAM}: merge shards with the program that ran them", path.display())]
    Program {
        /// Which file.
        path: PathBuf,
        /// Whose.
        found: String,
    },
    /// Shards of another study.
    #[error("{} holds shards of another study: {difference}", folder.display())]
    Other {
        /// Which.
        folder: PathBuf,
        /// In what they differ.
        difference: String,
    },
    /// It cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

const NAME: &str = "question.json";
/// It has the texts of an experiment and its recordings.
const LONGEST: u64 = 256 << 20;

impl Manifest {
    /// What this program is asked.
    #[must_use]
    pub fn new(arguments: Vec<String>, shards: NonZeroU32, files: BTreeMap<String, String>) -> Self {
        Self { program: PROGRAM.to_owned(), arguments, shards, files }
    }

    /// Writes it beside the pieces of a folder, or finds it there.
    ///
    /// # Errors
    /// Another question is there, or it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ManifestError> {
        match Self::read(folder) {
            Ok(there) => self.is_that_of(&there, folder),
            Err(ManifestError::None { .. }) => {
                let pieces = pieces(folder);
                make(&pieces)?;
                let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
                text.push(b'\n');
                Ok(save(&pieces.join(NAME), &text)?)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the question that the shards in a folder answer.
    ///
    /// # Errors
    /// There is none, or none of this program.
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let path = pieces(folder).join(NAME);
        let text = match read_text(&path, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ManifestError::None { folder: folder.to_owned() });
            }
            text => text.map_err(|error| ManifestError::File { path: path.clone(), error: error.to_string() })?,
        };
        // Another program's may have another form: who wrote it is told before that.
        let value: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| ManifestError::File { path: path.clone(), error: error.to_string() })?;
        match value.get("program").and_then(serde_json::Value::as_str) {
            Some(found) if found != PROGRAM => return Err(ManifestError::Program { path, found: found.to_owned() }),
            _ => {}
        }
        let manifest: Self = serde_json::from_value(value)
            .map_err(|error| ManifestError::File { path: path.clone(), error: error.to_string() })?;
        match manifest.shards {
            many if many.get() > MOST_SHARDS => {
                Err(ManifestError::File { path, error: ShardError::Many(many).to_string() })
            }
            _ => Ok(manifest),
        }
    }

    /// Looks whether what lies in a folder is this question.
    ///
    /// # Errors
    /// It is another.
    pub fn is_that_of(&self, there: &Self, folder: &Path) -> Result<(), ManifestError> {
        let differs = |difference| Err(ManifestError::Other { folder: folder.to_owned(), difference });
        if self.arguments != there.arguments {
            let [theirs, ours] = [there, self].map(|one| one.arguments.join(" "));
            return differs(format!("`arqway {theirs}`, not `arqway {ours}`"));
        }
        if self.shards != there.shards {
            return differs(format!("in {} shards, not in {}", there.shards, self.shards));
        }
        let names = self.files.keys().chain(there.files.keys());
        let mut changed = names.filter(|name| self.files.get(*name) != there.files.get(*name));
        match changed.next() {
            Some(name) => differs(format!("{name} was another file")),
            None => Ok(()),
        }
    }
}

/// Where the pieces of a folder of results lie.
#[must_use]
pub fn pieces(folder: &Path) -> PathBuf {
    folder.join("pieces")
}
