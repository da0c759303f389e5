//! STATUS PDUs: what is put in is read out, nothing is told twice or too much, and all of it fits.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Debug, Clone)]
enum Push {
    Window(u16),
    Poll(u16),
    List(Vec<u16>),
    RelativeList(Vec<u16>),
    Bitmap { first: u16, arrived: Vec<bool>, may_reach_back: bool },
    Mrw { numbers: Vec<u16>, n: u8, beyond_window: bool },
    MrwAck { n: u8, number: u16 },
}

/// Puts it in as far as it fits, and tells what is in.
fn push(writer: &mut StatusWriter, what: &Push) -> Option<Said> {
    match what {
        Push::Window(size) => writer.push_window(*size).then_some(Said::Window(*size)),
        Push::Poll(number) => writer.push_poll(*number).then_some(Said::Poll(*number)),
        Push::List(missing) => match writer.push_list(missing.iter().copied()) {
            0 => None,
            told => Some(Said::List(missing[..told].to_vec())),
        },
        Push::RelativeList(missing) => match writer.push_relative_list(missing.iter().copied()) {
            0 => None,
            told => Some(Said::RelativeList(missing[..told].to_vec())),
        },
        Push::Bitmap { first, arrived, may_reach_back } => {
            let count = u16::try_from(arrived.len()).expect("few");
            let is_in = |number: u16| arrived[usize::from(number.wrapping_sub(*first) & 0xfff)];
            let told = writer.push_bitmap(*first, count, *may_reach_back, is_in);
            let back = (8 - told % 8) % 8;
            assert!(*may_reach_back || back == 0, "what a bitmap is about begins at its first number");
            let before = (1..=back).rev().map(|behind| (first.wrapping_sub(behind) & 0xfff, true));
            let behind = (0..told).map(|ahead| (first.wrapping_add(ahead) & 0xfff, arrived[usize::from(ahead)]));
            (told > 0).then(|| Said::Bitmap(before.chain(behind).collect()))
        }
        Push::Mrw { numbers, n, beyond_window } => writer
            .push_move_receiving_window(numbers, *n, *beyond_window)
            .then(|| Said::Mrw { numbers: numbers.clone(), n: *n, beyond_window: *beyond_window }),
        Push::MrwAck { n, number } => {
            writer.push_move_receiving_window_ack(*n, *number).then_some(Said::MrwAck { n: *n, number: *number })
        }
    }
}

fn number() -> impl Strategy<Value = u16> {
    0u16..4096
}

/// Numbers that ascend by less than a turn: single ones, runs, and some that lie far apart.
fn missing() -> impl Strategy<Value = Vec<u16>> {
    let step = prop_oneof![6 => Just(1u16), 3 => 1u16..20, 1 => 1u16..1000];
    (number(), proptest::collection::vec(step, 0..120)).prop_map(|(first, steps)| {
        let mut ahead = 0;
        let others = steps.into_iter().map(|step| {
            ahead += step;
            ahead
        });
        core::iter::once(0)
            .chain(others.take_while(|ahead| *ahead < 4096).collect::<Vec<_>>())
            .map(|ahead| (first + ahead) & 0xfff)
            .collect()
    })
}

fn pushes() -> impl Strategy<Value = Vec<Push>> {
    let one = prop_oneof![
        number().prop_map(Push::Window),
        number().prop_map(Push::Poll),
        missing().prop_map(Push::List),
        missing().prop_map(Push::RelativeList),
        (number(), proptest::collection::vec(any::<bool>(), 0..150), any::<bool>())
            .prop_map(|(first, arrived, may_reach_back)| Push::Bitmap { first, arrived, may_reach_back }),
        (proptest::collection::vec(number(), 1..16), 0u8..16).prop_map(|(numbers, n)| Push::Mrw {
            beyond_window: false,
            numbers,
            n
        }),
        (number(), 0u8..16).prop_map(|(number, n)| Push::Mrw { numbers: [number].to_vec(), n, beyond_window: true }),
        (0u8..16, number()).prop_map(|(n, number)| Push::MrwAck { n, number }),
    ];
    proptest::collection::vec(one, 0..8)
}

/// How many half octets a super-field takes.
fn half_octets(said: &Said) -> usize {
    match said {
        Said::NoMore => 1,
        Said::Window(_) | Said::Ack(_) | Said::Poll(_) => 4,
        Said::Bitmap(bits) => 5 + bits.len() / 4,
        Said::Mrw { numbers, .. } => 3 + 3 * numbers.len(),
        Said::MrwAck { .. } => 5,
        Said::List(_) | Said::RelativeList(_) => unreachable!("as long as its runs are"),
    }
}

proptest! {
    #[test]
    fn what_is_put_in_is_read_out_and_fits(
        pushes in pushes(),
        limit in 1usize..80,
        ack in proptest::option::of(number()),
        pad in proptest::option::of(0usize..20),
    ) {
        let mut writer = StatusWriter::new(limit);
        prop_assert!(writer.is_empty());
        let keeps_room = ack.is_some() && writer.keep_room_for_ack();
        let mut expected: Vec<Said> = pushes.iter().filter_map(|what| push(&mut writer, what)).collect();
        prop_assert_eq!(writer.is_empty(), expected.is_empty());
        let end = ack.filter(|number| writer.push_ack(*number)).map_or(Said::NoMore, Said::Ack);
        prop_assert!(!keeps_room || end != Said::NoMore, "there was to be room for an ACK");
        expected.push(end);

        let piggybacked = writer.clone().finish_piggybacked();
        prop_assert!(piggybacked.len() <= limit);
        let octets = writer.finish(pad.map(|more| limit + more));
        prop_assert_eq!(octets.len(), pad.map_or(piggybacked.len(), |more| limit + more));
        prop_assert_eq!(status(&octets), Some(expected.clone()));

        let amd = [b"\x80\x01\x03\xfca", &piggybacked[..]].concat();
        let Some(AmPdu::Data(amd)) = am(&amd) else { panic!("an AMD PDU") };
        prop_assert_eq!(amd.status.as_ref().map(said), Some(expected));
    }

    /// Of a PDU that is cut, nothing reads but what fills it to the last bit.
    #[test]
    fn a_status_pdu_that_is_cut_short_is_refused_unless_it_is_cut_between_super_fields(pushes in pushes(), ack in number()) {
        let mut writer = StatusWriter::new(2000);
        let mut said: Vec<Said> = pushes
            .iter()
            .filter(|what| !matches!(what, Push::List(_) | Push::RelativeList(_)))
            .filter_map(|what| push(&mut writer, what))
            .collect();
        prop_assert!(writer.push_ack(ack));
        said.push(Said::Ack(ack));
        let octets = writer.finish(None);
        for length in 0..octets.len() {
            let mut left = (2 * length).saturating_sub(1);
            let mut whole = 0;
            while half_octets(&said[whole]) <= left {
                left -= half_octets(&said[whole]);
                whole += 1;
            }
            let expected = (left == 0 && length > 0).then(|| said[..whole].to_vec());
            prop_assert_eq!(status(&octets[..length]), expected);
        }
    }

    /// §9.2.2.11: nothing about a PDU at or above VR(H), nor below VR(R) but that it has arrived; §9.2.2.11.5: FSN.
    #[test]
    fn a_bitmap_tells_all_between_vr_r_and_vr_h_and_nothing_beyond(
        vr_r in number(),
        count in 0u16..160,
        lost in proptest::collection::btree_set(0u16..160, 0..160),
        may_reach_back: bool,
    ) {
        let received = |number: u16| !lost.contains(&(number.wrapping_sub(vr_r) & 0xfff));
        let mut writer = StatusWriter::new(100);
        let told = writer.push_bitmap(vr_r, count, may_reach_back, received);
        let most = if may_reach_back { count } else { count / 8 * 8 };
        prop_assert_eq!(told, most.min(128));
        let octets = writer.finish(None);
        let Some(AmPdu::Status(status)) = am(&octets) else { panic!("a STATUS PDU") };
        let Some(Sufi::Bitmap(bitmap)) = status.sufis().next() else {
            prop_assert_eq!(told, 0);
            return Ok(());
        };
        let ahead = |number: u16| (number.wrapping_sub(vr_r).wrapping_add(7) & 0xfff).checked_sub(7);
        prop_assert!(bitmap.all().all(|(number, _)| ahead(number).is_none_or(|ahead| ahead < told)));
        let said_missing: BTreeSet<_> = bitmap.missing().map(|number| ahead(number).expect("not below VR(R)")).collect();
        prop_assert_eq!(said_missing, lost.range(..told).copied().collect::<BTreeSet<_>>());
        let first_told = if may_reach_back { told.div_ceil(8) * 8 - told } else { 0 };
        prop_assert_eq!(bitmap.first, vr_r.wrapping_sub(first_told) & 0xfff);
    }

    /// Of the numbers that ascend none is left out while there is room for its pair, or for the four code words that it may take.
    #[test]
    fn lists_take_as_many_numbers_as_there_is_room_for(missing in missing(), limit in 4usize..60) {
        let mut writer = StatusWriter::new(limit);
        let told = writer.push_list(missing.iter().copied());
        prop_assert!(told > 0);
        if told < missing.len() && writer.clone().push_window(1) {
            let AmPdu::Status(status) = am(&writer.finish(None)).expect("right") else { panic!("no STATUS PDU") };
            let Some(Sufi::List(list)) = status.sufis().next() else { panic!("no LIST") };
            prop_assert_eq!(list.pairs().count(), 15);
        }
        let mut writer = StatusWriter::new(limit);
        let told = writer.push_relative_list(missing.iter().copied());
        prop_assert!(told > 0);
        if told < missing.len() && writer.clone().push_window(1) {
            let AmPdu::Status(status) = am(&writer.finish(None)).expect("right") else { panic!("no STATUS PDU") };
            let Some(Sufi::RelativeList(list)) = status.sufis().next() else { panic!("no RLIST") };
            prop_assert!(list.code_words().count() > 15 - 4);
        }
    }
}

#[test]
fn a_relative_list_tells_of_a_whole_window_that_is_lost() {
    let mut writer = StatusWriter::new(10);
    assert_eq!(writer.push_relative_list((100..4195).map(|number| number & 0xfff)), 4095);
    // Four code words for the length, one to say that it is one.
    assert_eq!(writer.finish(None), &b"\x05\x50\x64\x1c\xee\xf0"[..]);
}

#[test]
fn a_relative_list_without_room_for_all_of_a_burst_tells_of_its_beginning() {
    // Ten half octets: the PDU's type, five before the code words, three code words, the end.
    let mut writer = StatusWriter::new(5);
    assert_eq!(writer.push_relative_list(0..100), 1 + 0o77);
    assert_eq!(status(&writer.finish(None)), Some([Said::RelativeList((0..64).collect()), Said::NoMore].to_vec()));
}

#[test]
fn an_ack_stands_where_otherwise_only_the_end_would() {
    let mut writer = StatusWriter::new(5);
    assert!(writer.keep_room_for_ack());
    assert!(writer.push_window(8));
    assert!(!writer.push_window(8));
    assert!(writer.push_ack(9));
    assert!(!writer.push_ack(9) && !writer.push_window(8), "an ACK is the last");
    assert_eq!(status(&writer.finish(None)), Some([Said::Window(8), Said::Ack(9)].to_vec()));
    assert!(!StatusWriter::new(2).keep_room_for_ack());
}
