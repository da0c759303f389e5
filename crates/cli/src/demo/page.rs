//! Pages, one after the other: a document, and then what it shows, over connections side by side, as a browser fetches them.
//!
//! ```text
//!     connection 1   | document |            a connection begins, a request of four octets says how many octets are wanted
//!     1 to 6                    | object | object | object |
//! ```

use super::period::{FirstBack, Period};
use arqway_units::Span;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::thread::{self, Scope};
use std::time::Duration;

const PORT: u16 = 8080;
const DOCUMENT: u32 = 20_000;
const OBJECT: u32 = 15_000;
const CONNECTIONS: usize = 6;
/// One after the other on each connection.
const OBJECTS: usize = 3;
/// The next page begins so long after this one, or when this one is there.
const EVERY: Span = Span::from_milliseconds(5000);
/// How often it is looked whether it is over.
const TICK: Duration = Duration::from_millis(50);
/// A connection is tried for so long.
const CONNECT: Duration = Duration::from_secs(5);
const BUFFER: usize = 16 * 1024;

pub(super) fn listen(server: IpAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((server, PORT))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Answers requests until it is over.
pub(super) fn serve<'s>(scope: &'s Scope<'s, '_>, listener: &TcpListener, period: Period<'s>) -> io::Result<()> {
    while period.goes_on() {
        match listener.accept() {
            Ok((stream, _)) => {
                // One that ends ends this connection alone.
                scope.spawn(move || answer(stream, &period).ok());
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(TICK),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn answer(mut stream: TcpStream, period: &Period<'_>) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TICK))?;
    stream.set_write_timeout(Some(TICK))?;
    let octets = [0; BUFFER];
    loop {
        let mut wanted = [0; 4];
        if !read_all(&mut stream, &mut wanted, period)? {
            return Ok(());
        }
        let mut left = usize::try_from(u32::from_be_bytes(wanted)).unwrap_or(0);
        while left > 0 && period.goes_on() {
            match stream.write(&octets[..left.min(BUFFER)]) {
                Ok(written) => left -= written,
                Err(error) if waits(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Fetches pages until it is over. How long each took, and how long after a cut link was back the first of them was there.
pub(super) fn fetch(server: IpAddr, period: &Period<'_>) -> (Vec<Span>, Option<Span>) {
    let (mut took, mut back) = (Vec::new(), FirstBack::default());
    while period.goes_on() {
        let begun = period.now();
        if page(server, period).is_ok_and(|is_whole| is_whole) {
            took.push(period.now().since(begun));
            back.arrives(period);
        }
        while period.goes_on() && period.now() < begun + EVERY {
            thread::sleep(TICK);
        }
    }
    (took, back.after(period))
}

/// One page; whether it came before all was over.
fn page(server: IpAddr, period: &Period<'_>) -> io::Result<bool> {
    let mut first = connect(server)?;
    if !get(&mut first, DOCUMENT, period)? {
        return Ok(false);
    }
    let mut first = Some(first);
    thread::scope(|scope| {
        let objects = |stream: Option<TcpStream>| {
            scope.spawn(move || {
                let mut stream = stream.map_or_else(|| connect(server), Ok)?;
                for _ in 0..OBJECTS {
                    if !get(&mut stream, OBJECT, period)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            })
        };
        let running: Vec<_> = (0..CONNECTIONS).map(|_| objects(first.take())).collect();
        let parts =
            running.into_iter().map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        parts.collect::<io::Result<Vec<bool>>>().map(|parts| parts.into_iter().all(|is_whole| is_whole))
    })
}

fn connect(server: IpAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&(server, PORT).into(), CONNECT)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TICK))?;
    Ok(stream)
}

/// Asks for so many octets; whether they came before all was over.
fn get(stream: &mut TcpStream, octets: u32, period: &Period<'_>) -> io::Result<bool> {
    stream.write_all(&octets.to_be_bytes())?;
    let mut there = vec![0; usize::try_from(octets).unwrap_or(0)];
    read_all(stream, &mut there, period)
}

/// Fills a buffer; `false` where all was over before, or the other end has nothing more.
fn read_all(stream: &mut TcpStream, into: &mut [u8], period: &Period<'_>) -> io::Result<bool> {
    let mut at = 0;
    while at < into.len() {
        match stream.read(&mut into[at..]) {
            Ok(0) => return Ok(false),
            Ok(read) => at += read,
            Err(error) if waits(&error) && period.goes_on() => {}
            Err(error) if waits(&error) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
