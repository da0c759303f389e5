//! PDUs that two connections sent each other, whose users ask for anything at any time, over a link that loses and doubles them.

use crate::dice::Dice;
use crate::read::kind;
use arqway_link::Packet;
use arqway_link::sscop::Config;
use arqway_link::sscop::connection::{Connection, Indication, Message, Request};
use arqway_link::sscop::pdu::Pdu;
use arqway_link::sscop::{Credit, ListLength};
use arqway_units::{Span, Time};
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};

const MOST_STEPS: usize = 4_000_000;

/// So many of each kind at least, of 15; of the kinds that come by themselves not many more.
pub(crate) fn pdus(of_each: usize) -> Vec<Pdu> {
    let mut dice = Dice::new(2110);
    let mut pair = Pair::new(&mut dice);
    let (mut counts, mut pdus) = (BTreeMap::new(), Vec::new());
    for step in 0..MOST_STEPS {
        for pdu in pair.step(&mut dice) {
            let count: &mut usize = counts.entry(kind(&pdu)).or_default();
            *count += 1;
            if *count <= 4 * of_each {
                pdus.push(pdu);
            }
        }
        if counts.len() == 15 && counts.values().all(|count| *count >= of_each) {
            return pdus;
        }
        // Numbers of attempts begin again, too.
        if step.is_multiple_of(1000) {
            pair = Pair::new(&mut dice);
        }
    }
    panic!("after {MOST_STEPS} steps only {counts:?}");
}

struct Pair {
    ends: [Connection; 2],
    under_way: [VecDeque<Pdu>; 2],
    now: Time,
}

impl Pair {
    fn new(dice: &mut Dice) -> Self {
        let config = Config {
            max_stat: ListLength::new(7).expect("odd"),
            credit: Credit::new(1 + dice.bits(10)).expect("not zero"),
            clear_buffers: dice.flag(),
            ..Config::default()
        };
        Self {
            ends: [0, 1].map(|_| Connection::new(config.parameters())),
            under_way: Default::default(),
            now: Time::ZERO,
        }
    }

    /// Something happens at one end; what it sends.
    fn step(&mut self, dice: &mut Dice) -> Vec<Pdu> {
        let end = dice.below(2);
        self.now += Span::from_milliseconds(dice.below(30) as u64);
        match dice.below(40) {
            0 => self.ends[end].handle_request(request(dice), self.now),
            1..20 => {
                let packet = octets(dice);
                self.ends[end].handle_request(Request::Data(Message::new(Packet::new(packet))), self.now);
            }
            _ => {
                if let Some(pdu) = self.under_way[end].pop_front() {
                    self.ends[end].handle_pdu(Some(pdu), self.now);
                }
            }
        }
        while let Some((_, timer)) = self.ends[end].next_timer().filter(|(at, _)| *at <= self.now) {
            self.ends[end].handle_timer(timer, self.now);
        }
        self.answer(end, dice);
        let mut sent = Vec::new();
        while let Some(outgoing) = self.ends[end].poll_pdu(self.now) {
            let copies = if dice.one_in(10) { 0 } else { 1 + usize::from(dice.one_in(200)) };
            self.under_way[1 - end].extend(std::iter::repeat_n(outgoing.pdu.clone(), copies));
            sent.push(outgoing.pdu);
        }
        sent
    }

    /// The users mostly accept what the peer's want.
    fn answer(&mut self, end: usize, dice: &mut Dice) {
        while let Some(indication) = self.ends[end].poll_indication() {
            let uu = octets(dice);
            let request = match indication {
                Indication::Establish(_) if dice.one_in(2) => Request::Release(uu),
                Indication::Establish(_) => Request::AcceptEstablishment(uu),
                Indication::Resynchronize(_) => Request::AcceptResynchronization,
                Indication::Recover => Request::AcceptRecovery,
                Indication::Release { .. } | Indication::Released(_) => Request::Establish(uu),
                _ => continue,
            };
            self.ends[end].handle_request(request, self.now);
        }
    }
}

fn request(dice: &mut Dice) -> Request {
    match dice.below(8) {
        0 | 1 => Request::Establish(octets(dice)),
        2 => Request::Release(octets(dice)),
        3 => Request::Resynchronize(octets(dice)),
        4 | 5 => Request::UnitData(octets(dice)),
        _ => Request::ManagementData(octets(dice)),
    }
}

fn octets(dice: &mut Dice) -> Bytes {
    let count = 1 + dice.below(24);
    dice.octets(count).into()
}
