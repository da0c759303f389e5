//! Files that are there as a whole or not at all.
//!
//! A file is written under another name in its own folder, synced, and renamed. So a full disk, a kill or a crash leaves the
//! file of an earlier run, or none, and never a part of one.
//!
//! ```text
//!     DIR/.arqway-4711-5be0cd19137e2179.part     while it is written: locked by its process
//!     DIR/rows.csv                               when it is finished
//! ```
//!
//! A killed process leaves its part behind, but no lock on it: that is how [`remove_strays`] tells it from one that is still
//! being written.

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

const BEGINS: &str = ".arqway-";
const ENDS: &str = ".part";

/// A file in the making. Dropped before it is finished, it leaves nothing behind.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    file: File,
    /// What it is called until it is finished; none for a device or a pipe, which is written as it is.
    part: Option<PathBuf>,
}

impl WholeFile {
    /// Begins a file. What cannot be replaced (a folder, a file that is read-only, a name that is too long) is refused now.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(path: &Path) -> io::Result<Self> {
        let there = match fs::metadata(path) {
            Ok(there) => Some(there),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let Some(there) = there else {
            let (file, part) = begin(path)?;
            return Ok(Self { path: path.to_owned(), file, part: Some(part) });
        };
        let itself = File::options().append(true).open(path)?;
        if !there.is_file() {
            return Ok(Self { path: path.to_owned(), file: itself, part: None });
        }
        // Of a link, the file that it leads to is replaced.
        let path = fs::canonicalize(path)?;
        let (file, part) = begin(&path)?;
        let whole = Self { path, file, part: Some(part) };
        // Some file systems have none.
        whole.file.set_permissions(there.permissions()).ok();
        Ok(whole)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// What the system says; what was there before is still there.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(part) = &self.part {
            self.file.sync_all()?;
            fs::rename(part, &self.path)?;
            self.part = None;
        }
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.file.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // Where this fails, the next run removes it.
            fs::remove_file(part).ok();
        }
    }
}

/// A new part beside a file, locked.
fn begin(path: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        let part = path.with_file_name(format!("{BEGINS}{}-{:016x}{ENDS}", process::id(), unlike()));
        let file = File::options().write(true).create_new(true).open(&part)?;
        // A file system without locks does without.
        file.lock().ok();
        // Whoever removes strays may have taken it for one before it was locked.
        if part.exists() {
            return Ok((file, part));
        }
    }
}

/// A number that another process hardly has, not even one on another machine or in another container with the same number.
pub(crate) fn unlike() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Removes the parts that killed processes left in a folder. Those that are still being written stay.
pub fn remove_strays(folder: &Path) {
    let is_part = |name: &str| name.starts_with(BEGINS) && name.ends_with(ENDS);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_part) {
            let stray = File::options().append(true).open(entry.path()).ok().filter(|file| file.try_lock().is_ok());
            // It is removed while it is locked. What cannot be removed is in nobody's way.
            stray.map(|_locked| fs::remove_file(entry.path()).ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of a test's own.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("arqway-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_finished_and_leaves_the_old_one_until_then() {
        let folder = folder("whole");
        let path = folder.join("rows.csv");
        for (old, new) in [(None, "first"), (Some("first"), "second")] {
            let mut file = WholeFile::create(&path).unwrap();
            file.write_all(new.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), old);
            file.finish().unwrap();
            assert_eq!(
                (fs::read_to_string(&path).unwrap().as_str(), names(&folder)),
                (new, vec!["rows.csv".to_owned()])
            );
        }
        WholeFile::create(&path).unwrap().write_all(b"third").unwrap();
        assert_eq!(
            (fs::read_to_string(&path).unwrap().as_str(), names(&folder).len()),
            ("second", 1),
            "it was dropped"
        );
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_is_being_written_is_not() {
        let folder = folder("strays");
        let mut writing = WholeFile::create(&folder.join("rows.csv")).unwrap();
        fs::write(folder.join(".arqway-1-00000000000000aa.part"), "half a f").unwrap();
        fs::write(folder.join("notes.part"), "not ours").unwrap();
        remove_strays(&folder);
        assert_eq!(names(&folder).len(), 2, "{:?}", names(&folder));
        writing.write_all(b"whole").unwrap();
        writing.finish().unwrap();
        let mut left = names(&folder);
        left.sort();
        assert_eq!(left, ["notes.part", "rows.csv"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_replaced_is_refused_before_anything_is_written() {
        let folder = folder("refused");
        fs::create_dir(folder.join("taken")).unwrap();
        for name in ["taken", &"n".repeat(300), "no/such/folder"] {
            assert!(WholeFile::create(&folder.join(name)).is_err(), "{name}");
        }
        assert_eq!(names(&folder), ["taken"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_still_leads_to_its_file_which_keeps_its_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder("link");
        let [path, link] = ["real", "link"].map(|name| folder.join(name));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        let mut file = WholeFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_dir_all(&folder).unwrap();
    }
}
