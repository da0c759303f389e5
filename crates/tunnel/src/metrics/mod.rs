//! `metrics = "127.0.0.1:9586"`: what `arqway status` says, for Prometheus and all that reads OpenMetrics, over HTTP/1.1.
//!
//! ```text
//!     GET /metrics    -> 200, the exposition (`exposition.rs`)
//!     GET /healthz    -> 200 where a link to a peer is up, 503 where none is
//! ```
//!
//! Whoever asks is served by a thread of its own, at most four at a time, each with two seconds: none of them holds up a packet. Numbers are those of one moment, as
//! the thread with the tunnel says them. There is no way to change anything here, and nothing is said of addresses or keys.

mod exposition;

use crate::control::{Place, Request, Status};
use arqway_net::{Clock, Waker};
use arqway_units::Span;
use exposition::exposition;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

/// So many are served at once.
const MOST: usize = 4;
/// For the question, and for the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// After a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(100);
/// No longer head of a request is read.
const LONGEST_HEAD: usize = 8192;
/// OpenMetrics 1.0, section 4.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

/// Listens from now on to those who ask, on a thread of its own.
///
/// # Errors
/// The system has no room for the thread.
pub(crate) fn serve(listener: TcpListener, requests: Sender<Request>, waker: &Arc<Waker>) -> io::Result<()> {
    let waker = Arc::clone(waker);
    let taken = Arc::new(AtomicUsize::new(0));
    let accept = move || {
        for client in listener.incoming() {
            let Ok(mut client) = client else {
                thread::sleep(PAUSE);
                continue;
            };
            let Some(place) = Place::take_of(&taken, MOST) else {
                // It is short: there is room for it, whoever reads it.
                drop(answer(&mut client, "503 Service Unavailable", PLAIN, "too many ask at once; try again\n"));
                continue;
            };
            let (requests, waker) = (requests.clone(), Arc::clone(&waker));
            let talk = move || {
                drop(talk(client, || status(&requests, &waker)));
                drop(place);
            };
            drop(thread::Builder::new().name("scrape".to_owned()).spawn(talk));
        }
    };
    thread::Builder::new().name("metrics".to_owned()).spawn(accept).map(drop)
}

/// Asks the thread that has the tunnel; nothing where that has ended.
fn status(requests: &Sender<Request>, waker: &Waker) -> Option<Status> {
    let (answer, answered) = channel();
    requests.send(Request::Status(answer)).ok()?;
    waker.wake();
    answered.recv_timeout(PATIENCE).ok()
}

/// Answers the one question of a client.
fn talk(mut client: TcpStream, status: impl FnOnce() -> Option<Status>) -> io::Result<()> {
    client.set_write_timeout(Some(PATIENCE))?;
    let (code, kind, body) = match read_head(&mut client) {
        Err(error) => ("400 Bad Request", PLAIN, format!("expected a request of HTTP/1.1: {error}\n")),
        Ok(line) => reply(&line, status),
    };
    answer(&mut client, code, kind, &body)
}

/// What is answered to the first line of a request: code, kind and body.
fn reply(line: &str, status: impl FnOnce() -> Option<Status>) -> (&'static str, &'static str, String) {
    let mut words = line.split(' ');
    let (method, target, version) = (words.next(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !version.starts_with("HTTP/1.") {
        return ("400 Bad Request", PLAIN, "expected a request of HTTP/1.1\n".to_owned());
    }
    if method != Some("GET") {
        return ("405 Method Not Allowed", PLAIN, "expected GET\n".to_owned());
    }
    let path = target.split('?').next().unwrap_or_default();
    if !["/metrics", "/healthz"].contains(&path) {
        return ("404 Not Found", PLAIN, "expected /metrics or /healthz\n".to_owned());
    }
    let Some(status) = status() else {
        return ("503 Service Unavailable", PLAIN, "the tunnel does not answer\n".to_owned());
    };
    if path == "/metrics" {
        return ("200 OK", OPEN_METRICS, exposition(status));
    }
    if status.peers.iter().any(|peer| peer.is_up) {
        ("200 OK", PLAIN, "a link is up\n".to_owned())
    } else {
        ("503 Service Unavailable", PLAIN, "no link to a peer is up\n".to_owned())
    }
}

/// The first line of a request, once its head has been read to its end.
fn read_head(client: &mut TcpStream) -> io::Result<String> {
    let clock = Clock::start();
    let until = clock.now() + Span::from_nanoseconds(u64::try_from(PATIENCE.as_nanos()).unwrap_or(u64::MAX));
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = until.since(clock.now());
        if left == Span::ZERO {
            return Err(ErrorKind::TimedOut.into());
        }
        client.set_read_timeout(Some(Duration::from_nanos(left.as_nanoseconds())))?;
        let read = client.read(&mut part)?;
        head.extend_from_slice(&part[..read]);
        if read == 0 || head.len() > LONGEST_HEAD {
            return Err(ErrorKind::InvalidData.into());
        }
    }
    let line = head.split(|octet| *octet == b'\r').next().unwrap_or_default();
    String::from_utf8(line.to_vec()).map_err(io::Error::other)
}

fn answer(client: &mut TcpStream, code: &str, kind: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {code}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes())?;
    client.write_all(body.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::exposition::tests::busy;
    use super::*;

    #[test]
    fn each_request_has_its_answer_and_what_is_none_is_told_what_is() {
        let code = |line: &str| reply(line, || Some(busy())).0;
        assert_eq!(code("GET /metrics HTTP/1.1"), "200 OK");
        assert_eq!(code("GET /metrics?x=1 HTTP/1.0"), "200 OK");
        assert_eq!(code("GET /healthz HTTP/1.1"), "200 OK");
        assert_eq!(code("GET / HTTP/1.1"), "404 Not Found");
        assert_eq!(code("POST /metrics HTTP/1.1"), "405 Method Not Allowed");
        for line in ["", "GET", "GET /metrics", "GET /metrics HTTP/2", "hello"] {
            assert_eq!(code(line), "400 Bad Request", "{line}");
        }
        let (code, _, body) = reply("GET /metrics HTTP/1.1", || None);
        assert_eq!((code, body.as_str()), ("503 Service Unavailable", "the tunnel does not answer\n"));
        let mut down = busy();
        down.peers.iter_mut().for_each(|peer| peer.is_up = false);
        assert_eq!(reply("GET /healthz HTTP/1.1", || Some(down)).0, "503 Service Unavailable");
    }

    /// A client of a server on loopback that says this, and what it hears.
    fn heard(says: &[u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let at = listener.local_addr().expect("an address");
        let server = thread::spawn(move || {
            let (client, _) = listener.accept().expect("a client");
            drop(talk(client, || Some(busy())));
        });
        let mut client = TcpStream::connect(at).expect("loopback");
        client.write_all(says).expect("a request");
        client.shutdown(std::net::Shutdown::Write).expect("the end of it");
        let mut heard = String::new();
        client.read_to_string(&mut heard).expect("an answer");
        server.join().expect("it ends");
        heard
    }

    #[test]
    fn a_scrape_has_a_head_with_its_length_and_a_body_that_ends_as_openmetrics_do() {
        let told = heard(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n");
        let (head, body) = told.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains(OPEN_METRICS), "{head}");
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
        assert!(body.ends_with("# EOF\n"), "{body}");
    }

    #[test]
    fn four_are_served_at_once_others_are_told_to_come_again_and_who_says_nothing_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let at = listener.local_addr().expect("an address");
        let (requests, _asked) = channel();
        serve(listener, requests, &Arc::new(Waker::new().expect("an eventfd"))).expect("a thread");
        let connect = || TcpStream::connect(at).expect("loopback");
        let heard = |mut client: TcpStream| {
            let mut heard = String::new();
            client.read_to_string(&mut heard).expect("an answer, and its end");
            heard
        };
        let mut silent: Vec<TcpStream> = (0..4).map(|_| connect()).collect();
        assert!(heard(connect()).ends_with("too many ask at once; try again\n"));
        assert!(heard(silent.remove(0)).starts_with("HTTP/1.1 400 "));
    }

    #[test]
    fn what_is_no_request_is_refused_however_long_it_is() {
        assert!(heard(b"\x16\x03\x01").starts_with("HTTP/1.1 400 "));
        assert!(heard(&[b'x'; LONGEST_HEAD + 1]).starts_with("HTTP/1.1 400 "));
    }
}
