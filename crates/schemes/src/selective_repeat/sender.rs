//! The sending half: the window of unacknowledged packets, what of it must go out again, and a timer for each frame.

use super::config::Config;
use super::samples::{OneAtATime, Samples};
use super::timeout::Timer;
use super::wire::Number;
use arqway_arq::{RetransmissionBuffer, TimerQueue, Window};
use arqway_contract::{Counters, Packet};
use arqway_units::Time;
use bytes::Bytes;

#[derive(Debug)]
pub(super) struct Sender {
    /// Packets accepted and not yet acknowledged; with each when its timer was last started: its last transmission, by the
    /// moment that is set.
    pub(super) buffer: RetransmissionBuffer<8, Option<Time>>,
    /// The first number that was never handed over.
    next: Number,
    timers: TimerQueue,
    timer: Timer,
    /// Unless each acknowledgement gives a sample.
    one_at_a_time: Option<OneAtATime>,
}

impl Sender {
    pub(super) fn new(config: &Config) -> Self {
        let frames = config.window.frames();
        Self {
            buffer: RetransmissionBuffer::new(Window::new(frames), &config.resequencing),
            next: Number::ZERO,
            timers: TimerQueue::new(frames),
            timer: Timer::new(config.timeout, config.estimator),
            one_at_a_time: (config.estimator.samples == Samples::OneAtATime).then(OneAtATime::default),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.buffer.window().is_full()
    }

    /// Whether there is a packet that was never handed over.
    pub(super) fn has_new(&self) -> bool {
        self.buffer.get(self.next).is_some()
    }

    pub(super) fn push(&mut self, packet: Packet) {
        self.buffer.announce(&packet.octets, false);
        self.buffer.push(packet, None);
    }

    /// Takes the peer's N(R), the low bits of the next number it awaits; it acknowledges everything below. With the time
    /// of its arrival it also tells the round-trip time of the last frame it covers, or of the one that is timed: earlier
    /// ones may have arrived long before, and one that covers nothing new tells nothing.
    pub(super) fn acknowledge(&mut self, next: u64, arrived: Option<Time>) {
        let next = Number::at_or_after(self.buffer.first(), next);
        if next > self.next {
            return; // Beyond what was ever sent: an old acknowledgement, whose number has wrapped.
        }
        let mut last = None;
        while self.buffer.first() < next {
            self.timers.stop(self.slot_of(self.buffer.first()));
            last = self.buffer.pop_front().and_then(|frame| frame.state);
        }
        self.buffer.unlink_before(next);
        let sent = self.one_at_a_time.as_mut().map_or(last, |timed| timed.acknowledged(next));
        if let (Some(sent), Some(arrived)) = (sent, arrived) {
            self.timer.sample(arrived.since(sent));
        }
    }

    /// Takes the low bits of a number that the peer misses: it goes out again.
    pub(super) fn reject(&mut self, missing: u64) {
        let missing = Number::at_or_after(self.buffer.first(), missing);
        if missing < self.next {
            self.timers.stop(self.slot_of(missing));
            self.buffer.send_again(missing, |_| true);
        }
    }

    /// Queues every frame whose timer has expired; only those frames, nothing else that is outstanding.
    pub(super) fn handle_timeout(&mut self, now: Time, counters: &mut Counters) {
        while let Some(slot) = self.timers.fire(now) {
            counters.timeouts += 1;
            self.buffer.send_again(self.buffer.window().number_at(slot), |_| true);
        }
    }

    /// The next frame to hand over, with its link: what must go out again before what never went out.
    pub(super) fn poll(&mut self, counters: &mut Counters) -> Option<(Number, Option<u32>, Bytes)> {
        if let Some((number, frame)) = self.buffer.next_again() {
            counters.frames_resent += 1;
            if let Some(timed) = &mut self.one_at_a_time {
                timed.sent_again(number);
            }
            return Some((number, frame.link, frame.packet.clone()));
        }
        let (number, frame) = (self.next, self.buffer.get(self.next)?);
        self.next = number.next();
        counters.sent(&frame.packet);
        Some((number, frame.link, frame.packet.clone()))
    }

    /// Starts the timer of a frame; an acknowledged one needs none.
    pub(super) fn start_timer(&mut self, number: Number, now: Time) {
        let Some(frame) = self.buffer.get_mut(number) else { return };
        frame.state = Some(now);
        if let Some(timed) = &mut self.one_at_a_time {
            timed.sent(number, now);
        }
        self.timers.start(self.slot_of(number), now + self.timer.timeout());
    }

    fn slot_of(&self, number: Number) -> usize {
        self.buffer.window().slot_of(number)
    }

    /// Whether the peer may still miss this frame.
    pub(super) fn is_outstanding(&self, number: Number) -> bool {
        self.buffer.get(number).is_some()
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.timers.get()
    }
}

#[cfg(test)]
mod tests {
    use super::super::timeout::{EstimatorConfig, Policy, Timeout};
    use super::*;
    use alloc::vec::Vec;
    use arqway_arq::{Arithmetic, FixedPoint, Smoothing};
    use arqway_units::Span;
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
                        sender.push(Packet::new(Bytes::new()));
                    }
                }
                let (copies, all) = hand_over(&mut sender, now);
                let expired: Vec<(Number, Time)> = running.drain(..copies.len()).collect();
                prop_assert_eq!(expired.iter().map(|(number, _)| *number).collect::<Vec<_>>(), copies);
                prop_assert!(expired.iter().all(|(_, started)| *started + FLOOR <= now));
                running.extend(all.into_iter().map(|number| (number, now)));
                let next = (sender.buffer.first() + acknowledged).min(sender.next);
                sender.acknowledge(next.as_u64() % Number::MODULUS, Some(now));
                running.retain(|(number, _)| *number >= next);
            }
        }
    }
}
