//! Every head of `docs/wire.md`, read from any octets: what can be read is what that page says, no more and no less, each
//! field has the value that stands there, and it does not matter where the sender's head ended.

use super::input::Input;
use arqway_link::{
    Frame, Kind, LinkService, Packet, Service, Side, Tag, fec, go_back_n, raw, rlp, selective_repeat, snoop,
};
use arqway_units::Time;

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let (kind, split) = (input.octet() & 7, input.index(9));
    let octets = input.rest();
    selective_repeat_reads(kind, octets, split);
    go_back_n_reads(kind, octets, split);
    rlp_reads(kind, octets, split);
    fec_reads(kind, octets, split);
    raw_reads(kind, octets);
}

fn off_the_wire(kind: u8, octets: &[u8]) -> Frame {
    Frame::from_wire(Tag::of_kind(Kind::new(kind)), octets.to_vec().into())
}

/// The same, its first octets still in a head that is no longer than `head`.
fn from_memory(kind: u8, octets: &[u8], split: usize, head: usize) -> Frame {
    let split = split.min(head).min(octets.len());
    Frame::new(Kind::new(kind), &octets[..split], octets[split..].to_vec().into())
}

fn selective_repeat_reads(kind: u8, octets: &[u8], split: usize) {
    use selective_repeat::{Unit, parse};
    let expected = match (kind, octets) {
        (0, [next, number, packet @ ..]) if !packet.is_empty() => {
            let (next, number) = ((*next).into(), (*number).into());
            Some(Unit::Data { next, number, link: None, packet: packet.to_vec().into() })
        }
        (3, [next, number, link, packet @ ..]) if !packet.is_empty() => {
            let (next, number) = ((*next).into(), (*number).into());
            Some(Unit::Data { next, number, link: Some(*link), packet: packet.to_vec().into() })
        }
        (1, [next]) => Some(Unit::Acknowledgement { next: (*next).into() }),
        (2, [next, missing]) => Some(Unit::Reject { next: (*next).into(), missing: (*missing).into() }),
        _ => None,
    };
    assert_eq!(parse(off_the_wire(kind, octets)), expected);
    let head = [2, 1, 2, 3].get(usize::from(kind)).copied().unwrap_or(2);
    assert_eq!(parse(from_memory(kind, octets, split, head)), expected);
}

fn go_back_n_reads(kind: u8, octets: &[u8], split: usize) {
    use go_back_n::{Unit, parse};
    let expected = match (kind, octets) {
        (0, [next, number, packet @ ..]) if !packet.is_empty() => {
            Some(Unit::Data { next: (*next).into(), number: (*number).into(), packet: packet.to_vec().into() })
        }
        (1, [next]) => Some(Unit::Acknowledgement { next: (*next).into() }),
        _ => None,
    };
    assert_eq!(parse(off_the_wire(kind, octets)), expected);
    assert_eq!(parse(from_memory(kind, octets, split, 2 - usize::from(kind == 1))), expected);
}

fn rlp_reads(kind: u8, octets: &[u8], split: usize) {
    use rlp::{Unit, parse};
    let head = [1, 1, 9, 9, 3, 3].get(usize::from(kind)).copied().unwrap_or(9);
    let read = parse(off_the_wire(kind, octets));
    assert_eq!(parse(from_memory(kind, octets, split, head)), read);
    match (kind, octets, read) {
        (0, [first, rest @ ..], Some(Unit::Data { number, link: None, packet }))
        | (1, [first, rest @ ..], Some(Unit::Repair { number, link: None, packet }))
            if !rest.is_empty() =>
        {
            assert_eq!((number, &packet[..]), (u64::from(*first), rest));
        }
        (4, [high, low, third, rest @ ..], Some(Unit::Data { number, link: Some(link), packet }))
        | (5, [high, low, third, rest @ ..], Some(Unit::Repair { number, link: Some(link), packet }))
            if !rest.is_empty() =>
        {
            assert_eq!((number, link, &packet[..]), (u16::from_be_bytes([*high, *low]).into(), *third, rest));
        }
        (2, [high, low, bits @ ..], Some(Unit::Nack(missing))) if bits.len() <= 16 && bits.last() != Some(&0) => {
            let first = u16::from_be_bytes([*high, *low]);
            let is_set = |ahead: &u16| {
                let place = usize::from(*ahead - 1);
                bits[place / 8] << (place % 8) & 0x80 != 0
            };
            let most = u16::try_from(bits.len() * 8).expect("at most 128");
            let others = (1..=most).filter(is_set).map(|ahead| u64::from(first.wrapping_add(ahead)));
            assert!(missing.numbers().eq(std::iter::once(u64::from(first)).chain(others)));
        }
        (3, [high, low], Some(Unit::Keepalive { next })) => {
            assert_eq!(next, u64::from(u16::from_be_bytes([*high, *low])));
        }
        (_, _, Some(unit)) => panic!("{octets:?} of kind {kind} was read as {unit:?}"),
        (0 | 1, [_, _, ..], None) | (4 | 5, [_, _, _, _, ..], None) | (2, [_, _], None) | (3, [_, _], None) => {
            panic!("{octets:?} of kind {kind} was not read")
        }
        (2, [_, _, bits @ ..], None) if bits.len() <= 16 && bits.last() != Some(&0) => {
            panic!("the NACK {octets:?} was not read")
        }
        (_, _, None) => {}
    }
}

fn fec_reads(kind: u8, octets: &[u8], split: usize) {
    use fec::{Parity, Unit, parse};
    let expected = match (kind, octets) {
        (0, [number, packet @ ..]) if !packet.is_empty() => {
            Some(Unit::Data { number: *number, packet: packet.to_vec().into() })
        }
        (1, [first, count @ 1..=64, a, b, c, d, e, f, xor @ ..]) if !xor.is_empty() => Some(Unit::Parity(Parity {
            first: *first,
            count: *count,
            lengths: u16::from_be_bytes([*a, *b]),
            check: u32::from_be_bytes([*c, *d, *e, *f]),
            xor: xor.to_vec().into(),
        })),
        _ => None,
    };
    assert_eq!(parse(off_the_wire(kind, octets)), expected);
    assert_eq!(parse(from_memory(kind, octets, split, if kind == 0 { 1 } else { 8 })), expected);
}

/// Raw and, where it only carries, Snoop have no head: a frame of kind 0 is its packet.
fn raw_reads(kind: u8, octets: &[u8]) {
    let expected = (kind == 0 && !octets.is_empty()).then(|| Packet::new(octets.to_vec()));
    let mut raw = raw::Config::default().build(Side::Client);
    raw.handle_frame(off_the_wire(kind, octets), Time::ZERO);
    assert_eq!((raw.counters().malformed_received == 0, raw.poll_packet()), (expected.is_some(), expected.clone()));
    for side in [Side::Client, Side::AccessPoint] {
        let mut snoop = snoop::Config::default().build(side);
        // An access point that has seen nothing on its way to the client knows of nothing that it could withhold.
        snoop.handle_frame(off_the_wire(kind, octets), Time::ZERO);
        assert_eq!(
            (snoop.counters().malformed_received == 0, snoop.poll_packet()),
            (expected.is_some(), expected.clone())
        );
        if !octets.is_empty() && snoop.handle_packet(Packet::new(octets.to_vec()), Time::ZERO).is_ok() {
            assert_eq!(snoop.poll_frame(Time::ZERO).map(|frame| frame.body), Some(octets.to_vec().into()));
        }
    }
}
