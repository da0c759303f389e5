//! A sender and a receiver with anything between them: what is sent and told may be lost, overtaken, and come twice.

use super::*;
use crate::tcp::receiver::Receiver;
use crate::tcp::sender::Sender;
use crate::tcp::{Acknowledgements, DelayedAcknowledgements, DelayedDuplicates, DuplicateAcknowledgements, Settings};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What becomes of packets and acknowledgements, one after the other, over and over.
#[derive(Debug, Clone)]
struct Fates(Vec<Fate>);

#[derive(Debug, Clone, Copy)]
enum Fate {
    Arrives,
    Late(u64),
    Lost,
    Twice(u64),
}

fn any_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        6 => Just(Fate::Arrives),
        1 => (1u64..400).prop_map(Fate::Late),
        2 => Just(Fate::Lost),
        1 => (1u64..400).prop_map(Fate::Twice),
    ]
}

/// Not all of them lose everything; their number is not one of a window's, so that no packet always meets the same.
fn any_fates() -> impl Strategy<Value = Fates> {
    proptest::collection::vec(any_fate(), 36).prop_map(|mut fates| {
        fates.push(Fate::Arrives);
        Fates(fates)
    })
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let variant = prop_oneof![Just(Variant::Reno), Just(Variant::NewReno), Just(Variant::Sack), Just(Variant::RackTlp)];
    let control = prop_oneof![Just(CongestionControl::Reno), Just(CongestionControl::Cubic)];
    let delay = Span::from_milliseconds(40);
    let held = Acknowledgements::Delayed(DelayedAcknowledgements { delay });
    let answers = prop_oneof![Just(Acknowledgements::EveryPacket), Just(held)];
    let delayed = DuplicateAcknowledgements::Delayed(DelayedDuplicates { delay });
    let duplicates = prop_oneof![Just(DuplicateAcknowledgements::AtOnce), Just(delayed)];
    (variant, control, answers, duplicates, any::<[bool; 3]>(), 1u32..12, 1u32..30).prop_map(
        |(variant, control, answers, duplicates, [handshake, limited, pacing], initial, most)| {
            TcpConfig {
                variant: Some(variant),
                congestion_control: Some(control),
                acknowledgements: Some(answers),
                duplicate_acknowledgements: duplicates,
                handshake: Some(handshake),
                limited_transmit: Some(limited),
                pacing,
                tick: Some(Span::from_milliseconds(1)),
                minimum_timeout: Some(Span::from_milliseconds(200)),
                initial_window: PacketWindow::new(initial),
                maximum_window: PacketWindow::new(most),
                ..TcpConfig::default()
            }
            .settings()
        },
    )
}

/// What is under way, by when it comes and the order in which it went.
#[derive(Default)]
struct Wire<T> {
    under_way: BTreeMap<(Time, u64), T>,
    count: u64,
}

impl<T: Copy> Wire<T> {
    fn send(&mut self, what: T, fates: &Fates, now: Time) {
        let fate = fates.0[self.count as usize % fates.0.len()];
        let mut comes = |milliseconds: u64| {
            self.count += 1;
            self.under_way.insert((now + Span::from_milliseconds(50 + milliseconds), self.count), what);
        };
        match fate {
            Fate::Arrives => comes(0),
            Fate::Late(milliseconds) => comes(milliseconds),
            Fate::Lost => self.count += 1,
            Fate::Twice(milliseconds) => {
                comes(0);
                comes(milliseconds);
            }
        }
    }

    fn next(&self) -> Option<Time> {
        self.under_way.keys().next().map(|(time, _)| *time)
    }

    fn take(&mut self, now: Time) -> Option<T> {
        let first = self.under_way.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }
}

proptest! {
    #[test]
    fn everything_is_delivered_whatever_the_network_does(
        settings in any_settings(), down in any_fates(), up in any_fates(), packets in 1u64..120,
    ) {
        let mut sender = Sender::new(settings, packets, Span::ZERO);
        let mut receiver = Receiver::new(&settings);
        let (mut data, mut answers) = (Wire::default(), Wire::default());
        let mut now = Time::ZERO;
        sender.start(now);
        let all = packets as i64 + i64::from(settings.handshake);
        for _ in 0..100_000 {
            while let Some(transmission) = sender.poll_transmission() {
                prop_assert!(transmission.number < all && transmission.number > sender.acknowledged() || transmission.again);
                let beyond = sender.acknowledged() + 1 + i64::from(settings.maximum_window);
                prop_assert!(transmission.number <= beyond, "{} beyond the receiver's window", transmission.number);
                data.send(transmission.number, &down, now);
            }
            if sender.is_finished() {
                break;
            }
            let deadlines = [data.next(), answers.next(), sender.poll_timeout(), receiver.poll_timeout()];
            now = deadlines.into_iter().flatten().min().expect("something will happen").max(now);
            let mut answer = |receiver: &mut Receiver, number: i64| {
                answers.send(Acknowledgement { number, blocks: receiver.tell_blocks() }, &up, now);
            };
            while let Some(number) = data.take(now) {
                if let Some(number) = receiver.receive(number, now) {
                    answer(&mut receiver, number);
                }
            }
            receiver.handle_timeout(now);
            while let Some(number) = receiver.poll_acknowledgement() {
                answer(&mut receiver, number);
            }
            while let Some(told) = answers.take(now) {
                sender.take_acknowledgement(&told, now);
            }
            if sender.poll_timeout().is_some_and(|due| due <= now) {
                sender.handle_timeout(now);
            }
        }
        prop_assert!(sender.is_finished(), "{:?} packets of {} at {:?}", sender.packets_acknowledged(), packets, now);
        prop_assert_eq!((receiver.in_order(), sender.packets_acknowledged()), (all, packets));
    }
}
