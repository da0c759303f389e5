//! TCP connections of the kernel that always have something to send, from the server to the client.

use super::period::{FirstBack, Period};
use arqway_net::set_congestion_control;
use arqway_units::Span;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const PORT: u16 = 5001;
const BUFFER: usize = 64 * 1024;
/// How often it is looked whether it is over.
const TICK: Duration = Duration::from_millis(100);
/// A connection is tried for so long, and then again.
const CONNECT: Duration = Duration::from_secs(5);

pub(super) fn listen(server: IpAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((server, PORT))?;
    // A connection that is accepted has it from here.
    set_congestion_control(&listener, "cubic")?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Sends to whoever connects, one at a time, as fast as TCP does.
pub(super) fn send(listener: &TcpListener, period: &Period<'_>) -> io::Result<()> {
    let octets = vec![0; BUFFER];
    while period.goes_on() {
        let mut stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(TICK);
                continue;
            }
            Err(error) => return Err(error),
        };
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(TICK))?;
        while period.goes_on() && is_open(stream.write(&octets)) {}
    }
    Ok(())
}

/// Counts what comes. How long after a cut link was back the first of it came.
pub(super) fn receive(server: IpAddr, period: &Period<'_>, received: &AtomicU64) -> io::Result<Option<Span>> {
    let (mut octets, mut back) = (vec![0; BUFFER], FirstBack::default());
    while period.goes_on() {
        let Ok(mut stream) = TcpStream::connect_timeout(&(server, PORT).into(), CONNECT) else {
            thread::sleep(TICK);
            continue;
        };
        stream.set_read_timeout(Some(TICK))?;
        while period.goes_on() {
            let read = stream.read(&mut octets);
            let count = read.as_ref().map_or(0, |read| arqway_units::count(*read));
            received.fetch_add(count, Ordering::Relaxed);
            if count > 0 {
                back.arrives(period);
            }
            if !is_open(read) {
                break;
            }
        }
    }
    Ok(back.after(period))
}

/// Whether a connection goes on after this.
fn is_open(done: io::Result<usize>) -> bool {
    match done {
        Ok(octets) => octets > 0,
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted),
    }
}
