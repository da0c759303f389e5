//! Shares: what is given and what is measured comes to the whole of the link, and nobody gets nothing.

use super::super::rates::{Allocation, Measured, Meter, RateError, SetAside, Shares};
use alloc::string::ToString;
use alloc::vec::Vec;
use arqway_units::{BitRate, Octets, Ratio, Span, Time};
use proptest::prelude::*;

fn percents(shares: &Shares) -> Vec<f64> {
    (0..shares.parts().len()).map(|service| shares.of(service).expect("a share").as_f64() * 100.0).collect()
}

fn close(shares: &Shares, expected: &[f64]) {
    let percents = percents(shares);
    let is_close = percents.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 0.1);
    assert!(percents.len() == expected.len() && is_close, "{percents:?}");
}

fn given(services: usize, allocations: &[(usize, Allocation)], link: Option<BitRate>) -> Result<Shares, RateError> {
    SetAside::new(services, allocations, &[], link).map(|set_aside| set_aside.shares())
}

fn allocation(text: &str) -> Allocation {
    text.parse().expect(text)
}

#[test]
fn the_rates_of_the_classes_that_a_service_carries_are_added_up() {
    // The paper's own (Section VI): 1 Mbit/s of 5 for the media, the rest for TCP.
    let link = BitRate::from_bits_per_second(5_000_000);
    close(&given(2, &[(1, allocation("1 Mbit/s"))], link).expect("right"), &[80.0, 20.0]);
    let allocations = [(1, allocation("500 kbit/s")), (2, allocation("20 %")), (1, allocation("10 %"))];
    close(&given(3, &allocations, link).expect("right"), &[60.0, 20.0, 20.0]);
    close(&given(4, &[(1, allocation("40 %"))], None).expect("right"), &[20.0, 40.0, 20.0, 20.0]);
}

#[test]
fn a_service_for_which_nothing_is_left_does_not_starve() {
    let shares = given(2, &[(1, allocation("100 %"))], None).expect("right");
    assert!(shares.parts()[0] > 1000 && shares.parts()[1] > Shares::WHOLE / 100 * 99, "{shares:?}");
}

#[test]
fn where_all_amounts_are_zero_the_shares_are_equal() {
    assert_eq!(Shares::in_proportion(&[0; 3]), Shares::equal(3));
    close(&Shares::in_proportion(&[0, 1, 3]), &[0.1, 25.0, 74.9]);
}

#[test]
fn rates_that_the_link_has_not_got_are_refused() {
    let too_much =
        given(2, &[(0, allocation("60 %")), (1, allocation("3 Mbit/s"))], BitRate::from_bits_per_second(5_000_000));
    let too_much = too_much.expect_err("120 %").to_string();
    assert_eq!(too_much, "the rates of all classes add up to 120.0 % of the link; expected at most 100 %");
    let unknown = given(2, &[(1, allocation("1 Mbit/s"))], None).expect_err("of what?").to_string();
    assert!(unknown.starts_with("a rate of 1 Mbit/s on a link whose own rate is unknown"), "{unknown}");
}

#[test]
fn an_allocation_prints_as_it_is_read_and_anything_else_is_refused() {
    for text in ["1 Mbit/s", "20 %"] {
        assert_eq!(allocation(text).to_string(), text);
    }
    for text in ["1", "120 %", "0 bit/s", "fast"] {
        let error = text.parse::<Allocation>().expect_err(text).to_string();
        assert!(
            error.ends_with("expected a rate such as \"1 Mbit/s\", or a share of the link such as \"20 %\""),
            "{error}"
        );
    }
}

#[test]
fn an_interval_in_which_nothing_was_seen_changes_nothing() {
    let mut meter = Meter::new(Measured { floor: Ratio::ZERO, ..Measured::default() }, 2);
    let mut shares = Shares::equal(2);
    let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
    assert!(!meter.update(&mut shares, at(0)));
    meter.count(0, Octets::new(300));
    meter.count(1, Octets::new(100));
    assert!(meter.update(&mut shares, at(1000)));
    close(&shares, &[75.0, 25.0]);
    assert!(!meter.update(&mut shares, at(7500)));
    close(&shares, &[75.0, 25.0]);
    // The intervals are where they would have been.
    meter.count(1, Octets::new(100));
    assert!(!meter.update(&mut shares, at(7999)));
    assert!(meter.update(&mut shares, at(8000)));
    close(&shares, &[0.0, 100.0]);
}

proptest! {
    #[test]
    fn measured_shares_come_to_the_whole_and_keep_the_floor_and_the_proportions(
        octets in proptest::collection::vec(prop_oneof![1 => Just(0u64), 3 => 0u64..1 << 40], 1..32), floor in 0.0..0.5f64,
    ) {
        let settings = Measured { floor: Ratio::new(floor).expect("a share"), ..Measured::default() };
        let (mut meter, mut shares) = (Meter::new(settings, octets.len()), Shares::equal(octets.len()));
        meter.update(&mut shares, Time::ZERO);
        for (service, octets) in octets.iter().enumerate() {
            meter.count(service, Octets::new(*octets));
        }
        let total: u64 = octets.iter().sum();
        prop_assert_eq!(meter.update(&mut shares, Time::ZERO + Span::from_milliseconds(1000)), total > 0);
        prop_assert_eq!(shares.parts().iter().sum::<u32>(), Shares::WHOLE);
        if total > 0 {
            let count = octets.len() as f64;
            let floor = floor.min(1.0 / count);
            for (service, octets) in octets.iter().enumerate() {
                let share = shares.of(service).expect("a share").as_f64();
                let expected = floor + (1.0 - count * floor) * *octets as f64 / total as f64;
                prop_assert!((share - expected).abs() < 4e-5, "{} instead of {}", share, expected);
            }
        }
    }
}
