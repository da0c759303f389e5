//! Scripted exchanges with one end of acknowledged mode: what it answers to what it is told, in time order. Each test says by its
//! name what is promised, and by the comment above it where 25.322 V13.0.0 asks for it; `rlc/clauses.md` has them all.
//!
//! A PDU of ours has eight octets behind its header. A data PDU is written as its number and the letters in it, `1:ab`, and
//! `1:ab?` asks for a report; a STATUS PDU as its super-fields: `status[list 1 4+2; ack 9]`, where 4+2 is 4, 5 and 6.

mod as_received;
mod discard;
mod moves;
mod outage;
mod piggyback;
mod polls;
mod profiles;
mod reports;
mod reset;
mod retransmission;
mod states;
mod status_text;
mod windows;

use super::*;
use crate::rlc::pdu::{AmPdu, Contents, HeaderExtension, amd_head, parse_am};
use crate::script::Script;
use alloc::string::String;
use alloc::vec::Vec;
use arqway_contract::{Bounded, Departure, LinkService, Packet, Service, Side, Start};
use arqway_units::{Ratio, Span};
use std::format;

type End = Script<arqway_contract::End<AcknowledgedMode>>;

/// Nothing is asked for and nothing reported but on a poll; all else is as the standard has it. A test turns on what it is about.
fn quiet() -> Config {
    Config {
        pdu_size: PduSize::new(10),
        flexible_pdu_size: Some(false),
        special_header_extension: Some(false),
        window: Bounded::new(16),
        poll: PollConfig {
            last_pdu: Some(false),
            last_retransmission: Some(false),
            timer: Some(Span::ZERO),
            every_pdus: Bounded::new(0),
            every_sdus: Bounded::new(0),
            window: Ratio::new(0.0),
            periodic: Some(Span::ZERO),
            prohibit: Some(Span::ZERO),
            by_status: None,
        },
        status: StatusConfig {
            missing: Some(false),
            periodic: Some(Span::ZERO),
            periodic_while_idle: Some(false),
            after_outage: Some(false),
            prohibit: Some(Span::ZERO),
            missing_as: Some(MissingAs::List),
            window: Bounded::new(0),
        },
        discard: Some(Discard::AfterTransmissions),
        retransmissions: Bounded::new(9),
        polls_count: Some(true),
        mrw: MrwConfig { timer: milliseconds(100), most: Bounded::new(3), name_each: Some(false) },
        reset: ResetConfig { timer: milliseconds(100), most: Bounded::new(3) },
        timer_starts: Some(TimerStarts::HandOver),
        resend_in_flight: Some(true),
        drop_stale_copies: Some(false),
        piggyback: Some(false),
        ..Config::default()
    }
}

fn end(change: impl FnOnce(&mut Config)) -> End {
    let mut config = quiet();
    change(&mut config);
    Script::new(config.build(&Side::AccessPoint.into()), describe)
}

#[expect(clippy::unnecessary_wraps, reason = "it is a setting")]
fn milliseconds(count: u64) -> Option<Span> {
    Some(Span::from_milliseconds(count))
}

/// What the network layer and the peer do.
impl End {
    /// An SDU a letter, each as long as fills a PDU beside the length indicator that ends it.
    fn sdus(&mut self, letters: &str) -> &mut Self {
        letters.chars().for_each(|letter| _ = self.sdu(letter, 7));
        self
    }

    /// An SDU of so many octets.
    fn sdu(&mut self, letter: char, octets: usize) -> &mut Self {
        let packet = Packet::new(alloc::vec![u8::try_from(letter).expect("a letter"); octets]);
        self.service.handle_packet(packet, self.now).expect("room for a packet");
        self
    }

    /// A data PDU of one SDU whose letter tells the number: 0 is a.
    fn data(&mut self, number: u16) -> &mut Self {
        self.pdu(number, false, &[7], &letter_of(number).repeat(7))
    }

    /// The same, and it asks for a report.
    fn poll(&mut self, number: u16) -> &mut Self {
        self.pdu(number, true, &[7], &letter_of(number).repeat(7))
    }

    /// A data PDU with length indicators of these values.
    fn pdu(&mut self, number: u16, poll: bool, indicators: &[u8], data: &str) -> &mut Self {
        self.peer(0, &pdu(number, poll, indicators, data.as_bytes()))
    }

    fn status(&mut self, text: &str) -> &mut Self {
        self.peer(0, &status_text::octets(text))
    }

    fn reset(&mut self, number: u8) -> &mut Self {
        self.peer(0, &[0x10 | number << 3, 0, 0, 0])
    }

    fn reset_ack(&mut self, number: u8) -> &mut Self {
        self.peer(0, &[0x20 | number << 3, 0, 0, 0])
    }
}

fn letter_of(number: u16) -> String {
    let letter = u32::from(b'a') + u32::from(number % 26);
    char::from_u32(letter).expect("a letter").into()
}

fn pdu(number: u16, poll: bool, indicators: &[u8], behind: &[u8]) -> Vec<u8> {
    let extension = if indicators.is_empty() { HeaderExtension::Data } else { HeaderExtension::Indicator };
    let mut octets = amd_head(number, poll, extension).to_vec();
    for (index, value) in indicators.iter().enumerate() {
        octets.push(value << 1 | u8::from(index + 1 < indicators.len()));
    }
    octets.extend(behind);
    octets
}

/// Our data PDUs with these numbers and letters of the alphabet in turn.
fn pdus(numbers: core::ops::Range<u16>) -> String {
    let all: Vec<_> = numbers.map(|number| format!("{number}:{}", letter_of(number))).collect();
    all.join(", ")
}

fn describe(frame: Frame) -> String {
    let options = AmOptions { ends_here: true, at_most_fifteen_ends: false };
    match parse_am(frame, LengthIndicatorSize::Seven, options).expect("our own frames can be read") {
        AmPdu::Data(Amd { number, poll, contents, status }) => {
            let poll = if poll { "?" } else { "" };
            let status = status.map_or(String::new(), |status| format!("+[{}]", status_text::of(&status)));
            format!("{number}:{}{poll}{status}", letters(&contents))
        }
        AmPdu::Status(status) => format!("status[{}]", status_text::of(&status)),
        AmPdu::Reset(reset) => format!("reset {} hfn {}", u8::from(reset.number), reset.hyper_frame_number),
        AmPdu::ResetAck(reset) => format!("reset-ack {} hfn {}", u8::from(reset.number), reset.hyper_frame_number),
    }
}

/// Each letter once.
fn letters(contents: &Contents) -> String {
    let mut letters = contents.data.to_vec();
    letters.dedup();
    String::from_utf8(letters).expect("letters")
}
