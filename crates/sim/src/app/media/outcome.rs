//! What came of Media Distribution.

use super::{Media, OVERDUE};
use crate::app::{Application, Carried, End, Quantity, Run};
use arqway_units::{Span, Time, ToFloat, count};

/// What the listener got; times are in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaOutcome {
    /// Mean delay of a packet from host to host.
    pub mean_delay_s: Option<f64>,
    /// The standard deviation of the delay.
    pub delay_deviation_s: Option<f64>,
    /// How many standard deviations the reported delay lies above the mean.
    pub delay_deviations: f64,
    /// How long a packet may take and still be in time, if the settings say so.
    pub within: Option<Span>,
    /// The same where it follows from the fastest packet.
    pub played_within: Option<Span>,
    /// Share of the packets sent that did not arrive; packets that may still be on their way are left out.
    pub loss: Option<f64>,
    /// What was sent, in bits per second.
    pub offered_bps: f64,
    /// How many octets of the line the service of the media used for each octet of a packet, less one.
    pub overhead: Option<f64>,
    /// The part of the line toward the client that the service of the media left, where it carries nothing else.
    pub left_bps: Option<f64>,
}

pub(super) const QUANTITIES: &[Quantity] = &[
    Quantity::once("media.delay", "Media packet delay (s)", 1.0, |run| media(run)?.reported_delay_s()),
    Quantity::once("media.delay-mean", "Mean media packet delay (s)", 1.0, |run| {
        media(run)?.mean_delay_s.filter(|_| media(run).is_some_and(|media| media.delay_deviations > 0.0))
    })
    .needs("media.delay-deviations = 2 (without it, media.delay is the mean)", |world| {
        world.applications.media.is_some_and(|media| media.delay_deviations > 0.0)
    }),
    Quantity::once("media.delay-p95", "Media packet delay, 95th percentile (s)", 1.0, |run| {
        run.delays.quantile_s(Application::Media, 0.95)
    }),
    Quantity::once("media.loss", "Media packets lost (%)", 100.0, |run| media(run)?.loss),
    Quantity::once("media.in-time", "Media packets in time (%)", 100.0, |run| share_within(run, media(run)?.within?))
        .needs("media.within = \"150 ms\"", |world| {
            world.applications.media.is_some_and(|media| media.within.is_some())
        }),
    Quantity::once("media.played", "Media packets played (%)", 100.0, |run| {
        share_within(run, media(run)?.played_within?)
    })
    .needs("media.playout = \"60 ms\"", |world| world.applications.media.is_some_and(|media| media.playout.is_some())),
    Quantity::once("media.offered", "Media sent (kbit/s)", 1e-3, |run| Some(media(run)?.offered_bps)),
    Quantity::once("media.overhead", "Link octets for the media beyond their packets (%)", 100.0, |run| {
        media(run)?.overhead
    }),
];

fn media<'a>(run: &Run<'a>) -> Option<&'a MediaOutcome> {
    run.applications.media.as_ref()
}

/// The share of the packets sent that arrived within this time; without any arrival, none was.
fn share_within(run: &Run<'_>, within: Span) -> Option<f64> {
    let arrived = 1.0 - media(run)?.loss?;
    Some(arrived * run.delays.share_within(Application::Media, within).unwrap_or(0.0))
}

impl MediaOutcome {
    pub(super) fn new(media: &Media, end: &End<'_>) -> Self {
        // A whole packet: the classifier reads no headers of one that is cut short.
        let mut packet = media.header.to_vec();
        packet.resize(media.size.on_wire, 0);
        let carried = (media.sent > 0).then(|| (end.carried)(&packet));
        let seconds = end.now.as_seconds();
        let overhead =
            |carried: &Carried| (carried.packets > 0).then(|| carried.line.to_f64() / carried.packets.to_f64() - 1.0);
        let left = |carried: &Carried| {
            let rate = end.link_rate.as_bits_per_second().to_f64();
            (!carried.is_default && seconds > 0.0).then(|| rate - carried.line.to_f64() * 8.0 / seconds)
        };
        Self {
            mean_delay_s: media.mean_delay(),
            delay_deviation_s: media.delay_deviation(),
            delay_deviations: media.delay_deviations,
            within: media.within,
            played_within: media.played_within(),
            loss: media.loss(end.now),
            offered_bps: media.offered_bps(end.now),
            overhead: carried.as_ref().and_then(overhead),
            left_bps: carried.as_ref().and_then(left),
        }
    }

    /// The mean, and the deviations that the settings put on top of it.
    fn reported_delay_s(&self) -> Option<f64> {
        let mean = self.mean_delay_s?;
        if self.delay_deviations > 0.0 {
            return Some(mean + self.delay_deviations * self.delay_deviation_s?);
        }
        Some(mean)
    }
}

impl Media {
    /// The mean delay of the packets that arrived, in seconds, if any did.
    pub(super) fn mean_delay(&self) -> Option<f64> {
        (self.received > 0).then(|| self.delay_sum / self.received.to_f64())
    }

    /// The standard deviation of their delay, in seconds.
    pub(super) fn delay_deviation(&self) -> Option<f64> {
        (self.received > 0).then(|| libm::sqrt(self.squares / self.received.to_f64()))
    }

    /// The share of the packets sent that did not arrive. Packets that may still be on their way count neither as sent nor as lost.
    pub(super) fn loss(&self, now: Time) -> Option<f64> {
        let settled = self.sent - self.under_way(now);
        (settled > 0).then(|| settled.saturating_sub(self.received).to_f64() / settled.to_f64())
    }

    /// How many of the latest packets have not arrived, and are not overdue. A service that keeps packets in sequence holds
    /// all that follow a missing one, and the wait at the end of a run may well be the longest of all.
    fn under_way(&self, now: Time) -> u64 {
        // If nothing ever arrived, nothing can be expected.
        let overdue = if self.received > 0 { self.longest_delay.max(OVERDUE) } else { Span::ZERO };
        let latest = self.recent.iter().rev();
        count(latest.take_while(|(sent, arrived)| !arrived && now.since(*sent) <= overdue).count())
    }

    /// What was sent, per second since the start.
    pub(super) fn offered_bps(&self, now: Time) -> f64 {
        let seconds = now.as_seconds();
        if seconds > 0.0 { (self.sent * self.size.counted * 8).to_f64() / seconds } else { 0.0 }
    }
}
