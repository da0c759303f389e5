//! SDU discard with explicit signalling: which SDUs are given up, and the procedure that moves the peer's window over them
//! (§9.7.3, §11.6).
//!
//! ```text
//!     sender                                     receiver
//!       | PDU 4 [ end of a | b ...      --x         |
//!       | PDU 5 [ end of b | c ...  ------------>   | keeps 5
//!       |   (4 was sent as often as it may be: a and b are discarded)
//!       | STATUS  MRW SN = 5, N = 1  ----------->   | VR(R) = 5, reads on behind the first end in PDU 5: c
//!       |   <----------------  MRW_ACK SN = 6, N = 0 |
//! ```

use super::Number;
use super::config::{Discard, Settings};
use super::window::TransmissionWindow;
use alloc::collections::VecDeque;
use arqway_arq::Deadline;
use arqway_units::{Span, Time};
use arrayvec::ArrayVec;

/// How many SDUs one MRW super-field can name (§9.2.2.11.8).
const MOST_NAMED: usize = 15;

/// SDUs that are neither acknowledged nor discarded, and the request to the peer, one at a time.
#[derive(Debug)]
pub(super) struct SduDiscard {
    /// `Timer_Discard` of each SDU, where SDUs are discarded by time; each is the same length.
    deadlines: VecDeque<(u64, Time)>,
    lifetime: Option<Span>,
    /// The first SDU that is neither acknowledged nor discarded.
    first_live: u64,
    /// Discarded, and the peer was not told yet: the first and the last one.
    waiting: Option<(u64, u64)>,
    request: Option<Request>,
    timer: Deadline,
    timer_length: Span,
    /// `MaxMRW`.
    most: u16,
    /// How many SDUs one request names: as many as its STATUS PDU has room for.
    most_named: usize,
}

/// The MRW super-field of the procedure that is going on; repeated as it is.
#[derive(Debug)]
struct Request {
    /// `SN_MRW`: the last is where the peer's window goes; those before name ends of other SDUs.
    numbers: ArrayVec<Number, MOST_NAMED>,
    /// The length indicator in that PDU that ends the last SDU; zero: the PDU begins with the octets of the next one.
    n: u8,
    /// The only number lies beyond what the window may hold.
    beyond_window: bool,
    /// VT(MRW) (§9.4 i)).
    expired: u16,
    due: bool,
}

/// What goes into an MRW super-field.
#[derive(Debug)]
pub(super) struct MrwContents {
    pub(super) numbers: ArrayVec<u16, MOST_NAMED>,
    pub(super) n: u8,
    pub(super) beyond_window: bool,
}

/// The peer was asked as often as it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) struct NotAnswered;

impl Request {
    fn target(&self) -> Number {
        self.numbers.last().copied().unwrap_or_default()
    }
}

impl SduDiscard {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            deadlines: VecDeque::new(),
            lifetime: match settings.discard {
                Discard::Timer { after } => Some(after),
                Discard::AfterTransmissions | Discard::Reset => None,
            },
            first_live: 0,
            waiting: None,
            request: None,
            timer: Deadline::default(),
            timer_length: settings.mrw.timer,
            most: settings.mrw.most.get(),
            most_named: if settings.mrw.name_each { room_for_names(settings.pdu_size) } else { 1 },
        }
    }

    /// How long `Timer_Discard` is, if there is one.
    pub(super) fn lifetime(&self) -> Option<Span> {
        self.lifetime
    }

    /// An SDU comes from the network layer, and `Timer_Discard` expires then.
    pub(super) fn takes(&mut self, sdu: u64, expiry: Time) {
        self.deadlines.push_back((sdu, expiry));
    }

    /// All SDUs before this one are acknowledged, discarded or dropped; how many of them were live.
    pub(super) fn done_before(&mut self, sdu: u64) -> u64 {
        let gone = sdu.saturating_sub(self.first_live);
        self.first_live = self.first_live.max(sdu);
        while self.deadlines.front().is_some_and(|(live, _)| *live < sdu) {
            self.deadlines.pop_front();
        }
        gone
    }

    /// The SDU whose `Timer_Discard` expired.
    pub(super) fn expired(&mut self, now: Time) -> Option<u64> {
        let (sdu, deadline) = *self.deadlines.front()?;
        (deadline <= now).then_some(sdu)
    }

    /// SDUs up to this one are discarded, and the peer must be told; how many of them were live.
    pub(super) fn discard_through(&mut self, sdu: u64, window: &TransmissionWindow) -> u64 {
        let first = self.waiting.map_or(self.first_live, |(first, _)| first);
        self.waiting = Some((first, sdu));
        self.next(window);
        self.done_before(sdu + 1)
    }

    /// Begins the procedure, unless one is going on.
    fn next(&mut self, window: &TransmissionWindow) {
        if self.request.is_some() {
            return;
        }
        let Some((first, sdu)) = self.waiting.take() else { return };
        let Some((target, n)) = move_to(sdu, window) else { return };
        let mut numbers = ArrayVec::new();
        let others = first.max(sdu.saturating_sub(self.most_named as u64 - 1))..sdu;
        numbers.extend(others.filter_map(|sdu| Some(window.end_of(sdu)?.0)));
        numbers.push(target);
        let beyond_window = numbers.len() == 1 && target >= window.first() + window.configured() as u64;
        self.request = Some(Request { numbers, n, beyond_window, expired: 0, due: true });
    }

    /// The super-field to be sent, if one is.
    pub(super) fn due(&self) -> Option<MrwContents> {
        let request = self.request.as_ref().filter(|request| request.due)?;
        let numbers = request.numbers.iter().map(|number| number.wire_u16()).collect();
        Some(MrwContents { numbers, n: request.n, beyond_window: request.beyond_window })
    }

    pub(super) fn handed_over(&mut self) {
        if let Some(request) = &mut self.request {
            request.due = false;
        }
    }

    /// The moment of the request at which its timer starts.
    pub(super) fn start_timer(&mut self, now: Time) {
        if self.request.is_some() {
            self.timer.restart(now + self.timer_length);
        }
    }

    /// Takes an MRW_ACK; whether it ends the procedure (§11.6.4), so that VT(A) moves there.
    pub(super) fn acknowledged(&mut self, number: Number, n: u8) -> bool {
        let Some(request) = &self.request else { return false };
        let target = request.target();
        (number > target && n == 0) || (number == target && n == request.n)
    }

    /// VT(A) has moved: what was asked of the peer may be done.
    pub(super) fn slid(&mut self, window: &TransmissionWindow) {
        if self.request.as_ref().is_some_and(|request| window.first() >= request.target()) {
            self.request = None;
            self.timer.stop();
            self.next(window);
        }
    }

    pub(super) fn handle_timeout(&mut self, now: Time) -> Result<(), NotAnswered> {
        if !self.timer.fire(now) {
            return Ok(());
        }
        let Some(request) = &mut self.request else { return Ok(()) };
        request.expired += 1;
        if request.expired >= self.most {
            self.request = None;
            return Err(NotAnswered);
        }
        request.due = true;
        Ok(())
    }

    /// The procedure ends; `Timer_Discard` of SDUs that stay runs on.
    pub(super) fn reset(&mut self) {
        self.request = None;
        self.waiting = None;
        self.timer.stop();
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timer.get()
    }

    /// When `Timer_Discard` expires next: whoever waits for an SDU does so in an outage too.
    pub(super) fn expiry(&self) -> Option<Time> {
        self.deadlines.front().map(|(_, deadline)| *deadline)
    }
}

/// Numbers of three half octets, beside the type of PDU, the super-field's type, length and N, and what ends the PDU.
fn room_for_names(pdu_size: usize) -> usize {
    ((2 * pdu_size - 5) / 3).min(MOST_NAMED)
}

/// Where the peer's window goes when SDUs up to this one are discarded: a PDU, and which length indicator in it is the last
/// to be skipped (§11.6.2.2). `None`: the peer has meanwhile acknowledged its end.
fn move_to(sdu: u64, window: &TransmissionWindow) -> Option<(Number, u8)> {
    let (number, pdu) = window.end_of(sdu)?;
    let is_last = sdu + 1 == pdu.ends.end && !pdu.begins_after_end;
    Some(if is_last { (number.next(), 0) } else { (number, u8::try_from(sdu + 1 - pdu.ends.start).unwrap_or(u8::MAX)) })
}
