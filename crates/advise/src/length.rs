//! How long a run has to be to tell candidates apart, and no longer: counted in packets, since those cost the time.
//!
//! | what | how long, at most |
//! | --- | --- |
//! | packets | as many as bring 50 losses, rows of lost frames counted once; from 3,000 to 15,000; and thirty round trips full of them, up to 60,000 |
//! | files, greedy sources | so many packets |
//! | media | beside them ten talk-spurts, if 60,000 packets last so long; alone 40 |
//! | web | what so many packets take, a minute at least |
//! | a run in which something is stuck | thirty times what so many packets take, and a minute |
//!
//! Nothing is made longer than the file says.

use super::link::Link;
use super::question::Question;
use arqway_sim::Scenario;
use arqway_units::{Octets, Span};

/// What was found of the errors of a link, toward the client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Losses {
    /// Share of the frames lost.
    pub share: f64,
    /// How many in a row, on average; 1 where none are.
    pub run: f64,
}

/// How often a run should see the link lose something.
const LOSSES: f64 = 50.0;
const FEWEST_PACKETS: u64 = 3_000;
const MOST_PACKETS: u64 = 15_000;
/// Where something else asks for longer runs than losses do.
const MOST_PACKETS_EVER: u64 = 60_000;
/// A start takes some ten round trips until the window is open, in which candidates differ less, or otherwise.
const ROUND_TRIPS: u64 = 30;
const SPURTS_BESIDE: u64 = 10;
const SPURTS_ALONE: u64 = 40;
const STUCK: u64 = 30;
const MINUTE: Span = Span::from_milliseconds(60_000);

/// The length of a run, as settings by their paths.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Length {
    pub(super) settings: Vec<(&'static str, String)>,
}

impl Length {
    /// That of runs of a question's world, or of runs so many times as long.
    pub(super) fn of(question: &Question, link: &Link, losses: Option<Losses>, times: u64) -> Self {
        let scenario = &question.scenario;
        let packets = packets(scenario, link, losses) * times;
        let time = link.frame * packets;
        let mut length = Self::default();
        let files = &scenario.file_transfer;
        if files.enabled {
            let size = link.packet.as_u64() * packets / u64::from(files.connections.get());
            length.shorten("file-transfer.size", files.size, Octets::new(size.max(1)));
        }
        if scenario.tcp_bulk.enabled {
            let most = time + link.path_round_trip * 10;
            length.shorten("tcp-bulk.duration", scenario.tcp_bulk.duration, most);
        }
        if scenario.web.enabled {
            let own = scenario.web.duration.unwrap_or(scenario.duration);
            length.shorten("web.duration", own, time.max(MINUTE * times));
        }
        if scenario.media.enabled {
            let own = scenario.media.duration.unwrap_or(scenario.duration);
            length.shorten("media.duration", own, spurts(scenario) * SPURTS_ALONE * times);
        }
        // A window that binds makes every candidate slow, and nobody is stuck.
        let of_window = link.path_round_trip * packets.div_ceil(link.tcp_window.max(1));
        length.shorten("duration", scenario.duration, time.max(of_window) * STUCK + MINUTE);
        length
    }

    fn shorten<T: Ord + ToString>(&mut self, path: &'static str, own: T, most: T) {
        if most < own {
            self.settings.push((path, most.to_string()));
        }
    }
}

/// A talk-spurt and a silence.
fn spurts(scenario: &Scenario) -> Span {
    scenario.media.talk + scenario.media.silence
}

fn packets(scenario: &Scenario, link: &Link, losses: Option<Losses>) -> u64 {
    let has_errors = !scenario.wireless.named_errors().is_free_of_errors();
    let for_losses = match losses.filter(|losses| losses.share > 0.0) {
        Some(losses) => whole(LOSSES * losses.run.max(1.0) / losses.share),
        // Rarer than a look at the link shows.
        None if has_errors => MOST_PACKETS,
        None => FEWEST_PACKETS,
    };
    let for_round_trips = ROUND_TRIPS * link.path_in_flight;
    let spurts = if scenario.media.enabled { spurts(scenario) * SPURTS_BESIDE } else { Span::ZERO };
    let for_spurts = spurts.as_nanoseconds().div_ceil(link.frame.as_nanoseconds().max(1));
    let losses = for_losses.clamp(FEWEST_PACKETS, MOST_PACKETS);
    losses.max(for_round_trips).max(for_spurts).min(MOST_PACKETS_EVER)
}

/// Rounded up; what is not a number, or too large, is the most there is.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(super) fn whole(value: f64) -> u64 {
    if value.is_finite() { libm::ceil(value) as u64 } else { u64::MAX }
}
