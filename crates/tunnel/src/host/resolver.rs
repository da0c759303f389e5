//! Resolver of hosts, looked up again while the tunnel runs: a boat's address changes with its harbour, and its name follows.
//!
//! ```text
//!     a peer does not answer  -- ask -->  a thread of its own, since a name server may take long
//!     its address has changed <- poll --
//! ```

use crate::settings::Endpoint;
use arqway_net::Waker;
use arqway_units::{Span, Time};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};

/// A name is looked up once in so long at most.
const AGAIN: Span = Span::from_milliseconds(30_000);
/// So many questions wait at most.
const MOST: usize = 64;

/// Resolver of peers' hosts, and the thread that looks them up.
pub(crate) struct Resolver<P> {
    names: BTreeMap<P, (Endpoint, Option<Time>)>,
    questions: SyncSender<(P, Endpoint)>,
    answers: Receiver<(P, SocketAddr)>,
}

impl<P: Copy + Ord + Send + 'static> Resolver<P> {
    /// Starts the thread, which looks names up by `look_up`, and wakes the loop when it has an answer.
    pub(crate) fn start(
        names: impl IntoIterator<Item = (P, Endpoint)>,
        look_up: impl Fn(&Endpoint) -> Option<SocketAddr> + Send + 'static,
        waker: Arc<Waker>,
    ) -> io::Result<Self> {
        let (questions, asked) = sync_channel::<(P, Endpoint)>(MOST);
        let (answer, answers) = channel();
        // It ends with the last question.
        std::thread::Builder::new().name("resolver".to_owned()).spawn(move || {
            for (peer, endpoint) in asked {
                let is_over = look_up(&endpoint).is_some_and(|address| answer.send((peer, address)).is_err());
                if is_over {
                    break;
                }
                waker.wake();
            }
        })?;
        let names = names.into_iter().filter(|(_, endpoint)| endpoint.is_name());
        Ok(Self { names: names.map(|(peer, endpoint)| (peer, (endpoint, None))).collect(), questions, answers })
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
        let mut names = Resolver::start(names, look_up, Arc::clone(&waker)).unwrap();
        let (clock, wait) = (Clock::start(), Wait::new().unwrap());
        for at in [0, 10, 29, 30] {
            names.ask(boat, Time::ZERO + Span::from_milliseconds(at * 1000));
            names.ask(pier, Time::ZERO + Span::from_milliseconds(at * 1000));
        }
        let until = clock.now() + Span::from_milliseconds(20_000);
        for _ in 0..2 {
            let found = loop {
                if let Some(found) = names.poll() {
                    break found;
                }
                assert!(!wait.on(&[waker.as_fd()], Some(until), &clock).unwrap().is_empty(), "no answer in 20 s");
                waker.clear();
            };
            assert_eq!(found, (boat, address));
        }
        assert_eq!(ASKED.load(Ordering::SeqCst), 2);
    }
}
