//! Traces as files: a table of frames, or captures of both ends of a link.

mod blocks;
mod capture;
mod content;
mod matching;
mod table;
#[cfg(test)]
mod tests;

pub use capture::{CaptureError, CaptureFile, CapturedPacket, Places};
pub use table::{TableError, TableMistake};

use super::frames::{CutEnd, Frames, SentFrame};
use arqway_units::Octets;
use capture::Ends;

/// The first octets of every capture: pcapng, and pcap in both orders of octets with micro- or nanoseconds.
const CAPTURES: [[u8; 4]; 5] = [
    [0x0A, 0x0D, 0x0D, 0x0A],
    [0xD4, 0xC3, 0xB2, 0xA1],
    [0xA1, 0xB2, 0xC3, 0xD4],
    [0x4D, 0x3C, 0xB2, 0xA1],
    [0xA1, 0xB2, 0x3C, 0x4D],
];

/// Whether the file is a capture, by its first octets, and no table.
#[must_use]
pub fn is_capture(file: &[u8]) -> bool {
    CAPTURES.iter().any(|magic| file.starts_with(magic))
}

/// Whether the file is a recording as Mahimahi has it, by its first line: a number alone, where a table has its heads.
#[must_use]
pub fn is_recording(file: &[u8]) -> bool {
    let line = file.split(|octet| *octet == b'\n').next().unwrap_or_default().trim_ascii();
    !line.is_empty() && line.iter().all(u8::is_ascii_digit)
}

/// Reads a table of frames: a line each, with the columns `sent`, `arrived` or `lost`, and `octets`.
///
/// `octets` is the length of every frame, instead of what the table says.
///
/// # Errors
/// What is missing, or where it is no such table; all mistakes at once, up to ten.
pub fn read_table(name: &str, file: &[u8], octets: Option<Octets>) -> Result<Frames, TableError> {
    table::read(name, file, octets)
}

/// Reads captures of both ends of a link: one of each, or one of both with an interface for each.
///
/// `octets` is the length of every frame, instead of what the captures say.
///
/// # Errors
/// What is no capture, or has not what is needed.
pub fn read_captures(
    sent: &CaptureFile<'_>,
    arrived: Option<&CaptureFile<'_>>,
    places: &Places,
    octets: Option<Octets>,
) -> Result<Frames, CaptureError> {
    let Ends { sent, arrived, cut, arrivals_are_cut } = capture::read(sent, arrived, places)?;
    let seen = (sent.len(), arrived.len());
    let mut frames = matching::pair(sent, arrived, octets);
    frames.cut = cut;
    if frames.frames.iter().all(|frame| frame.is_lost()) {
        return Err(CaptureError::Unmatched { sent: seen.0, arrived: seen.1 });
    }
    // What was sent later may have arrived behind the cut.
    while arrivals_are_cut && frames.frames.last().is_some_and(SentFrame::is_lost) {
        frames.frames.pop();
    }
    Ok(frames)
}

/// Reads the packets of a capture, of all its interfaces, in the order of time; and where the file was cut before its end.
///
/// # Errors
/// It is no capture, or broken.
pub fn read_packets(file: &CaptureFile<'_>) -> Result<(Vec<CapturedPacket>, Option<CutEnd>), CaptureError> {
    capture::packets(file)
}
