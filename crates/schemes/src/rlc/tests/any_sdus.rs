//! Any SDUs in PDUs of any format, with gaps and discards.

use super::*;
use arqway_units::Octets;

/// PDUs small enough that every rule comes up often.
fn any_format() -> impl Strategy<Value = Format> {
    let mode = prop_oneof![
        any::<bool>().prop_map(|special_end| Mode::Acknowledged { special_end }),
        any::<(bool, bool)>().prop_map(|(alternative, marks_first)| Mode::Unacknowledged { alternative, marks_first }),
    ];
    let size = prop_oneof![Just(Seven), Just(Fifteen)];
    (mode, size, 4usize..40, any::<bool>(), any::<bool>()).prop_map(|(mode, size, room, fixed, few)| {
        let acknowledged = matches!(mode, Mode::Acknowledged { .. });
        let most_ends = if few && acknowledged { 15 } else { usize::MAX };
        Format { fixed, most_ends, ..format(mode, size, room) }
    })
}

/// Octets that tell one SDU from any other and its octets apart.
fn sdu(id: u64, octets: usize) -> Bytes {
    (0..octets as u64).map(|index| (id * 41 + index * 7) as u8).collect()
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Push(usize),
    Next,
    DiscardThrough(u64),
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let octets = prop_oneof![1usize..5, 1usize..40, 1usize..150];
    let step = prop_oneof![4 => octets.prop_map(Step::Push), 4 => Just(Step::Next), 1 => (0u64..4).prop_map(Step::DiscardThrough)];
    proptest::collection::vec(step, 0..60)
}

/// What a segment says of itself is what its octets say, read by what knows nothing of SDUs; and it has the right size.
fn check_segment(segment: &Segment, format: Format, fills: bool) {
    let contents = contents(segment, format);
    let told_before = contents
        .indicators()
        .filter(|it| matches!(it, LengthIndicator::PreviousFilled | LengthIndicator::PreviousOneShort));
    let ends: Vec<_> = contents
        .indicators()
        .filter_map(|it| if let LengthIndicator::End(at) = it { Some(at) } else { None })
        .collect();
    let sole = contents.ends_here()
        || contents.indicators().any(|it| matches!(it, LengthIndicator::Whole | LengthIndicator::WholeOneShort));
    let count = segment.ends.end - segment.ends.start;
    if !sole {
        assert_eq!(count, told_before.count() as u64 + ends.len() as u64, "{segment:?}");
        let last = ends.last().copied().unwrap_or(0);
        assert_eq!(segment.begins_after_end, count > 0 && contents.data.len() > usize::from(last));
    }
    let ids = segment.touches.clone();
    for within in [&segment.ends, &segment.last_octets, &segment.first_octets] {
        assert!(within.is_empty() || ids.contains(&within.start) && ids.contains(&(within.end - 1)), "{segment:?}");
    }
    let size = format.header + segment.body.len();
    assert!(if format.fixed { size == format.octets } else { size <= format.octets }, "{size} octets");
    let is_padded = segment.padding.is_some() && count < format.most_ends as u64;
    assert_eq!(is_padded, format.fixed && !fills, "padding exactly where nothing more could be added");
}

proptest! {
    #[test]
    fn every_sdu_comes_out_as_it_went_in_unless_it_was_discarded(format in any_format(), steps in any_steps()) {
        let (mut segmenter, mut reassembler) = (Segmenter::new(format), reassembler(format.mode));
        let (mut expected, mut delivered) = (Vec::new(), Vec::new());
        let (mut pushed, mut told, mut begun, mut ended) = (0, 0, 0, 0);
        for step in steps.into_iter().chain(core::iter::repeat_n(Step::Next, 2000)) {
            match step {
                Step::Push(octets) => {
                    expected.push(Some(sdu(pushed, octets)));
                    prop_assert_eq!(segmenter.push(sdu(pushed, octets)), pushed);
                    pushed += 1;
                }
                Step::Next => {
                    let fills = segmenter.fills_a_pdu();
                    let Some(segment) = segmenter.next(Octets::MAX) else {
                        prop_assert!(!segmenter.has_data() && !fills);
                        continue;
                    };
                    check_segment(&segment, format, fills);
                    prop_assert_eq!(segment.ends.start, told);
                    prop_assert_eq!((segment.first_octets.start, segment.last_octets.start), (begun, ended));
                    (told, begun, ended) = (segment.ends.end, segment.first_octets.end, segment.last_octets.end);
                    reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(sdu));
                }
                Step::DiscardThrough(ahead) => {
                    let through = told + ahead;
                    let gone = through.min(pushed.saturating_sub(1)) + 1;
                    let discarded = segmenter.discard_through(through);
                    prop_assert_eq!(discarded as u64, gone.saturating_sub(told).min(pushed - told));
                    for id in told..gone.min(pushed) {
                        expected[id as usize] = None;
                    }
                    if discarded > 0 {
                        told += discarded as u64;
                        (begun, ended) = (begun.max(told), ended.max(told));
                        reassembler.begin_after(0);
                    }
                }
            }
        }
        prop_assert_eq!(delivered, expected.into_iter().flatten().collect::<Vec<_>>());
    }

    /// With gaps, those SDUs come out of which nothing was lost; where no indicator says that an SDU begins with its PDU, only if the PDU before
    /// arrived as well.
    #[test]
    fn of_pdus_with_gaps_exactly_those_sdus_come_out_that_are_whole(
        format in any_format(),
        octets in proptest::collection::vec(prop_oneof![1usize..5, 1usize..150], 1..30),
        lost in proptest::collection::vec(proptest::bool::weighted(0.2), 1..40),
    ) {
        let (mut segmenter, mut reassembler) = (Segmenter::new(format), reassembler(format.mode));
        let all: Vec<_> = (0..).zip(&octets).map(|(id, octets)| sdu(id, *octets)).collect();
        all.iter().for_each(|sdu| { segmenter.push(sdu.clone()); });
        let mut delivered = Vec::new();
        let mut is_whole = alloc::vec![true; all.len()];
        let begins_are_told = !matches!(format.mode, AM | AM_SPECIAL | DOWN);
        let mut is_behind_gap = false;
        for (segment, lost) in core::iter::from_fn(|| segmenter.next(Octets::MAX)).zip(lost.into_iter().cycle()) {
            let told_before = contents(&segment, format).indicators().any(|it| matches!(it, LengthIndicator::PreviousFilled | LengthIndicator::PreviousOneShort));
            for id in segment.touches.clone() {
                let begins_untold = is_behind_gap && !begins_are_told && !told_before && id == *segment.touches.start();
                is_whole[id as usize] &= !lost && !begins_untold;
            }
            if lost { reassembler.lose() } else {
                reassembler.take(&contents(&segment, format), &mut |sdu| delivered.push(sdu));
            }
            is_behind_gap = lost;
        }
        let expected: Vec<_> = all.into_iter().zip(is_whole).filter(|(_, whole)| *whole).map(|(sdu, _)| sdu).collect();
        prop_assert_eq!(delivered, expected);
    }
}
