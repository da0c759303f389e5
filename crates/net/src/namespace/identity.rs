//! Which namespace is which.

use super::{enter, on_a_thread};
use crate::error::NetError;
use crate::option;
use rustix::fs::fstat;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::os::fd::{AsFd, BorrowedFd};

/// What tells a namespace from all others.
///
/// The number of its file tells those apart that live at the same time, and processes show it (`/proc/PID/ns/net`); but
/// the next namespace may get it again. The cookie (`SO_NETNS_COOKIE`, Linux 5.14) is never used twice until the machine
/// starts anew, but only who is inside can ask for it. So a record has both, and nothing is ended or removed for a number alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) file: u64,
    pub(super) cookie: u64,
}

impl Identity {
    /// The identity of a namespace that this process may enter.
    pub(super) fn of(namespace: BorrowedFd<'_>) -> Result<Self, NetError> {
        on_a_thread(|| {
            enter(namespace)?;
            Self::of_present(namespace)
        })
    }

    /// The identity of the calling thread's namespace, whose descriptor this is.
    pub(super) fn of_present(namespace: impl AsFd) -> Result<Self, NetError> {
        let failed =
            |error: std::io::Error| NetError::system("ask which network namespace this is (Linux 5.14)", error);
        let file = fstat(namespace).map_err(|error| failed(error.into()))?.st_ino;
        let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
            .map_err(|error| failed(error.into()))?;
        let cookie = option::get(&socket, libc::SOL_SOCKET, libc::SO_NETNS_COOKIE).map_err(failed)?;
        Ok(Self { file, cookie: u64::from_ne_bytes(cookie) })
    }
}
