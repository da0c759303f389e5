//! Socket options that no library has: setsockopt(2).

use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// The length of an option's value for the system.
fn length(value: &[u8]) -> libc::socklen_t {
    libc::socklen_t::try_from(value.len()).unwrap_or(libc::socklen_t::MAX)
}

/// Sets an option whose value is plain octets, without a pointer in it.
pub(crate) fn set(socket: impl AsFd, level: i32, option: i32, value: &[u8]) -> io::Result<()> {
    let descriptor = socket.as_fd().as_raw_fd();
    // SAFETY: the system only reads from `value`, and not beyond the length that it is told, which is that of `value`.
    #[expect(unsafe_code, reason = "rustix has none of the options of packet sockets, nor SO_TIMESTAMPNS")]
    let result = unsafe { libc::setsockopt(descriptor, level, option, value.as_ptr().cast(), length(value)) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Reads an option whose value is this many plain octets.
pub(crate) fn get<const N: usize>(socket: impl AsFd, level: i32, option: i32) -> io::Result<[u8; N]> {
    let descriptor = socket.as_fd().as_raw_fd();
    let mut value = [0; N];
    let mut written = length(&value);
    // SAFETY: the system writes at most `written` octets, which is the length of `value`, and how many into `written`.
    #[expect(unsafe_code, reason = "rustix has none of the options of packet sockets, nor SO_NETNS_COOKIE")]
    let result = unsafe { libc::getsockopt(descriptor, level, option, value.as_mut_ptr().cast(), &raw mut written) };
    match result {
        0 if usize::try_from(written) == Ok(N) => Ok(value),
        0 => Err(Errno::INVAL.into()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Has TCP of a socket send by an algorithm of this name: tcp(7), `TCP_CONGESTION`. Connections that it accepts have it from there.
///
/// # Errors
/// The system has no such algorithm.
pub fn set_congestion_control(socket: impl AsFd, name: &str) -> io::Result<()> {
    Ok(rustix::net::sockopt::set_tcp_congestion(socket, name)?)
}
