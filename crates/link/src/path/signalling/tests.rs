//! Paths in virtual time whose messages are lost, come twice or late, and whose links change.

use super::*;
use crate::metrics::ServiceMetrics;
use crate::mux::FlowId;
use crate::path::{Hop as _, Ledger, Needs};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use arqway_ip::FlowLabel;
use arqway_units::{BitRate, Ratio, Time};
use proptest::prelude::*;

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a share")
}

fn rate(kilobits: u64) -> BitRate {
    BitRate::from_bits_per_second(kilobits * 1000).expect("not zero")
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn flow(number: u32) -> FlowId {
    let (source, destination) = ([0; 16].into(), [1; 16].into());
    FlowId::Label { label: FlowLabel::new(number).expect("twenty bits"), source, destination }
}

/// A link of two services: one that loses 2 %, one that takes its time.
fn link(kilobits: u64) -> Ledger {
    let service = |goodput, loss, milliseconds| ServiceMetrics {
        goodput: ratio(goodput),
        loss: ratio(loss),
        delay: Span::from_milliseconds(milliseconds),
    };
    Ledger::new(rate(kilobits), Ratio::ZERO, &[Some(service(1.0, 0.02, 5)), Some(service(0.8, 0.0, 40))])
}

fn needs(kilobits: u64) -> Needs {
    Needs { rate: rate(kilobits), loss: ratio(0.03), delay: None }
}

/// Where a message is going.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Source,
    Station(usize),
    Destination,
}

struct World {
    now: Time,
    stations: Vec<Station>,
    links: Vec<Ledger>,
    sources: BTreeMap<FlowId, Source>,
    /// In the order of their times.
    under_way: Vec<(Time, Place, Message)>,
    /// Of a hundred messages, how many are lost and doubled, and how late they are at most.
    lost: u64,
    doubled: u64,
    late: u64,
    random: u64,
    sent: usize,
}

impl World {
    fn new(links: &[u64]) -> Self {
        let stations = links.iter().map(|_| Station::new(Timing::default())).collect();
        let links = links.iter().map(|kilobits| link(*kilobits)).collect();
        Self {
            now: at(0),
            stations,
            links,
            sources: BTreeMap::new(),
            under_way: Vec::new(),
            lost: 0,
            doubled: 0,
            late: 0,
            random: 1,
            sent: 0,
        }
    }

    /// xorshift64*.
    fn random(&mut self, below: u64) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % below.max(1)
    }

    fn begin(&mut self, number: u32, kilobits: u64) {
        let source = Source::new(flow(number), needs(kilobits), Timing::default(), 0, self.now);
        self.sources.insert(flow(number), source);
        self.send_all();
    }

    fn end(&mut self, number: u32) {
        if let Some(source) = self.sources.remove(&flow(number)) {
            self.send(Place::Station(0), source.release());
        }
    }

    fn send(&mut self, place: Place, message: Message) {
        self.sent += 1;
        let copies = u64::from(self.random(100) >= self.lost) + u64::from(self.random(100) < self.doubled);
        for _ in 0..copies {
            let arrival = self.now + Span::from_milliseconds(20 + self.random(self.late));
            let place_in_line = self.under_way.partition_point(|(other, ..)| *other <= arrival);
            self.under_way.insert(place_in_line, (arrival, place, message.clone()));
        }
    }

    /// What ends have to say goes on its way.
    fn send_all(&mut self) {
        let mut out = Vec::new();
        for source in self.sources.values_mut() {
            out.extend(core::iter::from_fn(|| source.poll()).map(|message| (Place::Station(0), message)));
        }
        let last = self.stations.len() - 1;
        for (index, station) in self.stations.iter_mut().enumerate() {
            let place = |toward| match toward {
                Toward::Source if index == 0 => Place::Source,
                Toward::Source => Place::Station(index - 1),
                Toward::Destination if index == last => Place::Destination,
                Toward::Destination => Place::Station(index + 1),
            };
            out.extend(core::iter::from_fn(|| station.poll()).map(|(toward, message)| (place(toward), message)));
        }
        out.into_iter().for_each(|(place, message)| self.send(place, message));
    }

    /// A link is another one from now on.
    fn hand_off(&mut self, number: usize, kilobits: u64) {
        self.stations[number].change(&mut self.links[number]);
        assert_eq!(self.links[number].reserved(), 0);
        self.links[number] = link(kilobits);
        self.send_all();
    }

    fn run_until(&mut self, end: Time) {
        loop {
            let message = self.under_way.first().map(|(arrival, ..)| *arrival);
            let of_sources = self.sources.values().filter_map(Source::poll_timeout);
            let of_stations = self.stations.iter().filter_map(Station::poll_timeout);
            let next = message.into_iter().chain(of_sources).chain(of_stations).min();
            let Some(next) = next.filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            let now = self.now;
            if message == Some(next) {
                let (_, place, message) = self.under_way.remove(0);
                match place {
                    Place::Source => {
                        if let Some(source) = self.sources.get_mut(&message.flow) {
                            source.handle(message, now);
                        }
                    }
                    Place::Station(index) => self.stations[index].handle(message, &mut self.links[index], now),
                    Place::Destination => {
                        if let Some(answer) = answer(&message) {
                            self.send(Place::Station(self.stations.len() - 1), answer);
                        }
                    }
                }
            }
            self.sources.values_mut().filter(|source| source.poll_timeout() <= Some(now)).for_each(|source| {
                source.handle_timeout(now);
            });
            let links = self.stations.iter_mut().zip(&mut self.links);
            links.for_each(|(station, link)| station.handle_timeout(link, now));
            self.send_all();
        }
        self.now = end;
    }

    fn reserved(&self) -> Vec<u64> {
        self.links.iter().map(Ledger::reserved).collect()
    }

    /// What links have set aside is what sources believe, and of flows without a source nothing.
    fn check(&self) {
        for (flow, source) in &self.sources {
            let of_links: Vec<_> = self.stations.iter().map(|station| station.reserved(flow)).collect();
            match source.state() {
                State::Reserved(choice) => {
                    assert!(choice.loss().as_f64() <= 0.03 + 1e-9, "{choice:?}");
                    let services: Vec<_> = of_links.iter().map(|link| link.expect("set aside").0).collect();
                    assert!(choice.services().eq(services), "{choice:?} and {of_links:?}");
                }
                State::Refused(_) => assert!(of_links.iter().all(Option::is_none), "{of_links:?}"),
                State::Asked => panic!("no answer, though no message is lost"),
            }
        }
        for (station, link) in self.stations.iter().zip(&self.links) {
            let of_flows = self.sources.keys().filter_map(|flow| station.reserved(flow)).map(|(_, rate)| rate);
            assert_eq!(link.reserved(), of_flows.map(BitRate::as_bits_per_second).sum::<u64>());
        }
    }
}

#[test]
fn a_flow_has_its_part_of_each_link_after_a_round_trip_and_gives_it_back_in_half_of_one() {
    let mut world = World::new(&[5000, 2000]);
    world.begin(1, 64);
    world.run_until(at(119));
    assert_eq!(world.sources[&flow(1)].state(), &State::Asked);
    world.run_until(at(120));
    let State::Reserved(choice) = world.sources[&flow(1)].state() else { panic!("a small flow") };
    // Not 4 %, which two links without repair would lose.
    assert_eq!((choice.loss().as_percent(), choice.delay()), (2.0, Span::from_milliseconds(45)));
    assert!(world.reserved().iter().all(|reserved| (64_000..100_000).contains(reserved)), "{:?}", world.reserved());
    world.end(1);
    world.run_until(at(160));
    assert_eq!(world.reserved(), [0, 0]);
}

#[test]
fn what_a_source_that_has_died_had_ends_after_its_lifetime_and_not_before() {
    let mut world = World::new(&[5000, 2000]);
    world.begin(1, 64);
    world.run_until(at(12_000));
    world.sources.clear();
    // It was renewed last at 10 s.
    world.run_until(at(27_000));
    assert!(world.reserved().iter().all(|reserved| *reserved > 0));
    world.run_until(at(28_000));
    assert_eq!(world.reserved(), [0, 0]);
}

#[test]
fn a_flow_that_finds_no_room_on_a_later_link_leaves_nothing_on_any_and_has_it_when_there_is_room() {
    let mut world = World::new(&[5000, 1000]);
    world.begin(1, 700);
    world.run_until(at(1000));
    world.begin(2, 700);
    world.run_until(at(2000));
    assert!(matches!(world.sources[&flow(1)].state(), State::Reserved(_)));
    assert!(matches!(world.sources[&flow(2)].state(), State::Refused(Why::Unmet(_))), "{:?}", world.sources[&flow(2)]);
    world.check();
    world.end(1);
    world.run_until(at(8000));
    assert!(matches!(world.sources[&flow(2)].state(), State::Reserved(_)));
    world.check();
}

#[test]
fn two_flows_that_ask_at_the_same_time_for_the_same_room_do_not_both_have_it() {
    let mut world = World::new(&[1000, 5000]);
    world.begin(1, 700);
    world.begin(2, 700);
    // The first link has refused one at 100 ms, and the second one knows before the source could tell.
    world.run_until(at(119));
    assert!(world.links[1].reserved() > 1_400_000);
    world.run_until(at(121));
    assert!(world.links[1].reserved() < 1_000_000);
    world.run_until(at(400));
    let short =
        world.sources.values().filter(|source| matches!(source.state(), State::Refused(Why::Short { link: 0, .. })));
    assert_eq!(short.count(), 1);
    world.check();
}

#[test]
fn a_path_that_does_not_answer_is_asked_more_and_more_seldom_up_to_the_refresh() {
    let mut world = World::new(&[1000]);
    world.lost = 100;
    world.begin(1, 700);
    world.run_until(at(63_000));
    // At 0, 0.5, 1.5, 3.5 and 7.5 s, and then each 5 s.
    assert_eq!(world.sent, 5 + 11);
}

#[test]
fn a_station_knows_so_many_flows_and_others_once_those_are_not_renewed() {
    let (mut station, mut link) = (Station::new(Timing::default()), link(1000));
    let mut goes_on = |number: u32, time| {
        let what = What::Advertise { needs: needs(1), links: Vec::new() };
        station.handle_timeout(&mut link, at(time));
        station.handle(Message { flow: flow(number), number: 1, what }, &mut link, at(time));
        station.poll().is_some()
    };
    assert!((0..4096).all(|number| goes_on(number, 0)));
    assert!(!goes_on(5000, 1000) && goes_on(7, 1000), "no new one, and those that are known");
    assert!(goes_on(5000, 20_000));
}

#[test]
fn a_source_believes_in_its_reservation_for_a_lifetime_and_no_longer() {
    let timing = Timing { lifetime: Span::from_milliseconds(2000), ..Timing::default() };
    let mut source = Source::new(flow(1), needs(100), timing, 0, at(0));
    let (mut station, mut link) = (Station::new(timing), link(1000));
    station.handle(source.poll().expect("it advertises"), &mut link, at(10));
    let Some((Toward::Destination, advertised)) = station.poll() else { panic!("it goes on") };
    source.handle(answer(&advertised).expect("an answer"), at(100));
    assert_eq!((matches!(source.state(), State::Reserved(_)), source.poll_timeout()), (true, Some(at(2100))));
    source.handle_timeout(at(2100));
    assert_eq!((source.state(), source.poll_timeout()), (&State::Asked, Some(at(5100))));
}

#[test]
fn a_message_of_an_older_advertisement_than_the_last_means_nothing() {
    let (mut station, mut link) = (Station::new(Timing::default()), link(1000));
    let message = |number, what| Message { flow: flow(1), number, what };
    let advertise = |number| message(number, What::Advertise { needs: needs(100), links: Vec::new() });
    station.handle(advertise(7), &mut link, at(0));
    let Some((Toward::Destination, advertised)) = station.poll() else { panic!("it goes on") };
    let reserve = answer(&advertised).expect("an answer");
    station.handle(advertise(6), &mut link, at(1));
    assert_eq!(station.poll(), None);
    station.handle(reserve.clone(), &mut link, at(2));
    assert_eq!(station.poll(), Some((Toward::Source, reserve)));
    let reserved = station.reserved(&flow(1));
    assert!(reserved.is_some());
    for late in [message(6, What::Release), message(6, What::Change)] {
        station.handle(late, &mut link, at(3));
        assert_eq!((station.poll(), station.reserved(&flow(1))), (None, reserved));
    }
    station.handle(advertise(8), &mut link, at(4));
    assert!(station.poll().is_some());
}

#[test]
fn after_a_handoff_the_path_is_advertised_at_once_and_the_flow_has_what_the_new_link_gives() {
    let mut world = World::new(&[5000, 2000]);
    world.begin(1, 300);
    world.run_until(at(1000));
    let before = world.sent;
    world.hand_off(1, 500);
    world.run_until(at(1200));
    assert!(matches!(world.sources[&flow(1)].state(), State::Reserved(_)), "three ways of 20 ms, and back");
    assert_eq!(world.sent - before, 2 + 3 + 3);
    world.check();
    // One that is too slow for it.
    world.hand_off(1, 200);
    world.run_until(at(1500));
    assert!(matches!(world.sources[&flow(1)].state(), State::Refused(_)));
    world.check();
}

/// From now on nothing is lost, doubled or late.
const HEALED: u64 = 60_000;

proptest! {
    #[test]
    fn in_the_end_links_have_set_aside_what_sources_believe_whatever_became_of_messages(
        links in proptest::collection::vec(300u64..3000, 1..6),
        flows in proptest::collection::vec((0..HEALED, 0..HEALED, 20u64..900), 1..6),
        changes in proptest::collection::vec((0..HEALED, 0usize..6, 300u64..3000), 0..4),
        (lost, doubled, late, seed) in (0u64..60, 0u64..30, 1u64..2000, 1u64..u64::MAX),
    ) {
        let mut world = World::new(&links);
        (world.lost, world.doubled, world.late, world.random) = (lost, doubled, late, seed);
        let begins = flows.iter().zip(1u32..).map(|((begin, _, _), flow)| (*begin, 0, flow));
        // Every second flow ends, if it has begun by then.
        let ends = flows.iter().zip(1u32..).filter(|(_, flow)| flow % 2 == 0).map(|((_, end, _), flow)| (*end, 1, flow));
        let changed = changes.iter().zip(0u32..).map(|((time, ..), change)| (*time, 2, change));
        let mut happens: Vec<(u64, u8, u32)> = begins.chain(ends).chain(changed).collect();
        happens.sort_unstable();
        for (time, what, number) in happens {
            world.run_until(at(time));
            match what {
                0 => world.begin(number, flows[number as usize - 1].2),
                1 => world.end(number),
                _ => {
                    let (_, station, kilobits) = changes[number as usize];
                    let station = station % links.len();
                    world.hand_off(station, kilobits);
                }
            }
            for link in &world.links {
                let offers = link.offers();
                prop_assert!(offers.iter().all(|offer| offer.available <= 3_000_000), "no more than there is");
            }
        }
        world.run_until(at(HEALED));
        (world.lost, world.doubled, world.late) = (0, 0, 1);
        // What nobody renews is gone, and all others have been answered.
        world.run_until(at(HEALED + 24_000));
        world.check();
        let left: Vec<u32> = (1..=flows.len() as u32).filter(|number| world.sources.contains_key(&flow(*number))).collect();
        left.into_iter().for_each(|number| world.end(number));
        world.run_until(at(HEALED + 24_500));
        prop_assert!(world.reserved().iter().all(|reserved| *reserved == 0));
        prop_assert!(world.under_way.is_empty());
    }
}
