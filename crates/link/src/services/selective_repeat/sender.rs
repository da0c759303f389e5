//! The sending half: the window of unacknowledged packets, what of it must go out again, and a timer for each frame.

use super::config::Config;
use super::timeout::Timer;
use super::wire::Number;
use crate::arq::{Chains, TcpFilter, TimerQueue, Window};
use crate::contract::Counters;
use alloc::collections::VecDeque;
use arqway_units::{Span, Time};
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Sender {
    /// Packets accepted and not yet acknowledged.
    window: Window<8, Slot>,
    /// The first number that was never handed over.
    next: Number,
    /// Numbers to hand over again, oldest decision first; what was acknowledged meanwhile is skipped.
    resend: VecDeque<Number>,
    timers: TimerQueue,
    timer: Timer,
    /// Where frames bear links.
    chains: Option<Chains>,
    pub(super) filter: Option<TcpFilter>,
}

#[derive(Debug)]
struct Slot {
    packet: Bytes,
    link: Option<u8>,
    /// It stands in `resend` already.
    queued: bool,
    /// When its timer was last started: its last transmission, by the moment that is set.
    sent: Option<Time>,
}

impl Sender {
    pub(super) fn new(config: &Config) -> Self {
        let frames = config.window.frames();
        Self {
            window: Window::new(frames),
            next: Number::ZERO,
            resend: VecDeque::with_capacity(frames),
            timers: TimerQueue::new(frames),
            timer: Timer::new(config.timeout, config.estimator),
            chains: config.resequencing.chains(),
            filter: TcpFilter::of(&config.resequencing),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.window.is_full()
    }

    pub(super) fn push(&mut self, packet: Bytes) {
        if let Some(filter) = &mut self.filter {
            filter.sent(&packet);
        }
        let number = self.window.end().as_u64();
        // No link reaches beyond the window, which has room in an octet.
        let link = self.chains.as_mut().and_then(|chains| u8::try_from(chains.link(&packet, number)).ok());
        self.window.push(Slot { packet, link, queued: false, sent: None });
    }

    /// Takes the peer's N(R), the low bits of the next number it awaits; it acknowledges everything below. With the time
    /// of its arrival it also tells the round-trip time of the last frame it covers: earlier ones may have arrived long
    /// before, and one that covers nothing new tells nothing.
    pub(super) fn acknowledge(&mut self, next: u64, arrived: Option<Time>) {
        let next = Number::at_or_after(self.window.first(), next);
        if next > self.next {
            return; // Beyond what was ever sent: an old acknowledgement, whose number has wrapped.
        }
        let mut last = None;
        while self.window.first() < next {
            self.timers.stop(self.window.slot_of(self.window.first()));
            last = self.window.pop_front().and_then(|slot| slot.sent);
        }
        if let Some(chains) = &mut self.chains {
            chains.acknowledged(next.as_u64());
        }
        if let (Some(sent), Some(arrived)) = (last, arrived) {
            self.timer.sample(arrived.since(sent));
        }
    }

    /// Takes the low bits of a number that the peer misses: it goes out again.
    pub(super) fn reject(&mut self, missing: u64) {
        let missing = Number::at_or_after(self.window.first(), missing);
        if missing < self.next {
            self.timers.stop(self.window.slot_of(missing));
            self.send_again(missing);
        }
    }

    /// Queues every frame whose timer has expired; only those frames, nothing else that is outstanding.
    pub(super) fn handle_timeout(&mut self, now: Time, counters: &mut Counters) {
        while let Some(slot) = self.timers.fire(now) {
            counters.timeouts += 1;
            self.send_again(self.window.number_at(slot));
        }
    }

    fn send_again(&mut self, number: Number) {
        if let Some(slot) = self.window.get_mut(number)
            && !slot.queued
        {
            slot.queued = true;
            self.resend.push_back(number);
            if let Some(filter) = &mut self.filter {
                filter.retransmitted(&slot.packet);
            }
        }
    }

    /// The next frame to hand over, with its link: what must go out again before what never went out.
    pub(super) fn poll(&mut self, counters: &mut Counters) -> Option<(Number, Option<u8>, Bytes)> {
        while let Some(number) = self.resend.pop_front() {
            if let Some(slot) = self.window.get_mut(number) {
                slot.queued = false;
                counters.frames_resent += 1;
                return Some((number, slot.link, slot.packet.clone()));
            }
        }
        let (number, slot) = (self.next, self.window.get(self.next)?);
        self.next = number.next();
        counters.frames_sent += 1;
        counters.octets_sent += slot.packet.len() as u64;
        Some((number, slot.link, slot.packet.clone()))
    }

    /// Starts the timer of a frame; an acknowledged one needs none.
    pub(super) fn start_timer(&mut self, number: Number, now: Time) {
        let Some(slot) = self.window.get_mut(number) else { return };
        slot.sent = Some(now);
        self.timers.start(self.window.slot_of(number), now + self.timer.timeout());
    }

    /// Whether the peer may still miss this frame.
    pub(super) fn is_outstanding(&self, number: Number) -> bool {
        self.window.get(number).is_some()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timers.get()
    }

    pub(super) fn postpone(&mut self, by: Span) {
        self.timers.postpone(by);
        let (first, end) = (self.window.first(), self.window.end());
        for number in first.as_u64()..end.as_u64() {
            if let Some(slot) = self.window.get_mut(Number::new(number)) {
                slot.sent = slot.sent.map(|sent| sent + by);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::timeout::{EstimatorConfig, Policy, Timeout};
    use super::*;
    use crate::arq::{Arithmetic, FixedPoint, Smoothing};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    const FLOOR: Span = Span::from_milliseconds(50);

    fn adaptive(srtt: f64, srttvar: f64, arithmetic: Arithmetic) -> Sender {
        let smoothing = Smoothing { arithmetic, ..Smoothing::default() };
        let estimator = EstimatorConfig { smoothing, floor: FLOOR, ..EstimatorConfig::default() };
        Sender::new(&Config { timeout: Timeout::Adaptive(Policy { srtt, srttvar }), estimator, ..Config::default() })
    }

    /// Hands over everything that the sender has, its timers starting now: the copies, and all in the order of the starts.
    fn hand_over(sender: &mut Sender, now: Time) -> (Vec<Number>, Vec<Number>) {
        let mut counters = Counters::default();
        let (mut copies, mut all) = (Vec::new(), Vec::new());
        let first = sender.next;
        while let Some((number, ..)) = sender.poll(&mut counters) {
            sender.start_timer(number, now);
            if number < first {
                copies.push(number);
            }
            all.push(number);
        }
        (copies, all)
    }

    proptest! {
        #[test]
        fn no_timer_expires_before_one_set_earlier_nor_before_the_floor(
            steps in proptest::collection::vec((0u64..600, 0usize..6, 0u64..8), 1..120),
            (srtt, srttvar) in (0.0..4.0, 0.0..4.0),
            arithmetic in prop_oneof![Just(Arithmetic::Float), Just(Arithmetic::Integer(FixedPoint::TCP))],
        ) {
            let mut sender = adaptive(srtt, srttvar, arithmetic);
            let (mut running, mut now): (Vec<(Number, Time)>, Time) = (Vec::new(), Time::ZERO);
            for (wait, packets, acknowledged) in steps {
                now += Span::from_milliseconds(wait);
                sender.handle_timeout(now, &mut Counters::default());
                prop_assert!(sender.deadline().is_none_or(|deadline| deadline > now));
                for _ in 0..packets {
                    if !sender.is_full() {
                        sender.push(Bytes::new());
                    }
                }
                let (copies, all) = hand_over(&mut sender, now);
                let expired: Vec<(Number, Time)> = running.drain(..copies.len()).collect();
                prop_assert_eq!(expired.iter().map(|(number, _)| *number).collect::<Vec<_>>(), copies);
                prop_assert!(expired.iter().all(|(_, started)| *started + FLOOR <= now));
                running.extend(all.into_iter().map(|number| (number, now)));
                let next = (sender.window.first() + acknowledged).min(sender.next);
                sender.acknowledge(next.as_u64() % Number::MODULUS, Some(now));
                running.retain(|(number, _)| *number >= next);
            }
        }
    }
}
