//! Any operations on one end of a service: packets, frames of any peer, time, outages, a line that is taken. It must not
//! panic, not break the contract, keep no more than it may, count what it does, and come to rest in the end.
//!
//! Coming to rest takes a peer: where a service repeats until it is acknowledged, one that acknowledges all it sees.

use super::configs;
use super::contents;
use super::harness::{Harness, Limits, Owes};
use super::input::Input;
use super::line::Line;
use arqway_link::sscop::pdu::{Pdu, Stat};
use arqway_link::{Frame, Kind, LinkService, LinkState, Mux, ServiceConfig, Tag, go_back_n, selective_repeat, sscop};
use etherparse::{SlicedPacket, TransportSlice};
use std::collections::VecDeque;

const MOST_OPERATIONS: usize = 400;

pub(crate) fn raw(octets: &[u8]) {
    service(octets, configs::raw, |tag, packet| Some(u64::from(tag.kind() == Kind::new(0) && !packet.is_empty())));
}

pub(crate) fn selective_repeat(octets: &[u8]) {
    service(octets, configs::selective_repeat, |_, _| None);
}

pub(crate) fn go_back_n(octets: &[u8]) {
    service(octets, configs::go_back_n, |_, _| None);
}

pub(crate) fn rlp(octets: &[u8]) {
    service(octets, configs::rlp, |_, _| None);
}

pub(crate) fn xor_fec(octets: &[u8]) {
    service(octets, configs::xor_fec, |_, _| None);
}

pub(crate) fn rlc_um(octets: &[u8]) {
    service(octets, configs::rlc_um, |_, _| None);
}

pub(crate) fn rlc_tm(octets: &[u8]) {
    service(octets, configs::rlc_tm, |tag, packet| Some(u64::from(tag.kind() == Kind::new(0) && !packet.is_empty())));
}

pub(crate) fn sscop(octets: &[u8]) {
    service(octets, configs::sscop, |_, _| None);
}

/// Snoop may withhold an acknowledgement of TCP that says nothing else, and no other packet: what is no TCP segment in the eyes of etherparse's reader
/// of whole packets is carried as raw does.
pub(crate) fn snoop(octets: &[u8]) {
    service(octets, configs::snoop, |tag, packet| {
        if tag.kind() != Kind::new(0) || packet.is_empty() {
            return Some(0);
        }
        let sliced = SlicedPacket::from_ip(packet);
        let may_be_withheld = sliced.is_ok_and(|sliced| match sliced.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                tcp.ack() && tcp.payload().is_empty() && !(tcp.syn() || tcp.fin() || tcp.rst())
            }
            _ => false,
        });
        (!may_be_withheld).then_some(1)
    });
}

fn service(octets: &[u8], config: fn(&mut Input<'_>) -> ServiceConfig, owes: Owes) {
    let mut input = Input::new(octets);
    let config = config(&mut input);
    let service = config.build(configs::side(&mut input));
    let end = Harness::new(service, Line::new(&mut input), Limits::of(&[&config])).with_debts(owes);
    operate(end, &[&config], input);
}

/// Several services, and frames of any of them.
pub(crate) fn mux(octets: &[u8]) {
    let mut input = Input::new(octets);
    let config = configs::mux(&mut input);
    let services = config.services();
    let mux = Mux::new(&config, configs::side(&mut input)).expect("few services and no rates");
    let limits = Limits { in_scheduler: services.len() * config.depth.get(), ..Limits::of(&services) };
    let end = Harness::new(mux, Line::new(&mut input), limits);
    operate(end, &services, input);
}

fn operate<S: LinkService>(mut end: Harness<S>, services: &[&ServiceConfig], mut input: Input<'_>) {
    // Frames that went out, of which the peer may send back what it likes.
    let mut seen: VecDeque<Frame> = VecDeque::new();
    for _ in 0..MOST_OPERATIONS {
        if input.is_empty() {
            break;
        }
        match input.index(12) {
            0 | 1 => _ = end.packet(contents::packet(&mut input)),
            2 => burst(&mut end, input.octet()),
            3 | 4 => forge(&mut end, &mut input),
            5 => carry(&mut end, &mut input),
            6 => echo(&mut end, &seen, &mut input),
            7 => {
                if let Some(Frame { tag, head, .. }) = seen.back().and_then(|frame| answer(services, frame)) {
                    end.frame(tag, head.to_vec());
                }
            }
            8 => end.run(input.span(0, 400)),
            9 => _ = end.step(),
            10 => end.oversleep(input.span(0, 3000)),
            _ => match input.index(4) {
                0 => end.link(LinkState::Down),
                1 => end.link(LinkState::Up),
                2 => end.line_is_free(false),
                _ => end.line_is_free(true),
            },
        }
        seen.extend(end.line.sent.drain(..));
        seen.drain(..seen.len().saturating_sub(8));
    }
    end.come_to_rest(|frame| answer(services, frame));
}

/// Many packets at once, of UDP or of one TCP connection.
fn burst<S: LinkService>(end: &mut Harness<S>, what: u8) {
    for number in 0..what & 0x3f {
        let is_tcp = what & 0x80 != 0;
        end.packet(if is_tcp { contents::stream(what >> 6, number) } else { contents::numbered(number.into()) });
    }
}

/// A frame of a peer that knows nothing.
fn forge<S: LinkService>(end: &mut Harness<S>, input: &mut Input<'_>) {
    let tag = Tag::from_octet(input.octet());
    end.frame(tag, input.octets(24).to_vec());
}

/// A frame with a packet in it, behind a head that may be right.
fn carry<S: LinkService>(end: &mut Harness<S>, input: &mut Input<'_>) {
    let tag = Tag::from_octet(input.octet());
    let mut octets = input.octets(3).to_vec();
    octets.extend(contents::packet(input));
    end.frame(tag, octets);
}

/// A frame of this end comes back, as it was or with one octet changed: to the end, its peer's frames look like this.
fn echo<S: LinkService>(end: &mut Harness<S>, seen: &VecDeque<Frame>, input: &mut Input<'_>) {
    let (place, change, value) = (input.index(8), input.octet(), input.octet());
    let Some(frame) = seen.get(place) else { return };
    let mut octets = frame.body.to_vec();
    if let Some(octet) = octets.get_mut(usize::from(change)) {
        *octet = value;
    }
    end.frame(frame.tag, octets);
}

/// What a peer that wants nothing but rest sends back for a frame.
pub(crate) fn answer(services: &[&ServiceConfig], frame: &Frame) -> Option<Frame> {
    let service = frame.tag.service();
    let number = match services.get(service.index())? {
        ServiceConfig::SelectiveRepeat(_) => match selective_repeat::parse(frame.clone())? {
            selective_repeat::Unit::Data { number, .. } => number,
            _ => return None,
        },
        ServiceConfig::GoBackN(_) => match go_back_n::parse(frame.clone())? {
            go_back_n::Unit::Data { number, .. } => number,
            go_back_n::Unit::Acknowledgement { .. } => return None,
        },
        ServiceConfig::Sscop(config) => return sscop_answer(config, frame),
        // These send a frame again only when they are asked to, or a few times.
        ServiceConfig::Raw(_)
        | ServiceConfig::Rlp(_)
        | ServiceConfig::XorFec(_)
        | ServiceConfig::RlcAm(_)
        | ServiceConfig::RlcUm(_)
        | ServiceConfig::RlcTm(_)
        | ServiceConfig::Snoop(_) => return None,
    };
    let next = u8::try_from((number + 1) % 256).ok()?;
    let mut acknowledgement = Frame::new(Kind::new(1), &[next], bytes::Bytes::new());
    acknowledgement.tag = acknowledgement.tag.with_service(service);
    Some(acknowledgement)
}

/// What a peer says that has everything that was sent, and agrees to everything.
fn sscop_answer(config: &sscop::Config, frame: &Frame) -> Option<Frame> {
    let mut unread = frame.clone();
    // Its frames are in order: as many as it answers.
    let number = if config.order_filter { unread.take::<2>()?.to_vec() } else { Vec::new() };
    let mr = 16;
    let answer = match sscop::pdu::parse(unread)? {
        Pdu::Bgn { .. } => Pdu::Bgak { mr, uu: bytes::Bytes::new() },
        Pdu::End { .. } => Pdu::Endak,
        Pdu::Rs { .. } => Pdu::Rsak { mr },
        Pdu::Er { .. } => Pdu::Erak { mr },
        Pdu::Poll { ps, s } => Pdu::Stat(Stat::new(bytes::Bytes::new(), ps, (s + mr) % (1 << 24), s)),
        _ => return None,
    };
    let answer = sscop::pdu::frame(answer, &number);
    let mut whole = Frame::new(Kind::new(0), &answer.parts().concat(), bytes::Bytes::new());
    whole.tag = frame.tag;
    Some(whole)
}
