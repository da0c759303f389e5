//! Talking to a tunnel that runs: `arqway status LINK`, `arqway events LINK`.
//!
//! It listens at an abstract Unix socket, `@arqway/LINK` (unix(7)), which belongs to the network namespace that the tunnel is in and
//! ends with the process, however that ends: there is no file to be left behind. Only root and the tunnel's own user are answered.
//!
//! ```text
//!     -> status\n      <- a line of JSON
//!     -> events\n      <- a line of JSON for each event, until either side ends it
//! ```
//!
//! Those who ask are served by threads of their own: none of them, however slow, holds up a packet.

use crate::tunnel::Event;
use arqway_link::bearer;
use arqway_net::{Waker, peer_user};
use arqway_session as session;
use serde::Serialize;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// So many ask at once.
const MOST: usize = 16;
/// Whoever asks says what within that time, and takes the answer within it.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many events wait for one who reads them; whoever is slower misses some, and sees that by their numbers.
const WAITING: usize = 256;
const LONGEST_REQUEST: u64 = 64;

/// What is asked of the thread that has the tunnel.
#[derive(Debug)]
pub(crate) enum Request {
    /// What it is like: a line of JSON.
    Status(Sender<String>),
    /// What happens to it from now on, a line of JSON each.
    Events(SyncSender<String>),
}

fn address(name: &str) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("arqway/{name}"))
}

/// Listens for those who ask of the tunnel of this name, and passes on what they ask.
///
/// # Errors
/// A tunnel of this name runs already in this network namespace.
pub(crate) fn listen(name: &str, waker: &Arc<Waker>) -> io::Result<Receiver<Request>> {
    let listener = UnixListener::bind_addr(&address(name)?)?;
    let (requests, asked) = channel();
    let (waker, busy) = (Arc::clone(waker), Arc::new(AtomicUsize::new(0)));
    thread::Builder::new().name("control".to_owned()).spawn(move || {
        for client in listener.incoming().flatten() {
            let (requests, waker, busy) = (requests.clone(), Arc::clone(&waker), Arc::clone(&busy));
            if busy.fetch_add(1, Ordering::Relaxed) >= MOST {
                busy.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let served = thread::Builder::new().name("client".to_owned()).spawn({
                let busy = Arc::clone(&busy);
                move || {
                    // What goes wrong here is the client's end of it.
                    serve(client, &requests, &waker).ok();
                    busy.fetch_sub(1, Ordering::Relaxed);
                }
            });
            if served.is_err() {
                busy.fetch_sub(1, Ordering::Relaxed);
            }
        }
    })?;
    Ok(asked)
}

fn serve(mut client: UnixStream, requests: &Sender<Request>, waker: &Waker) -> io::Result<()> {
    if !peer_user(&client).is_ok_and(|user| user == 0 || user == arqway_net::own_user()) {
        return client.write_all(b"{\"error\":\"only root and the user of the tunnel are answered\"}\n");
    }
    client.set_read_timeout(Some(PATIENCE))?;
    client.set_write_timeout(Some(PATIENCE))?;
    let mut request = String::new();
    BufReader::new((&client).take(LONGEST_REQUEST)).read_line(&mut request)?;
    match request.trim_end() {
        "status" => {
            let (answer, answered) = channel();
            // Where the tunnel has ended, nothing is answered.
            requests.send(Request::Status(answer)).map_err(io::Error::other)?;
            waker.wake();
            let line = answered.recv_timeout(PATIENCE).map_err(io::Error::other)?;
            client.write_all(line.as_bytes())
        }
        "events" => {
            let (event, events) = sync_channel(WAITING);
            requests.send(Request::Events(event)).map_err(io::Error::other)?;
            waker.wake();
            events.iter().try_for_each(|line| client.write_all(line.as_bytes()))
        }
        _ => client.write_all(b"{\"error\":\"expected `status` or `events`\"}\n"),
    }
}

/// Asks the tunnel of this name, in this network namespace.
///
/// # Errors
/// There is none, or it does not listen to this user.
pub fn ask(name: &str, request: &str) -> io::Result<impl Read + use<>> {
    let mut stream = UnixStream::connect_addr(&address(name)?)?;
    stream.write_all(format!("{request}\n").as_bytes())?;
    Ok(stream)
}

/// An event as a line of JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub(crate) enum EventLine<'t> {
    /// The session has new keys.
    Keys { at_s: f64, number: u64, peer: &'t str },
    /// The peer's process has begun anew.
    Restarted { at_s: f64, number: u64, peer: &'t str },
    /// The two ends cannot speak to each other.
    Refused { at_s: f64, number: u64, peer: &'t str, why: String },
    /// Nobody answers.
    Unreachable { at_s: f64, number: u64, peer: &'t str },
    /// The peer is somewhere else.
    Moved { at_s: f64, number: u64, peer: &'t str, to: String },
    /// Packets cross the link.
    Up { at_s: f64, number: u64, peer: &'t str },
    /// They do not.
    Down { at_s: f64, number: u64, peer: &'t str },
    /// Datagrams may be so large.
    Mtu { at_s: f64, number: u64, peer: &'t str, octets: u64 },
}

impl<'t> EventLine<'t> {
    pub(crate) fn new(event: &Event, peer: &'t str, number: u64, at_s: f64) -> Self {
        match event {
            Event::Session(session::Event::Established { restarted: false, .. }) => Self::Keys { at_s, number, peer },
            Event::Session(session::Event::Established { .. }) | Event::Link(_, bearer::Event::PeerRestarted) => {
                Self::Restarted { at_s, number, peer }
            }
            Event::Session(session::Event::Refused { why, .. }) => {
                Self::Refused { at_s, number, peer, why: why.to_string() }
            }
            Event::Session(session::Event::Unreachable { .. }) => Self::Unreachable { at_s, number, peer },
            Event::Session(session::Event::Moved { to, .. }) => Self::Moved { at_s, number, peer, to: to.to_string() },
            Event::Link(_, bearer::Event::Up) => Self::Up { at_s, number, peer },
            Event::Link(_, bearer::Event::Down) => Self::Down { at_s, number, peer },
            Event::Link(_, bearer::Event::Mtu(octets)) => Self::Mtu { at_s, number, peer, octets: octets.as_u64() },
        }
    }
}
