//! Unix sockets with abstract names, and who is at their other end: unix(7).

use crate::option;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::fs::read_to_string;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::{fmt, io};

/// Who listens at a socket, or has connected to one, at that time (`SO_PEERCRED`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credentials {
    /// The number of its user.
    pub user: u32,
    /// Its number; 0 if it is in a PID namespace that cannot be seen from here.
    pub process: i32,
}

impl fmt::Display for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, process } = self;
        match read_to_string(format!("/proc/{process}/comm")) {
            Ok(name) => write!(out, "process {process} ({}) of user {user}", name.trim_end()),
            Err(_) => write!(out, "process {process} of user {user}"),
        }
    }
}

/// Who is at the other end of a Unix socket.
///
/// # Errors
/// It is no such socket.
pub fn peer_credentials(socket: impl AsFd) -> io::Result<Credentials> {
    // `struct ucred`: process, user, group. rustix takes its process for one that is never 0.
    let [a, b, c, d, e, f, g, h, ..] = option::get::<12>(socket, libc::SOL_SOCKET, libc::SO_PEERCRED)?;
    Ok(Credentials { user: u32::from_ne_bytes([e, f, g, h]), process: i32::from_ne_bytes([a, b, c, d]) })
}

/// Connects to whoever listens under an abstract name in this network namespace. It does not wait for one who accepts nobody.
///
/// # Errors
/// Nobody listens, or too many are waiting there.
pub fn connect_abstract(name: &str) -> io::Result<UnixStream> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &SocketAddrUnix::new_abstract_name(name.as_bytes())?)?;
    fcntl_setfl(&socket, OFlags::empty())?;
    Ok(socket.into())
}
