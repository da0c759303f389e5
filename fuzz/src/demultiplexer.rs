//! What a peer that means well sends, and what becomes of it on a bad way: a multiplexer with every kind of service takes
//! frames of its peer as they are, cut short, two joined into one, with another tag, and octets that never were a frame.

use super::configs;
use super::contents;
use super::harness::{Harness, Limits};
use super::line::Line;
use super::operations::answer;
use arqway_link::fuzz::Input;
use arqway_link::mux::{Class, Config, Ds, Rule};
use arqway_link::{Frame, Mux, ServiceConfig, ServiceId, Side, Tag};
use std::collections::VecDeque;

const MOST_OPERATIONS: usize = 300;
/// How many frames of the peer are at hand.
const AT_HAND: usize = 16;

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let config = every_kind(&mut input);
    let services = config.services();
    let (here, there) = match configs::side(&mut input) {
        Side::Client => (Side::Client, Side::AccessPoint),
        Side::AccessPoint => (Side::AccessPoint, Side::Client),
    };
    let end = |side: Side| {
        let mux = Mux::new(&config, &side.into()).expect("few services and no rates");
        let limits = Limits { in_scheduler: services.len(), ..Limits::of(&services) };
        Harness::new(mux, Line::with_queue(8, false), limits)
    };
    let (mut end, mut peer) = (end(here), end(there));
    let mut frames: VecDeque<(Tag, Vec<u8>)> = VecDeque::new();
    for _ in 0..MOST_OPERATIONS {
        if input.is_empty() {
            break;
        }
        operate(&mut end, &mut peer, &frames, services.len(), &mut input);
        frames.extend(peer.line.sent.drain(..).map(|frame| (frame.tag, frame.body.to_vec())));
        frames.drain(..frames.len().saturating_sub(AT_HAND));
        for Frame { tag, body, .. } in std::mem::take(&mut end.line.sent) {
            peer.frame(tag, body.to_vec());
        }
    }
    end.come_to_rest(|frame| answer(&services, frame));
}

/// Every kind of service, told apart by codepoint.
fn every_kind(input: &mut Input<'_>) -> Config {
    let classes = ServiceConfig::kinds_that_rest()
        .zip(0..)
        .filter_map(|(kind, ds)| Some(Class::new(Rule::of_ds(Ds::new(ds)?), configs::of_kind(kind, input))));
    let classes = classes.collect();
    Config { classes, ..Config::new(configs::of_kind("raw", input)) }
}

fn operate(
    end: &mut Harness<Mux>,
    peer: &mut Harness<Mux>,
    frames: &VecDeque<(Tag, Vec<u8>)>,
    services: usize,
    input: &mut Input<'_>,
) {
    let which = |input: &mut Input<'_>| frames.get(input.index(AT_HAND)).cloned();
    match input.index(8) {
        0 => {
            let mut packet = contents::numbered(input.number().into());
            packet[1] = (input.octet() % 16) << 2;
            _ = peer.packet(packet);
        }
        1 => _ = end.packet(contents::packet(input)),
        2 => {
            if let Some((tag, octets)) = which(input) {
                take(end, services, tag, octets);
            }
        }
        3 => {
            if let Some((tag, mut octets)) = which(input) {
                octets.truncate(input.octet().into());
                take(end, services, tag, octets);
            }
        }
        4 => {
            if let (Some((tag, mut octets)), Some((of_next, next))) = (which(input), which(input)) {
                octets.push(of_next.as_octet());
                octets.extend(next);
                take(end, services, tag, octets);
            }
        }
        5 => {
            let tag = Tag::from_octet(input.octet());
            let octets = which(input).map(|(_, octets)| octets);
            take(end, services, tag, octets.unwrap_or_else(|| input.octets(24).to_vec()));
        }
        6 => take(end, services, Tag::from_octet(input.octet()), input.octets(24).to_vec()),
        _ => {
            let length = input.span(0, 400);
            end.run(length);
            peer.run(length);
        }
    }
}

/// A frame of a service that there is not is counted as malformed and changes nothing else.
fn take(end: &mut Harness<Mux>, services: usize, tag: Tag, octets: Vec<u8>) {
    use arqway_link::LinkService;
    let before = (end.service.counters(), end.service.poll_timeout());
    end.frame(tag, octets);
    if tag.service().index() >= services {
        let (mut counters, deadline) = before;
        counters.malformed_received += 1;
        assert_eq!((end.service.counters(), end.service.poll_timeout()), (counters, deadline));
    }
    debug_assert!(services < usize::from(ServiceId::COUNT), "some tags belong to nobody");
}
