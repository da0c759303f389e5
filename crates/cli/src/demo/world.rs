//! What a world says of the link and of the call over it.

use super::stream::{self, Stream};
use crate::failure::Failure;
use crate::study::{file_name, of_one_line, read_world};
use arqway_emulate::{LinkSettings, Report};
use arqway_lab::experiment::described::Described;
use arqway_sim::channel::Direction;
use arqway_sim::mobility::{Change, Listed, When};
use arqway_units::{Octets, Span, Time, ToFloat as _};
use std::path::Path;

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

/// An outage of both copies of the link, by their clocks.
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
    pub(super) settings: LinkSettings,
    pub(super) seed: u64,
    name: String,
    about: String,
    /// The largest packet of the link's devices: that of the world's files.
    pub(super) mtu: u32,
    pub(super) call: Stream,
    pub(super) cut: Option<Cut>,
}

impl World {
    pub(super) fn read(link: &Path, seed: Option<u64>, cut: Option<Cut>) -> Result<Self, Failure> {
        let (source, folder) = read_world(link)?;
        let Described { scenario, seed: of_file, .. } = Described::read(&source, &folder)?;
        of_one_line(&scenario, link)?;
        let mut settings = LinkSettings { wireless: scenario.wireless, mobility: scenario.mobility };
        if let Some(Cut { at, lasts }) = cut {
            let mobility = &mut settings.mobility;
            (mobility.when, mobility.change) = (When::Listed(Listed { at: vec![at] }), Change::SameCell);
            (mobility.outage, mobility.hints) = (lasts, false);
        }
        let (settings, _) = settings.with_queues_of_a_device();
        let seed = seed.or(of_file).unwrap_or(1);
        let packet = scenario.media.packet.octets();
        let call = Stream {
            port: stream::CALL,
            payload: packet.as_usize().saturating_sub(HEADERS).max(SHORTEST),
            interval: scenario.media.rate.time_to_send(packet),
            within: scenario.media.within.unwrap_or(WITHIN),
        };
        let mtu = u32::try_from(scenario.file_transfer.packet.octets().as_u64()).unwrap_or(LARGEST).max(SMALLEST_MTU);
        let down = settings.about(Direction::Down);
        let about = format!("{down}; a call of {packet} each {}, of use within {}", call.interval, call.within);
        Ok(Self { settings, name: file_name(link), seed, about, mtu, call, cut })
    }

    /// What is emulated.
    pub(super) fn about(&self) -> String {
        format!("{}, seed {}: {}", self.name, self.seed, self.about)
    }

    /// What any recovery can reach toward the client at most, in bits per second: what the link carries between two times since it began,
    /// times the share of packets that were not lost.
    pub(super) fn bound(&self, reports: &[Report], period: (Time, Time)) -> f64 {
        let [sent, lost] = [|report: &Report| report.down.counters.sent, |report: &Report| report.down.counters.lost]
            .map(|count| reports.iter().map(count).sum::<u64>().to_f64());
        let rate = self.settings.mean_rate(Direction::Down, self.seed, Octets::new(self.mtu.into()), period);
        let rate = rate.as_bits_per_second().to_f64();
        if sent > 0.0 { rate * (1.0 - lost / sent) } else { rate }
    }
}
