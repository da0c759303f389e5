//! Shortened headers of UDP over a path that loses, doubles and delays: what is given back is what was sent, or nothing, also where
//! confirmations come ever so late. Octets of anybody do not make either end panic.
//!
//! ```text
//!     packets of five flows --> Shortener --> the path, for up to 50 s -> Restorer --> the same packets
//!                                  ^                                         |
//!                                  +------------- confirmations <-----------+
//! ```

use arqway_ip::FlowKey;
use arqway_ip::templates::{Restored, Restorer, Shortener, TemplateId, confirmation};
use arqway_link::fuzz::Input;
use arqway_units::{Span, Time};
use bytes::Bytes;

/// A context is given to another flow after a minute: no packet is under way for longer.
const UNDER_WAY: Span = Span::from_milliseconds(50_000);

#[derive(Default)]
struct Ends {
    shortener: Shortener,
    restorer: Restorer,
    now: Time,
    /// What is on its way, since when, and the packet that it was.
    path: Vec<(Time, Bytes, Bytes)>,
    confirmations: Vec<TemplateId>,
    /// Nobody else has sent anything.
    is_honest: bool,
}

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let mut ends = Ends { is_honest: input.flag(), ..Ends::default() };
    while !input.is_empty() {
        match input.index(16) {
            0..7 => ends.send(&mut input),
            7..11 => ends.deliver(&mut input),
            11..13 => ends.confirm(&mut input),
            13 => ends.now += input.span(0, 20_000),
            14 if !ends.is_honest => ends.forge(&mut input),
            _ => ends.lose(&mut input),
        }
        let now = ends.now;
        ends.path.retain(|(since, ..)| now.since(*since) < UNDER_WAY);
    }
}

impl Ends {
    fn send(&mut self, input: &mut Input<'_>) {
        let packet = packet(input);
        let short = self.shortener.shorten(&packet, FlowKey::of_packet(&packet), self.now);
        assert!(short.len() <= packet.len() + 10, "{} octets for {}", short.len(), packet.len());
        self.path.push((self.now, short, packet));
    }

    /// Something arrives, and may do so again.
    fn deliver(&mut self, input: &mut Input<'_>) {
        if self.path.is_empty() {
            return;
        }
        let (_, short, packet) = self.path[input.index(self.path.len())].clone();
        let restored = match self.restorer.restore(short) {
            Some(Restored::Packet(restored)) => restored,
            Some(Restored::Template(restored, template)) => {
                self.confirmations.push(template);
                restored
            }
            Some(Restored::Heard(_)) => panic!("a packet is no confirmation: {packet:?}"),
            // A template that never came.
            None => {
                assert!(!self.is_honest, "{packet:?} went short, and what it needs was confirmed");
                return;
            }
        };
        assert!(!self.is_honest || restored == packet, "{restored:?} for {packet:?}");
    }

    fn confirm(&mut self, input: &mut Input<'_>) {
        if self.confirmations.is_empty() {
            return;
        }
        let template = self.confirmations[input.index(self.confirmations.len())];
        assert_eq!(Restorer::default().restore(confirmation(template)), Some(Restored::Heard(template)));
        self.shortener.heard(template);
    }

    /// Anything from anybody.
    fn forge(&mut self, input: &mut Input<'_>) {
        self.shortener.heard(TemplateId { context: input.octet(), generation: input.octet() & 3 });
        let octets = input.octets(80).to_vec();
        self.restorer.restore(octets.into());
    }

    fn lose(&mut self, input: &mut Input<'_>) {
        if !self.path.is_empty() {
            let index = input.index(self.path.len());
            self.path.swap_remove(index);
        }
    }
}

/// A packet of one of five flows, of which a few octets are as the input says; or anything.
fn packet(input: &mut Input<'_>) -> Bytes {
    if input.index(12) == 0 {
        return input.octets(60).to_vec().into();
    }
    let flow = input.index(5);
    let payload = [&[0x80, 0, 0, input.octet(), 0, 0, input.octet(), 0][..], input.octets(24)].concat();
    let ports = [0x13, 0x8c, 0x13, 0x8c + u8::try_from(flow).unwrap_or(0)];
    let two = |length: usize| u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes();
    let udp = [&ports[..], &two(8 + payload.len()), &[0, 0], &payload].concat();
    if flow < 3 {
        let mut header =
            [&[0x45, 0], &two(20 + udp.len())[..], &[0, input.octet(), 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]]
                .concat();
        let sum = etherparse::checksum::Sum16BitWords::new().add_slice(&header).ones_complement();
        header[10..12].copy_from_slice(&sum.to_ne_bytes());
        return [header, udp].concat().into();
    }
    [&[0x60, 0, 0, input.octet() & 1], &two(udp.len())[..], &[17, 64], &[1; 16], &[2; 16], &udp].concat().into()
}
