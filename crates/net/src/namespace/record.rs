//! What this process has made, on disk: so that the next one can remove it if this one is killed.
//!
//! ```text
//!     /run/arqway/4711-0       arqway 4711 <boot>            the process, and since when the machine runs
//!                              <file> <cookie> walk          a namespace with a name
//!                              <file> <cookie>               and one without
//! ```
//!
//! One file a process, which holds a lock on it (flock(2)) while it lives: the lock is free as soon as the process has
//! ended, in whatever way. An entry is written before what it names is made, and removed after it.

use super::identity::Identity;
use crate::error::NetError;
use crate::privileges::outer_user;
use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File, read_dir, read_to_string, remove_file, symlink_metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A namespace that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) identity: Identity,
    pub(super) name: Option<String>,
}

/// This process's record, while it has made something.
static OURS: Mutex<Option<Record>> = Mutex::new(None);

struct Record {
    file: File,
    path: PathBuf,
    entries: Vec<Entry>,
}

/// The record of a process that has ended; nobody else reads it meanwhile.
pub(super) struct Abandoned {
    pub(super) process: u32,
    pub(super) entries: Vec<Entry>,
    path: PathBuf,
    _lock: File,
}

impl Abandoned {
    /// Removes the record, once all in it is.
    pub(super) fn forget(self) {
        let _ = remove_file(&self.path);
    }
}

/// Notes what is about to be made.
pub(super) fn add(entry: Entry) -> Result<(), NetError> {
    let mut ours = lock_ours();
    let record = match &mut *ours {
        Some(record) => record,
        none => none.insert(Record::open()?),
    };
    record.entries.push(entry);
    record.write()
}

/// Forgets what has been removed; the record goes with its last entry.
pub(super) fn remove(entry: &Entry) {
    let mut ours = lock_ours();
    let Some(record) = &mut *ours else { return };
    record.entries.retain(|other| other != entry);
    if record.entries.is_empty() {
        let _ = remove_file(&record.path);
        *ours = None;
    } else {
        // One entry too many does no harm: what it names is not there.
        let _ = record.write();
    }
}

/// The process that has made the namespace of this name, and runs.
pub(super) fn holder(name: &str) -> Option<u32> {
    let records = files().into_iter().filter_map(|path| {
        let text = read_to_string(&path).ok()?;
        let is_free = flock(File::open(&path).ok()?, FlockOperation::NonBlockingLockShared).is_ok();
        if is_free { None } else { parse(&text, &boot()) }
    });
    let mut named = records.filter(|(_, entries)| entries.iter().any(|entry| entry.name.as_deref() == Some(name)));
    named.next().map(|(process, _)| process)
}

/// The records of processes that have ended without removing what they made.
pub(super) fn abandoned() -> Vec<Abandoned> {
    let open = |path: PathBuf| {
        let mut lock = File::open(&path).ok()?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
        let mut text = String::new();
        let parsed = lock.read_to_string(&mut text).ok().and_then(|_| parse(&text, &boot()));
        let Some((process, entries)) = parsed else {
            // Of another start of the machine, or never written.
            let _ = remove_file(&path);
            return None;
        };
        Some(Abandoned { process, entries, path, _lock: lock })
    };
    files().into_iter().filter_map(open).collect()
}

impl Record {
    fn open() -> Result<Self, NetError> {
        let failed = |error| {
            NetError::system("write a record of what is made, in /run/arqway or a folder for temporary files", error)
        };
        let made = |folder: &PathBuf| {
            // One that is there already may be ours.
            let _ = DirBuilder::new().mode(0o700).create(folder);
            is_ours(folder)
        };
        let folder = folders().into_iter().find(made).ok_or(ErrorKind::PermissionDenied);
        let folder = folder.map_err(|error| failed(error.into()))?;
        // Another file of this process's number is of one that had it before, and is left for whoever clears up.
        for turn in 0..1000 {
            let path = folder.join(format!("{}-{turn}", std::process::id()));
            let file = match File::options().read(true).write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                other => other.map_err(failed)?,
            };
            flock(&file, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
            // Whoever clears up may have taken the empty file for an abandoned one before it was locked.
            if file.metadata().map_err(failed)?.nlink() > 0 {
                return Ok(Self { file, path, entries: Vec::new() });
            }
        }
        Err(failed(ErrorKind::AlreadyExists.into()))
    }

    fn write(&self) -> Result<(), NetError> {
        let mut text = format!("arqway {} {}\n", std::process::id(), boot());
        for Entry { identity: Identity { file, cookie }, name } in &self.entries {
            text += &format!("{file} {cookie} {}\n", name.as_deref().unwrap_or_default());
        }
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        let written = self.file.write_all_at(text.as_bytes(), 0).and_then(|()| self.file.set_len(length));
        written.map_err(|error: io::Error| NetError::system(format!("write {}", self.path.display()), error))
    }
}

fn lock_ours() -> MutexGuard<'static, Option<Record>> {
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process and what it made, if the record is of this start of the machine. A line that makes no sense is passed over.
fn parse(text: &str, boot: &str) -> Option<(u32, Vec<Entry>)> {
    let mut lines = text.lines();
    let process = lines.next()?.strip_prefix("arqway ")?.strip_suffix(boot)?.trim_end().parse().ok()?;
    let entry = |line: &str| {
        let mut words = line.split(' ');
        let (file, cookie) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let name = words.next().filter(|name| !name.is_empty()).map(str::to_owned);
        Some(Entry { identity: Identity { file, cookie }, name })
    };
    Some((process, lines.filter_map(entry).collect()))
}

/// What names this start of the machine.
fn boot() -> String {
    read_to_string("/proc/sys/kernel/random/boot_id").map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// All records that are ours to read.
fn files() -> Vec<PathBuf> {
    let folders = folders().into_iter().filter(|folder| is_ours(folder));
    let mut files: Vec<PathBuf> = folders
        .filter_map(|folder| read_dir(folder).ok())
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .collect();
    files.sort();
    files
}

/// Where records may be, the best place first.
fn folders() -> Vec<PathBuf> {
    let session = std::env::var_os("XDG_RUNTIME_DIR").map(|folder| Path::new(&folder).join("arqway"));
    let temporary = std::env::temp_dir().join(format!("arqway-{}", outer_user()));
    [Some(PathBuf::from("/run/arqway")), session, Some(temporary)].into_iter().flatten().collect()
}

/// Whether this is a folder of ours: what another user wrote is not believed.
fn is_ours(folder: &Path) -> bool {
    let owner = rustix::process::geteuid().as_raw();
    symlink_metadata(folder).is_ok_and(|found| found.is_dir() && found.uid() == owner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_odd_lines_are_passed_over() {
        let text = "arqway 4711 since\n4026532008 17 walk\nodd\n4026532009 18 \n1 2";
        let entry = |file, cookie, name: Option<&str>| Entry {
            identity: Identity { file, cookie },
            name: name.map(str::to_owned),
        };
        let entries = vec![entry(4_026_532_008, 17, Some("walk")), entry(4_026_532_009, 18, None), entry(1, 2, None)];
        assert_eq!(parse(text, "since"), Some((4711, entries)));
        assert_eq!(parse(text, "another start"), None);
        assert_eq!(parse("", "since"), None);
    }

    proptest! {
        #[test]
        fn any_file_is_a_record_or_none(text in ".*") {
            let _ = parse(&text, "since");
        }
    }
}
