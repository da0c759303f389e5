//! What a packet or a frame off a wire costs at worst, whoever made it: no reader may take time that grows faster than
//! what it reads, or a peer could stall the other end with little.
//!
//! Prints a table; fails if a long input costs more by the octet than a short one.

use arqway_link::mux::Headers;
use arqway_link::{
    AnyService, Bounded, Frame, Kind, LinkService, Packet, Service, Side, Tag, fec, rlc::pdu, rlp, selective_repeat,
    snoop,
};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;
use std::hint::black_box;
use std::process::ExitCode;

/// What an input of a size costs.
type Cost = fn(usize) -> f64;

const RUNS: usize = 7;
const SIZES: [usize; 3] = [64, 1500, 65_535];

fn main() -> ExitCode {
    println!("command: cargo bench -p arqway-link --bench parsers");
    println!("nanoseconds an input, the fastest of {RUNS} runs\n");
    println!("{:<52} {:>9} {:>9} {:>9}", "octets", SIZES[0], SIZES[1], SIZES[2]);
    let readers: [(&str, Cost); 7] = [
        ("Headers::read, extension headers to the end", extension_headers),
        ("selective_repeat::parse", |size| of_parse(size, |frame| selective_repeat::parse(frame).is_some())),
        ("fec::parse", |size| of_parse(size, |frame| fec::parse(frame).is_some())),
        ("rlc: an AMD PDU of length indicators", |size| of_am(&many_ends(size))),
        ("rlc: a STATUS PDU of relative lists", |size| of_am(&many_relative_lists(size))),
        ("xor-fec: a packet recovered from 63 others", recovered),
        ("xor-fec: one number, 127 packets that end unlike", alike),
    ];
    let mut holds = true;
    for (name, cost) in readers {
        let [short, packet, long] = SIZES.map(cost);
        println!("{name:<52} {short:>9.0} {packet:>9.0} {long:>9.0}");
        // What is quadratic would cost 44 times as much by the octet. Caches take their part: 127 packets of 64 kB are
        // no longer in any.
        holds &= long < (packet + 50.0) * 12.0 * SIZES[2] as f64 / SIZES[1] as f64;
    }
    println!("\n{:<52} {:>9}", "a short frame", "");
    let frames: [(&str, f64); 4] = [
        ("selective-repeat: 127 numbers missing at once", far_ahead()),
        ("rlp: a NACK for a whole window, with its 128 answers", whole_nack()),
        ("rlp: keepalives, each 222 numbers ahead", keepalives()),
        ("snoop: a connection never seen, in place of another", flood()),
    ];
    for (name, nanoseconds) in frames {
        println!("{name:<52} {nanoseconds:>9.0}");
        holds &= nanoseconds < 1e6;
    }
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The nanoseconds that one of `count` repetitions takes.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn time(count: usize, mut each: impl FnMut(usize)) -> f64 {
    let of_run = |_| {
        let start = std::time::Instant::now();
        for index in 0..count {
            each(index);
        }
        start.elapsed().as_secs_f64() / count as f64 * 1e9
    };
    (0..RUNS).map(of_run).fold(f64::INFINITY, f64::min)
}

fn frame(kind: u8, octets: impl Into<Bytes>) -> Frame {
    Frame::from_wire(Tag::of_kind(Kind::new(kind)), octets.into())
}

/// An end that hands over and releases whatever it has.
fn drain(end: &mut impl LinkService, now: Time) {
    while let Some(mut frame) = end.poll_frame(now, Octets::MAX) {
        let _ = end.start_frame(&mut frame, now);
    }
    while let Some(packet) = end.poll_packet() {
        black_box(packet);
    }
}

fn extension_headers(size: usize) -> f64 {
    const DESTINATION_OPTIONS: u8 = 60;
    let mut packet = vec![0; size];
    let payload = u16::try_from(size - 40).unwrap_or(u16::MAX);
    packet[0] = 0x60;
    packet[4..6].copy_from_slice(&payload.to_be_bytes());
    packet[6] = DESTINATION_OPTIONS;
    let chain = &mut packet[40..];
    let last = chain.len() / 8 * 8 - 8;
    for header in (0..last).step_by(8) {
        chain[header] = DESTINATION_OPTIONS;
    }
    chain[last] = 59; // nothing follows
    assert!(Headers::read(&packet).is_some());
    time(1000, |_| _ = black_box(Headers::read(black_box(&packet))))
}

fn of_parse(size: usize, parse: fn(Frame) -> bool) -> f64 {
    let octets = Bytes::from(vec![1; size]);
    assert!(parse(frame(0, octets.clone())));
    time(10_000, |_| _ = black_box(parse(frame(0, octets.clone()))))
}

/// An AMD PDU of SDUs that have an octet each.
fn many_ends(size: usize) -> Vec<u8> {
    let count = (size - 2) / 3;
    let mut octets = pdu::amd_head(0, false, pdu::HeaderExtension::Indicator).to_vec();
    for end in 1..=count {
        let octets_before = u16::try_from(end).expect("15 bits");
        pdu::LengthIndicator::End(octets_before).write(pdu::LengthIndicatorSize::Fifteen, end < count, &mut octets);
    }
    octets.resize(size, 0);
    octets
}

/// A STATUS PDU, each of whose super-fields tells of a whole turn of the numbers.
fn many_relative_lists(size: usize) -> Vec<u8> {
    let mut writer = pdu::StatusWriter::new(size);
    while writer.push_relative_list(0..4095) == 4095 {}
    writer.finish(Some(size)).to_vec()
}

/// Reads a PDU of acknowledged mode, and all that it says but for the numbers that are missing: these are no more than a
/// receiver of them keeps.
fn of_am(octets: &[u8]) -> f64 {
    let octets = Bytes::copy_from_slice(octets);
    let parse =
        || pdu::parse_am(frame(0, octets.clone()), pdu::LengthIndicatorSize::Fifteen, pdu::AmOptions::default());
    assert!(parse().is_some());
    time(200, |_| match parse() {
        Some(pdu::AmPdu::Data(pdu)) => _ = black_box(pdu.contents.indicators().count()),
        Some(pdu::AmPdu::Status(status)) => _ = black_box(status.sufis().count()),
        _ => {}
    })
}

/// Blocks as large as there are.
fn of_64() -> fec::Config {
    fec::Config { block: Bounded::new(64).expect("from 2 to 64"), ..fec::Config::default() }
}

/// 63 packets of a block of 64, and its parity.
fn recovered(size: usize) -> f64 {
    let mut sender = of_64().build(&Side::Client.into());
    let mut frames = Vec::new();
    for place in 0..64u8 {
        let _ = sender.handle_packet(Packet::new(vec![place; size - 1]), Time::ZERO);
        frames.extend(std::iter::from_fn(|| sender.poll_frame(Time::ZERO, Octets::MAX)));
    }
    let parity = frames.pop().expect("a full block has one");
    frames.remove(20);
    let of_run = |_| {
        let mut end = of_64().build(&Side::Client.into());
        frames.iter().for_each(|frame| end.handle_frame(frame.clone(), Time::ZERO));
        drain(&mut end, Time::ZERO);
        let nanoseconds = time_once(|| end.handle_frame(parity.clone(), Time::ZERO));
        assert_eq!(end.counters().frames_recovered, 1);
        nanoseconds
    };
    (0..RUNS).map(of_run).fold(f64::INFINITY, f64::min)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn time_once(once: impl FnOnce()) -> f64 {
    let start = std::time::Instant::now();
    once();
    start.elapsed().as_secs_f64() * 1e9
}

/// Frames that all bear one number, whose packets differ in their last octet only: each is compared with all that are kept.
fn alike(size: usize) -> f64 {
    let mut end = of_64().build(&Side::Client.into());
    let frames: Vec<Bytes> = (0..251u8)
        .map(|last| {
            let mut octets = vec![7; size];
            octets[size - 1] = last;
            octets.into()
        })
        .collect();
    time(500, |index| {
        end.handle_frame(frame(0, frames[index % frames.len()].clone()), Time::ZERO);
        drain(&mut end, Time::ZERO);
    })
}

/// The last number of a window arrives first: all others are rejected. Then the peer begins anew.
fn far_ahead() -> f64 {
    let config = selective_repeat::Config {
        window: selective_repeat::WindowSize::new(128).expect("half the modulus"),
        ..selective_repeat::Config::default()
    };
    time(300, |_| {
        let mut end = config.build(&Side::Client.into());
        end.handle_frame(frame(0, vec![0, 127, 1]), Time::ZERO);
        drain(&mut end, Time::ZERO);
    })
}

/// All that the sender keeps is asked for; each time of one that has just sent it.
fn whole_nack() -> f64 {
    let nack = Bytes::from([vec![0, 0], vec![0xff; 15], vec![0xfe]].concat());
    let of_run = |_| {
        let mut end = rlp::Config::default().build(&Side::Client.into());
        for _ in 0..128 {
            let _ = end.handle_packet(Packet::new(vec![1; 100]), Time::ZERO);
        }
        drain(&mut end, Time::ZERO);
        let nanoseconds = time_once(|| {
            end.handle_frame(frame(2, nack.clone()), Time::ZERO);
            drain(&mut end, Time::ZERO);
        });
        assert_eq!(end.counters().frames_resent, 128);
        nanoseconds
    };
    (0..20 * RUNS).map(of_run).fold(f64::INFINITY, f64::min)
}

fn keepalives() -> f64 {
    let mut end = rlp::Config::default().build(&Side::Client.into());
    let mut next = 0u16;
    time(1000, |_| {
        next = next.wrapping_add(222);
        end.handle_frame(frame(3, next.to_be_bytes().to_vec()), Time::ZERO);
        drain(&mut end, Time::ZERO);
    })
}

/// Segments of connections that are all new, at an access point that watches as many as it may.
fn flood() -> f64 {
    let mut end = AnyService::Snoop(snoop::Config::default().build(&Side::AccessPoint.into()));
    let mut packet = vec![0; 60];
    (packet[0], packet[3], packet[9], packet[32]) = (0x45, 60, 6, 0x50);
    let mut now = Time::ZERO;
    time(5000, |index| {
        now += Span::from_nanoseconds(1);
        packet[12..16].copy_from_slice(&(index as u32).wrapping_mul(0x9e37_79b9).to_be_bytes());
        let _ = end.handle_packet(Packet::new(packet.clone()), now);
        drain(&mut end, now);
        black_box(end.poll_timeout());
    })
}
