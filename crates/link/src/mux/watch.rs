//! Flows that no rule knows, told by what they do. Ports say little of today's calls and games.
//!
//! | a flow of UDP whose packets | is | goes |
//! | --- | --- | --- |
//! | have the header of RTP (RFC 3550, Section 5.1; told apart as in RFC 7983), three in a row of one source, in order | voice or video: WebRTC, SIP, ... | with low delay |
//! | have 400 octets at most and come 2 to 200 ms apart, fifty in a row | a call that is encrypted, a game, telemetry | with low delay |
//! | are anything else | unknown | as it was |
//!
//! What a flow was found to be it stays until nothing of it has come for ten seconds: packets of one flow take turns between voice and
//! video. A burst of packets ends a row, and eight larger or denser ones in a row end what was told by size and time alone.

use super::places::Places;
use alloc::vec::Vec;
use arqway_arq::Seq;
use arqway_ip::{FlowKey, Outline, Protocol};
use arqway_units::{Span, Time};

/// So many flows are watched at a time; others are left as they are.
const FLOWS: usize = 1024;
/// A flow of which nothing came for so long is forgotten.
const FORGOTTEN: Span = Span::from_milliseconds(10_000);
/// The header of RTP without sources that contribute.
const RTP: usize = 12;
/// That of UDP.
const UDP: usize = 8;
/// So many packets of RTP in a row.
const RTP_IN_A_ROW: u8 = 3;
/// So many small packets in a row.
const SMALL_IN_A_ROW: u8 = 50;
/// So many others in a row.
const OTHERS_IN_A_ROW: u8 = 8;
/// A packet is small up to here.
const SMALL: usize = 400;
/// How far apart they come.
const APART: core::ops::RangeInclusive<Span> = Span::from_milliseconds(2)..=Span::from_milliseconds(200);
/// How far ahead a number of RTP may be where packets are lost, or of another source.
const AHEAD: u64 = 50;

/// Flows, and what each was found to be.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    places: Places,
    flows: Vec<Watched>,
    now: Time,
}

/// What a flow is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Traffic {
    /// Nothing was found out.
    #[default]
    Unknown,
    /// It carries RTP.
    Rtp,
    /// Small packets come steadily.
    SmallAndSteady,
}

#[derive(Debug, Clone, Copy, Default)]
struct Watched {
    flow: Option<FlowKey>,
    traffic: Traffic,
    last: Time,
    /// The source of the last packet of RTP, its number, and how many were in order.
    source: [u8; 4],
    number: Seq<16>,
    in_order: u8,
    small: u8,
    others: u8,
}

impl Watch {
    /// None yet, nor memory for any.
    pub(super) fn new() -> Self {
        Self { places: Places::new(0), flows: Vec::new(), now: Time::ZERO }
    }

    /// A packet of a flow that no rule knows. What the flow is by now.
    pub(super) fn see(&mut self, outline: Outline, packet: &[u8], now: Time) -> Traffic {
        self.now = now;
        if outline.protocol() != Protocol::UDP || outline.payload().is_fragment {
            return Traffic::Unknown;
        }
        if self.flows.is_empty() {
            (self.places, self.flows) = (Places::new(FLOWS), alloc::vec![Watched::default(); FLOWS]);
        }
        let Self { places, flows, .. } = self;
        let is_taken = |place: u16| {
            flows.get(usize::from(place)).is_some_and(|flow| flow.flow.is_some() && now.since(flow.last) < FORGOTTEN)
        };
        let place = places.of(outline.flow().digest(), is_taken);
        let Some(watched) = flows.get_mut(usize::from(place)) else { return Traffic::Unknown };
        let is_its_own = watched.flow == Some(outline.flow());
        if !is_its_own && watched.flow.is_some() && now.since(watched.last) < FORGOTTEN {
            return Traffic::Unknown;
        }
        if !is_its_own || now.since(watched.last) >= FORGOTTEN {
            *watched = Watched { flow: Some(outline.flow()), last: now, ..Watched::default() };
        }
        watched.see(packet, outline.payload().range.start, now)
    }

    /// What the flow of a packet was found to be.
    pub(super) fn traffic(&self, outline: Outline) -> Traffic {
        let place = self.places.find(outline.flow().digest());
        let watched = place.and_then(|place| self.flows.get(usize::from(place)));
        let is_its_own =
            |watched: &&Watched| watched.flow == Some(outline.flow()) && self.now.since(watched.last) < FORGOTTEN;
        watched.filter(is_its_own).map_or(Traffic::Unknown, |watched| watched.traffic)
    }
}

impl Watched {
    fn see(&mut self, packet: &[u8], udp: usize, now: Time) -> Traffic {
        let apart = now.since(self.last);
        self.last = now;
        let rtp = packet.get(udp + UDP..).and_then(|payload| payload.first_chunk()).and_then(rtp);
        if let Some((source, number)) = rtp {
            let number = Seq::at_or_after(self.number, number.into());
            let ahead = number.offset_from(self.number).unwrap_or(0);
            let is_next = source == self.source && (1..=AHEAD).contains(&ahead);
            self.in_order = if is_next { self.in_order.saturating_add(1) } else { 1 };
            (self.source, self.number) = (source, number);
            if self.in_order >= RTP_IN_A_ROW {
                self.traffic = Traffic::Rtp;
            }
        }
        let is_small = packet.len() <= SMALL && APART.contains(&apart);
        (self.small, self.others) =
            if is_small { (self.small.saturating_add(1), 0) } else { (0, self.others.saturating_add(1)) };
        match self.traffic {
            Traffic::Unknown if self.small >= SMALL_IN_A_ROW => self.traffic = Traffic::SmallAndSteady,
            Traffic::SmallAndSteady if self.others >= OTHERS_IN_A_ROW => self.traffic = Traffic::Unknown,
            Traffic::Unknown | Traffic::SmallAndSteady | Traffic::Rtp => {}
        }
        self.traffic
    }
}

/// The source and the number, if this is a header of RTP and none of RTCP: its version is 2, its type none of 64 to 95.
fn rtp(header: &[u8; RTP]) -> Option<([u8; 4], u16)> {
    let [first, kind, high, low, _, _, _, _, source @ ..] = *header;
    let is_rtp = first >> 6 == 2 && !(64..=95).contains(&(kind & 0x7f));
    is_rtp.then(|| (source, u16::from_be_bytes([high, low])))
}
