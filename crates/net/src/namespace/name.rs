//! The names of namespaces, as ip-netns(8) keeps them: a file in `/run/netns` on which the namespace is mounted.

use crate::error::{NetError, check_name};
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, mount_bind, unmount};
use std::fs::{File, create_dir_all};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

const FOLDER: &str = "/run/netns";

/// Where the namespace of this name is.
fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Gives a namespace a name that nobody has.
pub(super) fn give(name: &str, namespace: &OwnedFd) -> Result<(), NetError> {
    check_name("a network namespace", name, 255)?;
    let path = path(name);
    create_dir_all(FOLDER).map_err(|error| NetError::system(format!("make the folder {FOLDER}"), error))?;
    File::create_new(&path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => NetError::NamespaceExists { name: name.to_owned(), holder: None },
        _ => NetError::system(format!("make {}", path.display()), error),
    })?;
    let source = format!("/proc/self/fd/{}", namespace.as_raw_fd());
    mount_bind(source, &path).map_err(|error| {
        let _ = std::fs::remove_file(&path);
        NetError::system(format!("mount a network namespace at {}", path.display()), error)
    })
}

/// Takes a name away. One that is away already is no error.
pub(super) fn take_away(name: &str) -> Result<(), NetError> {
    let path = path(name);
    let failed = |error: io::Error| NetError::system(format!("remove {}", path.display()), error);
    match unmount(&path, UnmountFlags::DETACH) {
        Ok(()) | Err(Errno::INVAL | Errno::NOENT) => {}
        Err(error) => return Err(failed(error.into())),
    }
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}
