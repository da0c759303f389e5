//! The retransmission buffer: numbered packets that the peer may still lack, and which of them go out again.
//!
//! ```text
//!     first                                  end
//!       | 7 | 8 | 9 queued | 10 | 11 queued |       again: 11, 9      each number at most once, oldest decision first
//! ```
//!
//! It also knows what an order of packets asks of the sending end: the link of each frame, and the filter that knows TCP.

use super::resequencing::Chains;
use super::{Resequencing, Seq, TcpFilter, Window};
use alloc::collections::VecDeque;
use arqway_contract::{Counters, Packet};
use bytes::Bytes;

/// A packet for each number from `first` to `end`, and `T` beside it.
#[derive(Debug, Clone)]
pub struct RetransmissionBuffer<const BITS: u32, T> {
    frames: Window<BITS, Buffered<T>>,
    /// Numbers to hand over again; one that is no longer queued is skipped.
    again: VecDeque<Seq<BITS>>,
    /// Where frames bear links.
    chains: Option<Chains>,
    filter: Option<TcpFilter>,
}

/// A numbered packet.
#[derive(Debug, Clone)]
pub struct Buffered<T> {
    pub packet: Bytes,
    /// How many frames back the one is that must go before it, where the frame says so.
    pub link: Option<u32>,
    /// It waits to go out again.
    queued: bool,
    pub state: T,
}

impl<const BITS: u32, T> RetransmissionBuffer<BITS, T> {
    /// Room for the frames of `window`, which is empty.
    pub fn new(window: Window<BITS, Buffered<T>>, order: &Resequencing) -> Self {
        let again = VecDeque::with_capacity(window.capacity());
        Self { frames: window, again, chains: order.chains(), filter: TcpFilter::of(order) }
    }

    /// Whether frames say which one must go before them.
    pub fn bears_links(&self) -> bool {
        self.chains.is_some()
    }

    /// The lowest number held.
    pub fn first(&self) -> Seq<BITS> {
        self.frames.first()
    }

    /// One past the last number held.
    pub fn end(&self) -> Seq<BITS> {
        self.frames.end()
    }

    /// The window that it holds.
    pub fn window(&self) -> &Window<BITS, Buffered<T>> {
        &self.frames
    }

    /// The packet of `number`, if it is held.
    pub fn get(&self, number: Seq<BITS>) -> Option<&Buffered<T>> {
        self.frames.get(number)
    }

    /// The packet of `number`, if it is held.
    pub fn get_mut(&mut self, number: Seq<BITS>) -> Option<&mut Buffered<T>> {
        self.frames.get_mut(number)
    }

    /// The filter learns of a packet that goes out for the first time; or again, from an earlier connection of the link.
    pub fn announce(&mut self, packet: &[u8], was_sent: bool) {
        match &mut self.filter {
            Some(filter) if was_sent => filter.retransmitted(packet),
            Some(filter) => filter.sent(packet),
            None => {}
        }
    }

    /// Gives a packet the next number, which it returns.
    pub fn push(&mut self, packet: Packet, state: T) -> Seq<BITS> {
        let link = self.link(&packet);
        self.push_part(packet.octets, link, state)
    }

    /// The link of the frame that a packet ends with, if it is the next one and bears one.
    pub fn link(&mut self, packet: &Packet) -> Option<u32> {
        let number = self.frames.end().as_u64();
        self.chains.as_mut().map(|chains| chains.link(packet, number))
    }

    /// Gives a part of a packet the next number, which it returns. `packet` is all of it: its headers stand at its front.
    pub fn push_part(&mut self, packet: Bytes, link: Option<u32>, state: T) -> Seq<BITS> {
        self.frames.push(Buffered { packet, link, queued: false, state })
    }

    /// Queues a packet to go out again, unless it is queued already or `is_wanted` says no. Whether it did.
    pub fn send_again(&mut self, number: Seq<BITS>, is_wanted: impl FnOnce(&T) -> bool) -> bool {
        let Some(frame) = self.frames.get_mut(number) else { return false };
        if frame.queued || !is_wanted(&frame.state) {
            return false;
        }
        frame.queued = true;
        self.again.push_back(number);
        if let Some(filter) = &mut self.filter {
            filter.retransmitted(&frame.packet);
        }
        true
    }

    /// It need not go out again.
    pub fn unqueue(&mut self, number: Seq<BITS>) {
        if let Some(frame) = self.frames.get_mut(number) {
            frame.queued = false;
        }
    }

    /// Whether a packet is to go out again.
    pub fn has_again(&mut self) -> bool {
        while let Some(number) = self.again.front() {
            if self.frames.get(*number).is_some_and(|frame| frame.queued) {
                return true;
            }
            self.again.pop_front();
        }
        false
    }

    /// The number of the next packet to go out again.
    pub fn first_again(&mut self) -> Option<Seq<BITS>> {
        self.has_again().then(|| self.again.front().copied())?
    }

    /// The packet that was taken last goes out once more before the others.
    pub fn put_back(&mut self, number: Seq<BITS>) {
        if let Some(frame) = self.frames.get_mut(number)
            && !frame.queued
        {
            frame.queued = true;
            self.again.push_front(number);
        }
    }

    /// The next packet to go out again.
    pub fn next_again(&mut self) -> Option<(Seq<BITS>, &mut Buffered<T>)> {
        if !self.has_again() {
            return None;
        }
        let number = self.again.pop_front()?;
        let frame = self.frames.get_mut(number)?;
        frame.queued = false;
        Some((number, frame))
    }

    /// Drops the lowest number.
    pub fn pop_front(&mut self) -> Option<Buffered<T>> {
        self.frames.pop_front()
    }

    /// All frames before this one have arrived, or will never go out again: nothing is linked to them any more.
    pub fn unlink_before(&mut self, first: Seq<BITS>) {
        if let Some(chains) = &mut self.chains {
            chains.acknowledged(first.as_u64());
        }
    }

    /// Drops all packets and keeps the lowest number.
    pub fn clear(&mut self) {
        self.frames.restart(self.frames.first());
        self.again.clear();
    }

    /// Drops all packets and begins anew at number zero.
    pub fn restart(&mut self) {
        self.clear();
        self.frames.restart(Seq::ZERO);
        if let Some(chains) = &mut self.chains {
            chains.clear();
        }
    }

    /// Takes all packets but the first `kept` out.
    pub fn drain_from(&mut self, kept: usize) -> impl Iterator<Item = Buffered<T>> {
        self.frames.drain_from(kept)
    }

    /// The next packet for the network layer of those received from the peer: the filter withholds some.
    pub fn release(&mut self, mut received: impl FnMut() -> Option<Bytes>, counters: &mut Counters) -> Option<Bytes> {
        match &mut self.filter {
            Some(filter) => filter.next(received, counters),
            None => received(),
        }
    }
}
