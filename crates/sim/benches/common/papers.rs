//! Services as the papers' worlds have them.

use arqway_link::ServiceConfig;
use arqway_link::selective_repeat::{self, Timeout, TimerStarts};

/// Timers start at hand-over, and stale copies are sent.
pub(crate) fn selective_repeat(timeout: Timeout) -> ServiceConfig {
    ServiceConfig::SelectiveRepeat(selective_repeat::Config {
        timeout,
        timer_starts: TimerStarts::HandOver,
        drop_stale_copies: false,
        ..selective_repeat::Config::default()
    })
}
