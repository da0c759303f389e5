//! What worlds say of the links and of the call over them.

use super::stream::{self, Stream};
use crate::emulate::links::{Links, NamedLink, scenario};
use crate::failure::Failure;
use crate::study::file_name;
use arqway_emulate::Report;
use arqway_sim::channel::Direction;
use arqway_sim::mobility::{Change, Listed, When};
use arqway_units::{Octets, Span, Time, ToFloat as _};
use std::path::PathBuf;

/// A call's packet is in time within so long, where the world does not say.
const WITHIN: Span = Span::from_milliseconds(150);
/// The headers of IPv4 and UDP, which are inside the length of a packet.
pub(super) const HEADERS: usize = 28;
/// The largest packet of an interface of Ethernet, and the smallest one that is worth a tunnel.
const LARGEST: u32 = 1500;
const SMALLEST_MTU: u32 = 300;
/// The shortest payload that has a number and a time in it.
pub(super) const SHORTEST: usize = 16;

/// Loads have begun by then, as a rule: a tunnel is up within two round trips.
const UNTIL_LOADS: Span = Span::from_milliseconds(5_000);

/// An outage of all copies of the first link, by their clocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    pub(super) at: Span,
    pub(super) lasts: Span,
}

impl Cut {
    /// One in the middle of loads that run so long.
    pub(super) fn of(length: Span, lasts: Span) -> Self {
        Self { at: UNTIL_LOADS + length / 2, lasts }
    }
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) links: Vec<NamedLink>,
    pub(super) seed: u64,
    /// The largest packet of the links' devices: that of the worlds' files.
    pub(super) mtu: u32,
    /// That of the first world.
    pub(super) call: Stream,
    call_packet: Octets,
    pub(super) cut: Option<Cut>,
}

impl World {
    pub(super) fn read(files: &[PathBuf], seed: Option<u64>, cut: Option<Cut>) -> Result<Self, Failure> {
        let mut links = Links { links: Vec::new(), seed: 1 };
        let (mut of_files, mut packets, mut media) = (None, Vec::new(), None);
        for file in files {
            let (mut scenario, of_file) = scenario(file)?;
            of_files = of_files.or(of_file);
            if let Some(Cut { at, lasts }) = cut {
                let mobility = &mut scenario.mobility;
                mobility.when =
                    if links.links.is_empty() { When::Listed(Listed { at: vec![at] }) } else { When::Never };
                (mobility.change, mobility.outage, mobility.hints) = (Change::SameCell, lasts, false);
            }
            links.add(&file_name(file), &scenario)?;
            packets.push(scenario.file_transfer.packet.octets());
            media.get_or_insert(scenario.media);
        }
        // A link is always asked for.
        let media = media.unwrap_or_default();
        let packet = media.packet.octets();
        let call = Stream {
            port: stream::CALL,
            payload: packet.as_usize().saturating_sub(HEADERS).max(SHORTEST),
            interval: media.rate.time_to_send(packet),
            within: media.within.unwrap_or(WITHIN),
        };
        let least = packets.into_iter().min().and_then(|packet| u32::try_from(packet.as_u64()).ok());
        let mtu = least.unwrap_or(LARGEST).max(SMALLEST_MTU);
        let seed = seed.or(of_files).unwrap_or(1);
        Ok(Self { links: links.links, seed, mtu, call, call_packet: packet, cut })
    }

    /// What is emulated.
    pub(super) fn about(&self) -> String {
        let is_one = self.links.len() == 1;
        let about = |link: &NamedLink| {
            let about = link.settings.about(Direction::Down);
            if is_one { about } else { format!("{}: {about}", link.name) }
        };
        let links: Vec<String> = self.links.iter().map(about).collect();
        let (names, seed, packet) = (Self::names(&self.links), self.seed, self.call_packet);
        let Stream { interval, within, .. } = self.call;
        format!(
            "{names}, seed {seed}: {}; a call of {packet} each {interval}, of use within {within}",
            links.join("; ")
        )
    }

    /// What people call some links.
    pub(super) fn names(links: &[NamedLink]) -> String {
        let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        names.join(" and ")
    }

    /// What any recovery can reach toward the client at most by a link, in bits per second: what it carries between two times since it
    /// began, times the share of packets that its copies did not lose.
    pub(super) fn bound<'r>(
        &self,
        link: &NamedLink,
        copies: impl Iterator<Item = &'r Report> + Clone,
        period: (Time, Time),
    ) -> f64 {
        let [sent, lost] = [|report: &Report| report.down.counters.sent, |report: &Report| report.down.counters.lost]
            .map(|count| copies.clone().map(count).sum::<u64>().to_f64());
        let rate = link.settings.mean_rate(Direction::Down, self.seed, Octets::new(self.mtu.into()), period);
        let rate = rate.as_bits_per_second().to_f64();
        if sent > 0.0 { rate * (1.0 - lost / sent) } else { rate }
    }
}
