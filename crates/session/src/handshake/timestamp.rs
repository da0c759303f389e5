//! When a first message was made, in TAI64N: a responder takes none that is not later than the latest one of this peer, so a
//! recorded one is of no use.
//!
//! A clock may be behind, as that of a router is that has none of its own, or may have been ahead once. So a responder does not keep
//! silent about a time stamp that is too early: its answer names the latest one, sealed, and the initiator stamps the next message later
//! than that. The rule stays the same, whatever the clocks say: nothing is taken twice, and nothing that is older.

use arqway_units::{Span, Time};

/// The length of a time stamp.
pub(crate) const TIMESTAMP: usize = 12;
/// 1970 in TAI64, ten seconds of which UTC had not counted by then.
const EPOCH: u64 = (1 << 62) + 10;
const NANOSECONDS: u64 = 1_000_000_000;
/// Lower bits of the nanoseconds stay zero (17 ms), as WireGuard does: nobody needs to know our clock so well.
const COARSE: u32 = !0xFF_FFFF;

/// Seconds and nanoseconds, highest octet first: the later one is the greater one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Timestamp([u8; TIMESTAMP]);

impl Timestamp {
    pub(crate) const fn from_octets(octets: [u8; TIMESTAMP]) -> Self {
        Self(octets)
    }

    pub(crate) const fn octets(&self) -> &[u8; TIMESTAMP] {
        &self.0
    }

    /// The least that is later.
    pub(crate) fn next(self) -> Self {
        let mut octets = self.0;
        for octet in octets.iter_mut().rev() {
            *octet = octet.checked_add(1).unwrap_or(0);
            if *octet != 0 {
                break;
            }
        }
        Self(octets)
    }

    fn of(seconds: u64, nanoseconds: u32) -> Self {
        let mut octets = [0; TIMESTAMP];
        octets[..8].copy_from_slice(&seconds.to_be_bytes());
        octets[8..].copy_from_slice(&nanoseconds.to_be_bytes());
        Self(octets)
    }
}

/// The latest time stamp that was taken of a peer, and the incarnation of it that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Latest {
    pub(crate) stamp: Timestamp,
    pub(crate) boot: Option<u64>,
}

/// Makes time stamps, each later than the one before.
#[derive(Debug)]
pub(crate) struct Stamper {
    /// How long after 1970 the time was zero.
    pub(crate) wall: Span,
    last: Timestamp,
}

impl Stamper {
    pub(crate) fn new(wall: Span) -> Self {
        Self { wall, last: Timestamp::default() }
    }

    pub(crate) fn stamp(&mut self, now: Time) -> Timestamp {
        let since_1970 = self.wall + now.since(Time::ZERO);
        let (seconds, nanoseconds) =
            (since_1970.as_nanoseconds() / NANOSECONDS, since_1970.as_nanoseconds() % NANOSECONDS);
        let coarse = u32::try_from(nanoseconds).unwrap_or(0) & COARSE;
        self.last = Timestamp::of(EPOCH + seconds, coarse).max(self.last.next());
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_the_tai64n_specification_reads_as_it_says() {
        // https://cr.yp.to/libtai/tai64.html: 1992-06-02 08:06:43 TAI is 4000000 02a2b2c3d3; UTC was 26 s behind, of
        // which this clock, as WireGuard's, knows the first ten.
        let stamp = Stamper::new(Span::from_milliseconds(1000 * (0x2A2B_2C2D - 10))).stamp(Time::ZERO);
        assert_eq!(stamp.octets()[..8], [0x40, 0, 0, 0, 0x2A, 0x2B, 0x2C, 0x2D]);
    }

    #[test]
    fn each_stamp_is_later_than_the_one_before() {
        let mut stamper = Stamper::new(Span::from_milliseconds(1_700_000_000_000));
        let mut last = Timestamp::default();
        for milliseconds in [0, 0, 0, 1, 1, 16, 17, 18, 999, 1000, 1000, 900, 5000] {
            let stamp = stamper.stamp(Time::ZERO + Span::from_milliseconds(milliseconds));
            assert!(stamp > last, "{stamp:?} {last:?}");
            last = stamp;
        }
        stamper.wall = Span::ZERO;
        assert!(stamper.stamp(Time::ZERO) > last, "though the clock was put back");
        let mut full = Stamper::new(Span::ZERO);
        full.last = Timestamp([0x80, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]);
        assert_eq!(full.stamp(Time::ZERO), Timestamp([0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]));
    }
}
