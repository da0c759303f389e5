//! What a host at this end sends, acknowledged here as soon as the service has it.
//!
//! ```text
//!              reached          taken                       edge
//!     ------------|---------------|---------------------------|---->  numbers of the host's octets
//!     far host's  |  the service's, or the far end's          |  as far as the host may send
//! ```
//!
//! The edge follows from what is between the first two: never more than a limit of what nobody can send again but the two ends of the link.

use arqway_arq::TcpNumber;
use arrayvec::ArrayVec;

/// What a window is at least, while nothing is between both ends: the largest without a scale.
pub(super) const LEAST_WINDOW: u64 = 65_535;
/// More than this is never taken, whatever the host was told.
const MOST_TAKEN: u64 = 32 << 20;
/// So many pieces beyond a missing one are known.
const PIECES: usize = 3;

/// One direction, where it begins.
#[derive(Debug, Clone)]
pub(super) struct Outward {
    /// Everything before it has been given to the service, and is acknowledged.
    taken: TcpNumber,
    /// Everything before it the far host has acknowledged.
    reached: TcpNumber,
    /// As far as the host may send, by what it was told.
    edge: TcpNumber,
    /// What was given to the service beyond a piece that is missing.
    beyond: ArrayVec<(TcpNumber, TcpNumber), PIECES>,
    /// Where the host has ended its direction.
    end: Option<TcpNumber>,
    /// The host's newest time, which is echoed.
    time: Option<u32>,
    /// A queue here has marked a packet, and the host has not said that it sends less.
    pub(super) tells_congestion: bool,
    /// Whether an acknowledgement is owed, and whether whoever writes it knows.
    pub(super) owes: bool,
    pub(super) is_listed: bool,
}

/// What is to become of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taking {
    /// The service gets it.
    Give,
    /// The far end has it, or will have it: it is acknowledged again.
    Acknowledge,
    /// There is no room for it: the host has to send it again.
    Drop,
}

/// A number near another one, a turn above zero at least.
pub(super) fn near(base: TcpNumber, wire: u32) -> TcpNumber {
    TcpNumber::nearest(base, wire.into())
}

impl Outward {
    /// Whose first octet has this number.
    pub(super) fn new(first: u32, time: Option<u32>) -> Self {
        let first = TcpNumber::new(TcpNumber::MODULUS + u64::from(first));
        Self {
            taken: first,
            reached: first,
            edge: first + LEAST_WINDOW,
            beyond: ArrayVec::new(),
            end: None,
            time,
            tells_congestion: false,
            owes: false,
            is_listed: false,
        }
    }

    /// What is to become of a segment of the host with so many octets of data, which may be its last: the far host acknowledges that.
    pub(super) fn asks(&self, sequence: u32, data: u32, ends: bool) -> Taking {
        if ends {
            return Taking::Give;
        }
        let from = near(self.taken, sequence);
        let to = from + u64::from(data);
        if data == 0 {
            // Asks whether anyone is there: the far host answers, unless it is still being told what was said before.
            let is_probe = to < self.taken && self.held() > 0;
            return if is_probe { Taking::Acknowledge } else { Taking::Give };
        }
        if to <= self.taken || self.beyond.iter().any(|(first, last)| *first <= from && to <= *last) {
            let asks = self.held() == 0 && data == 1;
            return if asks { Taking::Give } else { Taking::Acknowledge };
        }
        let has_room = from <= self.taken
            || self.beyond.len() < PIECES
            || self.beyond.iter().any(|(first, last)| from <= *last && *first <= to);
        let is_within = to.offset_from(self.reached).is_some_and(|held| held <= MOST_TAKEN);
        if has_room && is_within { Taking::Give } else { Taking::Drop }
    }

    /// The service has got it.
    pub(super) fn give(&mut self, sequence: u32, data: u32, ends: bool, time: Option<u32>) {
        let from = near(self.taken, sequence);
        let to = from + u64::from(data);
        if ends {
            self.end = Some(to + 1);
        }
        if data == 0 {
            return;
        }
        if from > self.taken {
            self.keep_beyond(from, to);
            return;
        }
        self.time = time.or(self.time);
        self.taken = self.taken.max(to);
        let Self { beyond, taken, .. } = self;
        while let Some(index) = beyond.iter().position(|(first, _)| *first <= *taken) {
            *taken = beyond.remove(index).1.max(*taken);
        }
    }

    fn keep_beyond(&mut self, mut from: TcpNumber, mut to: TcpNumber) {
        self.beyond.retain(|(first, last)| {
            let is_apart = *last < from || to < *first;
            if !is_apart {
                (from, to) = (from.min(*first), to.max(*last));
            }
            is_apart
        });
        // The newest first (RFC 2018, Section 4).
        if !self.beyond.is_full() {
            self.beyond.insert(0, (from, to));
        }
    }

    /// The far host acknowledges everything before this number. What it has got it need not be told again.
    pub(super) fn hear(&mut self, acknowledgement: u32) -> TcpNumber {
        let number = near(self.reached, acknowledgement);
        let most = self.end.unwrap_or(self.taken).max(self.taken);
        if number > self.reached && number <= most {
            self.reached = number;
        }
        number
    }

    /// What is said of a direction of which the far host has acknowledged so much.
    pub(super) fn acknowledgement(&self) -> TcpNumber {
        self.taken.max(self.reached)
    }

    /// How much is between both ends.
    pub(super) fn held(&self) -> u64 {
        self.taken.offset_from(self.reached).unwrap_or(0)
    }

    /// As far as the host may send, where so much may be between both ends.
    fn edge_for(&self, most: u64) -> TcpNumber {
        let window = (LEAST_WINDOW + 2 * self.held()).min(most);
        self.edge.max(self.reached + window)
    }

    /// The window that the host is told, in units of this many bits.
    pub(super) fn window(&mut self, most: u64, scale: u8) -> u16 {
        self.edge = self.edge_for(most);
        let window = self.edge.offset_from(self.acknowledgement()).unwrap_or(0) >> scale;
        u16::try_from(window).unwrap_or(u16::MAX)
    }

    /// Whether the host would go on if it knew its window: there was little left of it, and is more.
    pub(super) fn has_reopened(&self, most: u64) -> bool {
        let left = self.edge.offset_from(self.taken).unwrap_or(0);
        let more = self.edge_for(most).offset_from(self.edge).unwrap_or(0);
        more > 0 && left < LEAST_WINDOW / 2 && left + more >= LEAST_WINDOW / 2
    }

    /// Whether the far host has got all of it, and that there is no more.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.reached >= end)
    }

    /// The host's time that is echoed.
    pub(super) fn echo(&self) -> u32 {
        self.time.unwrap_or(0)
    }

    /// What has been taken beyond a missing piece.
    pub(super) fn blocks(&self) -> ArrayVec<(u32, u32), PIECES> {
        self.beyond.iter().map(|(from, to)| (from.wire_u32(), to.wire_u32())).collect()
    }
}
