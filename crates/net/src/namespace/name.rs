//! The names of namespaces, as ip-netns(8) keeps them: a file in `/run/netns` on which the namespace is mounted.

use super::record;
use crate::error::{NetError, check_name};
use crate::privileges::remedy;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, UnmountFlags, mount_bind, mount_bind_recursive, mount_change, unmount};
use std::fs::{File, Metadata, create_dir_all, metadata, remove_file, symlink_metadata};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const FOLDER: &str = "/run/netns";

/// Where the namespace of this name is.
pub(super) fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Whether a namespace may get this name.
pub(super) fn check(name: &str) -> Result<(), NetError> {
    check_name("a network namespace", name, 255)?;
    if path(name).exists() { Err(taken(name)) } else { Ok(()) }
}

/// Gives a namespace a name that nobody has.
pub(super) fn give(name: &str, namespace: &OwnedFd) -> Result<(), NetError> {
    share_folder().map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => {
            NetError::missing("the right to name network namespaces in /run/netns", remedy())
        }
        _ => NetError::system(format!("prepare the folder {FOLDER}"), error),
    })?;
    let path = path(name);
    File::create_new(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => taken(name),
        _ => NetError::system(format!("make {}", path.display()), error),
    })?;
    let source = format!("/proc/self/fd/{}", namespace.as_raw_fd());
    mount_bind(source, &path).map_err(|error| {
        let _ = remove_file(&path);
        NetError::system(format!("mount a network namespace at {}", path.display()), error)
    })
}

/// Takes the name away from the namespace with this file. Where the name is gone or another's by now, that is as it should be.
pub(super) fn take_away(name: &str, file: u64) -> Result<(), NetError> {
    let path = path(name);
    if !metadata(&path).is_ok_and(|found| found.ino() == file) {
        return Ok(());
    }
    match unmount(&path, UnmountFlags::DETACH) {
        Ok(()) | Err(Errno::INVAL | Errno::NOENT) => remove(&path),
        Err(error) => Err(NetError::system(format!("unmount {}", path.display()), error)),
    }
}

/// Removes a name that was never given to a namespace, and says whether there was one.
pub(super) fn take_away_unfinished(name: &str) -> Result<bool, NetError> {
    let path = path(name);
    let Ok(folder) = metadata(FOLDER) else { return Ok(false) };
    let is_bare = |file: Metadata| file.is_file() && file.len() == 0 && file.dev() == folder.dev();
    let is_unfinished = symlink_metadata(&path).is_ok_and(is_bare);
    if is_unfinished {
        remove(&path)?;
    }
    Ok(is_unfinished)
}

fn remove(path: &Path) -> Result<(), NetError> {
    match remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(NetError::system(format!("remove {}", path.display()), error))
        }
        _ => Ok(()),
    }
}

fn taken(name: &str) -> NetError {
    NetError::NamespaceExists { name: name.to_owned(), holder: record::holder(name) }
}

/// Prepares the folder as `ip netns add` does: mounted on itself and shared, under a lock.
///
/// So a name that is taken away is away everywhere. Otherwise each mount namespace made meanwhile, such as that of
/// `ip netns exec`, would keep the network namespace alive; and the next `ip netns add` would hide our mounts.
fn share_folder() -> io::Result<()> {
    create_dir_all(FOLDER)?;
    flock(File::open(FOLDER)?, FlockOperation::LockExclusive)?;
    let share = || mount_change(FOLDER, MountPropagationFlags::SHARED | MountPropagationFlags::REC);
    let shared = match share() {
        Err(Errno::INVAL) => mount_bind_recursive(FOLDER, FOLDER).and_then(|()| share()),
        other => other,
    };
    Ok(shared?)
}
