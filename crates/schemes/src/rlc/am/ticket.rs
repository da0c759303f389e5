//! What a frame's ticket says when it comes back.

use super::Number;
use arqway_contract::Ticket;

/// A frame that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handed {
    /// How often this end had begun anew by then.
    pub(super) epoch: u16,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Data { number: Number, poll: bool },
    Status { ends_report: bool, moves_window: bool, polls: bool },
    Reset,
    ResetAck,
}

/// ```text
///     | number (44) | epoch (16) | flags | kind (2) |
/// ```
const FLAGS: u32 = 3;
const KIND: u32 = 2;
const EPOCH: u32 = 16;

impl Handed {
    pub(super) fn ticket(self) -> Ticket {
        let (kind, flags, number) = match self.what {
            What::Data { number, poll } => (0, u64::from(poll), number.as_u64()),
            What::Status { ends_report, moves_window, polls } => {
                (1, u64::from(ends_report) | u64::from(moves_window) << 1 | u64::from(polls) << 2, 0)
            }
            What::Reset => (2, 0, 0),
            What::ResetAck => (3, 0, 0),
        };
        Ticket::new(((number << EPOCH | u64::from(self.epoch)) << FLAGS | flags) << KIND | kind)
    }

    pub(super) fn of(ticket: Ticket) -> Self {
        let bits = ticket.number();
        let flag = |index: u32| bits >> (KIND + index) & 1 == 1;
        let rest = bits >> (KIND + FLAGS);
        let what = match bits & 3 {
            0 => What::Data { number: Number::new(rest >> EPOCH), poll: flag(0) },
            1 => What::Status { ends_report: flag(0), moves_window: flag(1), polls: flag(2) },
            2 => What::Reset,
            _ => What::ResetAck,
        };
        Self { epoch: u16::try_from(rest & 0xffff).unwrap_or(0), what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_says_what_was_handed_over() {
        let number = Number::new(1 << 40);
        for what in [
            What::Data { number, poll: true },
            What::Data { number: Number::ZERO, poll: false },
            What::Status { ends_report: true, moves_window: false, polls: true },
            What::Status { ends_report: false, moves_window: true, polls: false },
            What::Reset,
            What::ResetAck,
        ] {
            let handed = Handed { epoch: 0xabcd, what };
            assert_eq!(Handed::of(handed.ticket()), handed);
        }
    }
}
