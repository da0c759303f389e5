//! What has come across for a host at this end: the far host takes it for acknowledged, so it is kept here until the host has it, and sent
//! again where the way to the host loses it. This is the sending half of TCP, with the host's window, slow start and fast recovery by
//! acknowledgements (RFC 5681, RFC 6582) and its timeout (RFC 6298); what it sends has the numbers of the far host.
//!
//! ```text
//!             acknowledged        released                  next
//!     -------------|------------------|-----------------------|---->  numbers of the far host's octets
//!     host has it  |  on its way      |  waits for the window |
//! ```

use super::outward::near;
use alloc::collections::VecDeque;
use arqway_arq::{Deadline, RoundTrip, Smoothing, TcpNumber};
use arqway_contract::Packet;
use arqway_units::{Span, Time, ToFloat, truncate};

/// Duplicates that tell of a loss.
const DUPLICATES: u8 = 3;
/// What may be on its way to a host of which nothing is known, and what is always allowed: ten segments (RFC 6928).
const FIRST_WINDOW: u64 = 10 * 1448;
/// As large as it may grow.
const LARGEST_WINDOW: u64 = 64 << 20;
/// What nobody would let us wait for.
const MOST_KEPT: u64 = 64 << 20;
const FIRST_TIMEOUT: Span = Span::from_milliseconds(1000);
const LEAST_TIMEOUT: Span = Span::from_milliseconds(200);
const LONGEST_TIMEOUT: Span = Span::from_milliseconds(60_000);
/// After so many timeouts in a row with no answer nobody is there (RFC 9293, Section 3.8.3: at least 100 s).
const TIMEOUTS: u32 = 10;

/// One direction, where it ends.
#[derive(Debug)]
pub(super) struct Inward {
    /// Everything before it the host has acknowledged.
    acknowledged: TcpNumber,
    /// As far as the host lets us send.
    edge: TcpNumber,
    window: u16,
    /// In order; the first `on_their_way` of them have been sent to the host.
    kept: VecDeque<Kept>,
    on_their_way: usize,
    /// Everything before it has been sent to the host.
    released: TcpNumber,
    /// The far host has ended its direction.
    end: Option<TcpNumber>,
    /// The newest of its times that the host was told.
    time: Option<TcpNumber>,
    congestion: Congestion,
    estimate: RoundTrip,
    /// What is timed, and since when.
    timed: Option<(TcpNumber, Time)>,
    timeout: Deadline,
    /// Timeouts in a row without progress, and without an answer.
    backoff: u32,
    unanswered: u32,
    /// Whether the first that is kept is to go to the host once more.
    again: bool,
}

#[derive(Debug)]
struct Kept {
    from: TcpNumber,
    to: TcpNumber,
    packet: Packet,
}

/// How much may be on its way.
#[derive(Debug)]
struct Congestion {
    window: u64,
    threshold: u64,
    duplicates: u8,
    /// A loss is being repaired until this has been acknowledged.
    recovers: Option<TcpNumber>,
}

impl Inward {
    /// Whose first octet has this number, to a host that has said such a window.
    pub(super) fn new(first: u32, window: u16, time: Option<u32>) -> Self {
        let first = TcpNumber::new(TcpNumber::MODULUS + u64::from(first));
        Self {
            acknowledged: first,
            edge: first + u64::from(window),
            window,
            kept: VecDeque::new(),
            on_their_way: 0,
            released: first,
            end: None,
            time: time.map(|time| TcpNumber::new(TcpNumber::MODULUS + u64::from(time))),
            congestion: Congestion { window: FIRST_WINDOW, threshold: LARGEST_WINDOW, duplicates: 0, recovers: None },
            estimate: RoundTrip::new(Smoothing::default(), 0.0, 0.0),
            timed: None,
            timeout: Deadline::default(),
            backoff: 0,
            unanswered: 0,
            again: false,
        }
    }

    /// A segment has come across with so many octets of data, and perhaps the end. It goes to the host at once where those behind it have gone
    /// already, and where the host has said that it has it and was not heard: the far host asks that only of the end.
    pub(super) fn keep(&mut self, sequence: u32, data: u32, ends: bool, packet: Packet) -> Option<Packet> {
        let from = near(self.acknowledged, sequence);
        let to = from + u64::from(data) + u64::from(ends);
        let place = self.kept.iter().rposition(|kept| kept.from <= from).map_or(0, |place| place + 1);
        let is_known = place.checked_sub(1).and_then(|before| self.kept.get(before)).is_some_and(|kept| kept.to >= to);
        let is_sane = to.offset_from(self.acknowledged).is_some_and(|ahead| 0 < ahead && ahead <= MOST_KEPT);
        if is_known || !is_sane {
            return (ends && to <= self.acknowledged).then_some(packet);
        }
        if ends {
            self.end = Some(to);
        }
        let is_late = place < self.on_their_way;
        self.on_their_way += usize::from(is_late);
        let late = is_late.then(|| packet.clone());
        self.kept.insert(place, Kept { from, to, packet });
        late
    }

    /// The host says how far it has got, and how far it lets us send.
    pub(super) fn hear(&mut self, acknowledgement: u32, window: u16, scale: u8, is_bare: bool, now: Time) {
        let number = near(self.acknowledged, acknowledgement);
        if number < self.acknowledged || number > self.released.max(self.acknowledged) {
            return;
        }
        self.unanswered = 0;
        let edge = number + (u64::from(window) << scale);
        let is_repeated = number == self.acknowledged && window == self.window && is_bare && self.on_their_way > 0;
        if edge > self.edge {
            self.backoff = 0;
        }
        (self.edge, self.window) = (edge, window);
        if number > self.acknowledged {
            self.advance(number, now);
        } else if is_repeated {
            self.congestion.duplicates = self.congestion.duplicates.saturating_add(1);
            if self.congestion.duplicates == DUPLICATES && self.congestion.recovers.is_none() {
                self.congestion.lose(self.released, self.flight());
                (self.again, self.timed) = (true, None);
            }
        }
    }

    fn advance(&mut self, number: TcpNumber, now: Time) {
        let newly = number.offset_from(self.acknowledged).unwrap_or(0);
        self.acknowledged = number;
        while self.kept.front().is_some_and(|kept| kept.to <= number) {
            self.kept.pop_front();
            self.on_their_way = self.on_their_way.saturating_sub(1);
        }
        if let Some((timed, since)) = self.timed
            && timed <= number
        {
            self.estimate.sample(now.since(since).as_nanoseconds().to_f64());
            self.timed = None;
        }
        (self.congestion.duplicates, self.backoff) = (0, 0);
        match self.congestion.recovers {
            // The next one is missing, too (RFC 6582, Section 3.2, step 3).
            Some(until) if number < until => self.again = self.on_their_way > 0,
            _ => {
                self.congestion.recovers = None;
                self.congestion.grow(newly);
            }
        }
        self.timeout.stop();
        self.start_timer(now);
    }

    /// How much is on its way.
    fn flight(&self) -> u64 {
        self.released.offset_from(self.acknowledged).unwrap_or(0)
    }

    /// The next packet for the host.
    pub(super) fn release(&mut self, now: Time) -> Option<Packet> {
        if core::mem::take(&mut self.again)
            && let Some(first) = self.kept.front().filter(|_| self.on_their_way > 0)
        {
            let packet = first.packet.clone();
            self.start_timer(now);
            return Some(packet);
        }
        let next = self.kept.get(self.on_their_way)?;
        let to = next.to.max(self.released);
        let most = self.acknowledged + self.congestion.window;
        if to > self.edge || (to > most && self.on_their_way > 0) {
            // Whoever has no window says so when it has one; that may be lost.
            self.start_timer(now);
            return None;
        }
        let packet = next.packet.clone();
        self.timed = self.timed.or(Some((to, now)));
        (self.released, self.on_their_way) = (to, self.on_their_way + 1);
        self.start_timer(now);
        Some(packet)
    }

    fn start_timer(&mut self, now: Time) {
        if !self.kept.is_empty() {
            self.timeout.start_if_stopped(now + self.wait());
        }
    }

    fn wait(&self) -> Span {
        let timeout = Span::from_nanoseconds(truncate(self.estimate.timeout(1.0, 4.0)));
        let timeout = if timeout == Span::ZERO { FIRST_TIMEOUT } else { timeout.max(LEAST_TIMEOUT) };
        (timeout * (1_u64 << self.backoff.min(TIMEOUTS))).min(LONGEST_TIMEOUT)
    }

    /// The host has not answered in time, whether what it got is lost or its window. Whether it is given up.
    pub(super) fn expire(&mut self, now: Time) -> bool {
        if !self.timeout.fire(now) {
            return false;
        }
        (self.backoff, self.unanswered) = (self.backoff + 1, self.unanswered + 1);
        self.timed = None;
        if self.on_their_way == 0 {
            // A window that was not opened is asked for, with what it would be for (RFC 9293, Section 3.8.6.1).
            if let Some(first) = self.kept.front() {
                (self.released, self.on_their_way) = (self.released.max(first.to), 1);
            }
        } else {
            self.congestion.lose(self.released, self.flight());
            self.congestion.window = FIRST_WINDOW;
        }
        self.again = true;
        self.start_timer(now);
        self.unanswered > TIMEOUTS
    }

    /// When [`expire`](Self::expire) is next due.
    pub(super) fn due(&self) -> Option<Time> {
        self.timeout.get()
    }

    /// Timers stood still until now.
    pub(super) fn restart(&mut self, now: Time) {
        self.timeout.stop();
        self.start_timer(now);
    }

    /// What the host may be told of a number of the far host: no more than it has been sent.
    pub(super) fn known(&self, sequence: u32) -> TcpNumber {
        near(self.released, sequence).min(self.released)
    }

    /// Everything before it has been sent to the host.
    pub(super) fn released(&self) -> TcpNumber {
        self.released
    }

    /// Everything before it the host has acknowledged.
    pub(super) fn acknowledged(&self) -> TcpNumber {
        self.acknowledged
    }

    /// The time that the host is told when a segment has this one, if it has any: never an older one than before (RFC 7323, Section 5).
    pub(super) fn tell_time(&mut self, of_segment: Option<u32>) -> Option<u32> {
        let known = self.time?;
        let time = of_segment.map_or(known, |time| near(known, time).max(known));
        self.time = Some(time);
        Some(time.wire_u32())
    }

    /// Whether nothing is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether the host has got all of it, and that there is no more.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.acknowledged >= end)
    }
}

impl Congestion {
    fn grow(&mut self, acknowledged: u64) {
        let more = if self.window < self.threshold {
            acknowledged
        } else {
            // A segment a round trip.
            (FIRST_WINDOW / 10).saturating_mul(acknowledged) / self.window.max(1)
        };
        self.window = (self.window + more).min(LARGEST_WINDOW);
    }

    fn lose(&mut self, until: TcpNumber, flight: u64) {
        if self.recovers.is_none_or(|before| until > before) {
            self.threshold = (flight / 2).max(FIRST_WINDOW);
            self.window = self.threshold;
        }
        self.recovers = Some(until);
    }
}
