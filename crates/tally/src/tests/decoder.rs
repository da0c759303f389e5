//! What follows from sums, against elimination with rows and columns.

use super::super::repair::decoder::Decoder;
use super::super::repair::symbol::Symbol;
use super::super::repair::{MOST_UNKNOWN, coefficient};
use super::super::wire::IN_SUM;
use super::*;
use crate::holes::Holes;
use alloc::collections::BTreeSet;
use alloc::vec;
use arqway_arq::linear::field;
use proptest::prelude::*;

/// A frame: as long as its number says, with marks and a link of its own.
fn cut_of(number: u64) -> Cut {
    let octets = (0..1 + number * 7 % 90).map(|place| (number * 31 + place) as u8).collect::<Vec<_>>();
    let (starts, ends) = (number.is_multiple_of(3), !number.is_multiple_of(2));
    let link = (ends && number.is_multiple_of(5)).then_some(number as u32);
    Cut { form: Form::Long, number: 0, counter: 0, starts, ends, link, octets: octets.into() }
}

fn sum_of(first: u64, count: u16, key: u8) -> Repair {
    let mut sum = vec![0; IN_SUM + 91];
    for number in first..first + u64::from(count) {
        let Cut { starts, ends, link, octets, .. } = cut_of(number);
        Symbol::new(starts, ends, link, octets).expect("short").add_to(&mut sum, coefficient(number, key));
    }
    Repair { first, counter: 0, count, key, sum: sum.into() }
}

/// Which frames follow from the sums that the decoder took: by elimination with rows and columns.
fn determined(sums: &[Repair], known: &BTreeSet<u64>) -> BTreeSet<u64> {
    let columns = 64;
    let row = |sum: &Repair| -> Vec<u8> {
        let is_in =
            |number: &u64| (sum.first..sum.first + u64::from(sum.count)).contains(number) && !known.contains(number);
        (0..columns).map(|number| if is_in(&number) { coefficient(number, sum.key) } else { 0 }).collect()
    };
    let mut rows: Vec<Vec<u8>> = sums.iter().map(row).collect();
    let mut done = 0;
    for column in 0..64 {
        let Some(pivot) = (done..rows.len()).find(|index| rows[*index][column] != 0) else { continue };
        rows.swap(done, pivot);
        let by = field::inverse(rows[done][column]);
        field::scale(&mut rows[done], by);
        let pivot = rows[done].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != done) {
            let times = row[column];
            field::add_scaled(row, times, &pivot);
        }
        done += 1;
    }
    let alone = rows.iter().filter(|row| row.iter().filter(|times| **times != 0).count() == 1);
    alone.map(|row| row.iter().position(|times| *times != 0).expect("one") as u64).collect()
}

#[test]
fn what_has_more_unknown_frames_than_are_worked_out_is_no_equation() {
    let (mut decoder, holes) = (Decoder::default(), Holes::default());
    assert_eq!(decoder.repair(&sum_of(0, 65, 1), &holes), None);
    assert_eq!(decoder.repair(&sum_of(0, 64, 1), &holes), Some(()));
}

#[test]
fn however_sums_overlap_no_equation_has_more_unknown_frames_than_are_worked_out() {
    let upward: Vec<u8> = (0..64).collect();
    let downward = upward.iter().rev().copied().collect();
    for order in [upward, downward] {
        let (mut decoder, holes) = (Decoder::default(), Holes::default());
        for key in order {
            decoder.repair(&sum_of(63 * u64::from(key), 64, key), &holes);
            assert!(decoder.most_unknown() <= MOST_UNKNOWN, "{}", decoder.most_unknown());
        }
    }
}

#[test]
fn as_many_equations_are_kept_as_frames_are_worked_out() {
    let (mut decoder, holes) = (Decoder::default(), Holes::default());
    let taken = (0..100).filter(|pair| decoder.repair(&sum_of(2 * pair, 2, 1), &holes).is_some()).count();
    assert_eq!(taken, MOST_UNKNOWN);
}

#[test]
fn equations_of_frames_that_will_not_come_leave_their_places_to_others() {
    let (mut decoder, mut holes) = (Decoder::default(), Holes::default());
    for number in (0..128).step_by(2) {
        assert_eq!(decoder.repair(&sum_of(number, 2, 1), &holes), Some(()));
    }
    assert_eq!(decoder.repair(&sum_of(200, 2, 1), &holes), None, "all places are taken");
    for number in 0..128 {
        holes.arrive(number);
        decoder.give_up(number);
    }
    assert_eq!(decoder.repair(&sum_of(200, 2, 1), &holes), Some(()));
}

proptest! {
    #[test]
    fn exactly_the_frames_that_follow_from_the_sums_are_worked_out_and_rightly(
        events in proptest::collection::vec((0u8..3, 0u64..48, 1u16..17), 1..80),
    ) {
        let (mut decoder, mut holes) = (Decoder::default(), Holes::default());
        // From the first sum on frames are kept.
        prop_assert_eq!(decoder.repair(&sum_of(0, 1, 0), &holes), Some(()));
        prop_assert_eq!(decoder.poll(true), Some((0, Some(cut_of(0)))));
        let (mut known, mut sums) = (BTreeSet::from([0]), Vec::new());
        holes.arrive(0);
        decoder.arrive(0, &cut_of(0));
        for (index, (kind, number, count)) in events.into_iter().enumerate() {
            if kind == 0 {
                let sum = sum_of(number, count, u8::try_from(index % 64).expect("few"));
                if decoder.repair(&sum, &holes).is_some() {
                    sums.push(sum);
                }
            } else if known.insert(number) {
                holes.arrive(number);
                decoder.arrive(number, &cut_of(number));
            }
            let expected = determined(&sums, &known);
            let mut found = BTreeSet::new();
            while let Some((number, cut)) = decoder.poll(true) {
                prop_assert_eq!(cut, Some(cut_of(number)));
                found.insert(number);
            }
            prop_assert_eq!(&found, &expected);
            for number in found {
                known.insert(number);
                holes.arrive(number);
                decoder.arrive(number, &cut_of(number));
            }
        }
    }
}
