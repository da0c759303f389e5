//! What a packet costs beside `ring` alone, and what strangers cost at 100,000 datagrams a second.
//!
//! Prints two tables; fails if a packet costs 15 % more than `ring` does, or strangers more than their share of a core.

use arqway_session::{
    Config, Configuration, Endpoint, HEAD_ROOM, Introduction, Keepalive, Message, PeerConfig, PeerId, PresharedKey,
    PrivateKey, Received, TAG,
};
use arqway_units::{Span, Time};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use std::hint::black_box;
use std::net::SocketAddr;
use std::process::ExitCode;

const RUNS: usize = 15;
/// The datagrams a second that a share of a core is told of.
const FLOOD: f64 = 100_000.0;
/// The largest packet of a path of 1,500 octets that keeps room for what others put around it.
const PACKET: usize = 1388;

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-session");
    println!("fastest of {RUNS} runs\n");
    println!("{:<52} {:>9} {:>9} {:>7}", "nanoseconds a packet, sealed and opened", "session", "ring", "ratio");
    let mut holds = true;
    for size in [PACKET, 40] {
        let (session, ring) = sealing(size);
        println!("{:<52} {session:>9.0} {ring:>9.0} {:>7.3}", format!("{size} octets"), session / ring);
        holds &= size < PACKET || session < 1.15 * ring;
    }
    println!("\n{:<52} {:>9} {:>9} {:>7}", "100,000 datagrams a second of strangers", "ns each", "core", "limit");
    for (name, nanoseconds, limit) in strangers() {
        let share = nanoseconds * FLOOD / 1e9;
        println!("{name:<52} {nanoseconds:>9.0} {:>8.1}% {:>6.0}%", share * 100.0, limit * 100.0);
        holds &= share < limit;
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

/// Numbers that follow each other: a benchmark keeps no secrets.
struct Counted(u64);

impl arqway_session::Random for Counted {
    fn fill(&mut self, octets: &mut [u8]) {
        for octet in octets {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *octet = self.0.to_le_bytes()[7];
        }
    }
}

fn address(host: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, host], 4500))
}

fn end(number: u8, config: Config) -> (Endpoint, PeerId) {
    let key = |number: u8| PrivateKey::generate(&mut Counted(number.into()));
    let introduction = Introduction::new(number.into(), Configuration::default());
    let mut endpoint = Endpoint::new(key(number), introduction, config, Span::from_milliseconds(1_700_000_000_000));
    let peer = PeerConfig {
        public: key(3 - number).public(),
        preshared: PresharedKey::default(),
        address: Some(address(3 - number)),
        keepalive: Keepalive::default(),
    };
    let peer = endpoint.add_peer(peer, Time::ZERO).expect("another end");
    (endpoint, peer)
}

fn begin(near: &mut Endpoint, peer: PeerId, now: Time) -> Message {
    near.begin(peer, now);
    near.poll_datagram(now, &mut Counted(7)).expect("a first message").1
}

/// Two ends with keys.
fn established() -> [(Endpoint, PeerId); 2] {
    let [mut near, mut far] = [end(1, Config::default()), end(2, Config::default())];
    let (now, mut random) = (Time::ZERO, Counted(5));
    let mut initiation = begin(&mut near.0, near.1, now);
    let Received::Answer(mut answer) = far.0.handle_datagram(&mut initiation, address(1), now, &mut random) else {
        panic!("an answer")
    };
    near.0.handle_datagram(&mut answer, address(2), now, &mut random);
    let (_, mut confirmation) = near.0.poll_datagram(now, &mut random).expect("a confirmation");
    far.0.handle_datagram(&mut confirmation, address(1), now, &mut random);
    [near, far]
}

/// What a packet of a size costs sealed and opened, by the session and by `ring` alone. In turns, so that both meet the same machine.
fn sealing(size: usize) -> (f64, f64) {
    let [(mut near, peer), (mut far, _)] = established();
    let mut buffer = vec![7; HEAD_ROOM + size + TAG];
    let mut random = Counted(5);
    let mut of_session = || {
        let sealed = near.seal(peer, &mut buffer, HEAD_ROOM..HEAD_ROOM + size, Time::ZERO).expect("keys");
        let received = far.handle_datagram(&mut buffer[sealed.datagram], address(1), Time::ZERO, &mut random);
        assert!(matches!(black_box(received), Received::Packet { .. }));
        while let Some((_, mut report)) = far.poll_datagram(Time::ZERO, &mut random) {
            near.handle_datagram(&mut report, address(2), Time::ZERO, &mut random);
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
    for _ in 0..4 {
        fastest = (fastest.0.min(time(2000, &mut of_session)), fastest.1.min(time(2000, &mut of_ring)));
    }
    fastest
}

/// What each kind of datagram costs that somebody without a key can make, and the share of a core that it may take.
fn strangers() -> Vec<(&'static str, f64, f64)> {
    let [(mut near, peer), (mut far, _)] = established();
    let mut buffer = vec![7; HEAD_ROOM + PACKET + TAG];
    let sealed = near.seal(peer, &mut buffer, HEAD_ROOM..HEAD_ROOM + PACKET, Time::ZERO).expect("keys");
    let genuine = buffer[sealed.datagram].to_vec();
    let mut forged = genuine.clone();
    *forged.last_mut().expect("a tag") ^= 1;
    let mut unknown = genuine.clone();
    unknown[1] ^= 1;
    let mut random = Counted(5);
    let mut costs = Vec::new();
    let mut scratch = Vec::with_capacity(2048);
    let mut cost = |name, datagram: &[u8], limit| {
        let nanoseconds = time(2000, || {
            scratch.clear();
            scratch.extend_from_slice(datagram);
            let received = far.handle_datagram(&mut scratch, address(9), Time::ZERO, &mut random);
            assert!(!matches!(black_box(received), Received::Packet { .. }));
        });
        costs.push((name, nanoseconds, limit));
    };
    cost("1,388 octets to an index that nobody has", &unknown, 0.30);
    cost("1,388 octets to an index that is known", &forged, 0.30);
    // Its owner is under load: a first message takes the whole budget, which time does not refill here.
    let initiation = begin(&mut near, peer, Time::ZERO);
    let mut not_for_us = initiation.to_vec();
    not_for_us[40] ^= 1;
    cost("first messages by who knows not whom they are for", &not_for_us, 0.25);
    let under_load = Config { unproven_handshakes: 0, ..Config::default() };
    let (mut asking, _) = end(2, under_load);
    let mut random = Counted(5);
    let mut asked = |datagram: &[u8]| {
        time(2000, || {
            scratch.clear();
            scratch.extend_from_slice(datagram);
            let received = asking.handle_datagram(&mut scratch, address(9), Time::ZERO, &mut random);
            assert!(matches!(black_box(received), Received::Answer(answer) if answer.len() == 64));
        })
    };
    costs.push(("first messages without a cookie", asked(&initiation), 0.25));
    let mut wrong = initiation.to_vec();
    *wrong.last_mut().expect("a code") = 1;
    costs.push(("first messages with a wrong cookie", asked(&wrong), 0.25));
    costs
}

/// What a first message costs that is read and answered.
fn agreement() -> f64 {
    let (mut near, peer) = end(1, Config::default());
    let config = Config { unproven_handshakes: 1_000_000, handshakes: 1_000_000, ..Config::default() };
    let (mut far, _) = end(2, config);
    let mut messages = Vec::new();
    for second in 1..=400u64 {
        let now = Time::ZERO + Span::from_milliseconds(1000 * second);
        near.handle_timeout(now);
        near.begin(peer, now);
        messages.extend(near.poll_datagram(now, &mut Counted(second)).map(|(_, message)| (message, now)));
    }
    let (mut random, mut next) = (Counted(5), 0);
    let each = u32::try_from(messages.len() / RUNS).unwrap_or(1);
    time(each, || {
        let (message, now) = &mut messages[next];
        let received = far.handle_datagram(message, address(1), *now, &mut random);
        assert!(matches!(black_box(received), Received::Answer(_)));
        next += 1;
    })
}
