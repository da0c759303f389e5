//! Unacknowledged mode of RLC: in order, each packet at most once, none altered, whatever of it is lost; and where frames overtake one
//! another or come twice, as far as its window goes.

use super::number_of;
use crate::common::{Queue, Setting, packet, run};
use crate::setting;
use arqway_link::rlc::um::{Config, Reception, UmdSize};
use arqway_link::{AnyService, Bounded, Checked, Frame, LinkService, Packet, ServiceConfig, Side, Start};
use arqway_units::{Octets, Span, Time};
use proptest::prelude::*;

fn reception() -> impl Strategy<Value = Reception> {
    let timer = |milliseconds| Span::from_milliseconds(milliseconds);
    let window = |numbers| Bounded::new(numbers).expect("from 1 to 64");
    prop_oneof![
        Just(Reception::InSequence),
        (64u16..=127).prop_map(|numbers| Reception::Windowed { window: Bounded::new(numbers).expect("below 128") }),
        (1u16..=64, 1u64..500).prop_map(move |(numbers, milliseconds)| {
            Reception::Reordering { window: window(numbers), timer: timer(milliseconds) }
        }),
        // It outlasts the way of an SDU, of which four PDUs may be needed.
        (16u16..=64, 1000u64..3000).prop_map(move |(numbers, milliseconds)| {
            Reception::OutOfSequence { window: window(numbers), timer: timer(milliseconds) }
        }),
    ]
}

/// PDUs that are a part of a packet, a packet, or many.
fn config() -> impl Strategy<Value = Config> {
    let size =
        || prop_oneof![8u16..60, 100u16..150, 1400u16..=1504].prop_map(|octets| UmdSize::new(octets).expect("a size"));
    let wait = prop_oneof![Just(0), 0u64..50].prop_map(Span::from_milliseconds);
    (size(), proptest::option::of(size()), any::<[bool; 2]>(), wait, reception()).prop_map(
        |(pdu_size, uplink_pdu_size, [flexible_pdu_size, alternative_e_bit], wait_to_fill, reception)| Config {
            pdu_size,
            uplink_pdu_size,
            flexible_pdu_size,
            alternative_e_bit,
            wait_to_fill,
            reception,
            ..Config::default()
        },
    )
}

fn ends(config: &Config) -> [AnyService; 2] {
    let service = ServiceConfig::RlcUm(config.clone());
    [Side::AccessPoint, Side::Client].map(|side| service.build(&side.into()))
}

/// The link loses frames, and never 128 in a row, which is as far as their numbers count; nor does a queue that overflows.
fn without_duplicates(mut setting: Setting) -> Setting {
    if let Queue::DropTail(frames) = setting.queue {
        setting.queue = Queue::BackPressured(frames);
    }
    for (index, fate) in setting.fates.iter_mut().flatten().enumerate() {
        fate.copies = if index % 60 == 0 { 1 } else { fate.copies.min(1) };
    }
    setting
}

fn assert_in_order_once_and_unaltered(received: &[Packet], sent: u32) {
    for packet_received in received {
        let number = number_of(packet_received);
        assert!(number < sent && *packet_received == packet(number), "{packet_received:?} was not sent");
    }
    assert!(received.is_sorted_by(|one, next| number_of(one) < number_of(next)), "out of order, or twice");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn unacknowledged_mode_delivers_in_order_at_most_once_and_nothing_altered_under_loss(config in config(), setting in setting()) {
        let setting = without_duplicates(setting);
        let ends = run(ends(&config), &setting);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            assert_in_order_once_and_unaltered(&ends[receiver].received, setting.packets[sender]);
        }
    }

    /// A copy is dropped where copies can be told from what is new.
    #[test]
    fn unacknowledged_mode_delivers_none_twice_where_it_keeps_a_window(config in config(), setting in setting()) {
        prop_assume!(config.reception != Reception::InSequence);
        let mut setting = setting;
        setting.fates.iter_mut().flatten().for_each(|fate| fate.copies = fate.copies.max(1));
        setting.queue = Queue::BackPressured(4);
        let ends = run(ends(&config), &setting);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            prop_assert_eq!(ends[receiver].received.len(), setting.packets[sender] as usize);
            assert_in_order_once_and_unaltered(&ends[receiver].received, setting.packets[sender]);
        }
    }

    #[test]
    fn unacknowledged_mode_delivers_everything_where_nothing_is_lost(config in config(), setting in setting()) {
        let setting = Setting { fates: [Vec::new(), Vec::new()], queue: Queue::BackPressured(4), ..setting };
        let ends = run(ends(&config), &setting);
        for (receiver, sender) in [(1, 0), (0, 1)] {
            let expected: Vec<_> = (0..setting.packets[sender]).map(packet).collect();
            prop_assert!(ends[receiver].received == expected, "{} of {}", ends[receiver].received.len(), expected.len());
        }
    }

    /// In order, also when each PDU comes twice and is overtaken by others, as long as none comes that is a window ahead.
    #[test]
    fn duplicate_avoidance_and_reordering_put_right_all_that_happens_within_their_window(
        config in config(),
        packets in 0u32..200,
        numbers in 1u16..=64,
        late in proptest::collection::vec([0usize..1000, 0usize..1000], 1..200),
    ) {
        let window = Bounded::new(numbers).expect("from 1 to 64");
        let reception = Reception::Reordering { window, timer: Span::from_milliseconds(100) };
        let [mut near, mut far] = ends(&Config { reception, ..config }).map(Checked::new);
        let frames = all_frames(&mut near, packets);
        let mut arrivals: Vec<(usize, usize)> = (0..frames.len())
            .zip(late.iter().cycle())
            .flat_map(|(index, late)| late.map(|late| (index + late % usize::from(numbers), index)))
            .collect();
        arrivals.sort_unstable();
        for (_, index) in arrivals {
            far.handle_frame(frames[index].clone(), Time::ZERO);
        }
        while let Some(deadline) = far.poll_timeout() {
            far.handle_timeout(deadline);
        }
        let received: Vec<_> = std::iter::from_fn(|| far.poll_packet()).collect();
        prop_assert_eq!(received, (0..packets).map(packet).collect::<Vec<_>>());
    }

    /// What waits too long is dropped, perhaps in the middle, and some PDUs are lost. As long as none is overtaken by a window of
    /// numbers, packets are in order; and by 128 numbers less a window, whole: a PDU that is later has the number of another.
    #[test]
    fn reordering_makes_no_packet_out_of_two_while_no_pdu_is_later_than_its_numbers_tell(
        config in config(),
        numbers in 1u16..=56,
        is_later in any::<bool>(),
        [timer, discard_after, between] in [1u64..200, 20u64..60, 0u64..20],
        fates in proptest::collection::vec((0usize..1000, 0u64..10, any::<u8>()), 1..200),
    ) {
        let window = Bounded::new(numbers).expect("from 1 to 64");
        let [timer, discard_after, between] = [timer, discard_after, between].map(Span::from_milliseconds);
        let config = Config { reception: Reception::Reordering { window, timer }, discard_after: Some(discard_after), ..config };
        let [near, far] = ends(&config).map(Checked::new);
        // A number that is left out, or lost, makes the way longer for those behind it.
        let latest = usize::from(if is_later { 120 - numbers } else { numbers });
        let mut arrivals: Vec<_> = frames_over_time(near, 200, between)
            .into_iter()
            .zip(fates.iter().cycle())
            .filter(|((number, _), (.., fate))| number % 4 == 0 || fate % 4 > 0)
            .map(|((number, frame), (late, after, _))| (number + late % latest, number, *after, frame))
            .collect();
        arrivals.sort_unstable_by_key(|(place, number, ..)| (*place, *number));
        let arrivals = arrivals.into_iter().map(|(.., after, frame)| (Span::from_milliseconds(after), frame));
        let received = received(far, arrivals);
        if is_later {
            prop_assert!(received.iter().all(|of_one| *of_one == packet(number_of(of_one))));
        } else {
            assert_in_order_once_and_unaltered(&received, 200);
        }
    }
}

/// What an end sends for so many packets, as it is on the wire.
fn all_frames(end: &mut Checked<AnyService>, packets: u32) -> Vec<Frame> {
    let (mut frames, mut now) = (Vec::new(), Time::ZERO);
    for number in 0..packets {
        end.handle_packet(packet(number), now).expect("room");
    }
    loop {
        while let Some(mut frame) = end.poll_frame(now, Octets::MAX) {
            assert_eq!(end.start_frame(&mut frame, now), Start::Send);
            frames.push(Frame::from_wire(frame.tag, [frame.head.as_slice(), &frame.body].concat().into()));
        }
        let Some(deadline) = end.poll_timeout() else { return frames };
        now = deadline;
        end.handle_timeout(now);
    }
}

/// What an end sends while packets come and wait too long, by its number in full: those on the wire count up, and leave out few.
fn frames_over_time(mut end: Checked<AnyService>, packets: u32, between: Span) -> Vec<(usize, Frame)> {
    let (mut frames, mut now, mut number) = (Vec::new(), Time::ZERO, 0);
    for index in 0..packets {
        _ = end.handle_packet(packet(index), now);
        now += between;
        while let Some(deadline) = end.poll_timeout().filter(|deadline| *deadline <= now) {
            end.handle_timeout(deadline);
        }
        if let Some(frame) = end.poll_frame(now, Octets::MAX) {
            let octets = [frame.head.as_slice(), &frame.body].concat();
            let on_wire = usize::from(octets[0] >> 1);
            number += (on_wire + 128 - number % 128) % 128;
            frames.push((number, Frame::from_wire(frame.tag, octets.into())));
        }
    }
    frames
}

/// What an end delivers of frames that come so long after one another.
fn received(mut end: Checked<AnyService>, arrivals: impl Iterator<Item = (Span, Frame)>) -> Vec<Packet> {
    let (mut received, mut now) = (Vec::new(), Time::ZERO);
    for (after, frame) in arrivals {
        now += after;
        while let Some(deadline) = end.poll_timeout().filter(|deadline| *deadline <= now) {
            end.handle_timeout(deadline);
        }
        end.handle_frame(frame, now);
        received.extend(std::iter::from_fn(|| end.poll_packet()));
    }
    received
}
