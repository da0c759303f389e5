//! What a tunnel that runs is asked, and its answers: `arqway status`, `path`, `events`, `hint` and `down`.
//!
//! It listens at an abstract Unix socket, `@arqway/LINK` (unix(7)), which belongs to the network namespace that the tunnel is in and
//! ends with the process, however that ends: there is no file to be left behind. Only root and the user who started the tunnel
//! are answered.
//!
//! ```text
//!     -> status\n      <- a line of JSON
//!     -> flows\n       <- a line of JSON: what flows have done since this was asked first, lately
//!     -> path\n, or path 10.9.0.3, or path-peer boat        <- a line of JSON: what the links of the path do
//!     -> events\n      <- a line of JSON for each event, until either side ends it
//!     -> hint down boat\n, or up, or handoff; without a name to all peers        <- {}
//!     -> down\n        <- {}, and the connection ends with the process
//!     -> anything\n    <- {"error":"..."}
//! ```
//!
//! `status.rs`, `path.rs` and `event_line.rs` say what is in these lines. Those who ask are served by threads of their own: none of them, however slow, holds up a packet.

mod ask;
mod bind_error;
mod event_line;
mod flows;
mod journal;
mod path;
mod status;

pub use ask::{Answers, AskError, ask, running};
pub use bind_error::BindError;
pub use event_line::{EventLine, What};
pub use flows::{FlowStatus, FlowsStatus};
pub(crate) use journal::Journal;
pub use path::{PathLinkStatus, PathServiceStatus, PathStatus};
pub use status::{CountersStatus, LineStatus, PeerStatus, ServiceStatus, Status};

use crate::hub::LineHint;
use arqway_net::{Clock, Waker, own_user, peer_credentials};
use arqway_units::Span;
use serde::Serialize;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::IpAddr;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// So many ask at once, and so many listen to events.
const MOST: usize = 16;
/// Whoever asks says what within that time, and takes the answer within it.
const PATIENCE: Span = Span::from_milliseconds(2000);
/// So many events wait for one who reads them; whoever is slower misses some, and sees that by their numbers.
const WAITING: usize = 256;
/// While nothing happens, it is looked so often whether those who listen are still there.
const LOOK: Duration = Duration::from_secs(1);
/// After a connection could not be accepted: what is lacking, such as descriptors, others have to give back first.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_REQUEST: usize = 512;
/// A path answers within that time, or is said not to.
const PATH_PATIENCE: Duration = Duration::from_secs(8);

/// What is asked of the thread that has the tunnel.
#[derive(Debug)]
pub(crate) enum Request {
    /// What it is like.
    Status(Sender<Status>),
    /// What flows have done since somebody asked first: a line of JSON. Addresses are root's to know.
    Flows { with_addresses: bool, answer: Sender<String> },
    /// What the links of a path do: a line of JSON.
    Path {
        /// To an address.
        to: Option<IpAddr>,
        /// Or to a peer alone, by name.
        peer: Option<String>,
        /// When the path has answered.
        answer: Sender<String>,
    },
    /// What happens to it from now on, a line of JSON each.
    Events(Listener),
    /// What somebody knows of the line to a peer, or to all.
    Hint {
        /// What.
        hint: LineHint,
        /// To whom, by name.
        peer: Option<String>,
        /// By which line, by its number, if not by all.
        line: Option<u8>,
        /// A line of JSON: an error, or nothing.
        answer: Sender<String>,
    },
    /// It is to end.
    Down(Sender<String>),
}

/// Somebody who wants to hear what happens.
#[derive(Debug)]
pub(crate) struct Listener {
    lines: SyncSender<String>,
    place: Weak<Place>,
}

impl Listener {
    /// Whether anybody listens still: also known where nothing happens.
    pub(crate) fn is_there(&self) -> bool {
        self.place.strong_count() > 0
    }

    /// Tells a line, for which there may be no room.
    pub(crate) fn tell(&self, line: &str) {
        drop(self.lines.try_send(line.to_owned()));
    }
}

/// An answer that says that something is wrong.
pub(crate) fn error(why: &str) -> String {
    format!("{}\n", serde_json::json!({ "error": why }))
}

/// A line of JSON.
pub(crate) fn line_of_json(value: &impl Serialize) -> String {
    // What is said here always can be: it has no maps with keys that are no text.
    serde_json::to_string(value).map_or_else(|error| format!("{{\"error\":\"{error}\"}}\n"), |json| json + "\n")
}

/// The name of the socket of a tunnel.
pub(crate) fn socket_name(name: &str) -> String {
    format!("arqway/{name}")
}

/// A socket that nobody is answered at yet.
#[derive(Debug)]
pub(crate) struct Control {
    listener: UnixListener,
    desk: Desk,
}

impl Control {
    /// Takes the name of a tunnel.
    ///
    /// # Errors
    /// Somebody has it in this network namespace, most often a tunnel of this name.
    pub(crate) fn bind(name: &str) -> Result<Self, BindError> {
        let bound = SocketAddr::from_abstract_name(socket_name(name)).and_then(|name| UnixListener::bind_addr(&name));
        let listener = bound.map_err(|error| BindError::of(name, error))?;
        Ok(Self { listener, desk: Desk::default() })
    }

    /// Listens from now on to those who ask, on a thread of its own, and passes on what they ask; and what others do who have the sender.
    pub(crate) fn serve(self, waker: &Arc<Waker>) -> io::Result<(Sender<Request>, Receiver<Request>)> {
        let Self { listener, desk } = self;
        let (requests, asked) = channel();
        let others = requests.clone();
        let waker = Arc::clone(waker);
        let serve = move || {
            accept(listener.incoming(), || thread::sleep(PAUSE), |client| desk.receive(client, &requests, &waker));
        };
        thread::Builder::new().name("control".to_owned()).spawn(serve)?;
        Ok((others, asked))
    }
}

/// Admits those who come, and pauses where one could not be accepted: what comes next may fail in the same way at once.
fn accept(
    incoming: impl Iterator<Item = io::Result<UnixStream>>,
    mut pause: impl FnMut(),
    mut admit: impl FnMut(UnixStream),
) {
    for client in incoming {
        match client {
            Ok(client) => admit(client),
            Err(_) => pause(),
        }
    }
}

/// A place among at most [`MOST`]; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(taken: &Arc<AtomicUsize>) -> Option<Self> {
        Self::take_of(taken, MOST)
    }

    /// One of so many.
    pub(crate) fn take_of(taken: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let place = Self(Arc::clone(taken));
        (taken.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where those are received who ask.
#[derive(Debug)]
struct Desk {
    /// Who started the tunnel. The process may have another user later.
    user: u32,
    asking: Arc<AtomicUsize>,
    listening: Arc<AtomicUsize>,
}

impl Default for Desk {
    fn default() -> Self {
        Self { user: own_user(), asking: Arc::default(), listening: Arc::default() }
    }
}

impl Desk {
    fn receive(&self, mut client: UnixStream, requests: &Sender<Request>, waker: &Arc<Waker>) {
        let user = peer_credentials(&client).ok().map(|client| client.user);
        let is_known = user.is_some_and(|user| user == 0 || user == self.user);
        let place = if is_known {
            Place::take(&self.asking).ok_or("too many ask at once; try again")
        } else {
            Err("only root and the user who started the tunnel are answered")
        };
        // What goes wrong from here on is the client's end of it.
        let place = match place {
            Ok(place) => place,
            Err(why) => return drop(refuse(&mut client, why)),
        };
        let (requests, waker, listening) = (requests.clone(), Arc::clone(waker), Arc::clone(&self.listening));
        let serve = move || drop(serve((client, user == Some(0)), place, &listening, &requests, &waker));
        drop(thread::Builder::new().name("client".to_owned()).spawn(serve));
    }
}

fn refuse(client: &mut UnixStream, why: &str) -> io::Result<()> {
    // It is short: there is room for it, whoever reads it.
    client.write_all(error(why).as_bytes())
}

/// Serves a client, which is root or is not.
fn serve(
    (mut client, is_root): (UnixStream, bool),
    place: Place,
    listening: &Arc<AtomicUsize>,
    requests: &Sender<Request>,
    waker: &Waker,
) -> io::Result<()> {
    let patience = Duration::from_nanos(PATIENCE.as_nanoseconds());
    client.set_write_timeout(Some(patience))?;
    let Ok(request) = read_request(&mut client, PATIENCE) else {
        return refuse(&mut client, "expected a request of one line, at once");
    };
    let pass_on = |request| {
        // Where the tunnel has ended, nothing is answered.
        requests.send(request).map_err(io::Error::other)?;
        waker.wake();
        Ok::<_, io::Error>(())
    };
    if request == "events" {
        drop(place);
        let Some(place) = Place::take(listening).map(Arc::new) else {
            return refuse(&mut client, "too many listen to its events; end one of them");
        };
        let (lines, events) = sync_channel(WAITING);
        pass_on(Request::Events(Listener { lines, place: Arc::downgrade(&place) }))?;
        return follow(client, &events);
    }
    if request == "status" {
        let (answer, answered) = channel();
        pass_on(Request::Status(answer))?;
        let status = answered.recv_timeout(patience).map_err(io::Error::other)?;
        return client.write_all(line_of_json(&status).as_bytes());
    }
    let (answer, answered) = channel();
    match asked(&request, is_root, answer) {
        Ok(request) => pass_on(request)?,
        Err(why) => return refuse(&mut client, why),
    }
    let patience = if request.starts_with("path") { PATH_PATIENCE } else { patience };
    let line = answered.recv_timeout(patience).map_err(io::Error::other)?;
    client.write_all(line.as_bytes())?;
    if request != "down" {
        return Ok(());
    }
    // Whoever asked for it learns that it has ended when this connection does, with the process.
    loop {
        thread::park();
    }
}

/// What a line asks for, but for the status and events; or why it is no request.
fn asked(request: &str, is_root: bool, answer: Sender<String>) -> Result<Request, &'static str> {
    let (what, rest) = request.split_once(' ').map_or((request, None), |(what, rest)| (what, Some(rest)));
    let hint = |words: Option<&str>, line| {
        let mut words = words?.splitn(2, ' ');
        let hint = LineHint::read(words.next()?)?;
        Some((hint, words.next().map(str::to_owned), line))
    };
    let of_hint = |told: Option<(LineHint, Option<String>, Option<u8>)>, answer, why| {
        told.map(|(hint, peer, line)| Request::Hint { hint, peer, line, answer }).ok_or(why)
    };
    match what {
        "flows" => Ok(Request::Flows { with_addresses: is_root, answer }),
        "path" => {
            let to = rest.map(str::parse::<IpAddr>).transpose();
            let to = to.map_err(|_| "expected `path` and an address of the destination in its tunnel")?;
            Ok(Request::Path { to, peer: None, answer })
        }
        "path-peer" => Ok(Request::Path { to: None, peer: rest.map(str::to_owned), answer }),
        "hint" => of_hint(hint(rest, None), answer, "expected `hint`, `down`, `up` or `handoff`, and perhaps a peer"),
        "hint-line" => {
            let told = rest.and_then(|rest| {
                // The number of the line stands before what a hint without one says.
                let (line, rest) = rest.split_once(' ')?;
                hint(Some(rest), Some(line.parse().ok()?))
            });
            of_hint(told, answer, "expected `hint-line`, the number of a line, and a hint")
        }
        "down" => Ok(Request::Down(answer)),
        _ => Err("expected `status`, `flows`, `path`, `events`, `hint` or `down`; is the command of another version?"),
    }
}

/// What a client asks: a line, within a time.
fn read_request(client: &mut UnixStream, patience: Span) -> io::Result<String> {
    let clock = Clock::start();
    let until = clock.now() + patience;
    let (mut request, mut length) = ([0; LONGEST_REQUEST], 0);
    loop {
        let left = until.since(clock.now());
        if left == Span::ZERO {
            return Err(ErrorKind::TimedOut.into());
        }
        client.set_read_timeout(Some(Duration::from_nanos(left.as_nanoseconds())))?;
        let read = client.read(&mut request[length..])?;
        length += read;
        if let Some(end) = request[..length].iter().position(|octet| *octet == b'\n') {
            return String::from_utf8(request[..end].to_vec()).map_err(io::Error::other);
        }
        if read == 0 || length == LONGEST_REQUEST {
            return Err(ErrorKind::InvalidData.into());
        }
    }
}

/// Tells events for as long as somebody listens and the tunnel runs. Whoever reads slowly holds up this thread alone, and gets whole
/// lines.
fn follow(mut client: UnixStream, events: &Receiver<String>) -> io::Result<()> {
    client.set_write_timeout(None)?;
    loop {
        match events.recv_timeout(LOOK) {
            Ok(line) => client.write_all(line.as_bytes())?,
            Err(RecvTimeoutError::Timeout) if is_there(&mut client)? => {}
            Err(_) => return Ok(()),
        }
    }
}

/// Whether a client has not closed its end. What it may say is not heard.
fn is_there(client: &mut UnixStream) -> io::Result<bool> {
    client.set_nonblocking(true)?;
    let is_there = match client.read(&mut [0; LONGEST_REQUEST]) {
        Ok(read) => read > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    };
    client.set_nonblocking(false)?;
    Ok(is_there)
}

#[cfg(test)]
mod tests;
