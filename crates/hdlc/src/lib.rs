//! Datagrams on a line of octets: HDLC-like framing (RFC 1662) with its 32-bit FCS.
//!
//! ```text
//!     | 7e | datagram and CRC-32, stuffed ... | 7e |        7d xx   stands for the octet xx ^ 20
//! ```
//!
//! | RFC 1662 | here |
//! | --- | --- |
//! | §3.1 address, control and protocol | none: this is not PPP, and its other end is known |
//! | §3.1 flag | one before each frame and one behind it, so that a flag that is damaged takes one frame with it and not two |
//! | §4.2 transparency | flag and escape are stuffed |
//! | §7.1 async control character map | fixed, not negotiated: XON and XOFF (`0x000a0000`). They are stuffed, and dropped where they come unstuffed: a modem may write them |
//! | §4.3 a frame that is too short, is aborted or does not verify | dropped and counted; the next flag begins another |
//! | §C.3 FCS | CRC-32, the lowest octet first |
//!
//! A modem that waits for `+++` between two silences never sees it: whatever follows a silence is a flag.

#[cfg(feature = "fuzz")]
pub mod fuzz;

/// What framing adds to a datagram, but for stuffing: two flags and the CRC.
pub const FRAMING: usize = 2 + CRC;
/// Of so many octets that look random, as sealed ones do, one is stuffed: 4 out of 256.
pub const STUFFED_ONE_IN: u64 = 64;

const FLAG: u8 = 0x7e;
const ESCAPE: u8 = 0x7d;
const FLIP: u8 = 0x20;
const XON: u8 = 0x11;
const XOFF: u8 = 0x13;
const CRC: usize = 4;
/// The largest datagram that is read: a line that never says a flag must not fill memory.
const LARGEST: usize = 9216;

/// Appends a datagram as a frame.
pub fn encode(datagram: &[u8], line: &mut Vec<u8>) {
    line.push(FLAG);
    for &octet in datagram.iter().chain(&crc32fast::hash(datagram).to_le_bytes()) {
        if matches!(octet, FLAG | ESCAPE | XON | XOFF) {
            line.extend([ESCAPE, octet ^ FLIP]);
        } else {
            line.push(octet);
        }
    }
    line.push(FLAG);
}

/// Finds datagrams in octets, however these are split.
#[derive(Debug, Default)]
pub struct Decoder {
    /// What of the frame has come, without stuffing.
    frame: Vec<u8>,
    state: State,
    damaged: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// No flag has been seen since the beginning, or since a frame that was too long.
    #[default]
    Hunting,
    Within,
    /// The next octet is stuffed.
    Escaped,
    /// The frame was handed out.
    Done,
}

impl Decoder {
    /// The next datagram. It takes octets from the front up to the end of that, or all of them where none ends.
    pub fn next(&mut self, octets: &mut &[u8]) -> Option<&[u8]> {
        if self.state == State::Done {
            self.begin();
        }
        while let Some((&octet, rest)) = octets.split_first() {
            *octets = rest;
            if octet == FLAG && self.ends_whole() {
                self.state = State::Done;
                return self.frame.split_last_chunk::<CRC>().map(|(datagram, _)| datagram);
            }
            self.take(octet);
        }
        None
    }

    /// Frames that did not verify, or were none.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Whether what has come is a frame, if a flag ends it here.
    fn ends_whole(&self) -> bool {
        let is_right = |(datagram, crc): (&[u8], &[u8; CRC])| {
            !datagram.is_empty() && crc32fast::hash(datagram).to_le_bytes() == *crc
        };
        self.state == State::Within && self.frame.split_last_chunk::<CRC>().is_some_and(is_right)
    }

    fn take(&mut self, octet: u8) {
        match (octet, self.state) {
            (FLAG, state) => {
                self.damaged += u64::from(state == State::Escaped || !self.frame.is_empty());
                self.begin();
            }
            (XON | XOFF, _) | (_, State::Hunting | State::Done) => {}
            (ESCAPE, State::Within) => self.state = State::Escaped,
            (octet, state) if self.frame.len() < LARGEST + CRC => {
                self.frame.push(if state == State::Escaped { octet ^ FLIP } else { octet });
                self.state = State::Within;
            }
            _ => {
                self.damaged += 1;
                self.begin();
                self.state = State::Hunting;
            }
        }
    }

    fn begin(&mut self) {
        self.frame.clear();
        self.state = State::Within;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// All datagrams in octets that come in pieces of these lengths, by turns.
    fn decoded(line: &[u8], pieces: &[usize]) -> (Vec<Vec<u8>>, Decoder) {
        let (mut decoder, mut found, mut rest) = (Decoder::default(), Vec::new(), line);
        for piece in pieces.iter().cycle() {
            let (mut octets, behind) = rest.split_at((*piece).min(rest.len()));
            while let Some(datagram) = decoder.next(&mut octets) {
                found.push(datagram.to_vec());
            }
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        (found, decoder)
    }

    fn encoded(datagrams: &[Vec<u8>]) -> Vec<u8> {
        let mut line = Vec::new();
        datagrams.iter().for_each(|datagram| encode(datagram, &mut line));
        line
    }

    #[test]
    fn a_frame_is_as_the_rfc_has_it() {
        let mut line = Vec::new();
        // The check value of CRC-32 over "123456789" is cbf43926.
        encode(b"123456789", &mut line);
        assert_eq!(line, b"\x7e123456789\x26\x39\xf4\xcb\x7e");
        line.clear();
        encode(b"\x7e\x7d\x11\x13\x12", &mut line);
        assert_eq!(line[..10], *b"\x7e\x7d\x5e\x7d\x5d\x7d\x31\x7d\x33\x12");
    }

    #[test]
    fn a_frame_that_is_aborted_empty_or_too_long_is_dropped_and_the_next_one_found() {
        let good = encoded(&[b"good".to_vec()]);
        let long = vec![b'x'; LARGEST + CRC + 1];
        for (bad, damaged) in
            [(&b"\x7eabc\x7d"[..], 1), (b"\x7e\x7e\x7e", 0), (b"\x7e\0\0\0\0", 1), (&[b"\x7e", &long[..]].concat(), 1)]
        {
            let (found, decoder) = decoded(&[bad, &good[..]].concat(), &[7]);
            assert_eq!((found, decoder.damaged()), (vec![b"good".to_vec()], damaged), "after {} octets", bad.len());
        }
    }

    #[test]
    fn what_a_modem_writes_of_flow_control_is_no_part_of_a_datagram() {
        let mut line = encoded(&[b"datagram".to_vec()]);
        line.insert(4, XOFF);
        line.insert(7, XON);
        assert_eq!(decoded(&line, &[3]).0, [b"datagram".to_vec()]);
    }

    #[test]
    fn a_line_without_flags_fills_no_memory() {
        let (found, decoder) = decoded(&[b"\x7e", &vec![b'x'; 1 << 20][..]].concat(), &[4096]);
        assert!(found.is_empty() && decoder.frame.capacity() <= 2 * (LARGEST + CRC), "{}", decoder.frame.capacity());
    }

    /// How many octets in a row are lost.
    const LONGEST_FAULT: usize = 20;

    /// What happens to octets on their way.
    #[derive(Debug, Clone)]
    enum Fault {
        Flip(u8),
        Drop(usize),
        Garbage(Vec<u8>),
    }

    fn fault() -> impl Strategy<Value = Fault> {
        prop_oneof![
            (0..8_u8).prop_map(Fault::Flip),
            (1..=LONGEST_FAULT).prop_map(Fault::Drop),
            vec(any::<u8>(), 1..40).prop_map(Fault::Garbage),
        ]
    }

    /// Octets that framing says something of, often.
    fn octet() -> impl Strategy<Value = u8> {
        prop_oneof![any::<u8>(), proptest::sample::select(vec![FLAG, ESCAPE, XON, XOFF, 0x5e, 0x5d])]
    }

    proptest! {
        #[test]
        fn whatever_is_sent_arrives_however_it_is_split(
            datagrams in vec(vec(octet(), 1..400), 0..8), pieces in vec(1..60_usize, 1..8),
        ) {
            let (found, decoder) = decoded(&encoded(&datagrams), &pieces);
            prop_assert_eq!(found, datagrams);
            prop_assert_eq!(decoder.damaged(), 0);
        }

        /// A fault costs the frames that it touches.
        #[test]
        fn whatever_is_damaged_nothing_arrives_that_was_not_sent_and_the_rest_does(
            datagrams in vec(vec(octet(), 1..200), 1..12),
            faults in vec((any::<prop::sample::Index>(), fault()), 0..4),
            pieces in vec(1..60_usize, 1..8),
        ) {
            // Told apart, so that what is missing can be counted.
            let sent: Vec<Vec<u8>> = datagrams.into_iter().zip(0_u8..).map(|(datagram, number)| [&[number], &datagram[..]].concat()).collect();
            let mut line = encoded(&sent);
            let mut touched = 0;
            for (at, fault) in faults {
                let at = at.index(line.len());
                match fault {
                    Fault::Flip(bit) => line[at] ^= 1 << bit,
                    Fault::Drop(count) => drop(line.drain(at..(at + count).min(line.len() - 1))),
                    Fault::Garbage(octets) => drop(line.splice(at..at, octets)),
                }
                touched += 2 + LONGEST_FAULT / (FRAMING + 2);
            }
            let (found, _) = decoded(&line, &pieces);
            let mut left = sent.iter();
            for datagram in &found {
                prop_assert!(left.any(|sent| sent == datagram), "{datagram:?} was not sent, or comes again");
            }
            prop_assert!(found.len() + touched >= sent.len(), "{} of {} after {touched}", found.len(), sent.len());
        }
    }
}
