//! Any settings of what services share, for fuzzing.

use super::{Others, Resequencing, TimerStarts, Unordered};
use arqway_contract::fuzz::Input;
use core::num::NonZeroUsize;

impl TimerStarts {
    /// Any moment.
    pub fn any(input: &mut Input<'_>) -> Self {
        input.one_of(&[Self::Departure, Self::Start, Self::HandOver])
    }
}

impl Resequencing {
    /// Any order of packets, by an octet.
    pub fn any(octet: u8) -> Self {
        match octet % 8 {
            0 => Self::Full,
            1 => Self::as_received(),
            2 => Self::PerFlow,
            _ => Self::None(Unordered::any(octet)),
        }
    }

    /// Whether packets of one flow, of UDP, leave in the order in which they were sent.
    pub fn keeps_udp_in_order(&self) -> bool {
        !matches!(self, Self::None(Unordered { others: Others::None, .. }))
    }
}

impl Unordered {
    /// Any settings of no order, by an octet.
    #[must_use]
    pub fn any(octet: u8) -> Self {
        let which = octet % 8;
        Self {
            tcp_filter: which != 3,
            others: [Others::PerFlow, Others::Full, Others::None][usize::from(which) % 3],
            regenerate_acknowledgements: which > 5,
            connections: NonZeroUsize::new(1 + usize::from(octet >> 6)).unwrap_or(NonZeroUsize::MIN),
        }
    }
}
