//! The folder that a command writes its results into, locked: of two commands with one folder, each would leave a part of its
//! files, and a report that does not belong to the rows.
//!
//! `DIR/.arqway.lock` holds the numbers of the processes that use the folder. It is the system's lock that counts, and that
//! ends with its process, so a file that a killed one left behind is in nobody's way.

use crate::output::{OutputError, make};
use crate::whole_file::{WholeFile, remove_strays, unlike};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

/// A folder for results that nobody else writes into, until this is dropped.
#[derive(Debug)]
#[must_use = "the folder is locked until this is dropped"]
pub struct OutputFolder {
    lock_path: PathBuf,
    /// None where the file system knows no locks.
    lock: Option<File>,
    /// Whether it was not there before.
    is_new: bool,
}

impl OutputFolder {
    /// Creates a folder and locks it, removes what killed runs left half written, and tries whether these files can be written
    /// there; a name that ends in `/` is a folder. Existing files are left alone.
    ///
    /// # Errors
    /// Somebody else uses the folder, or a file could not be written.
    pub fn take(folder: &Path, files: &[&str]) -> Result<Self, OutputError> {
        let taken = Self::lock(folder, File::try_lock)?;
        for name in files {
            let path = folder.join(name);
            if name.ends_with('/') {
                make(&path)?;
            } else {
                WholeFile::create(&path).map_err(|source| OutputError::File { path, source })?;
            }
        }
        Ok(taken)
    }

    /// The same for one of several processes that add pieces to a folder: the shards of a study.
    ///
    /// # Errors
    /// Somebody has the folder alone, or it could not be created.
    pub fn share(folder: &Path) -> Result<Self, OutputError> {
        Self::lock(folder, File::try_lock_shared)
    }

    fn lock(folder: &Path, try_lock: fn(&File) -> Result<(), TryLockError>) -> Result<Self, OutputError> {
        let is_new = !folder.exists();
        make(folder)?;
        let lock_path = folder.join(".arqway.lock");
        let failed = |source: io::Error| OutputError::File { path: lock_path.clone(), source };
        let lock = loop {
            let mut file = File::options().read(true).append(true).create(true).open(&lock_path).map_err(failed)?;
            match try_lock(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(OutputError::InUse { folder: folder.to_owned(), by: holders(&lock_path) });
                }
                Err(TryLockError::Error(_)) => break None,
            }
            let line = format!("{} {:016x}\n", process::id(), unlike());
            file.write_all(line.as_bytes()).map_err(failed)?;
            // Whoever had it before may have removed the file after it was opened here.
            if fs::read_to_string(&lock_path).is_ok_and(|text| text.contains(&line)) {
                break Some(file);
            }
        };
        for below in ["", "figures", "pieces"] {
            remove_strays(&folder.join(below));
        }
        Ok(Self { lock_path, lock, is_new })
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        // The last of those who share it removes the file, while nobody else can lock it.
        if self.lock.as_ref().is_some_and(|lock| lock.unlock().is_ok() && lock.try_lock().is_ok()) {
            fs::remove_file(&self.lock_path).ok();
        }
        // A command that failed leaves no folder with nothing in it.
        if let Some(folder) = self.lock_path.parent().filter(|_| self.is_new) {
            fs::remove_dir(folder).ok();
        }
    }
}

/// Who uses a folder: `process 4711`, as far as its lock tells.
fn holders(lock_path: &Path) -> String {
    let text = fs::read_to_string(lock_path).unwrap_or_default();
    // One that was killed cannot have taken itself off the list.
    let is_alive = |number: &&str| !Path::new("/proc/self").exists() || Path::new("/proc").join(number).exists();
    let numbers: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).filter(is_alive).collect();
    match numbers.as_slice() {
        [] => "another process".to_owned(),
        [one] => format!("process {one}"),
        several => format!("processes {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of a test's own, not there yet.
    fn fresh(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("arqway-{name}-{}", process::id()))
    }

    fn names(folder: &Path) -> Vec<std::ffi::OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_folder_is_tried_without_a_trace() {
        let folder = fresh("tried");
        let take = || OutputFolder::take(&folder, &["rows.csv", "figures/"]).map(drop);
        take().unwrap();
        assert_eq!(names(&folder), ["figures"]);
        let rows = folder.join("rows.csv");
        fs::write(&rows, "of an earlier run").unwrap();
        take().unwrap();
        assert_eq!(fs::read_to_string(&rows).unwrap(), "of an earlier run");
        assert!(OutputFolder::take(&rows, &[]).unwrap_err().to_string().starts_with("cannot write"));
        fs::remove_file(&rows).unwrap();
        fs::create_dir(&rows).unwrap();
        assert!(take().unwrap_err().to_string().contains("rows.csv"), "a folder is in the file's place");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn who_comes_second_is_told_who_has_the_folder_and_may_have_it_afterwards() {
        let folder = fresh("taken");
        fs::create_dir(&folder).unwrap();
        let first = OutputFolder::take(&folder, &[]).unwrap();
        for second in [OutputFolder::take(&folder, &[]), OutputFolder::share(&folder)] {
            let told = second.unwrap_err().to_string();
            assert!(told.contains(&format!("process {}:", process::id())) && told.contains("--out"), "{told}");
        }
        drop(first);
        // What a killed process leaves behind locks nobody out.
        fs::write(folder.join(".arqway.lock"), "1 0123456789abcdef\n").unwrap();
        drop(OutputFolder::take(&folder, &[]).unwrap());
        assert!(names(&folder).is_empty(), "it was there before, so it stays");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn shards_share_a_folder_that_nobody_else_can_take_until_the_last_of_them_ends() {
        let folder = fresh("shared");
        let [first, second] = [(); 2].map(|()| OutputFolder::share(&folder).unwrap());
        drop(first);
        assert!(OutputFolder::take(&folder, &[]).is_err());
        drop(second);
        drop(OutputFolder::take(&folder, &[]).unwrap());
        fs::remove_dir(&folder).unwrap();
        drop(OutputFolder::take(&folder, &[]).unwrap());
        assert!(!folder.exists(), "nothing was written into it");
    }
}
