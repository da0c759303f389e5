//! The sending half: VT(A), VT(S), VT(MS), VT(PS), VT(PA), VT(PD), the transmission buffer and its queues.
//!
//! ```text
//!     VT(A)                          VT(S)             VT(MS)
//!     | sent, not acknowledged in order | may be sent     |  no credit
//! ```

use super::Number;
use super::primitives::{Error, Message, Retrieve};
use crate::sscop::pdu::Stat;
use alloc::collections::VecDeque;
use arqway_arq::{Resequencing, RetransmissionBuffer, Window};
use arqway_contract::{Counters, Packet};
use bytes::Bytes;

/// How many PDUs may be under way where each says in 16 bits which one has to go before it.
const MOST_LINKED: usize = u16::MAX as usize;

/// What is known of an SD PDU that was sent.
#[derive(Debug)]
struct Sent {
    /// VT(PS) (§7.4) when it was sent last: a STAT PDU that answers an earlier poll knows nothing of that.
    poll: Number,
    /// A STAT PDU said that it has arrived.
    has_arrived: bool,
}

/// An SD PDU to send.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) number: Number,
    pub(super) packet: Bytes,
    pub(super) link: Option<u32>,
    pub(super) was_sent: bool,
    /// It was the last one that was to be sent again.
    pub(super) ends_retransmission: bool,
}

#[derive(Debug)]
pub(super) struct Sender {
    /// From VT(A) to VT(S).
    buffer: RetransmissionBuffer<24, Sent>,
    /// Never sent on this connection.
    waiting: VecDeque<Message>,
    /// VT(MS).
    pub(super) edge: Number,
    /// VT(PS), VT(PA).
    poll: Number,
    answered: Number,
    /// VT(PD).
    since_poll: u32,
    clears_buffers: bool,
    /// How far VT(S) may be ahead of VT(A), however much the peer grants: all that is kept here.
    most_under_way: usize,
    /// How many packets were dropped, by "clear-buffers".
    pub(super) discarded: u64,
}

impl Sender {
    pub(super) fn new(credit: u32, clears_buffers: bool, resequencing: &Resequencing) -> Self {
        let most_linked = if resequencing.needs_link() { MOST_LINKED } else { usize::MAX };
        Self {
            buffer: RetransmissionBuffer::new(Window::unlimited(), resequencing),
            waiting: VecDeque::new(),
            edge: Number::ZERO,
            poll: Number::ZERO,
            answered: Number::new(1),
            since_poll: 0,
            clears_buffers,
            most_under_way: usize::try_from(credit).unwrap_or(usize::MAX).min(most_linked),
            discarded: 0,
        }
    }

    /// VT(A).
    pub(super) fn first(&self) -> Number {
        self.buffer.first()
    }

    /// VT(S).
    pub(super) fn next(&self) -> Number {
        self.buffer.end()
    }

    /// How many packets wait to be sent for the first time.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// All that was sent is acknowledged, and nothing waits.
    pub(super) fn is_done(&self) -> bool {
        self.buffer.window().is_empty() && self.waiting.is_empty()
    }

    pub(super) fn has_credit(&self) -> bool {
        self.next() < self.edge && self.buffer.window().len() < self.most_under_way
    }

    /// Something waits that no credit is there for.
    pub(super) fn is_blocked(&self) -> bool {
        !self.waiting.is_empty() && !self.has_credit()
    }

    pub(super) fn has_something_to_send(&mut self) -> bool {
        self.buffer.has_again() || !self.waiting.is_empty() && self.has_credit()
    }

    pub(super) fn push(&mut self, message: Message) {
        self.buffer.announce(&message.packet.octets, message.was_sent);
        self.waiting.push_back(message);
    }

    /// The next packet for the network layer of those received.
    pub(super) fn release(
        &mut self,
        received: impl FnMut() -> Option<Bytes>,
        counters: &mut Counters,
    ) -> Option<Bytes> {
        self.buffer.release(received, counters)
    }

    /// A poll is due: its number is the next one, and the count to the one after it begins.
    pub(super) fn next_poll(&mut self) -> Number {
        self.poll = self.poll.next();
        self.poll
    }

    /// Counts an SD PDU; whether MaxPD of them have gone since the last poll.
    pub(super) fn count_to_poll(&mut self, most: u32) -> bool {
        self.since_poll += 1;
        self.since_poll >= most
    }

    pub(super) fn polled(&mut self) {
        self.since_poll = 0;
    }

    /// The next SD PDU: one that is sent again, else a new one as far as there is credit.
    pub(super) fn take(&mut self) -> Option<Data> {
        if let Some((number, frame)) = self.buffer.next_again() {
            frame.state.poll = self.poll;
            let (packet, link) = (frame.packet.clone(), frame.link);
            return Some(Data { number, packet, link, was_sent: true, ends_retransmission: !self.buffer.has_again() });
        }
        if !self.has_credit() {
            return None;
        }
        let Message { packet, was_sent } = self.waiting.pop_front()?;
        let octets = packet.octets.clone();
        let number = self.buffer.push(packet, Sent { poll: self.poll, has_arrived: false });
        let link = self.buffer.get(number).and_then(|frame| frame.link);
        Some(Data { number, packet: octets, link, was_sent, ends_retransmission: false })
    }

    /// Takes a STAT PDU: how many PDUs it has sent again, if it has a list to say so; or the error that it is.
    ///
    /// It is checked as a whole before any of it is done.
    pub(super) fn take_stat(&mut self, stat: &Stat) -> Result<Option<u32>, Error> {
        let poll = Number::at_or_after(self.answered, stat.ps.into());
        if poll > self.poll {
            return Err(Error::PollNumber);
        }
        let next = Number::at_or_after(self.first(), stat.r.into());
        if next > self.next() || !self.agrees_with_list(stat, next) {
            return Err(Error::StatNumber);
        }
        self.acknowledge(next, stat.mr);
        self.answered = poll;
        let (mut count, mut elements) = (0, runs(stat, next).peekable());
        let has_list = elements.peek().is_some();
        for (place, (first, end)) in elements.enumerate() {
            for number in first.as_u64()..end.as_u64() {
                let number = Number::new(number);
                if place.is_multiple_of(2) {
                    count += u32::from(self.send_again(number, Some(poll)));
                } else {
                    self.arrived(number);
                }
            }
        }
        Ok(has_list.then_some(count))
    }

    /// Its numbers rise and were sent, and none is called missing that was said to have arrived.
    fn agrees_with_list(&self, stat: &Stat, next: Number) -> bool {
        let mut last = None;
        for number in stat.list().map(|number| Number::at_or_after(next, number.into())) {
            if number > self.next() || last.is_some_and(|last| number <= last) {
                return false;
            }
            last = Some(number);
        }
        runs(stat, next).step_by(2).all(|(first, end)| self.all_may_be_missing(first, end))
    }

    /// Takes a USTAT PDU: how many PDUs are sent again, or the error that it is.
    pub(super) fn take_ustat(&mut self, first: u32, end: u32, mr: u32, r: u32) -> Result<u32, Error> {
        let next = Number::at_or_after(self.first(), r.into());
        let first = Number::at_or_after(next, first.into());
        let end = Number::at_or_after(next, end.into());
        if next >= self.next() || first >= end || end >= self.next() || !self.all_may_be_missing(first, end) {
            return Err(Error::UstatNumber);
        }
        self.acknowledge(next, mr);
        for number in first.as_u64()..end.as_u64() {
            self.send_again(Number::new(number), None);
        }
        Ok(u32::try_from(end.as_u64() - first.as_u64()).unwrap_or(u32::MAX))
    }

    /// With "clear-buffers" what has arrived is not here any more, and the peer that calls it missing is wrong.
    fn all_may_be_missing(&self, first: Number, end: Number) -> bool {
        !self.clears_buffers
            || (first.as_u64()..end.as_u64())
                .all(|number| self.buffer.get(Number::new(number)).is_some_and(|frame| !frame.state.has_arrived))
    }

    /// All before this number have arrived.
    fn acknowledge(&mut self, next: Number, mr: u32) {
        while self.first() < next && self.buffer.pop_front().is_some() {}
        self.buffer.unlink_before(next);
        self.edge = Number::at_or_after(self.first(), mr.into());
    }

    /// Has a PDU sent again unless it waits for that already, or went out after the poll that is answered.
    fn send_again(&mut self, number: Number, poll: Option<Number>) -> bool {
        self.buffer.send_again(number, |sent| poll.is_none_or(|poll| sent.poll < poll))
    }

    fn arrived(&mut self, number: Number) {
        self.buffer.unqueue(number);
        if let Some(frame) = self.buffer.get_mut(number) {
            frame.state.has_arrived = true;
            if self.clears_buffers {
                frame.packet = Bytes::new();
            }
        }
    }
}

/// What becomes of packets when a connection ends, or begins anew (Q.2110 figure 20, macros).
impl Sender {
    /// "Prepare retrieval", "prepare recovery": with "clear-buffers" all packets go. Nothing is sent again until data cross, and by
    /// then what was to be is [cleared](Self::restart).
    pub(super) fn prepare_retrieval(&mut self) {
        if self.clears_buffers {
            self.clear();
        }
    }

    /// "Clear transmitter": what was not retrieved by now goes.
    pub(super) fn clear_transmitter(&mut self) {
        if !self.clears_buffers {
            self.clear();
        }
    }

    /// What was sent and not retrieved by now goes; what waits is sent on.
    pub(super) fn clear_buffer(&mut self) {
        self.discarded += self.buffer.window().len() as u64;
        self.buffer.clear();
    }

    /// Empties the buffer and the queue.
    pub(super) fn clear(&mut self) {
        self.clear_buffer();
        self.discarded += self.waiting.len() as u64;
        self.waiting.clear();
    }

    /// "Initialize state variables".
    pub(super) fn restart(&mut self) {
        self.clear_buffer();
        self.buffer.restart();
        (self.poll, self.answered) = (Number::ZERO, Number::new(1));
        self.since_poll = 0;
    }

    /// Moves what is wanted back into a queue, in order. What has arrived is left out where the peer delivers all that it
    /// has.
    pub(super) fn retrieve(&mut self, from: Retrieve, peer_delivers: bool, into: &mut VecDeque<Message>) {
        let kept = match from {
            Retrieve::Unsent => self.buffer.window().len(),
            Retrieve::All => 0,
            Retrieve::After(number) => {
                let after = Number::at_or_after(self.first(), number.into()).next();
                let ahead = after.offset_from(self.first()).unwrap_or(0);
                usize::try_from(ahead).unwrap_or(usize::MAX).min(self.buffer.window().len())
            }
        };
        let wanted = self.buffer.drain_from(kept).filter(|frame| !(peer_delivers && frame.state.has_arrived));
        into.extend(wanted.map(|frame| Message { packet: Packet::new(frame.packet), was_sent: true }));
        into.append(&mut self.waiting);
    }
}

/// What a list says: by turns numbers that are missing, and numbers that have arrived.
fn runs(stat: &Stat, next: Number) -> impl Iterator<Item = (Number, Number)> + '_ {
    let full = move |number| Number::at_or_after(next, u64::from(number));
    stat.list().zip(stat.list().skip(1)).map(move |(first, end)| (full(first), full(end)))
}
