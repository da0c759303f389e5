//! Scripted exchanges: what one end answers to what it is told, in time order. Then any order of arrival.

use super::*;
use crate::rlc::pdu::{LengthIndicator, Umd, parse_um};
use crate::rlc::segmentation::Segmenter;
use crate::script::Script;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_contract::{Bounded, End, LinkService, LinkState, Packet, Service, Tag};
use arqway_units::{Span, Time};
use bytes::Bytes;
use core::num::NonZeroUsize;
use proptest::prelude::*;
use std::format;

/// PDUs of nine octets, eight of them behind the header.
fn config() -> Config {
    Config {
        pdu_size: UmdSize::new(9).expect("a size"),
        flexible_pdu_size: false,
        alternative_e_bit: false,
        ..Config::default()
    }
}

fn end_of(side: Side, change: impl FnOnce(&mut Config)) -> Script<End<UnacknowledgedMode>> {
    let mut config = config();
    change(&mut config);
    let describe =
        if config.alternative_e_bit { |frame| describe(frame, true) } else { |frame| describe(frame, false) };
    Script::new(config.build(&side.into()), describe)
}

/// The access point, whose PDUs have no LI for the beginning of an SDU.
fn end(change: impl FnOnce(&mut Config)) -> Script<End<UnacknowledgedMode>> {
    end_of(Side::AccessPoint, change)
}

/// A PDU by its number, its indicators and the letters in it: `3: 2 aabbb`.
fn describe(frame: Frame, alternative_e_bit: bool) -> String {
    let size = LengthIndicatorSize::for_umd(frame.remaining());
    let Umd { number, contents } = parse_um(frame, size, alternative_e_bit).expect("our own frames can be read");
    let mut text = format!("{number}:");
    for indicator in contents.indicators() {
        text += &match indicator {
            LengthIndicator::End(end) => format!(" {end}"),
            other => format!(" {other:?}").to_lowercase().replace("previousfilled", "filled"),
        };
    }
    text + " " + core::str::from_utf8(&contents.data).expect("letters")
}

/// SDUs of a letter, so many times: `a10 b3`.
fn give(end: &mut Script<End<UnacknowledgedMode>>, sdus: &str) {
    for sdu in sdus.split_whitespace() {
        let (letter, octets) = sdu.split_at(1);
        let octets = letter.repeat(octets.parse().expect("a number"));
        end.service.handle_packet(Packet::new(octets.into_bytes()), end.now).expect("room for a packet");
    }
}

/// The octets of a PDU with 7-bit indicators of these values.
fn pdu(number: u8, indicators: &[u8], data: &str) -> Vec<u8> {
    let mut octets = alloc::vec![number << 1 | u8::from(!indicators.is_empty())];
    for (index, value) in indicators.iter().enumerate() {
        octets.push(value << 1 | u8::from(index + 1 < indicators.len()));
    }
    octets.extend(data.bytes());
    octets
}

const FILLED: u8 = 0;
const FIRST: u8 = 124;
const MIDDLE: u8 = 126;
const PADDING: u8 = 127;

fn window<const LEAST: u16, const MOST: u16>(numbers: u16) -> Bounded<LEAST, MOST> {
    Bounded::new(numbers).expect("within its bounds")
}

#[test]
fn sdus_go_out_in_numbered_pdus_and_nothing_is_sent_again() {
    let mut end = end(|_| ());
    give(&mut end, "a10 b3 c8");
    end.expect("0: aaaaaaaa, 1: 2 5 aabbbc, 2: 7 ccccccc");
    for number in 3..300 {
        give(&mut end, "x5");
        end.expect(&format!("{}: 5 xxxxx", number % 128));
    }
    end.at(100_000).expect("");
}

#[test]
fn on_the_uplink_an_sdu_that_begins_with_its_pdu_is_marked() {
    let mut end = end_of(Side::Client, |_| ());
    give(&mut end, "a9 b2");
    end.expect("0: first aaaaaaa, 1: 2 4 aabb");
}

#[test]
fn each_direction_has_its_own_size_and_indicators() {
    let config = Config { uplink_pdu_size: UmdSize::new(126), ..config() };
    for (side, other, octets) in [(Side::AccessPoint, Side::Client, 9), (Side::Client, Side::AccessPoint, 126)] {
        let [mut from, mut to] = [side, other].map(|side| config.build(&side.into()));
        from.handle_packet(Packet::new("a packet of more than eight octets"), Time::ZERO).expect("room");
        while let Some(frame) = from.poll_frame(Time::ZERO, Octets::MAX) {
            assert_eq!(frame.head.len() + frame.body.len(), octets);
            to.handle_frame(frame, Time::ZERO);
        }
        assert_eq!(to.poll_packet(), Some(Packet::new("a packet of more than eight octets")));
    }
}

#[test]
fn a_pdu_that_is_not_full_waits_for_the_next_sdu_as_long_as_is_set() {
    let mut end = end(|config| config.wait_to_fill = Span::from_milliseconds(20));
    give(&mut end, "a3");
    end.expect("").at(10);
    give(&mut end, "b2");
    end.expect("").at(19).expect("").at(20).expect("0: 3 5 aaabb").at(30);
    assert_eq!(end.deadline(), None);
    // A full one waits for nothing, and what it leaves has a wait of its own.
    give(&mut end, "c3 d6");
    end.expect("1: 3 cccdddd");
    assert_eq!(end.deadline(), Some(50));
    end.at(50).expect("2: 2 dd");
}

#[test]
fn an_sdu_that_has_waited_too_long_is_dropped_and_the_number_left_out_drops_what_the_peer_has_of_it() {
    let mut end = end(|config| config.discard_after = Some(Span::from_milliseconds(50)));
    give(&mut end, "a20");
    let begun = end.hand_over();
    end.at(10);
    give(&mut end, "b3");
    end.at(50).expect("2: filled 3 bbb");
    assert_eq!((describe(begun, false).as_str(), end.counters().packets_discarded), ("0: aaaaaaaa", 1));
    let mut peer = end_of(Side::Client, |_| ());
    peer.peer(0, &pdu(0, &[], "aaaaaaaa")).peer(0, &pdu(2, &[FILLED, 3, PADDING], "bbb..")).expect("deliver b");
}

#[test]
fn an_sdu_of_which_nothing_was_sent_is_dropped_without_a_trace() {
    let mut end = end(|config| config.discard_after = Some(Span::from_milliseconds(50)));
    give(&mut end, "a8 b3");
    // a fills its PDU, and the next one is to say so.
    end.hand_over();
    end.at(40);
    give(&mut end, "c3");
    end.at(50).expect("1: filled 3 ccc").at(9000).expect("");
    assert_eq!(end.counters().packets_discarded, 1);
}

#[test]
fn by_the_alternative_e_bit_a_whole_sdu_after_a_discard_needs_no_indicator() {
    for (next, expected) in [("b8", "2: bbbbbbbb"), ("b7", "2: filled bbbbbbb, 3: filled ")] {
        let mut end = end(|config| {
            config.alternative_e_bit = true;
            config.discard_after = Some(Span::from_milliseconds(50));
        });
        give(&mut end, "a20");
        end.hand_over();
        end.at(50);
        give(&mut end, next);
        end.expect(expected);
    }
}

#[test]
fn a_full_buffer_hands_back_or_discards_what_has_waited_longest() {
    let mut refusing = end(|config| config.buffer = NonZeroUsize::MIN);
    give(&mut refusing, "a3");
    assert!(refusing.service.handle_packet(Packet::new("b"), refusing.now).is_err());
    let mut discarding = end(|config| {
        config.buffer = NonZeroUsize::MIN;
        config.when_full = WhenFull::DiscardOldest;
    });
    give(&mut discarding, "a3 b3 c20");
    let begun = discarding.hand_over();
    give(&mut discarding, "d3");
    discarding.expect("2: filled 3 ddd");
    assert_eq!((describe(begun, false).as_str(), discarding.counters().packets_discarded), ("0: cccccccc", 3));
}

#[test]
fn timers_freeze_while_the_link_is_down() {
    let mut end = end(|config| {
        config.wait_to_fill = Span::from_milliseconds(20);
        config.reception = Reception::Reordering { window: window(8), timer: Span::from_milliseconds(30) };
    });
    give(&mut end, "a3");
    end.peer(0, &pdu(0, &[3, PADDING], "xxx...")).at(10).link(LinkState::Down);
    assert_eq!(end.deadline(), None);
    end.at(5000).link(LinkState::Up).expect("");
    assert_eq!(end.deadline(), Some(5010));
    end.at(5010).expect("0: 3 aaa");
    assert_eq!(end.deadline(), Some(5020));
    end.at(5020).expect("deliver x");
}

#[test]
fn what_waits_grows_older_while_the_link_is_down() {
    let mut end = end(|config| config.discard_after = Some(Span::from_milliseconds(50)));
    give(&mut end, "a3");
    end.at(10).link(LinkState::Down).at(49);
    give(&mut end, "b3");
    end.at(90).link(LinkState::Up);
    assert_eq!((end.counters().packets_discarded, end.deadline()), (1, Some(99)));
    end.expect("0: 3 bbb");
}

#[test]
fn a_gap_costs_what_has_something_in_it() {
    let mut end = end(|_| ());
    end.peer(0, &pdu(0, &[3], "aaabbbb")).expect("deliver a");
    // b ended in number 1, or goes on here: nobody knows whose the first octets are.
    end.peer(0, &pdu(2, &[2], "ccddddd")).expect("").peer(0, &pdu(3, &[1], "deeeeee")).expect("deliver d");
    // On the uplink an indicator tells.
    end.peer(0, &pdu(5, &[FIRST, 2, PADDING], "ff...")).expect("deliver f");
    assert_eq!(end.counters().frames_abandoned, 2);
}

#[test]
fn the_middle_of_an_sdu_is_worth_nothing_without_its_beginning() {
    let mut end = end(|config| config.alternative_e_bit = true);
    end.peer(0, &pdu(0, &[MIDDLE], "xxxxxxx")).peer(0, &pdu(1, &[1, PADDING], "x.....")).expect("");
    end.peer(0, &pdu(2, &[], "aaaaaaaa")).expect("deliver a");
}

#[test]
fn numbers_come_round() {
    let mut end = end(|_| ());
    for number in 0..=127 {
        end.peer(0, &pdu(number, &[5, PADDING], "aaaaa")).expect("deliver a");
    }
    end.peer(0, &pdu(0, &[5, PADDING], "bbbbb")).expect("deliver b");
    assert_eq!(end.counters().frames_abandoned, 0);
}

#[test]
fn a_window_keeps_out_what_comes_late() {
    let mut end = end(|config| config.reception = Reception::Windowed { window: window(64) });
    end.peer(0, &pdu(0, &[3], "aaabbbb")).peer(0, &pdu(0, &[3], "aaabbbb")).expect("deliver a");
    end.peer(0, &pdu(1, &[1, PADDING], "b....")).expect("deliver b");
    assert_eq!((end.counters().out_of_sequence_received, end.counters().frames_abandoned), (1, 0));
    end.peer(0, &pdu(65, &[3, PADDING], "ccc..")).peer(0, &pdu(66, &[3, PADDING], "ddd..")).expect("deliver d");
    end.peer(0, &pdu(3, &[3, PADDING], "eee..")).expect("");
    assert_eq!(end.counters().out_of_sequence_received, 2);
}

#[test]
fn what_cannot_be_decoded_is_counted_and_changes_nothing() {
    let mut end = end(|_| ());
    for octets in [&[][..], &[0], &[1], &[1, 9 << 1], &[1, 4 << 1 | 1, 3 << 1, 0, 0, 0, 0], &[1, 125 << 1 | 1, 254, 0]]
    {
        end.peer(0, octets);
    }
    end.peer(1, &pdu(0, &[], "aaaaaaaa")).expect("").peer(0, &pdu(0, &[3, PADDING], "aaa..")).expect("deliver a");
    assert_eq!(end.counters().malformed_received, 7);
}

#[test]
fn an_sdu_that_never_ends_is_dropped_and_counted() {
    let config = Config { flexible_pdu_size: true, pdu_size: UmdSize::new(1504).expect("a size"), ..config() };
    let mut end = config.build(&Side::Client.into());
    for number in 0..50 {
        let mut octets = alloc::vec![b'a'; 1504];
        octets[0] = number << 1;
        end.handle_frame(Frame::from_wire(Tag::of_kind(pdu::KIND), octets.into()), Time::ZERO);
    }
    assert_eq!((end.poll_packet(), end.counters().malformed_received), (None, 1));
}

/// A PDU of one SDU, which tells where it begins.
fn sole(number: u8, letter: &str) -> Vec<u8> {
    pdu(number, &[FIRST, 5, PADDING], &letter.repeat(5))
}

fn reordering(numbers: u16) -> Script<End<UnacknowledgedMode>> {
    end(|config| {
        config.reception = Reception::Reordering { window: window(numbers), timer: Span::from_milliseconds(100) };
    })
}

#[test]
fn reordering_holds_what_comes_too_early_and_drops_what_comes_again() {
    let mut end = reordering(4);
    // Of the first one nobody knows how many are before it.
    end.at(0).peer(0, &sole(0, "a")).expect("").at(100).expect("deliver a");
    end.peer(0, &sole(2, "c")).peer(0, &sole(2, "c")).peer(0, &sole(0, "a")).expect("");
    end.peer(0, &sole(1, "b")).expect("deliver bc").peer(0, &sole(1, "b")).expect("");
    assert_eq!((end.counters().duplicates_received, end.counters().frames_abandoned), (3, 0));
    assert_eq!(end.deadline(), None);
}

#[test]
fn reordering_waits_as_long_as_its_timer_for_the_newest_that_was_there() {
    let mut end = reordering(8);
    end.at(0).peer(0, &sole(0, "a")).at(100).expect("deliver a");
    // 2 starts the timer; 4 comes while it runs, and has its own afterwards.
    end.at(110).peer(0, &sole(2, "c")).at(150).peer(0, &sole(4, "e")).expect("");
    assert_eq!(end.deadline(), Some(210));
    end.at(210).expect("deliver c");
    assert_eq!(end.deadline(), Some(310));
    end.at(300).peer(0, &sole(1, "b")).expect("").peer(0, &sole(3, "d")).expect("deliver de");
    assert_eq!((end.deadline(), end.counters().duplicates_received), (None, 1));
}

#[test]
fn reordering_stops_its_timer_when_what_it_was_for_has_gone_on() {
    let mut end = reordering(8);
    end.at(0).peer(0, &sole(0, "a")).at(100).expect("deliver a");
    end.at(110).peer(0, &sole(2, "c")).peer(0, &sole(5, "f")).at(120).peer(0, &sole(1, "b")).expect("deliver bc");
    // Now it is for 5.
    assert_eq!(end.deadline(), Some(220));
}

#[test]
fn a_window_that_moves_pushes_out_what_it_leaves_behind() {
    let mut end = reordering(4);
    end.at(0).peer(0, &sole(0, "a")).at(100).expect("deliver a");
    end.peer(0, &sole(2, "c")).peer(0, &sole(6, "g")).expect("deliver c");
    end.peer(0, &sole(3, "d")).expect("deliver d");
    // Number 1 is too late: it passes for one far ahead, and pushes out all.
    end.peer(0, &sole(1, "b")).expect("deliver g");
}

fn any_order(numbers: u16) -> Script<End<UnacknowledgedMode>> {
    end(|config| {
        config.reception = Reception::OutOfSequence { window: window(numbers), timer: Span::from_milliseconds(100) };
    })
}

#[test]
fn out_of_sequence_an_sdu_is_delivered_when_all_of_it_is_there() {
    let mut end = any_order(8);
    end.peer(0, &pdu(3, &[2, 4], "bbccdd")).expect("deliver c").peer(0, &pdu(1, &[3], "aaabbbb")).expect("");
    end.peer(0, &pdu(2, &[], "bbbbbbbb")).expect("deliver b").peer(0, &pdu(0, &[], "aaaaaaaa")).expect("deliver a");
    end.peer(0, &pdu(4, &[FILLED, PADDING], "......")).expect("deliver d");
    end.peer(0, &pdu(3, &[2, 4], "bbccdd")).peer(0, &pdu(4, &[FILLED, PADDING], "......")).expect("");
    assert_eq!(end.counters().duplicates_received, 2);
}

#[test]
fn out_of_sequence_what_is_not_complete_in_time_is_dropped() {
    let mut end = any_order(8);
    end.at(0).peer(0, &pdu(1, &[3], "aaabbbb")).at(50).peer(0, &pdu(2, &[], "bbbbbbbb"));
    assert_eq!(end.deadline(), Some(150));
    end.at(150).peer(0, &pdu(3, &[1, 5], "bcccc")).expect("deliver c");
    assert_eq!(end.deadline(), Some(250));
}

#[test]
fn out_of_sequence_what_the_window_has_passed_is_dropped() {
    let mut end = any_order(4);
    end.peer(0, &pdu(0, &[3], "aaabbbb")).expect("deliver a").peer(0, &pdu(4, &[3, PADDING], "ccc.."));
    // b began in number 0, which has no place any more.
    end.peer(0, &pdu(1, &[1, 5], "bdddd")).expect("deliver d").peer(0, &pdu(0, &[3], "aaabbbb")).expect("");
}

/// A PDU, which SDUs have something in it, and whether it needs the PDU before to know that its first octet begins one.
struct Made {
    pdu: Umd,
    touches: core::ops::RangeInclusive<usize>,
    needs_one_before: bool,
}

fn sdu(id: usize, octets: usize) -> Bytes {
    (0..octets).map(|index| (id * 41 + index * 7) as u8).collect()
}

fn make(config: &Config, side: Side, octets: &[usize]) -> Vec<Made> {
    let format = config.format(side);
    let mut segmenter = Segmenter::new(format);
    octets.iter().enumerate().for_each(|(id, octets)| _ = segmenter.push(sdu(id, *octets)));
    let segments = core::iter::from_fn(|| segmenter.next(Octets::MAX));
    let made = segments.enumerate().map(|(number, segment)| {
        let has_indicator = segment.extension == pdu::HeaderExtension::Indicator;
        let head = pdu::umd_head((number % 128) as u8, has_indicator);
        let frame = Frame::new(pdu::KIND, &head, segment.body.clone());
        let pdu = parse_um(frame, format.size, config.alternative_e_bit).expect("our own frames can be read");
        let is_told = pdu.contents.ends_here()
            || pdu
                .contents
                .indicators()
                .next()
                .is_some_and(|it| !matches!(it, LengthIndicator::End(_) | LengthIndicator::Middle));
        let (first, last) = segment.touches.into_inner();
        Made { pdu, touches: first as usize..=last as usize, needs_one_before: !is_told && number > 0 }
    });
    made.collect()
}

fn any_config() -> impl Strategy<Value = (Config, Side)> {
    let size = prop_oneof![8u16..40, 126u16..160];
    (size, any::<[bool; 3]>()).prop_map(|(size, [flexible_pdu_size, alternative_e_bit, is_client])| {
        let config =
            Config { pdu_size: UmdSize::new(size).expect("a size"), flexible_pdu_size, alternative_e_bit, ..config() };
        (config, if is_client { Side::Client } else { Side::AccessPoint })
    })
}

fn receiver(config: &Config, reception: Reception) -> Receiver {
    Receiver::new(&Config { reception, ..config.clone() })
}

fn received(receiver: &mut Receiver) -> Vec<Bytes> {
    core::iter::from_fn(|| receiver.poll_packet()).collect()
}

const TIMER: Span = Span::from_milliseconds(100);

proptest! {
    /// Whatever is lost, comes twice or comes late within the window, just those SDUs come out of which all is there, each once.
    #[test]
    fn out_of_sequence_exactly_what_is_whole_comes_out_once(
        (config, side) in any_config(),
        octets in proptest::collection::vec(1usize..60, 1..12),
        order in proptest::collection::vec((0usize..60, any::<bool>()), 0..200),
    ) {
        let made = make(&config, side, &octets);
        prop_assume!(made.len() < 60);
        let mut receiver = receiver(&config, Reception::OutOfSequence { window: window(64), timer: TIMER });
        let mut has_come = alloc::vec![false; made.len()];
        let mut delivered = Vec::new();
        // A few are sure to be there, so that long SDUs become whole at all.
        let most = order.iter().map(|(index, _)| index % made.len()).chain((0..made.len()).filter(|index| index % 7 != 3));
        for index in most {
            has_come[index] = true;
            receiver.take(made[index].pdu.clone(), Time::ZERO, &mut Counters::default());
            delivered.append(&mut received(&mut receiver));
        }
        let mut is_whole = alloc::vec![true; octets.len()];
        for (index, made) in made.iter().enumerate() {
            for id in made.touches.clone() {
                let lacks_one_before = made.needs_one_before && !has_come[index - 1] && id == *made.touches.start();
                is_whole[id] &= has_come[index] && !lacks_one_before;
            }
        }
        let mut expected: Vec<_> =
            (0..).zip(&octets).zip(is_whole).filter(|(_, whole)| *whole).map(|((id, octets), _)| sdu(id, *octets)).collect();
        expected.sort();
        delivered.sort();
        prop_assert_eq!(delivered, expected);
    }
}
