//! The metrics in closed form, and what a multiplexer makes of a service whose every octet is known.

use super::*;
use crate::mux::{Class, Config, Mux, Protocol};
use crate::registry::ServiceConfig;
use arqway_contract::{Frame, LinkService, Packet, Side, Start};
use arqway_schemes::{raw, selective_repeat};
use arqway_units::{Octets, Time};
use proptest::prelude::*;

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a share")
}

fn rate(bits: u64) -> BitRate {
    BitRate::from_bits_per_second(bits).expect("not zero")
}

proptest! {
    #[test]
    fn the_share_for_a_throughput_gives_that_throughput(goodput in 0.01..1.0f64, loss in 0.0..0.9f64, link in 1_000u64..1 << 40, target in 100u64..1 << 40) {
        let service = ServiceMetrics { goodput: ratio(goodput), loss: ratio(loss), delay: Span::ZERO };
        let carries_at_most = link as f64 * goodput * (1.0 - loss);
        match service.share_for(rate(link), rate(target)) {
            Some(share) => {
                let throughput = service.throughput(rate(link), share).map_or(0, BitRate::as_bits_per_second);
                prop_assert!((throughput as f64 - target as f64).abs() <= 1.0 + target as f64 * 1e-9);
            }
            None => prop_assert!(target as f64 > carries_at_most * (1.0 - 1e-9)),
        }
    }
}

#[test]
fn what_carries_nothing_is_not_enough_for_anything() {
    let service = ServiceMetrics { goodput: ratio(0.9), loss: Ratio::ONE, delay: Span::ZERO };
    assert_eq!(service.share_for(rate(1000), rate(1)), None);
    assert_eq!(service.throughput(rate(1000), Ratio::ONE), None);
}

#[test]
fn delay_grows_by_a_round_trip_for_each_retransmission() {
    let link = LinkDelay { one_way: Span::from_milliseconds(5), round_trip: Span::from_milliseconds(12) };
    assert_eq!(link.with_retransmissions(0.25), Span::from_milliseconds(8));
}

const PACKET: usize = 100;

fn ends(service: &ServiceConfig) -> [Mux; 2] {
    [Side::AccessPoint, Side::Client]
        .map(|side| Mux::new(&Config::new(service.clone()), &side.into()).expect("one service"))
}

/// All frames that an end has, as they start.
fn started(mux: &mut Mux, now: Time) -> alloc::vec::Vec<Frame> {
    let frames = core::iter::from_fn(|| {
        let mut frame = mux.poll_frame(now, Octets::MAX)?;
        (mux.start_frame(&mut frame, now) == Start::Send).then_some(frame)
    });
    frames.collect()
}

fn send(mux: &mut Mux, packets: usize, now: Time) -> alloc::vec::Vec<Frame> {
    for _ in 0..packets {
        mux.handle_packet(Packet::new(alloc::vec![0; PACKET]), now).expect("room");
    }
    started(mux, now)
}

#[test]
fn each_service_has_metrics_of_its_own_and_those_of_the_last_window() {
    let raw = || ServiceConfig::Raw(raw::Config::default());
    let classes = alloc::vec![Class::of_protocol(Protocol::UDP, raw())];
    let mut mux = Mux::new(&Config { classes, ..Config::new(raw()) }, &Side::Client.into()).expect("two services");
    let mut packet = alloc::vec![0; PACKET];
    (packet[0], packet[3], packet[9]) = (0x45, 100, 17);
    mux.handle_packet(Packet::new(packet), Time::ZERO).expect("room");
    assert_eq!(started(&mut mux, Time::ZERO).len(), 1);
    let mut goodput = |now| mux.metrics(now).into_iter().map(|end| end.sent.goodput).collect::<alloc::vec::Vec<_>>();
    assert_eq!(goodput(Time::ZERO), [None, Some(ratio(100.0 / 101.0))]);
    assert_eq!(goodput(Time::ZERO + Span::from_seconds(1000.0)), [None, None]);
}

#[test]
fn goodput_counts_every_octet_of_tags_heads_copies_and_acknowledgements() {
    let timeout = Span::from_milliseconds(100);
    let timer_starts = selective_repeat::TimerStarts::HandOver;
    let config =
        selective_repeat::Config { timeout: timeout.into(), timer_starts, ..selective_repeat::Config::default() };
    let [mut near, mut far] = ends(&ServiceConfig::SelectiveRepeat(config));
    let at = |milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds);
    for frame in send(&mut near, 8, at(1)).into_iter().skip(2) {
        far.handle_frame(frame, at(2));
    }
    // The first two are lost, and asked for; the requests are lost as well.
    assert_eq!(started(&mut far, at(2)).len(), 2);
    near.handle_timeout(at(500));
    let again = started(&mut near, at(500));
    assert_eq!(again.len(), 8);
    let sent = near.metrics(at(501))[0].sent;
    // A tag and two numbers before each packet; each was sent twice.
    let goodput = sent.goodput.expect("something was sent").as_f64();
    assert!((goodput - 8.0 * PACKET as f64 / (16.0 * (PACKET as f64 + 3.0))).abs() < 1e-12, "{goodput}");
    assert_eq!(sent.retransmissions, Some(1.0));
    for frame in again {
        far.handle_frame(frame, at(502));
    }
    assert_eq!(core::iter::from_fn(|| far.poll_packet()).count(), 8);
    let received = far.metrics(at(503))[0];
    assert_eq!((received.received.loss, received.sent.goodput), (Some(Ratio::ZERO), Some(Ratio::ZERO)));
    let link = LinkDelay { one_way: Span::from_milliseconds(3), round_trip: Span::from_milliseconds(7) };
    let metrics = ServiceMetrics::one_way(&sent, &received.received, &link).expect("both are known");
    assert_eq!((metrics.effective_goodput(), metrics.delay), (metrics.goodput, Span::from_milliseconds(10)));
}

#[test]
fn a_loss_that_parity_makes_good_is_none() {
    let config = arqway_schemes::fec::Config {
        block: arqway_contract::Bounded::new(4).expect("from 2 to 64"),
        ..arqway_schemes::fec::Config::default()
    };
    let [mut near, mut far] = ends(&ServiceConfig::XorFec(config));
    // Three blocks of four and their parities: one frame lost in the first, two in the second, all of the third.
    for (place, frame) in send(&mut near, 12, Time::ZERO).into_iter().enumerate() {
        if ![1, 5, 6].contains(&place) && place < 10 {
            far.handle_frame(frame, Time::ZERO);
        }
    }
    assert_eq!(core::iter::from_fn(|| far.poll_packet()).count(), 6);
    // Packets 4 and 5 are known to be lost; 8 to 11 may be on their way yet.
    let loss = far.metrics(Time::ZERO)[0].received.loss.expect("numbers show a gap");
    assert!((loss.as_f64() - 2.0 / 8.0).abs() < 1e-12, "{loss}");
}

#[test]
fn what_left_the_window_counts_no_more() {
    let [mut near, _] = ends(&ServiceConfig::Raw(arqway_schemes::raw::Config::default()));
    let at = |seconds| Time::ZERO + Span::from_milliseconds(1000) * seconds;
    assert_eq!(near.metrics(at(0))[0], EndMetrics::default());
    send(&mut near, 5, at(1));
    let goodput = near.metrics(at(5))[0].sent.goodput.expect("something was sent").as_f64();
    assert!((goodput - PACKET as f64 / (PACKET as f64 + 1.0)).abs() < 1e-12, "{goodput}");
    assert_eq!(near.metrics(at(12))[0].sent.goodput, None);
}

#[test]
fn frames_without_numbers_show_their_loss_to_both_ends_together_only() {
    let [mut near, mut far] = ends(&ServiceConfig::Raw(arqway_schemes::raw::Config::default()));
    for frame in send(&mut near, 8, Time::ZERO).into_iter().skip(2) {
        far.handle_frame(frame, Time::ZERO);
    }
    assert_eq!(core::iter::from_fn(|| far.poll_packet()).count(), 6);
    assert_eq!(far.metrics(Time::ZERO)[0].received.loss, None);
    let [sent, received] = [near, far].map(|mut end| end.metrics(Time::ZERO)[0]);
    assert_eq!(received.received.loss_by_both_ends(&sent.sent), Some(ratio(0.25)));
}
