//! What is written is read.

use super::*;
use crate::wire::{LONG_REACH, MOST_RUNS_ALONE};
use arqway_contract::LineId;
use proptest::prelude::*;

fn forms() -> impl Strategy<Value = Form> {
    prop_oneof![Just(Form::Tiny), Just(Form::Short), Just(Form::Long)]
}

/// The low bits of a frame's number in this form, and of a transmission's.
fn low(form: Form, number: u64) -> u64 {
    number % if form == Form::Tiny { 256 } else { 2 * form.reach() }
}

fn low_counter(form: Form, counter: u64) -> u64 {
    counter % (2 * form.reach())
}

/// Runs that take at most so many octets, with so many zeros behind them.
fn some_runs(most: usize) -> impl Strategy<Value = (Runs, usize)> {
    (proptest::collection::vec(1u32..1 << 21, 0..MOST_RUNS_ALONE), 0..=most).prop_map(move |(numbers, octets)| {
        let mut runs = Runs::default();
        for number in numbers {
            runs.numbers.push(number);
            if runs.octets() > octets {
                runs.numbers.pop();
                break;
            }
        }
        (runs, octets)
    })
}

fn lateness() -> impl Strategy<Value = Lateness> {
    (0u64..4).prop_map(Lateness::from_bits)
}

proptest! {
    #[test]
    fn data_are_read_as_they_were_written(
        narrowest in forms(),
        (number, counter) in (0u64..1 << 40, 0u64..1 << 40),
        (starts, ends) in any::<(bool, bool)>(),
        link in prop_oneof![Just(0), 0u32..1 << 18],
        feedback in proptest::option::of((0u64..1 << 40, 0u64..1 << 40, lateness(), some_runs(6))),
        octets in proptest::collection::vec(any::<u8>(), 1..40),
        (is_linked, has_link) in any::<(bool, bool)>(),
    ) {
        let link = (is_linked && ends && has_link).then_some(link);
        let runs = feedback.as_ref().map(|(.., (_, octets))| *octets);
        let head = Head { narrowest, number: Number::new(number), starts, ends, link, feedback: runs };
        let form = head.form();
        let written = feedback
            .map(|(next, newest, lateness, (runs, _))| Feedback { form, next, newest, lateness, line: None, runs });
        let mut frame = head.frame(octets.clone().into());
        let size = frame.size();
        prop_assert_eq!(size.as_usize(), 1 + head.octets() + octets.len());
        head.write(&mut frame, Counter::new(counter), written.as_ref());
        prop_assert_eq!(frame.size(), size);
        let (number, counter, octets) = (low(form, number), low_counter(form, counter), octets.into());
        let cut = Cut { form, number, counter, starts, ends, link, octets };
        let mut read = written;
        if let Some(Feedback { next, newest, .. }) = &mut read {
            (*next, *newest) = (low(form, *next), low(form, *newest));
        }
        prop_assert_eq!(parse(received(&frame), is_linked), Some(Pdu::Data(cut, read)));
    }

    #[test]
    fn feedback_alone_is_read_as_it_was_written(
        form in prop_oneof![Just(Form::Short), Just(Form::Long)],
        (next, newest) in (0u64..1 << 40, 0u64..1 << 40),
        lateness in lateness(),
        (runs, octets) in some_runs(MOST_RUNS_ALONE),
        upward in any::<bool>(),
        line in 0u8..16,
    ) {
        let is_of_line = form == Form::Long && line < 8 && !runs.numbers.is_empty() && octets < MOST_RUNS_ALONE;
        let line = LineId::new(line).filter(|_| is_of_line);
        let runs = Runs { upward: upward && form == Form::Long && line.is_none(), ..runs };
        let octets = octets + usize::from(line.is_some());
        let written = Feedback { form, next, newest, lateness, line, runs };
        let read = Feedback { next: low(form, next), newest: low(form, newest), ..written.clone() };
        prop_assert_eq!(parse(received(&written.frame(octets, &mut BytesMut::new())), false), Some(Pdu::Feedback(read)));
    }

    #[test]
    fn pieces_polls_and_what_is_given_up_are_read_as_they_were_written(
        (number, counter) in (0u64..1 << 40, 0u64..1 << 40),
        (starts, ends, is_last) in any::<(bool, bool, bool)>(),
        link in 0u32..1 << 18,
        offset in any::<u16>(),
        count in 1..=4096u16,
        octets in proptest::collection::vec(any::<u8>(), 1..40),
        is_linked in any::<bool>(),
    ) {
        let link = (is_linked && ends).then_some(link);
        let head = Head { narrowest: Form::Short, number: Number::new(number), starts, ends, link, feedback: None };
        let with_counter = |mut frame: Frame| {
            wire::write_counter(&mut frame, Counter::new(counter));
            parse(received(&frame), is_linked)
        };
        let piece = with_counter(wire::piece(&head, offset.into(), is_last, octets.clone().into()));
        let (number, counter) = (low(Form::Long, number), low(Form::Long, counter));
        let cut = Cut { form: Form::Long, number, counter, starts, ends, link, octets: octets.into() };
        prop_assert_eq!(piece, Some(Pdu::Piece { cut, offset, is_last }));
        prop_assert_eq!(with_counter(wire::poll()), Some(Pdu::Poll { counter }));
        let given_up = with_counter(wire::given_up(head.number, starts, count));
        prop_assert_eq!(given_up, Some(Pdu::GivenUp { number, counter, starts, count }));
    }

    #[test]
    fn repair_frames_are_read_as_they_were_written(
        (first, counter) in (0u64..1 << 40, 0u64..1 << 40),
        (count, key) in (1..=512u16, 0u8..64),
        sum in proptest::collection::vec(any::<u8>(), 6..40),
    ) {
        let mut frame = wire::repair(Repair { first, counter: 0, count, key, sum: sum.clone().into() });
        wire::write_counter(&mut frame, Counter::new(counter));
        let (first, counter) = (low(Form::Long, first), low(Form::Long, counter));
        let read = Repair { first, counter, count, key, sum: sum.into() };
        prop_assert_eq!(parse(received(&frame), false), Some(Pdu::Repair(read)));
    }

    #[test]
    fn a_number_is_found_near_another_by_its_low_bits(form in forms(), base in 0u64..1 << 40, ahead in any::<u64>()) {
        let (reach, base) = (form.reach(), base + LONG_REACH);
        let least = if form == Form::Tiny { base - 192 } else { base - reach };
        let number = least + ahead % (base + reach - least);
        prop_assert_eq!(form.number_near(base, low(form, number)), number);
        let counter = base - reach + ahead % (2 * reach);
        prop_assert_eq!(form.counter_near(base - 1, low_counter(form, counter)), counter);
        prop_assert_eq!(form.from(base - reach, low_counter(form, counter)), counter);
    }

    #[test]
    fn any_octets_are_read_or_refused(kind in 0u8..8, octets in proptest::collection::vec(any::<u8>(), 0..30)) {
        for is_linked in [false, true] {
            let frame = Frame::from_wire(Tag::from_octet(kind), octets.clone().into());
            let _: Option<Pdu> = parse(frame, is_linked);
        }
    }
}
