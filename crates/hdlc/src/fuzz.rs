//! What fuzzing asks of the framing on a serial line: whatever octets come, in whatever pieces, what is found in them is what another
//! reader finds, and what was framed comes back.
//!
//! ```text
//!     input:  pieces, 1 | garbage is there so often, 1 | octets of the datagram, 2 | of what it repeats, 1 | lengths of pieces | garbage | what it repeats
//! ```

use crate::{Decoder, encode};

/// What a target does with an input; it panics on a finding.
pub type Driver = fn(&[u8]);

/// Every target by its name, which is that of its file in `fuzz/fuzz_targets` and of its folder in `fuzz/corpus`.
pub const TARGETS: [(&str, Driver); 1] = [("hdlc", hdlc)];

/// Drives the target of this name with an input.
///
/// # Panics
/// On a finding, or if there is no such target.
pub fn run(target: &str, octets: &[u8]) {
    let driver = TARGETS.iter().find(|(name, _)| *name == target).map(|(_, driver)| driver);
    driver.expect("a target has an entry in TARGETS")(octets);
}

const FLAG: u8 = 0x7e;
const ESCAPE: u8 = 0x7d;
const FLOW_CONTROL: [u8; 2] = [0x11, 0x13];
const CRC: usize = 4;
/// The largest datagram that is read, and the CRC behind it.
const LARGEST: usize = 9216 + CRC;

/// What was found on a line: datagrams, and how many frames were damaged.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    datagrams: Vec<Vec<u8>>,
    damaged: u64,
}

fn hdlc(octets: &[u8]) {
    let Some((&[pieces, repeats, low, high, length], rest)) = octets.split_first_chunk() else { return };
    let (pieces, rest) = rest.split_at(rest.len().min(1 + usize::from(pieces % 8)));
    let (garbage, repeated) = rest.split_at(rest.len() - rest.len().min(length.into()));
    // Behind a flag, and so often, it is a frame that is longer than any that is read.
    let flag: &[u8] = if repeats < 128 { &[] } else { &[FLAG] };
    let mut line = [flag, &garbage.repeat(1 + usize::from(repeats % 32))].concat();
    check(&line, pieces);
    let size = usize::from(u16::from_le_bytes([low, high])) % (LARGEST + 256);
    let datagram: Vec<u8> = repeated.iter().copied().cycle().take(size).collect();
    if datagram.is_empty() {
        return;
    }
    let begin = line.len();
    encode(&datagram, &mut line);
    check_frame(&line[begin..], &datagram);
    let found = check(&line, pieces);
    let is_last = found.datagrams.last() == Some(&datagram);
    assert!(is_last || datagram.len() > LARGEST - CRC, "{datagram:?} is not found behind {garbage:?}");
}

/// What is found in a line does not depend on the pieces that it comes in, and is what the other reader finds.
fn check(line: &[u8], pieces: &[u8]) -> Found {
    let found = decoded(line, pieces);
    assert_eq!(found, decoded(line, &[]), "in pieces of {pieces:?}, and as a whole: {line:?}");
    assert_eq!(found, second_opinion(line), "ours, and the other reader's, of {line:?}");
    found
}

/// What is found in octets that come in pieces of these lengths, by turns.
fn decoded(line: &[u8], pieces: &[u8]) -> Found {
    let (mut decoder, mut datagrams, mut rest) = (Decoder::default(), Vec::new(), line);
    let mut pieces = pieces.iter().cycle();
    while !rest.is_empty() {
        let piece = pieces.next().map_or(rest.len(), |piece| 1 + usize::from(*piece));
        let (mut octets, behind) = rest.split_at(piece.min(rest.len()));
        while let Some(datagram) = decoder.next(&mut octets) {
            datagrams.push(datagram.to_vec());
        }
        rest = behind;
    }
    Found { datagrams, damaged: decoder.damaged() }
}

/// All of the line at once: frames are what is between flags.
fn second_opinion(line: &[u8]) -> Found {
    let mut found = Found { datagrams: Vec::new(), damaged: 0 };
    let parts: Vec<&[u8]> = line.split(|octet| *octet == FLAG).collect();
    let last = parts.len() - 1;
    // What comes before the first flag is part of a frame that nobody saw begin.
    for (index, part) in parts.into_iter().enumerate().skip(1) {
        let (frame, is_aborted) = unstuffed(part);
        let is_empty = frame.is_empty() && !is_aborted;
        match frame.split_last_chunk() {
            _ if frame.len() > LARGEST => found.damaged += 1,
            // It has not ended yet.
            _ if index == last => {}
            Some((datagram, crc)) if !is_aborted && !datagram.is_empty() && crc32(datagram) == *crc => {
                found.datagrams.push(datagram.to_vec());
            }
            _ => found.damaged += u64::from(!is_empty),
        }
    }
    found
}

/// What was stuffed, and whether it ends in an escape that nothing follows.
fn unstuffed(part: &[u8]) -> (Vec<u8>, bool) {
    let (mut frame, mut is_escaped) = (Vec::new(), false);
    for octet in part.iter().filter(|octet| !FLOW_CONTROL.contains(octet)) {
        match (is_escaped, *octet) {
            (true, octet) => frame.push(octet ^ 0x20),
            (false, ESCAPE) => {}
            (false, octet) => frame.push(octet),
        }
        is_escaped = !is_escaped && *octet == ESCAPE;
    }
    (frame, is_escaped)
}

/// A frame has a flag at each end and nowhere else, nothing in it that a modem may take for its own, and what it was made of.
fn check_frame(frame: &[u8], datagram: &[u8]) {
    let inner = frame.strip_prefix(&[FLAG]).and_then(|frame| frame.strip_suffix(&[FLAG]));
    let inner = inner.expect("a flag at each end");
    assert!(!inner.iter().any(|octet| *octet == FLAG || FLOW_CONTROL.contains(octet)), "{inner:?}");
    assert_eq!(unstuffed(inner), ([datagram, &crc32(datagram)].concat(), false));
}

/// The FCS of RFC 1662, section C.3, bit by bit.
fn crc32(octets: &[u8]) -> [u8; 4] {
    let of_octet = |fcs: u32, octet: &u8| {
        (0..8).fold(fcs ^ u32::from(*octet), |fcs, _| (fcs >> 1) ^ if fcs & 1 == 1 { 0xedb8_8320 } else { 0 })
    };
    (!octets.iter().fold(u32::MAX, of_octet)).to_le_bytes()
}
