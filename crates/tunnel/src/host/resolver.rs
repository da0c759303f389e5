//! Names of hosts, looked up again while the tunnel runs: a boat's address changes with its harbour, and its name follows. A name
//! that had no address at the start, as on a laptop that boots before its network is there, is looked up until it has one.
//!
//! ```text
//!     a peer does not answer  -- ask -->  a thread of its own, since a name server may take long
//!     its address has changed <- poll --
//! ```

use crate::control::What;
use crate::settings::{Endpoint, Settings};
use arqway_net::{Waker, reaches};
use arqway_units::{Span, Time};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::time::Duration;

/// A name without an address is looked up again after so long.
pub(crate) const UNTIL_RESOLVED: Duration = Duration::from_secs(5);

/// A name is looked up once in so long at most.
const AGAIN: Span = Span::from_milliseconds(30_000);
/// So many questions wait at most.
const MOST: usize = 64;

/// Where each peer is, as far as that is said and its name has an address that a socket at `from` reaches. With routes or name servers
/// of its own a tunnel would take the questions for a name to where that name leads: it begins once all names are resolved.
pub(crate) fn resolve(
    settings: &Settings,
    from: SocketAddr,
    mut tell: impl FnMut(&str),
) -> Vec<Result<Option<SocketAddr>, What>> {
    let takes_questions = !settings.routed().is_empty() || !settings.dns.is_empty();
    let place = |endpoint: &Endpoint| {
        let unresolved = |error: io::Error| What::Unresolved { endpoint: endpoint.to_string(), why: error.to_string() };
        endpoint.resolve(|to| reaches(from, to)).map_err(unresolved)
    };
    let mut told = None;
    loop {
        let endpoints = settings.peer.iter().map(|peer| peer.value.endpoint.as_ref());
        let places: Vec<_> = endpoints.map(|at| at.map(|at| place(&at.value)).transpose()).collect();
        match places.iter().find_map(|place| place.as_ref().err()) {
            Some(unresolved) if takes_questions => {
                if told.as_ref() != Some(unresolved) {
                    tell(&format!("{unresolved}; nothing is set up before"));
                    told = Some(unresolved.clone());
                }
                std::thread::sleep(UNTIL_RESOLVED);
            }
            _ => return places,
        }
    }
}

/// Names of peers' hosts, and the thread that looks them up.
pub(crate) struct Resolver<P> {
    names: BTreeMap<P, (Endpoint, Option<Time>)>,
    questions: SyncSender<(P, Endpoint)>,
    answers: Receiver<(P, SocketAddr)>,
}

impl<P: Copy + Ord + Send + 'static> Resolver<P> {
    /// Starts the thread, which looks names up by `look_up`, and wakes the loop when it has an answer. The peers in `to_resolve` are
    /// asked for without a question, each `interval`, until they have an address.
    pub(crate) fn start(
        names: impl IntoIterator<Item = (P, Endpoint)>,
        to_resolve: &[P],
        interval: Duration,
        look_up: impl Fn(&Endpoint) -> Option<SocketAddr> + Send + 'static,
        waker: Arc<Waker>,
    ) -> io::Result<Self> {
        let names: BTreeMap<P, Endpoint> = names.into_iter().filter(|(_, endpoint)| endpoint.is_name()).collect();
        let mut unresolved = names.clone();
        unresolved.retain(|peer, _| to_resolve.contains(peer));
        let (questions, asked) = sync_channel::<(P, Endpoint)>(MOST);
        let (answer, answers) = channel();
        // It ends with the last question.
        std::thread::Builder::new().name("resolver".to_owned()).spawn(move || {
            loop {
                let wait = if unresolved.is_empty() { Duration::MAX } else { interval };
                let wanted = match asked.recv_timeout(wait) {
                    Ok(question) => vec![question],
                    Err(RecvTimeoutError::Timeout) => unresolved.clone().into_iter().collect(),
                    Err(RecvTimeoutError::Disconnected) => return,
                };
                for (peer, endpoint) in wanted {
                    let Some(address) = look_up(&endpoint) else { continue };
                    unresolved.remove(&peer);
                    if answer.send((peer, address)).is_err() {
                        return;
                    }
                }
                waker.wake();
            }
        })?;
        Ok(Self {
            names: names.into_iter().map(|(peer, endpoint)| (peer, (endpoint, None))).collect(),
            questions,
            answers,
        })
    }

    /// A peer does not answer: where is it now?
    pub(crate) fn ask(&mut self, peer: P, now: Time) {
        let Some((endpoint, asked)) = self.names.get_mut(&peer) else { return };
        // Where the thread is busy with others, it is asked again when the peer still does not answer.
        if asked.is_none_or(|asked| now >= asked + AGAIN) && self.questions.try_send((peer, endpoint.clone())).is_ok() {
            *asked = Some(now);
        }
    }

    /// The next answer.
    pub(crate) fn poll(&mut self) -> Option<(P, SocketAddr)> {
        self.answers.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_net::{Clock, Wait};
    use std::os::fd::AsFd;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn endpoint(text: &str) -> Endpoint {
        Endpoint::try_from(text.to_owned()).unwrap()
    }

    /// The next answer, which comes in time.
    fn answer(names: &mut Resolver<i32>, waker: &Waker) -> (i32, SocketAddr) {
        let (clock, wait) = (Clock::start(), Wait::new().unwrap());
        let until = clock.now() + Span::from_milliseconds(20_000);
        loop {
            if let Some(found) = names.poll() {
                return found;
            }
            assert!(!wait.on(&[waker.as_fd()], Some(until), &clock).unwrap().is_empty(), "no answer in 20 s");
            waker.clear();
        }
    }

    #[test]
    fn a_name_that_has_no_address_at_the_start_is_looked_up_until_it_has_one() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let address: SocketAddr = "192.0.2.7:51820".parse().unwrap();
        let waker = Arc::new(Waker::new().unwrap());
        let names = [(1, endpoint("known.example.org:51820")), (2, endpoint("boat.example.org:51820"))];
        let look_up = move |asked: &Endpoint| {
            assert_eq!(asked.to_string(), "boat.example.org:51820");
            (ASKED.fetch_add(1, Ordering::SeqCst) == 2).then_some(address)
        };
        let interval = Duration::from_millis(1);
        let mut names = Resolver::start(names, &[2], interval, look_up, Arc::clone(&waker)).unwrap();
        assert_eq!(answer(&mut names, &waker), (2, address));
        assert_eq!(ASKED.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn a_name_is_looked_up_when_its_peer_does_not_answer_and_once_in_half_a_minute() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let address: SocketAddr = "192.0.2.7:51820".parse().unwrap();
        let waker = Arc::new(Waker::new().unwrap());
        let [boat, pier] = [1, 2];
        let names = [(boat, endpoint("boat.example.org:51820")), (pier, endpoint("192.0.2.9:51820"))];
        let look_up = move |_: &Endpoint| {
            ASKED.fetch_add(1, Ordering::SeqCst);
            Some(address)
        };
        let mut names = Resolver::start(names, &[], UNTIL_RESOLVED, look_up, Arc::clone(&waker)).unwrap();
        for at in [0, 10, 29, 30] {
            names.ask(boat, Time::ZERO + Span::from_milliseconds(at * 1000));
            names.ask(pier, Time::ZERO + Span::from_milliseconds(at * 1000));
        }
        for _ in 0..2 {
            assert_eq!(answer(&mut names, &waker), (boat, address));
        }
        assert_eq!(ASKED.load(Ordering::SeqCst), 2);
    }
}
