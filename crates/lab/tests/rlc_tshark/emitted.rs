//! PDUs that the services themselves send: pairs of ends of any configuration, over a line that loses up to 40 %.
//!
//! What a PDU is meant to say is here what the peer reads in it: that the two agree is for tshark to say.

use super::Pdu;
use super::capture::{Direction, Mode, Shown};
use super::dice::Dice;
use super::meant::Meant;
use arqway_link::rlc::am::{self, Discard, MissingAs, MrwConfig, PollConfig, Profile, ResetConfig, StatusConfig};
use arqway_link::rlc::pdu::LengthIndicatorSize;
use arqway_link::rlc::{tm, um};
use arqway_link::{AnyService, Bounded, Departure, Frame, LinkService, Packet, Port, ServiceConfig, Side, Tag, pump};
use arqway_units::{Octets, Ratio, Span, Time};
use std::collections::VecDeque;

/// So many, or a few more.
pub(crate) fn pdus(count: usize) -> Vec<Pdu> {
    let mut dice = Dice::new(25_323);
    let mut pdus = Vec::new();
    while pdus.len() < count {
        let (config, sizes, mode) = config(&mut dice);
        run(&config, sizes, mode, &mut dice, &mut pdus);
    }
    pdus
}

/// A configuration, and how long PDUs towards the client and from there are at most.
fn config(dice: &mut Dice) -> (ServiceConfig, [usize; 2], Mode) {
    let [down, up] = [size(dice), size(dice)];
    match dice.below(12) {
        0 => (ServiceConfig::RlcTm(tm::Config::default()), [down, up], Mode::Transparent),
        1 | 2 => {
            let config = um::Config {
                pdu_size: octets(down),
                uplink_pdu_size: Some(octets(up)),
                flexible_pdu_size: dice.flag(),
                ..um::Config::default()
            };
            (ServiceConfig::RlcUm(config), [down, up], Mode::Unacknowledged)
        }
        _ => (ServiceConfig::RlcAm(acknowledged(dice, [down, up])), [down, up], Mode::Acknowledged),
    }
}

fn acknowledged(dice: &mut Dice, [down, up]: [usize; 2]) -> am::Config {
    let timer = |dice: &mut Dice| Some(Span::from_milliseconds(dice.below(400) as u64 + 20));
    let flexible = dice.flag();
    am::Config {
        profile: Profile::Robust,
        pdu_size: Some(octets(down)),
        uplink_pdu_size: Some(octets(up)),
        flexible_pdu_size: Some(flexible),
        special_header_extension: Some(dice.flag()),
        window: Bounded::new(u16::try_from(dice.below(200) + 2).expect("a small number")),
        poll: PollConfig {
            timer: timer(dice),
            window: Ratio::new(0.5),
            by_status: flexible.then(|| dice.flag()),
            ..PollConfig::default()
        },
        status: StatusConfig {
            prohibit: timer(dice),
            missing_as: Some([MissingAs::Bitmap, MissingAs::List, MissingAs::RelativeList][dice.below(3)]),
            window: dice.flag().then(|| Bounded::new(64)).flatten(),
            ..StatusConfig::default()
        },
        discard: Some(if dice.flag() {
            Discard::AfterTransmissions
        } else {
            Discard::Timer { after: Span::from_milliseconds(700) }
        }),
        retransmissions: Bounded::new(u16::try_from(dice.below(4)).expect("a small number")),
        mrw: MrwConfig { timer: timer(dice), most: Bounded::new(2), name_each: Some(dice.flag()) },
        reset: ResetConfig { timer: timer(dice), most: None },
        piggyback: (!flexible).then(|| dice.flag()),
        ..am::Config::default()
    }
}

/// About as many with length indicators of seven bits as of fifteen.
fn size(dice: &mut Dice) -> usize {
    if dice.flag() { 10 + dice.below(110) } else { 130 + dice.below(200) }
}

fn octets<const MOST: u16>(size: usize) -> arqway_link::rlc::PduSize<MOST> {
    Octets::of(size).try_into().expect("a size within the bounds")
}

/// Ten seconds of a line.
fn run(config: &ServiceConfig, sizes: [usize; 2], mode: Mode, dice: &mut Dice, pdus: &mut Vec<Pdu>) {
    let mut ends = [Side::AccessPoint, Side::Client].map(|side| (config.build(&side.into()), Line::default()));
    let loss = dice.below(41);
    for millisecond in 0..10_000 {
        let now = Time::ZERO + Span::from_milliseconds(millisecond);
        for index in 0..2 {
            let (service, line) = &mut ends[index];
            line.turn(service, now);
            if dice.one_in(40) {
                let length = 1 + dice.below(400);
                let packet = dice.octets(length);
                drop(service.handle_packet(Packet::new(packet), now));
            }
            pump(service, line, now);
            // The line takes one at a time.
            if let Some(frame) = line.sent.pop() {
                pdus.push(show(&frame, mode, index, sizes));
                if dice.below(100) >= loss {
                    ends[1 - index].1.arriving.push_back((now + Span::from_milliseconds(30), frame));
                }
            }
        }
    }
}

fn show(frame: &Frame, mode: Mode, from: usize, sizes: [usize; 2]) -> Pdu {
    let octets = [frame.head.as_slice(), &frame.body].concat();
    let size = match mode {
        Mode::Acknowledged => LengthIndicatorSize::for_amd(sizes[from]),
        Mode::Unacknowledged | Mode::Transparent => LengthIndicatorSize::for_umd(sizes[from]),
    };
    let direction = if from == 0 { Direction::Down } else { Direction::Up };
    let shown = Shown { mode, direction, size, octets };
    let meant = Meant::read(&shown).unwrap_or_else(|| panic!("the peer cannot read {shown}"));
    Pdu { shown, meant }
}

/// A frame every five milliseconds, and two that may wait.
#[derive(Default)]
struct Line {
    queue: VecDeque<Frame>,
    busy: Option<(Time, Tag, Option<arqway_link::Ticket>)>,
    sent: Vec<Frame>,
    arriving: VecDeque<(Time, Frame)>,
}

impl Line {
    fn turn(&mut self, service: &mut AnyService, now: Time) {
        while let Some((_, frame)) = self.arriving.pop_front_if(|(at, _)| *at <= now) {
            let octets = [frame.head.as_slice(), &frame.body].concat();
            service.handle_frame(Frame::from_wire(frame.tag, octets.into()), now);
        }
        if let Some((_, tag, ticket)) = self.busy.take_if(|(until, ..)| *until <= now)
            && let Some(ticket) = ticket
        {
            service.handle_departure(tag, ticket, Departure::Sent, now);
        }
        if service.poll_timeout().is_some_and(|deadline| deadline <= now) {
            service.handle_timeout(now);
        }
    }
}

impl Port for Line {
    fn room(&self) -> Option<Octets> {
        (self.queue.len() < 2).then_some(Octets::MAX)
    }

    fn hand_over(&mut self, frame: Frame, _now: Time) -> Result<(), Frame> {
        self.queue.push_back(frame);
        Ok(())
    }

    fn take_ready(&mut self) -> Option<Frame> {
        if self.busy.is_some() { None } else { self.queue.pop_front() }
    }

    fn transmit(&mut self, frame: Frame, now: Time) {
        self.busy = Some((now + Span::from_milliseconds(5), frame.tag, frame.ticket));
        self.sent.push(frame);
    }

    fn deliver(&mut self, _packet: Packet, _now: Time) {}

    fn wake_at(&mut self, _deadline: Option<Time>) {}

    fn finish(&mut self, _now: Time) {}
}
