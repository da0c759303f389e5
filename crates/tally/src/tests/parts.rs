//! The parts of both halves against plain models.

use super::super::arrivals::Arrivals;
use super::super::holes::Holes;
use super::super::packets::Packets;
use super::super::reassembly::Reassembly;
use super::super::timing::Timing;
use super::*;
use alloc::collections::BTreeSet;
use arqway_units::Time;
use proptest::prelude::*;

/// What a model knows of packets: how many frames each is cut into.
fn cuts() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(1usize..5, 1..12)
}

proptest! {
    #[test]
    fn runs_say_what_has_arrived_as_far_down_as_they_have_room(
        arrived in proptest::collection::btree_set(0u64..300, 0..200),
        octets in 0usize..=15,
    ) {
        let mut holes = Holes::default();
        arrived.iter().for_each(|number| {
            holes.arrive(*number);
        });
        let (next, end) = (holes.next(), holes.end());
        let runs = Runs::of(&holes, octets);
        prop_assert!(runs.octets() <= octets);
        if runs.numbers.is_empty() {
            // What has no room says nothing; whoever writes it must not say that anything newer was seen.
            prop_assert!(next == end || octets < 2);
            return Ok(());
        }
        let read = runs.read(next, end).expect("of frames that were sent");
        let told: BTreeSet<u64> = read.ranges.iter().cloned().flatten().collect();
        let known = |number: &u64| read.known.contains(number);
        prop_assert_eq!(told, arrived.iter().copied().filter(known).collect::<BTreeSet<u64>>());
        // Each gap takes two numbers of at most two octets.
        let gaps = holes.downward().count();
        prop_assert!(octets < 4 * (gaps + 1) || read.known.start == next, "{runs:?}");
        prop_assert!(next == end || runs.read(next, end - 1).is_none(), "of a frame that nobody sent");
    }

    #[test]
    fn runs_upward_say_what_has_arrived_from_a_frame_on_as_far_as_they_have_room(
        arrived in proptest::collection::btree_set(0u64..300, 1..200),
        from in 0u64..320,
        octets in 0usize..=15,
    ) {
        let mut holes = Holes::default();
        arrived.iter().for_each(|number| {
            holes.arrive(*number);
        });
        let (next, end) = (holes.next(), holes.end());
        let runs = Runs::upward(&holes, from, octets);
        prop_assert!(runs.octets() <= octets);
        let read = runs.read(next, end).expect("of frames that were sent");
        let told: BTreeSet<u64> = read.ranges.iter().cloned().flatten().collect();
        prop_assert_eq!(told, arrived.range(read.known.clone()).copied().collect::<BTreeSet<u64>>());
        prop_assert!(read.known.is_empty() || runs.end(next) == read.known.end);
        // Where they begin, a gap, and the run above it take at most two octets each.
        prop_assert!(octets < 6 || next == end || !read.known.is_empty());
        let least = if holes.downward().any(|hole| hole.end > from) { from } else { next };
        prop_assert!(octets < 6 || next == end || read.known.end > least);
    }

    #[test]
    fn any_runs_that_are_read_tell_of_frames_between_those_that_were_sent(
        numbers in proptest::collection::vec(1u32..50, 0..15),
        next in 0u64..100,
        ahead in 0u64..60,
        upward in any::<bool>(),
    ) {
        let runs = Runs { upward, ..runs(&numbers) };
        if let Some(arrived) = runs.read(next, next + ahead) {
            prop_assert!(arrived.end <= next + ahead && next <= arrived.known.start && arrived.known.start <= arrived.known.end);
            let mut ranges = arrived.ranges.clone();
            if upward {
                ranges.reverse();
            }
            let mut above = arrived.end;
            for range in &ranges {
                prop_assert!(next < range.start && range.start < range.end && range.end <= above);
                prop_assert!(arrived.known.start <= range.start && range.end <= arrived.known.end);
                above = range.start;
            }
        }
    }

    #[test]
    fn packets_are_joined_once_each_and_those_that_lack_a_frame_are_missed_once_each(
        cuts in cuts(),
        seed in any::<u64>(),
        order in Just(()).prop_flat_map(|()| proptest::collection::vec(any::<u32>(), 60)),
    ) {
        // Frame by frame: its packet, whether it starts and ends it, and whether it is given up instead of sent. A packet whose
        // number is odd in the seed lacks its end.
        let mut frames = Vec::new();
        for (packet, length) in cuts.iter().enumerate() {
            let has_end = seed >> packet & 1 == 0;
            for index in 0..*length {
                let is_given_up = seed >> (16 + frames.len() % 40) & 7 == 0 || has_end && seed >> (packet + 4) & 31 == 0;
                frames.push((packet, index == 0, has_end && index + 1 == *length, is_given_up));
            }
        }
        let mut turns: Vec<usize> = (0..frames.len()).collect();
        turns.sort_by_key(|frame| order[*frame]);
        let (mut reassembly, mut holes) = (Reassembly::default(), Holes::default());
        let (mut joined, mut endless) = (Vec::new(), 0);
        for turn in turns {
            let (packet, starts, ends, is_given_up) = frames[turn];
            let number = turn as u64;
            if is_given_up {
                reassembly.give_up(number, starts);
            } else {
                let octets = alloc::vec![u8::try_from(packet).expect("few"), u8::try_from(turn).expect("few")];
                let cut = Cut { form: Form::Long, number, counter: 0, starts, ends, link: None, octets: octets.into() };
                if let Some(whole) = reassembly.arrive(number, cut) {
                    joined.push((whole.frames, whole.packet.to_vec()));
                }
            }
            holes.arrive(number);
            endless += reassembly.advance(holes.next());
        }
        // Another packet starts behind them.
        endless += reassembly.advance(holes.end() + 1);
        joined.sort_by_key(|(frames, _)| frames.start);
        let (mut expected, mut expected_endless) = (Vec::new(), 0);
        for packet in 0..cuts.len() {
            let of: Vec<usize> = (0..frames.len()).filter(|frame| frames[*frame].0 == packet).collect();
            if of.iter().any(|frame| frames[*frame].3) {
                continue;
            }
            if of.last().is_some_and(|last| frames[*last].2) {
                let octets = of.iter().flat_map(|frame| [packet, *frame]).map(|octet| u8::try_from(octet).expect("few"));
                expected.push((of[0] as u64..of[0] as u64 + of.len() as u64, octets.collect::<Vec<u8>>()));
            } else {
                expected_endless += 1;
            }
        }
        prop_assert_eq!(joined, expected);
        prop_assert_eq!(endless, expected_endless);
    }

    #[test]
    fn waiting_packets_are_those_not_cut_to_their_end_nor_given_up(
        steps in proptest::collection::vec((0u8..4, 1u64..30), 0..80),
    ) {
        // The model: each packet's octets left, when it is too old, and whether any frame has octets of it.
        let mut packets = Packets::new(Some(Span::from_milliseconds(50)));
        let mut model: Vec<(usize, u64, bool)> = Vec::new();
        let (mut now, mut given_up, mut frames) = (0, BTreeSet::new(), 0u64);
        let at = |now: u64| Time::ZERO + Span::from_milliseconds(now);
        for (step, amount) in steps {
            let waits = |model: &[(usize, u64, bool)], given_up: &BTreeSet<usize>| {
                (0..model.len()).find(|packet| model[*packet].0 > 0 && !given_up.contains(packet))
            };
            match step {
                0 => {
                    let length = usize::try_from(amount).expect("few");
                    prop_assert!(packets.push(Packet::new(alloc::vec![0; length]), at(now)));
                    model.push((length, now + 50, false));
                }
                1 => {
                    let front = packets.front().map(|(packet, number, cut, _)| (number, packet.octets.len() - cut));
                    let expected = waits(&model, &given_up);
                    prop_assert_eq!(front, expected.map(|packet| (packet as u64, model[packet].0)));
                    if let Some(packet) = expected {
                        let length = model[packet].0.min(7);
                        packets.cut(length, frames);
                        frames += 1;
                        (model[packet].0, model[packet].2) = (model[packet].0 - length, true);
                    }
                }
                _ => {
                    now += amount;
                    let old: BTreeSet<usize> =
                        (0..model.len()).filter(|packet| model[*packet].1 <= now && !given_up.contains(packet)).collect();
                    let mut told = 0;
                    while let Some((frames, _)) = packets.expire(at(now)) {
                        let packet = *old.iter().nth(told).expect("no more than are old");
                        prop_assert_eq!(frames.is_empty(), !model[packet].2);
                        told += 1;
                    }
                    prop_assert_eq!(told, old.len());
                    given_up.extend(old);
                }
            }
            prop_assert_eq!(packets.front().is_some(), waits(&model, &given_up).is_some());
        }
    }
}

#[test]
fn of_a_packet_without_an_end_its_octets_are_kept_up_to_the_longest_packet_and_not_its_cuts() {
    let mut reassembly = Reassembly::default();
    let cuts: Vec<Bytes> = (0..100).map(|_| alloc::vec![7; 100].into()).collect();
    let mut endless = 0;
    let taken = allocation_counter::measure(|| {
        for number in 0..100_000 {
            let octets = cuts[usize::try_from(number % 100).expect("few")].clone();
            let cut = Cut {
                form: Form::Long,
                number,
                counter: 0,
                starts: number % 1000 == 0,
                ends: false,
                link: None,
                octets,
            };
            assert!(reassembly.arrive(number, cut).is_none());
            endless += reassembly.advance(number + 1);
        }
    });
    // Each has 100,000 octets: it is dropped as too long, and what follows of it has no beginning.
    assert_eq!(endless, 100);
    assert!(taken.bytes_current < 3 * 65_536, "{taken:?}");
    assert!(cuts.iter().all(Bytes::is_unique), "cuts are kept");
}

#[test]
fn of_cuts_without_all_their_pieces_four_mebioctets_are_kept_and_each_is_completed_in_its_turn() {
    let most = 4 << 20;
    let (first, last) = (Bytes::from_static(&[1; 60_000]), Bytes::from_static(&[2; 5_000]));
    let piece = |number, octets: &Bytes| Cut {
        form: Form::Long,
        number,
        counter: 0,
        starts: true,
        ends: true,
        link: None,
        octets: octets.clone(),
    };
    let mut reassembly = Reassembly::default();
    let taken = allocation_counter::measure(|| {
        for number in (0..1000).rev() {
            assert!(reassembly.piece(number, piece(number, &first), 0, false).is_none());
        }
    });
    // A buffer that grows has two sizes for a moment, and the table of frames grows, too.
    assert!((most - 60_000..2 * most).contains(&taken.bytes_current.unsigned_abs()), "{taken:?}");
    // What had no room is sent again, whole or in pieces, once it is the first that is missing.
    for number in 0..1000 {
        let whole = if number % 2 == 0 {
            reassembly.piece(number, piece(number, &first), 0, false);
            reassembly.piece(number, piece(number, &last), first.len(), true).expect("all pieces")
        } else {
            piece(number, &Bytes::from([&first[..], &last].concat()))
        };
        assert_eq!(whole.octets.len(), 65_000);
        assert_eq!(reassembly.arrive(number, whole).map(|whole| whole.packet.len()), Some(65_000));
        assert_eq!(reassembly.advance(number + 1), 0);
    }
    // Nor is room lost for what is not kept any more.
    for number in 1001..1100 {
        reassembly.piece(number, piece(number, &first), 0, false);
        reassembly.give_up(number, true);
    }
    let behind = 1101..1161;
    for number in behind.clone() {
        reassembly.piece(number, piece(number, &first), 0, false);
    }
    for number in behind {
        assert!(reassembly.piece(number, piece(number, &last), first.len(), true).is_some());
    }
}

#[test]
fn nothing_is_waited_for_longer_than_a_minute_however_long_the_peer_takes_for_its_answers() {
    let at = |seconds: u64| Time::ZERO + Span::from_milliseconds(1000 * seconds);
    let mut timing = Timing::new(None, false);
    (0..50).for_each(|_| timing.sample(Span::from_milliseconds(100_000)));
    timing.fell_silent(false, at(0));
    assert_eq!(timing.deadline(), Some(at(60)));
    timing.polled(1);
    for miss in 0..10 {
        timing.poll_departed(Span::ZERO, at(100 * miss));
        assert_eq!(timing.deadline(), Some(at(100 * miss + 60)));
        assert!(timing.missed_answer(at(100 * miss + 60)));
        timing.polled(miss + 2);
    }
}

/// Which of the transmissions make it due to tell the sender, who is told each time.
fn due(arrivals: &mut Arrivals, counters: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut due = Vec::new();
    for counter in counters {
        arrivals.arrive(counter);
        if arrivals.is_due() {
            due.push(counter);
            arrivals.tell_newest();
        }
    }
    due
}

#[test]
fn a_gap_between_transmissions_is_told_at_once_where_the_link_keeps_its_order() {
    let mut arrivals = Arrivals::default();
    assert_eq!(due(&mut arrivals, [1, 2, 4, 5, 8]), [4, 8]);
    assert_eq!(due(&mut arrivals, 9..=80), [40, 72]);
}

#[test]
fn a_class_of_lateness_is_learned_from_the_first_that_comes_late_and_gaps_are_told_so_many_later() {
    for (late, class, told) in
        [(1, Lateness::Few, 4), (4, Lateness::Few, 4), (5, Lateness::Some, 32), (33, Lateness::Many, 256)]
    {
        let mut arrivals = Arrivals::default();
        due(&mut arrivals, (1..=100).filter(|counter| *counter != 100 - late));
        assert_eq!(arrivals.lateness(), Lateness::None);
        due(&mut arrivals, [100 - late]);
        assert_eq!((arrivals.lateness(), arrivals.lateness().transmissions()), (class, told));
        // 101 is missing.
        let due = due(&mut arrivals, 102..=102 + told);
        assert!(
            due.contains(&(102 + told))
                && due.iter().all(|at| (at - 102).is_multiple_of(32) || *at == 102 + told || told > 4)
        );
    }
}

#[test]
fn a_class_of_lateness_is_left_after_16384_arrivals_that_did_not_need_it() {
    let mut arrivals = Arrivals::default();
    due(&mut arrivals, [2, 1]);
    assert_eq!(arrivals.lateness(), Lateness::Few);
    due(&mut arrivals, 3..3 + (1 << 14) - 1);
    assert_eq!(arrivals.lateness(), Lateness::Few);
    due(&mut arrivals, [2 + (1 << 14)]);
    assert_eq!(arrivals.lateness(), Lateness::None);
}
