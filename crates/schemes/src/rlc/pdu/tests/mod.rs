//! Tests of the octets: what the standard's pictures say, what reads back, what is refused.

mod data;
mod pictures;
mod refused;
mod status;

use super::*;
use std::vec::Vec;

/// What a super-field says, by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    NoMore,
    Window(u16),
    Ack(u16),
    List(Vec<u16>),
    /// Each number that the bitmap is about.
    Bitmap(Vec<(u16, bool)>),
    RelativeList(Vec<u16>),
    Mrw {
        numbers: Vec<u16>,
        n: u8,
        beyond_window: bool,
    },
    MrwAck {
        n: u8,
        number: u16,
    },
    Poll(u16),
}

fn said(status: &Status) -> Vec<Said> {
    let each = |sufi| match sufi {
        Sufi::NoMore => Said::NoMore,
        Sufi::Window(size) => Said::Window(size),
        Sufi::Ack(number) => Said::Ack(number),
        Sufi::List(list) => Said::List(list.missing().collect()),
        Sufi::Bitmap(bitmap) => Said::Bitmap(bitmap.all().collect()),
        Sufi::RelativeList(list) => Said::RelativeList(list.missing().collect()),
        Sufi::MoveReceivingWindow(mrw) => {
            Said::Mrw { numbers: mrw.numbers().collect(), n: mrw.n, beyond_window: mrw.beyond_window }
        }
        Sufi::MoveReceivingWindowAck { n, number } => Said::MrwAck { n, number },
        Sufi::Poll(number) => Said::Poll(number),
    };
    status.sufis().map(each).collect()
}

fn frame(octets: &[u8]) -> Frame {
    Frame::new(KIND, &[], Bytes::copy_from_slice(octets))
}

/// Everything that may be agreed on, but for the size of length indicators.
const ALL: AmOptions = AmOptions { ends_here: true, at_most_fifteen_ends: false };

fn am(octets: &[u8]) -> Option<AmPdu> {
    parse_am(frame(octets), LengthIndicatorSize::Seven, ALL)
}

fn am_of_fifteen_bits(octets: &[u8]) -> Option<AmPdu> {
    parse_am(frame(octets), LengthIndicatorSize::Fifteen, ALL)
}

fn um(octets: &[u8]) -> Option<Umd> {
    parse_um(frame(octets), LengthIndicatorSize::Seven, false)
}

fn status(octets: &[u8]) -> Option<Vec<Said>> {
    match am(octets)? {
        AmPdu::Status(status) => Some(said(&status)),
        AmPdu::Data(_) | AmPdu::Reset(_) | AmPdu::ResetAck(_) => None,
    }
}

fn indicators(contents: &Contents) -> Vec<LengthIndicator> {
    contents.indicators().collect()
}
