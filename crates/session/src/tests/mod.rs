//! What is asked of two whole ends.

mod clocks;
mod cookies;
mod handshakes;
mod lines;
mod model;
mod packets;
mod promises;
mod strangers;
mod vectors;
mod wireguard;
mod wrong_keys;

pub(crate) use crate::fuzz::ends::*;
use crate::*;
use arqway_units::{Span, Time};

pub(crate) fn pair() -> [End; 2] {
    [end(1, 11, Config::default(), at(0)), end(2, 22, Config::default(), at(0))]
}

/// Settings of an end that asks everybody for a cookie.
pub(crate) fn careful() -> Config {
    Config { unproven_handshakes: 0, ..Config::default() }
}

/// Two ends, of which the second one asks for cookies.
pub(crate) fn asking() -> [End; 2] {
    [end(1, 11, Config::default(), at(0)), end(2, 22, careful(), at(0))]
}

/// All that both have to say arrives at once, where it is sent to. How many datagrams that were.
pub(crate) fn exchange(ends: &mut [End; 2], now: Time) -> usize {
    let mut count = 0;
    let mut under_way = Vec::new();
    loop {
        for end in ends.iter_mut() {
            let datagrams = std::iter::from_fn(|| end.poll(now)).collect::<Vec<_>>();
            under_way.extend(datagrams.into_iter().map(|(to, datagram)| (end.at, to, datagram)));
        }
        if under_way.is_empty() {
            return count;
        }
        for (from, to, datagram) in std::mem::take(&mut under_way) {
            count += 1;
            let Some(receiver) = ends.iter_mut().find(|end| end.at == to) else { continue };
            if let Received::Answer(answer) = receiver.receive(&datagram, from, now) {
                assert!(answer.len() <= datagram.len(), "no answer is longer than its question");
                under_way.push((to, from, answer.to_vec()));
            }
        }
    }
}

/// Both have keys, by a handshake that the first one began.
pub(crate) fn established(now: Time) -> [End; 2] {
    let mut ends = pair();
    ends[0].endpoint.begin(ends[0].peer, now);
    exchange(&mut ends, now);
    assert!(ends.iter().all(|end| end.status(now).has_keys));
    ends.iter_mut().for_each(|end| _ = end.events());
    ends
}
