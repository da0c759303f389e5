//! The time-sequence plot: how Selective Repeat fares toward the client, frame by frame. A mean says that a fixed timeout
//! collapses; here one sees it happen.
//!
//! ```text
//!     number |            . x    .  sent: first, again after a timeout, again because rejected; x lost
//!            |        .  .--     -- delivered, acknowledged
//!            |    . .---
//!            +----------------------------------------------------------------
//!     queue  |    what waits for the link: new frames, copies, everything else
//!            +----------------------------------------------------------------
//!     waited |    how long each frame has waited when it starts, and the timeout
//!            +---------------------------------------------------------- time
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `record.rs` | what happened, read off the frames |
//! | `numbers.rs` | eight bits of a number, and the whole number |
//! | `draw.rs` | the drawing as a whole, of what `trace::plot` has for all |

mod draw;
mod numbers;
mod record;

pub use record::Recorder;

use super::About;
use arqway_link::LinkLayer;
use arqway_link::selective_repeat::{self, Timeout};
use arqway_link::{ServiceConfig, ServiceId};
use arqway_units::{Span, Time};

/// The first service of a link layer that is Selective Repeat, with its number.
fn selective_repeat_in(link_layer: &LinkLayer) -> Option<(ServiceId, &selective_repeat::Config)> {
    let mut services = (0..).zip(link_layer.services());
    services.find_map(|(number, service)| {
        let ServiceConfig::SelectiveRepeat(config) = service else { return None };
        Some((ServiceId::new(number)?, config))
    })
}

/// How long Selective Repeat waits for an acknowledgement in this link layer, if that is fixed.
#[must_use]
pub fn fixed_timeout(link_layer: &LinkLayer) -> Option<Span> {
    match selective_repeat_in(link_layer)?.1.timeout {
        Timeout::Fixed(timeout) => Some(timeout),
        Timeout::Adaptive(_) => None,
    }
}

impl Recorder {
    /// When the plot ends: where it was asked to, or with the last frame.
    #[must_use]
    pub fn end(&self) -> Time {
        self.to.min(self.last)
    }

    /// The plot as a self-contained SVG document, with the timeout where it is fixed.
    #[must_use]
    pub fn to_svg(&self, about: &About, timeout: Option<Span>) -> String {
        draw::draw(self, about, timeout)
    }
}

#[cfg(test)]
mod tests;
