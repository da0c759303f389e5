//! What super-fields say.

use arqway_link::rlc::pdu::{Status, Sufi};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    NoMore,
    Window(u16),
    Ack(u16),
    List(Vec<(u16, u8)>),
    /// Each number that it is about, and whether that has arrived.
    Bitmap(Vec<(u16, bool)>),
    RelativeList(Vec<u16>),
    MoveReceivingWindow {
        numbers: Vec<u16>,
        n: u8,
        beyond_window: bool,
    },
    MoveReceivingWindowAck {
        n: u8,
        number: u16,
    },
    Poll(u16),
}

/// What our reader reads.
pub(crate) fn all(status: &Status) -> Vec<Said> {
    let each = |sufi| match sufi {
        Sufi::NoMore => Said::NoMore,
        Sufi::Window(size) => Said::Window(size),
        Sufi::Ack(number) => Said::Ack(number),
        Sufi::List(list) => Said::List(list.pairs().collect()),
        Sufi::Bitmap(bitmap) => Said::Bitmap(bitmap.all().collect()),
        Sufi::RelativeList(list) => Said::RelativeList(list.missing().collect()),
        Sufi::MoveReceivingWindow(mrw) => {
            let numbers = mrw.numbers().collect();
            Said::MoveReceivingWindow { numbers, n: mrw.n, beyond_window: mrw.beyond_window }
        }
        Sufi::MoveReceivingWindowAck { n, number } => Said::MoveReceivingWindowAck { n, number },
        Sufi::Poll(number) => Said::Poll(number),
    };
    status.sufis().map(each).collect()
}

/// What the standard calls it.
pub(crate) fn name(said: &Said) -> &'static str {
    match said {
        Said::NoMore => "NO_MORE",
        Said::Window(_) => "WINDOW",
        Said::Ack(_) => "ACK",
        Said::List(_) => "LIST",
        Said::Bitmap(_) => "BITMAP",
        Said::RelativeList(_) => "RLIST",
        Said::MoveReceivingWindow { beyond_window: false, .. } => "MRW",
        Said::MoveReceivingWindow { beyond_window: true, .. } => "MRW beyond the window",
        Said::MoveReceivingWindowAck { .. } => "MRW_ACK",
        Said::Poll(_) => "POLL",
    }
}
