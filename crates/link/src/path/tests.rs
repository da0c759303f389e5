//! Composition in closed form; that no link promises what it has not got; that a refusal, and a release, leave no trace.

use super::*;
use crate::metrics::ServiceMetrics;
use crate::mux::{Config, Mux, Scfq, SchedulerConfig, Shares};
use crate::registry::ServiceConfig;
use alloc::string::ToString;
use alloc::vec;
use arqway_contract::Side;
use arqway_ip::{FlowLabel, Protocol};
use arqway_units::{Ratio, Span};
use proptest::prelude::*;

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a share")
}

fn rate(bits: u64) -> BitRate {
    BitRate::from_bits_per_second(bits).expect("not zero")
}

fn metrics(goodput: f64, loss: f64, milliseconds: u64) -> ServiceMetrics {
    ServiceMetrics { goodput: ratio(goodput), loss: ratio(loss), delay: Span::from_milliseconds(milliseconds) }
}

fn flow(number: u32) -> FlowId {
    let (source, destination) = ([0; 16].into(), [1; 16].into());
    FlowId::Label { label: FlowLabel::new(number).expect("twenty bits"), source, destination }
}

fn advertise<H: Hop>(path: &[H]) -> Advertisement {
    let mut advertisement = Advertisement::default();
    for link in path {
        advertisement.pass(&link.offers());
    }
    advertisement
}

#[test]
fn losses_compose_delays_add_up_and_the_narrowest_link_tells_the_rate() {
    let path = [
        Ledger::new(rate(1_000_000), Ratio::ZERO, &[Some(metrics(0.8, 0.1, 5))]),
        Ledger::new(rate(1_000_000), Ratio::ZERO, &[Some(metrics(0.5, 0.2, 7))]),
    ];
    let advertisement = advertise(&path);
    let [choice] = advertisement.choices() else { panic!("one service a link, one choice") };
    assert!((choice.loss().as_f64() - 0.28).abs() < 1e-12);
    assert_eq!(choice.delay(), Span::from_milliseconds(12));
    // The first delivers 720,000, of which 576,000 arrive; the second 400,000.
    assert!(choice.carries().expect("something").as_bits_per_second().abs_diff(400_000) <= 1);
    let rates = choice.rates(rate(360_000)).into_iter().map(|(_, rate)| rate.expect("a rate").as_bits_per_second());
    // Behind the second 360,000: 900,000 on it; of the first's 450,000 it loses a fifth: 450,000 / 0.72 on that.
    assert_eq!(rates.collect::<Vec<_>>(), [625_000, 900_000]);
}

#[test]
fn the_fastest_choice_is_taken_whose_loss_can_be_borne() {
    let services = [Some(metrics(1.0, 0.05, 1)), Some(metrics(0.9, 0.01, 4)), Some(metrics(0.8, 0.0, 20)), None];
    let path = [Ledger::new(rate(1_000_000), Ratio::ZERO, &services)];
    let choose = |loss, delay: Option<u64>, bits| {
        let needs = Needs { rate: rate(bits), loss: ratio(loss), delay: delay.map(Span::from_milliseconds) };
        advertise(&path).choose(&needs).map(|choice| choice.services().next().expect("one link").index())
    };
    assert_eq!(choose(0.1, None, 1000), Ok(0));
    assert_eq!(choose(0.01, None, 1000), Ok(1));
    assert_eq!(choose(0.0, None, 1000), Ok(2));
    assert_eq!(choose(0.0, Some(10), 1000), Err(Unmet::Delay(Span::from_milliseconds(20))));
    assert_eq!(choose(0.0, Some(20), 900_000), Err(Unmet::Rate(800_000)));
    let lossy = [Ledger::new(rate(1000), Ratio::ZERO, &[Some(metrics(1.0, 0.05, 1))])];
    let needs = Needs { rate: rate(1), loss: ratio(0.01), delay: None };
    let error = advertise(&lossy).choose(&needs).map(|_| ()).expect_err("5 %").to_string();
    assert_eq!(error, "the path loses 5 % at best");
}

fn service() -> impl Strategy<Value = Option<ServiceMetrics>> {
    proptest::option::weighted(
        0.9,
        (0.1..1.0f64, 0.0..0.5f64, 0u64..50).prop_map(|(goodput, loss, delay)| metrics(goodput, loss, delay)),
    )
}

fn path() -> impl Strategy<Value = Vec<Ledger>> {
    let link = (10_000u64..1_000_000, 0.0..0.5f64, proptest::collection::vec(service(), 1..4));
    proptest::collection::vec(
        link.prop_map(|(bits, free, services)| Ledger::new(rate(bits), ratio(free), &services)),
        1..5,
    )
}

#[derive(Debug, Clone)]
enum Step {
    Reserve(u32, u64, f64),
    Release(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let reserve =
        (0u32..12, 1_000u64..200_000, 0.0..1.0f64).prop_map(|(flow, rate, loss)| Step::Reserve(flow, rate, loss));
    proptest::collection::vec(prop_oneof![3 => reserve, 1 => (0u32..12).prop_map(Step::Release)], 1..60)
}

type Reservations = Vec<Option<(ServiceId, BitRate)>>;

/// All that can be seen of a ledger.
fn state(path: &[Ledger]) -> Vec<(u64, Reservations)> {
    path.iter().map(|link| (link.reserved(), (0..12).map(|number| link.reservation(&flow(number))).collect())).collect()
}

proptest! {
    #[test]
    fn no_link_promises_what_it_has_not_got_and_a_refusal_leaves_no_trace(mut path in path(), steps in steps()) {
        let empty = state(&path);
        let most = |link: &Ledger| link.offers().iter().map(|offer| offer.available).collect::<Vec<_>>();
        let at_most: Vec<_> = path.iter().map(most).collect();
        for step in steps {
            match step {
                Step::Reserve(number, bits, loss) => {
                    let needs = Needs { rate: rate(bits), loss: ratio(loss), delay: None };
                    // An advertisement that is older than the last reservation may promise too much.
                    let stale = Needs { rate: rate(1), ..needs };
                    let advertisement = advertise(&path);
                    let Ok(choice) = advertisement.choose(&stale) else { continue };
                    let before = state(&path);
                    match reserve(&mut path, &flow(number), choice, needs.rate) {
                        Ok(()) => prop_assert!(path.iter().all(|link| link.reservation(&flow(number)).is_some())),
                        Err(_) => prop_assert_eq!(state(&path), before),
                    }
                }
                Step::Release(number) => {
                    path.iter_mut().for_each(|link| { link.release(&flow(number)); });
                }
            }
            for (link, at_most) in path.iter().zip(&at_most) {
                let sum: u64 = (0..12).filter_map(|number| link.reservation(&flow(number))).map(|(_, rate)| rate.as_bits_per_second()).sum();
                prop_assert_eq!(link.reserved(), sum);
                prop_assert!(at_most.iter().all(|most| sum <= *most));
                prop_assert_eq!(most(link), at_most.iter().map(|most| most - sum).collect::<Vec<_>>());
            }
        }
        for number in 0..12 {
            path.iter_mut().for_each(|link| { link.release(&flow(number)); });
        }
        prop_assert_eq!(state(&path), empty);
    }

    #[test]
    fn what_is_advertised_can_be_reserved(mut path in path(), bits in 100u64..500_000, loss in 0.0..1.0f64) {
        let needs = Needs { rate: rate(bits), loss: ratio(loss), delay: None };
        let advertisement = advertise(&path);
        if let Ok(choice) = advertisement.choose(&needs) {
            // What rounding to whole bits may add to what is needed is less than what it took from what is promised.
            let refused = reserve(&mut path, &flow(0), choice, needs.rate).err();
            prop_assert!(refused.is_none(), "{refused:?} of {choice:?}");
        }
    }
}

/// A tag tells no more services apart, and a ledger may be given metrics of any number.
#[test]
fn services_that_no_tag_can_name_are_not_offered() {
    for services in [31, 32, 33, 255, 256, 1000] {
        let ledger = Ledger::new(rate(1000), Ratio::ZERO, &vec![Some(metrics(1.0, 0.0, 1)); services]);
        assert_eq!(ledger.offers().len(), services.min(32));
    }
}

#[test]
fn a_refusal_names_the_link_and_what_is_short_and_frees_the_links_behind_it() {
    let ledger = |bits| Ledger::new(rate(bits), Ratio::ZERO, &[Some(metrics(1.0, 0.0, 1))]);
    let mut path = [ledger(1000), ledger(400), ledger(1000)];
    let advertisement = advertise(&path);
    let refusal = reserve(&mut path, &flow(1), &advertisement.choices()[0], rate(500)).expect_err("400 bit/s");
    assert_eq!(
        refusal.to_string(),
        "link 1 of the path: 500 bit/s are needed, and 400 bit/s of the link are left to set aside"
    );
    assert!(path.iter().all(|link| link.reserved() == 0));
}

#[test]
fn a_reservation_sets_the_shares_and_the_classifier_and_release_sets_them_back() {
    let raw = || ServiceConfig::Raw(arqway_schemes::raw::Config::default());
    let mut config = Config::new(raw());
    config.classes = vec![crate::mux::Class::of_protocol(Protocol::UDP, raw())];
    config.scheduler = SchedulerConfig::Scfq(Scfq::default());
    let mut mux = Mux::new(&config, &Side::AccessPoint.into()).expect("two services");
    let without = mux.shares().clone();
    let mut ledger = Ledger::new(rate(1_000_000), ratio(0.1), &[None, Some(metrics(0.8, 0.0, 1))]);
    let mut packet = vec![0; 40];
    packet[0] = 0x60;
    packet[3] = 9;
    packet[24..].fill(1);
    packet[6] = 59;
    assert_eq!(mux.service_of(&packet).index(), 0);
    {
        let mut path = [MuxHop { mux: &mut mux, ledger: &mut ledger, without: &without }];
        let choice = advertise(&path).choices()[0].clone();
        reserve(&mut path, &flow(9), &choice, rate(480_000)).expect("there is room");
    }
    // 600,000 of 1,000,000, and half of the rest.
    let share = mux.shares().of(1).expect("a share").as_f64();
    assert!((share - 0.8).abs() < 1e-3 && mux.service_of(&packet).index() == 1, "{share}");
    let mut hop = MuxHop { mux: &mut mux, ledger: &mut ledger, without: &without };
    assert!(hop.release(&flow(9)) && !hop.release(&flow(9)));
    assert_eq!((mux.shares(), mux.service_of(&packet).index()), (&without, 0));
    assert_eq!(mux.shares(), &Shares::equal(2));
}
