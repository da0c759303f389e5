//! Tells systemd, where that has started this process, that it does its work now: sd_notify(3).

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Says so to whoever has asked for it, if anybody has.
pub(crate) fn tell() -> io::Result<()> {
    env::var_os("NOTIFY_SOCKET").map_or(Ok(()), |socket| tell_at(&socket))
}

/// A path, or a name without a file behind `@`.
fn tell_at(socket: &OsStr) -> io::Result<()> {
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(b"READY=1", &address)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_without_a_file_is_told_too_and_one_that_is_not_there_is_an_error() {
        let name = format!("arqway-test-ready-{}", std::process::id());
        let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        tell_at(OsStr::new(&format!("@{name}"))).unwrap();
        let mut heard = [0; 16];
        let length = socket.recv(&mut heard).unwrap();
        assert_eq!(heard[..length], *b"READY=1");
        drop(socket);
        assert!(tell_at(OsStr::new(&format!("@{name}"))).is_err() && tell_at(OsStr::new("/nowhere/at/all")).is_err());
    }
}
