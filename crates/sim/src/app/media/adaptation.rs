//! A source of media that changes its rate: by what the link offers after a handoff, or by what is lost (multiservice,
//! Section IX: applications that change their policy when the path has changed).
//!
//! ```toml
//! [media]
//! rate = "56 kbit/s"                                          # the highest
//! adapts = { kind = "to-loss", ladder = ["50 %", "25 %"] }    # 28 and 14 kbit/s beside it
//! ```
//!
//! To the link: the highest rate that fits into a share of what the link offers. To loss: one rung down when a report says
//! that more is lost than is tolerated, one up when much less was for a while; and after a change nothing for a window, so
//! that losses from before it are not counted again. Going up is a trial that may cost: it takes longer. Packets keep their length and go out less often.

use alloc::vec::Vec;
use arqway_units::{BitRate, Ratio, Span, Time, ToFloat, positive_span, truncate};
use serde::{Deserialize, Serialize};

/// What the rate adapts to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Adapts {
    /// Nothing: it is fixed.
    #[default]
    No,
    /// The link rate toward the client, from the hint at the end of a handoff.
    ToTheLink(ToTheLink),
    /// The loss rate, from the client's reports.
    ToLoss(ToLoss),
}

/// Settings of a source that follows the link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToTheLink {
    /// The lower rates, as fractions of the highest.
    pub ladder: Ladder,
    /// The share of the link that the media may use; the rest is for headers and other traffic.
    pub share: Ratio,
}

/// Settings of a source that follows reports of loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToLoss {
    /// The lower rates, as fractions of the highest.
    pub ladder: Ladder,
    /// The interval of the client's reports.
    #[serde(deserialize_with = "positive_span")]
    pub report: Span,
    /// The window over which losses are counted, and the time for which a new rate is kept.
    #[serde(deserialize_with = "positive_span")]
    pub window: Span,
    /// A higher loss rate lowers the rate by one step.
    pub tolerates: Ratio,
    /// If losses stay below this share of the tolerated loss rate for `raises-after`, the rate goes up by one step.
    pub raises_below: Ratio,
    /// How long losses must have been that low.
    #[serde(deserialize_with = "positive_span")]
    pub raises_after: Span,
}

/// Rates below the highest, as fractions of it, in descending order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<Ratio>", into = "Vec<Ratio>")]
pub struct Ladder(Vec<Ratio>);

/// Shares that make no ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("each rung must be lower than the one before, as in [\"50 %\", \"25 %\"]")]
pub struct LadderError;

impl TryFrom<Vec<Ratio>> for Ladder {
    type Error = LadderError;
    fn try_from(rungs: Vec<Ratio>) -> Result<Self, LadderError> {
        let within = rungs.iter().all(|rung| *rung > Ratio::ZERO && *rung < Ratio::ONE);
        let goes_down = rungs.is_sorted_by(|one, next| one > next);
        if within && goes_down && !rungs.is_empty() { Ok(Self(rungs)) } else { Err(LadderError) }
    }
}

impl From<Ladder> for Vec<Ratio> {
    fn from(ladder: Ladder) -> Self {
        ladder.0
    }
}

impl Default for Ladder {
    /// Halved, and halved again, down to an eighth.
    fn default() -> Self {
        Self([0.5, 0.25, 0.125].into_iter().filter_map(Ratio::new).collect())
    }
}

impl Default for ToTheLink {
    /// Nine tenths of the link.
    fn default() -> Self {
        Self { ladder: Ladder::default(), share: Ratio::new(0.9).unwrap_or(Ratio::ONE) }
    }
}

impl Default for ToLoss {
    /// A report a second over the last five; 3 % are tolerated, and a third of that is little if it stays so for 20 s.
    fn default() -> Self {
        Self {
            ladder: Ladder::default(),
            report: Span::from_milliseconds(1000),
            window: Span::from_milliseconds(5000),
            tolerates: Ratio::new(0.03).unwrap_or(Ratio::ONE),
            raises_below: Ratio::new(1.0 / 3.0).unwrap_or(Ratio::ONE),
            raises_after: Span::from_milliseconds(20_000),
        }
    }
}

/// The client's report of how the media arrive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Report {
    /// When the last packet was sent that arrived.
    pub(crate) last_sent: Time,
    /// What share it missed of those sent in the window before that.
    pub(crate) loss: f64,
}

impl Report {
    /// How long it is in a packet.
    pub(crate) const OCTETS: usize = 12;

    /// As it stands in a packet: nanoseconds, and the share in millionths.
    pub(crate) fn to_octets(self) -> [u8; Self::OCTETS] {
        let mut octets = [0; Self::OCTETS];
        octets[..8].copy_from_slice(&self.last_sent.as_nanoseconds().to_be_bytes());
        octets[8..].copy_from_slice(&u32::try_from(truncate(self.loss * 1e6)).unwrap_or(u32::MAX).to_be_bytes());
        octets
    }

    /// What stands in a packet.
    pub(crate) fn from_octets(octets: [u8; Self::OCTETS]) -> Self {
        let [a, b, c, d, e, f, g, h, loss @ ..] = octets;
        let last_sent = Time::from_nanoseconds(u64::from_be_bytes([a, b, c, d, e, f, g, h]));
        Self { last_sent, loss: f64::from(u32::from_be_bytes(loss)) / 1e6 }
    }
}

/// A source's place on the ladder.
#[derive(Debug)]
pub(crate) struct Adaptation {
    /// The highest rate.
    top: BitRate,
    /// The lower ones, as shares of it.
    rungs: Vec<Ratio>,
    /// How far down: 0 is the highest.
    down: usize,
    follows: Follows,
}

#[derive(Debug)]
enum Follows {
    Link {
        share: Ratio,
    },
    Loss {
        settings: ToLoss,
        /// When the rate changed last.
        changed: Option<Time>,
        /// Since when little has been lost.
        calm: Option<Time>,
    },
}

impl Adaptation {
    /// A source at the highest rate; `None` for one that does not adapt.
    pub(crate) fn new(adapts: &Adapts, top: BitRate) -> Option<Self> {
        let (rungs, follows) = match adapts {
            Adapts::No => return None,
            Adapts::ToTheLink(to) => (&to.ladder, Follows::Link { share: to.share }),
            Adapts::ToLoss(to) => (&to.ladder, Follows::Loss { settings: to.clone(), changed: None, calm: None }),
        };
        Some(Self { top, rungs: rungs.0.clone(), down: 0, follows })
    }

    /// The rate now, as a share of the highest.
    pub(crate) fn share(&self) -> Ratio {
        self.down.checked_sub(1).and_then(|rung| self.rungs.get(rung)).copied().unwrap_or(Ratio::ONE)
    }

    /// How often, and over how long, the client is to report, if it is.
    pub(crate) fn reports(&self) -> Option<(Span, Span)> {
        match &self.follows {
            Follows::Link { .. } => None,
            Follows::Loss { settings, .. } => Some((settings.report, settings.window)),
        }
    }

    /// The link offers this much.
    pub(crate) fn fit(&mut self, offered: BitRate) {
        let Follows::Link { share } = &self.follows else { return };
        let room = offered.as_bits_per_second().to_f64() * share.as_f64() / self.top.as_bits_per_second().to_f64();
        let shares = core::iter::once(Ratio::ONE).chain(self.rungs.iter().copied());
        // Where nothing fits the lowest must do.
        self.down = shares.take_while(|rung| rung.as_f64() > room).count().min(self.rungs.len());
    }

    /// The client has reported.
    pub(crate) fn take(&mut self, report: &Report, now: Time) {
        let Follows::Loss { settings, changed, calm } = &mut self.follows else { return };
        if changed.is_some_and(|changed| report.last_sent < changed + settings.window) {
            return;
        }
        let tolerated = settings.tolerates.as_f64();
        let before = self.down;
        if report.loss > tolerated {
            *calm = None;
            self.down = (self.down + 1).min(self.rungs.len());
        } else if report.loss >= tolerated * settings.raises_below.as_f64() {
            *calm = None;
        } else if now.since(*calm.get_or_insert(now)) >= settings.raises_after {
            self.down = self.down.saturating_sub(1);
        }
        if self.down != before {
            (*changed, *calm) = (Some(now), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(kilobits: u64) -> BitRate {
        BitRate::from_bits_per_second(kilobits * 1000).expect("not zero")
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn to_the_link_takes_the_highest_rate_that_fits_and_the_lowest_where_none_does() {
        let mut speaker = Adaptation::new(&Adapts::ToTheLink(ToTheLink::default()), rate(400)).expect("adapts");
        let shares = [1000, 444, 445, 250, 112, 20, 1000].map(|offered| {
            speaker.fit(rate(offered));
            speaker.share().as_f64()
        });
        assert_eq!(shares, [1.0, 0.5, 1.0, 0.5, 0.25, 0.125, 1.0]);
    }

    #[test]
    fn to_loss_goes_a_rung_at_a_time_and_leaves_a_new_rate_alone_for_a_window() {
        let mut speaker = Adaptation::new(&Adapts::ToLoss(ToLoss::default()), rate(56)).expect("adapts");
        let mut shares = Vec::new();
        // Sent, reported and missed: packets sent less than 5 s after a change say nothing about it.
        let reports =
            [(900, 1000, 0.2), (5900, 6000, 0.2), (6000, 6100, 0.2), (11_000, 11_100, 0.0), (11_100, 11_200, 0.02)];
        for (sent, now, loss) in reports {
            speaker.take(&Report { last_sent: at(sent), loss }, at(now));
            shares.push(speaker.share().as_f64());
        }
        assert_eq!(shares, [0.5, 0.5, 0.25, 0.25, 0.25]);
        let reports =
            [(12_000, 0.009), (31_000, 0.009), (32_000, 0.009), (38_000, 0.009), (57_000, 0.011), (77_000, 0.0)];
        let then = reports.map(|(now, loss)| {
            speaker.take(&Report { last_sent: at(now), loss }, at(now));
            speaker.share().as_f64()
        });
        assert_eq!(then, [0.25, 0.25, 0.5, 0.5, 0.5, 0.5], "up after 20 s of little loss, and no more after some");
    }

    #[test]
    fn a_ladder_that_does_not_go_down_is_refused() {
        let ladder = |rungs: &[f64]| Ladder::try_from(rungs.iter().copied().filter_map(Ratio::new).collect::<Vec<_>>());
        for wrong in [&[][..], &[1.0], &[0.0], &[0.5, 0.5], &[0.25, 0.5]] {
            assert_eq!(ladder(wrong), Err(LadderError), "{wrong:?}");
        }
        assert!(ladder(&[0.5, 0.1]).is_ok());
    }

    #[test]
    fn a_report_reads_as_it_was_written() {
        let report = Report { last_sent: at(1234), loss: 0.125 };
        assert_eq!(Report::from_octets(report.to_octets()), report);
    }
}
