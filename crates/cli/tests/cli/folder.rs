//! Where a test runs the command: in a folder of its own, which is gone when the test is over.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of a test's own, removed with all that is in it.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        // Two tests may have one name for theirs.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder of our own");
        Self(path)
    }

    /// Writes a file, and tells where it is.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        self.write_octets(name, text.as_bytes())
    }

    /// The same with any octets.
    pub(crate) fn write_octets(&self, name: &str, contents: &[u8]) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder of our own");
        fs::write(&path, contents).expect("a folder of our own");
        path.display().to_string()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("a file")
    }

    /// The command, to be run in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.current_dir(&self.0);
        command
    }

    pub(crate) fn arqway(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command")
    }

    /// All files, by their paths in the folder.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder of our own") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&self.0).expect("below").to_string_lossy().into_owned();
                    files.insert(name, fs::read(path).expect("a file"));
                }
            }
        }
        files
    }

    /// Where all files and folders are, whatever they are.
    pub(crate) fn paths(&self) -> BTreeSet<PathBuf> {
        let mut paths = BTreeSet::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(folder).expect("a folder of our own").map(|entry| entry.expect("an entry"));
            for entry in entries {
                folders.extend(entry.file_type().is_ok_and(|kind| kind.is_dir()).then(|| entry.path()));
                paths.insert(entry.path());
            }
        }
        paths
    }

    /// What lies in the folder itself, files and folders.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("a folder of our own");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind lies in the build's own folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The command, run where the tests run.
pub(crate) fn arqway(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arqway"));
    command.args(arguments);
    command
}

pub(crate) fn text(octets: &[u8]) -> &str {
    std::str::from_utf8(octets).expect("UTF-8")
}
