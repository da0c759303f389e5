//! What the links of a path do, asked over a hub.

use crate::world::{Path, Peers, World, host_address, link_layer};
use arqway_link::mux::Addresses;
use arqway_link::{LinkLayer, bearer};
use arqway_tunnel::{NoPath, PathAnswer, PathEnd, PathNames};
use arqway_units::{BitRate, Span, Time};
use std::net::IpAddr;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

/// A boat, a hub and a home; the hub passes packets on, as its system would.
struct Row(World);

impl Row {
    fn new(path: Path) -> Self {
        Self::with(path, link_layer())
    }

    fn with(path: Path, layer: LinkLayer) -> Self {
        let one = |end: usize| Addresses::one(host_address(end));
        let peers: Vec<Peers> = vec![
            vec![(1, vec![one(1), one(2)])],
            vec![(0, vec![one(0)]), (2, vec![one(2)])],
            vec![(1, vec![one(0), one(1)])],
        ];
        let mut world = World::between(path, 1, layer.clone(), peers);
        for (index, links) in [vec!["boat"], vec!["hub/boat", "hub/home"], vec!["home"]].into_iter().enumerate() {
            let services = layer.services().into_iter().cloned();
            let services = ["default", "reliable"].map(str::to_owned).into_iter().zip(services).collect();
            let links = links.into_iter().map(str::to_owned).collect();
            world.ends[index].tunnel.set_names(PathNames { addresses: vec![host_address(index)], links, services });
        }
        world.run(at(2000));
        Self(world)
    }

    fn ask(&mut self, to: PathEnd) -> Result<u64, NoPath> {
        let now = self.0.now;
        let tunnel = &mut self.0.ends[0].tunnel;
        let number = tunnel.new_question();
        tunnel.ask_path(number, to, now)?;
        self.0.wake(0);
        Ok(number)
    }

    /// Runs until then; whether an answer has come.
    fn run(&mut self, until: Time) -> Option<PathAnswer> {
        while self.0.now < until {
            let next = self.0.now + Span::from_milliseconds(1);
            self.0.run(next);
            let passed_on = std::mem::take(&mut self.0.ends[1].host.received);
            self.0.send(1, passed_on);
        }
        self.0.ends[0].tunnel.poll_path_answer()
    }
}

fn names(links: &[arqway_tunnel::PathLink]) -> Vec<&str> {
    links.iter().map(|link| link.name.as_str()).collect()
}

#[test]
fn each_link_of_a_path_over_a_hub_tells_what_its_services_do_there_and_back() {
    let mut row = Row::new(Path::default());
    row.ask(PathEnd::Address(host_address(2))).expect("the hub leads there");
    let answer = row.run(at(4000)).expect("an answer");
    assert_eq!(answer.there[0].services[0].delay, None, "nothing was sent yet that would tell");
    let mut number = 0;
    let answer = (3..7).map(|time| {
        number = row.ask(PathEnd::Address(host_address(2))).expect("the hub leads there");
        row.run(at(time * 2000)).expect("an answer")
    });
    let answer = answer.last().expect("four answers");
    assert_eq!(answer.number, number);
    assert_eq!((names(&answer.there), names(&answer.back)), (vec!["boat", "hub/home"], vec!["home", "hub/boat"]));
    // Nothing paces these links: what has arrived lately is the least that they carry.
    assert!(answer.there.iter().chain(&answer.back).all(|link| link.rate_is_least));
    for link in answer.there.iter().chain(&answer.back) {
        assert_eq!(link.services.len(), 2);
        for service in &link.services {
            // Nothing is lost here.
            assert!(service.loss.is_some_and(|loss| loss < 1e-6), "{service:?}");
            assert!(service.goodput.is_some_and(|goodput| goodput > 0.5), "{service:?}");
            assert!(service.delay.is_some_and(|delay| delay > Span::from_milliseconds(19)), "{link:?}");
        }
    }
    // The hosts have seen nothing of it.
    assert!(row.0.ends[0].host.received.is_empty() && row.0.ends[2].host.received.is_empty());
}

#[test]
fn a_link_that_loses_says_so_of_the_direction_in_which_it_does() {
    let mut row = Row::new(Path { loss: 0.1, ..Path::default() });
    // So that there are losses to be counted: an end knows those of what it receives.
    let to_hub = |number: u16| packet(host_address(0), host_address(1), number);
    for number in 0..2000 {
        row.0.send(0, [to_hub(number)]);
        let next = row.0.now + Span::from_milliseconds(2);
        row.0.run(next);
    }
    row.0.ends[1].host.received.clear();
    let answer = (0..20).find_map(|_| {
        row.ask(PathEnd::Peer(row.0.ends[0].ids[0])).expect("a peer");
        let until = row.0.now + Span::from_milliseconds(500);
        row.run(until)
    });
    let answer = answer.expect("one of twenty is answered");
    assert_eq!((names(&answer.there), names(&answer.back)), (vec!["boat"], vec!["hub/boat"]));
    let [raw, reliable] = &answer.there[0].services[..] else { panic!("two services") };
    assert!(raw.loss.is_some_and(|loss| (0.05..0.2).contains(&loss)), "{raw:?}");
    assert!(reliable.loss.is_some_and(|loss| loss < 1e-6), "{reliable:?}");
    assert!(reliable.delay > raw.delay, "what is lost is sent again: {reliable:?}");
}

/// A packet of UDP.
fn packet(source: IpAddr, destination: IpAddr, number: u16) -> bytes::Bytes {
    let [high, low] = number.to_be_bytes();
    let udp = [[19, 136, 19, 136, 0, 12, 0, 0], [high, low, 0, 0, 0, 0, 0, 0]].concat();
    let datagram = arqway_link::datagram(source, destination, arqway_link::mux::Protocol::UDP, &udp[..12]);
    datagram.expect("of one version").into()
}

#[test]
fn a_rate_that_is_given_is_what_a_link_carries_and_one_that_is_found_on_an_idle_link_the_least() {
    let given: BitRate = "5 Mbit/s".parse().expect("a rate");
    let found = bearer::Rate::AUTOMATIC;
    for (rate, is_least) in [(given.into(), false), (found, true)] {
        let mut layer = link_layer();
        layer.bearer = layer.bearer.map(|bearer| bearer::Config { rate, ..bearer });
        let mut row = Row::with(Path::default(), layer);
        row.ask(PathEnd::Address(host_address(2))).expect("the hub leads there");
        let answer = row.run(at(4000)).expect("an answer");
        assert!(answer.there.iter().all(|link| link.rate.is_some() && link.rate_is_least == is_least), "{answer:?}");
        assert!(is_least || answer.there.iter().all(|link| link.rate == Some(given)), "{answer:?}");
    }
}

#[test]
fn who_cannot_be_asked_is_said_at_once() {
    let mut row = Row::new(Path::default());
    let nowhere: IpAddr = [10, 99, 0, 1].into();
    assert_eq!(row.ask(PathEnd::Address(nowhere)), Err(NoPath::NoPeer(nowhere)));
    row.0.ends[0].tunnel.set_names(PathNames::default());
    assert_eq!(row.ask(PathEnd::Address(host_address(2))), Err(NoPath::NoAddress));
}

#[test]
fn a_question_that_nobody_answers_goes_to_the_host_that_has_the_address() {
    let mut row = Row::new(Path::default());
    // An end of another kind, which says nothing of itself.
    row.0.ends[2].tunnel.set_names(PathNames::default());
    row.ask(PathEnd::Address(host_address(2))).expect("the hub leads there");
    assert_eq!(row.run(at(4000)), None);
    assert_eq!(row.0.ends[2].host.received.len(), 1);
}

#[test]
fn a_question_that_goes_round_in_a_circle_ends() {
    let mut row = Row::new(Path::default());
    // The last end has not the address, and its host sends what comes back to the hub.
    row.0.ends[2].tunnel.set_names(PathNames { links: vec!["home".to_owned()], ..PathNames::default() });
    row.ask(PathEnd::Address(host_address(2))).expect("the hub leads there");
    let rounds = (0..50).map(|_| {
        let until = row.0.now + Span::from_milliseconds(200);
        assert_eq!(row.run(until), None);
        let back = std::mem::take(&mut row.0.ends[2].host.received);
        let has_come = !back.is_empty();
        row.0.send(1, back);
        usize::from(has_come)
    });
    // Eight links, of which the first was not the hub's.
    assert_eq!(rounds.sum::<usize>(), 7);
}
