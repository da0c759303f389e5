//! Both entities of a recording, played again.

use crate::recording::{Event, Recording};
use arqway_contract::{Frame, Packet, Tag};
use arqway_schemes::sscop::connection::{Connection, Indication, Message, Request, State};
use arqway_schemes::sscop::pdu;
use arqway_units::{Span, Time};
use bytes::Bytes;
use std::fmt::Write;

/// That implementation looks at its timers when its clock ticks: one may expire up to a tick late.
const TICK: Span = Span::from_milliseconds(10);

pub(crate) fn replay(recording: &Recording) {
    for entity in ['A', 'B'] {
        let events: Vec<&Event> = recording.events.iter().filter(|event| event.entity == entity).collect();
        let connection = play(&events, recording);
        assert_eq!(connection.state(), State::DataTransferReady);
        let variables = connection.variables();
        assert_eq!([variables.sender, variables.receiver].concat(), recording.last[&entity], "{entity}");
    }
}

/// Gives one entity what it was given, and wants from it what it said, in that order and at that time.
fn play(events: &[&Event], recording: &Recording) -> Connection {
    let mut connection = Connection::new(recording.parameters.clone());
    let mut said: Vec<(Time, String)> = Vec::new();
    let ends = recording.events.last().expect("an exchange").at;
    let recorded: Vec<_> =
        events.iter().filter(|event| !event.goes_in).map(|event| (event.at, event.what.clone())).collect();
    let mut inputs = events.iter().filter(|event| event.goes_in).peekable();
    loop {
        let input = inputs.peek().map(|event| event.at);
        let within_tick =
            |due: Time| recorded.get(said.len()).map(|(at, _)| *at).filter(|at| (due..=due + TICK).contains(at));
        let timer = connection.next_timer().map(|(due, timer)| (within_tick(due).unwrap_or(due), timer));
        let timer = timer.filter(|(at, _)| *at <= ends);
        match (input, timer) {
            // What arrives when a timer expires comes first.
            (Some(at), timer) if timer.is_none_or(|(expires, _)| at <= expires) => {
                give(&mut connection, &inputs.next().expect("it was there").what, at);
                listen(&mut connection, at, &mut said);
            }
            (_, Some((at, timer))) => {
                connection.handle_timer(timer, at);
                listen(&mut connection, at, &mut said);
            }
            _ => break,
        }
    }
    for (place, (recorded, said)) in recorded.iter().zip(&said).enumerate() {
        assert_eq!(recorded, said, "output {place}");
    }
    assert_eq!(recorded.len(), said.len());
    connection
}

fn give(connection: &mut Connection, what: &str, now: Time) {
    let (name, octets) = what.split_once(' ').unwrap_or((what, ""));
    match name {
        "estab" => connection.handle_request(Request::Establish(Bytes::new()), now),
        "resp" => connection.handle_request(Request::AcceptEstablishment(Bytes::new()), now),
        "send" => connection.handle_request(Request::Data(Message::new(Packet::new(octets_of(octets)))), now),
        "pdu" => connection.handle_pdu(pdu::parse(Frame::from_wire(Tag::default(), octets_of(octets))), now),
        _ => panic!("what is {what}?"),
    }
}

/// All that it has to say, in the recording's words.
fn listen(connection: &mut Connection, now: Time, said: &mut Vec<(Time, String)>) {
    loop {
        if let Some(indication) = connection.poll_indication() {
            said.push((now, in_words(indication)));
        } else if let Some(outgoing) = connection.poll_pdu(now) {
            let octets = pdu::frame(outgoing.pdu, &[]).parts().concat();
            said.push((now, format!("pdu {}", hexadecimal(&octets))));
        } else {
            return;
        }
    }
}

fn in_words(indication: Indication) -> String {
    match indication {
        Indication::Establish(_) => "estab_ind".to_string(),
        Indication::Established(_) => "estab_conf".to_string(),
        Indication::Data { number, packet } => format!("data_ind sn={number} {}", hexadecimal(&packet)),
        Indication::Error(error) => format!("maa_error {} {}", error.letter(), error.count()),
        other => format!("{other:?}"),
    }
}

fn octets_of(hexadecimal: &str) -> Bytes {
    let digits: Vec<u8> = hexadecimal.chars().map(|digit| digit.to_digit(16).expect("a digit") as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut text, octet| {
        let _ = write!(text, "{octet:02x}");
        text
    })
}
