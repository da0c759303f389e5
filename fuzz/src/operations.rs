//! Any operations on one end of a service: packets, frames of any peer, time, outages, a line that is taken. It must not
//! panic, not break the contract, keep no more than it may, count what it does, and come to rest in the end.
//!
//! Coming to rest takes a peer: where a service repeats until it is acknowledged, one that acknowledges all it sees.

use super::configs;
use super::contents;
use super::harness::{Harness, Limits};
use super::line::Line;
use arqway_link::fuzz::Input;
use arqway_link::{Frame, LinkService, LinkState, Mux, ServiceConfig, Tag};
use std::collections::VecDeque;

const MOST_OPERATIONS: usize = 400;

/// One end of a service of this kind.
///
/// # Panics
/// On a finding.
pub fn service(kind: &str, octets: &[u8]) {
    let mut input = Input::new(octets);
    let Some(config) = ServiceConfig::any(kind, &mut input) else { return };
    let service = config.build(&configs::side(&mut input).into());
    let end = Harness::new(service, Line::new(&mut input), Limits::of(&[&config])).with_debts(config.owes());
    operate(end, &[&config], input);
}

/// Several services, and frames of any of them.
pub(crate) fn mux(octets: &[u8]) {
    let mut input = Input::new(octets);
    let config = configs::mux(&mut input);
    let services = config.services();
    let mux = Mux::new(&config, &configs::side(&mut input).into()).expect("few services and no rates");
    let mut limits = Limits { in_scheduler: services.len() * config.depth.get(), ..Limits::of(&services) };
    limits.kept += config.queue.map_or(0, |queue| queue.packets.get() * services.len());
    let mut end = Harness::new(mux, Line::new(&mut input), limits);
    end.line.services = services.len();
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
    let mut answer = services.get(service.index())?.answer(frame)?;
    answer.tag = answer.tag.with_service(service);
    Some(answer)
}
