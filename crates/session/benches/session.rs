//! What a packet costs beside `ring` alone, and what strangers cost at 100,000 datagrams a second.
//!
//! Prints two tables; fails if a packet costs a quarter more than `ring` alone needs for it, or a stranger's datagram more times that than its limit.
//! So the speed of a machine decides nothing: where `ring` takes the 1.33 µs of docs/session.md, the limits are 30 and 25 % of a core.

use arqway_session::fuzz::{End, end};
use arqway_session::{Config, HEAD_ROOM, Message, Received, TAG};
use arqway_units::{LineId, Span, Time};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use std::hint::black_box;
use std::net::SocketAddr;
use std::process::ExitCode;

const RUNS: usize = 15;
/// The datagrams a second that a share of a core is told of.
const FLOOD: f64 = 100_000.0;
/// The largest packet of a path of 1,500 octets that keeps room for what others put around it.
const PACKET: usize = 1388;
/// How many times what `ring` takes for it a packet may cost. 1.06 to 1.10 were measured; a busy machine, whose caches others share, had 1.14.
const MOST_OF_RING: f64 = 1.25;
/// The same for a datagram of a stranger: one that looks like a packet of a peer's, and a first message.
const MOST_FOR_A_FORGERY: f64 = 2.25;
const MOST_FOR_A_FIRST_MESSAGE: f64 = 1.88;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-session");
    println!("fastest of {RUNS} runs\n");
    println!("{:<52} {:>9} {:>9} {:>7}", "nanoseconds a packet, sealed and opened", "session", "ring", "ratio");
    let [(session, packet), (short_session, short_ring)] = [PACKET, 40].map(sealing);
    for (size, session, ring) in [(PACKET, session, packet), (40, short_session, short_ring)] {
        println!("{:<52} {session:>9.0} {ring:>9.0} {:>7.3}", format!("{size} octets"), session / ring);
    }
    let mut holds = session < MOST_OF_RING * packet;
    println!(
        "\n{:<52} {:>9} {:>9} {:>7} {:>7}",
        "100,000 datagrams a second of strangers", "ns each", "core", "of ring", "limit"
    );
    for (name, nanoseconds, limit) in strangers() {
        let (share, ratio) = (nanoseconds * FLOOD / 1e7, nanoseconds / packet);
        println!("{name:<52} {nanoseconds:>9.0} {share:>8.1}% {ratio:>7.2} {limit:>7.2}");
        holds &= ratio < limit;
    }
    let agreement = agreement();
    let most = f64::from(Config::default().handshakes);
    println!(
        "\n{:<52} {agreement:>9.0} {:>8.1}%",
        "a first message and its answer, 1,000 a second",
        agreement * most / 1e7
    );
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The nanoseconds that one of `count` repetitions takes.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn time(count: u32, mut each: impl FnMut()) -> f64 {
    let of_run = |_| {
        let start = std::time::Instant::now();
        (0..count).for_each(|_| each());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
    };
    (0..RUNS).map(of_run).fold(f64::INFINITY, f64::min)
}

fn begin(near: &mut End, now: Time) -> Message {
    near.endpoint.begin(near.peer, now);
    near.endpoint.poll_datagram(now, &mut near.dice).expect("a first message").2
}

/// Two ends with keys.
fn established() -> [End; 2] {
    let [mut near, mut far] = [1, 2].map(|number| end(number, number.into(), Config::default(), Time::ZERO));
    let mut initiation = begin(&mut near, Time::ZERO);
    let received = far.endpoint.handle_datagram(&mut initiation, near.at, Time::ZERO, &mut far.dice);
    let Received::Answer(mut answer) = received else { panic!("an answer") };
    near.endpoint.handle_datagram(&mut answer, far.at, Time::ZERO, &mut near.dice);
    let (_, _, mut confirmation) = near.endpoint.poll_datagram(Time::ZERO, &mut near.dice).expect("a confirmation");
    far.endpoint.handle_datagram(&mut confirmation, near.at, Time::ZERO, &mut far.dice);
    [near, far]
}

/// What a packet of a size costs sealed and opened, by the session and by `ring` alone. In turns, so that both meet the same machine.
fn sealing(size: usize) -> (f64, f64) {
    let [mut near, mut far] = established();
    let mut buffer = vec![7; HEAD_ROOM + size + TAG];
    let mut of_session = || {
        let sealed = near
            .endpoint
            .seal(near.peer, LineId::FIRST, &mut buffer, HEAD_ROOM..HEAD_ROOM + size, Time::ZERO)
            .expect("keys");
        let datagram = &mut buffer[sealed.datagram];
        let received = far.endpoint.handle_datagram(datagram, near.at, Time::ZERO, &mut far.dice);
        assert!(matches!(black_box(received), Received::Packet { .. }));
        while let Some((_, _, mut report)) = far.endpoint.poll_datagram(Time::ZERO, &mut far.dice) {
            near.endpoint.handle_datagram(&mut report, far.at, Time::ZERO, &mut near.dice);
        }
    };
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &[7; 32]).expect("a key"));
    let mut alone = vec![7; size + TAG];
    let mut counter = 0u64;
    let mut of_ring = || {
        let nonce = || {
            let mut octets = [0; 12];
            octets[4..].copy_from_slice(&counter.to_le_bytes());
            Nonce::assume_unique_for_key(octets)
        };
        let (body, last) = alone.split_at_mut(size);
        last.copy_from_slice(key.seal_in_place_separate_tag(nonce(), Aad::from([0; 5]), body).expect("room").as_ref());
        black_box(key.open_in_place(nonce(), Aad::from([0; 5]), &mut alone).expect("genuine"));
        counter += 1;
    };
    let mut fastest = (f64::INFINITY, f64::INFINITY);
    for _ in 0..16 {
        fastest = (fastest.0.min(time(500, &mut of_session)), fastest.1.min(time(500, &mut of_ring)));
    }
    fastest
}

/// What each kind of datagram costs that somebody without a key can make, in nanoseconds, and its limit in packets that `ring` seals and opens.
fn strangers() -> Vec<(&'static str, f64, f64)> {
    let [mut near, mut far] = established();
    let mut buffer = vec![7; HEAD_ROOM + PACKET + TAG];
    let sealed = near
        .endpoint
        .seal(near.peer, LineId::FIRST, &mut buffer, HEAD_ROOM..HEAD_ROOM + PACKET, Time::ZERO)
        .expect("keys");
    let genuine = buffer[sealed.datagram].to_vec();
    let mut forged = genuine.clone();
    *forged.last_mut().expect("a tag") ^= 1;
    let mut unknown = genuine.clone();
    unknown[1] ^= 1;
    let mut costs = Vec::new();
    let mut scratch = Vec::with_capacity(2048);
    // Each from another address, as a flood with forged ones.
    let mut addresses = (0..=255).cycle().map(|host| SocketAddr::from(([203, 0, 113, host], 4500)));
    let mut cost = |end: &mut End, name, datagram: &[u8], limit, is_answered: bool| {
        let nanoseconds = time(2000, || {
            scratch.clear();
            scratch.extend_from_slice(datagram);
            let from = addresses.next().expect("one after the other");
            let received = end.endpoint.handle_datagram(&mut scratch, from, Time::ZERO, &mut end.dice);
            let holds = match black_box(received) {
                Received::Answer(answer) => is_answered && answer.len() == 64,
                Received::Nothing => !is_answered,
                Received::Packet { .. } => false,
            };
            assert!(holds, "{name}");
        });
        costs.push((name, nanoseconds, limit));
    };
    cost(&mut far, "1,388 octets to an index that nobody has", &unknown, MOST_FOR_A_FORGERY, false);
    cost(&mut far, "1,388 octets to an index that is known", &forged, MOST_FOR_A_FORGERY, false);
    let initiation = begin(&mut near, Time::ZERO);
    let mut not_for_us = initiation.to_vec();
    not_for_us[40] ^= 1;
    cost(&mut far, "first messages by who does not know our public key", &not_for_us, MOST_FOR_A_FIRST_MESSAGE, false);
    let under_load = Config { unproven_handshakes: 0, ..Config::default() };
    let mut asking = end(2, 2, under_load, Time::ZERO);
    cost(&mut asking, "first messages without a cookie", &initiation, MOST_FOR_A_FIRST_MESSAGE, true);
    let mut wrong = initiation.to_vec();
    *wrong.last_mut().expect("a code") = 1;
    cost(&mut asking, "first messages with a wrong cookie", &wrong, MOST_FOR_A_FIRST_MESSAGE, true);
    costs
}

/// What a first message costs that is read and answered.
fn agreement() -> f64 {
    let config = Config { unproven_handshakes: 1_000_000, handshakes: 1_000_000, ..Config::default() };
    let [mut near, mut far] =
        [(1, Config::default()), (2, config)].map(|(number, config)| end(number, 1, config, Time::ZERO));
    let mut messages = Vec::new();
    for second in 1..=400 {
        let now = Time::ZERO + Span::from_milliseconds(1000 * second);
        near.endpoint.handle_timeout(now);
        near.endpoint.begin(near.peer, now);
        messages.extend(near.endpoint.poll_datagram(now, &mut near.dice).map(|(_, _, message)| (message, now)));
    }
    let mut next = 0;
    let each = u32::try_from(messages.len() / RUNS).unwrap_or(1);
    time(each, || {
        let (message, now) = &mut messages[next];
        let received = far.endpoint.handle_datagram(message, near.at, *now, &mut far.dice);
        assert!(matches!(black_box(received), Received::Answer(_)));
        next += 1;
    })
}
