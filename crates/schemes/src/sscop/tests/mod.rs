//! What a connection does, PDU by PDU, and what the service makes of it.

mod service;
mod states;
mod transfer;

use super::connection::{Connection, Error, Indication, Message, Parameters, Request, State, Timer};
use super::pdu::{Pdu, Stat, stat_list};
use super::{Config, Sscop};
use alloc::vec::Vec;
use arqway_contract::Packet;
use arqway_units::{Span, Time};
use bytes::Bytes;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

fn ready(parameters: Parameters) -> Connection {
    Connection::established(parameters)
}

fn parameters() -> Parameters {
    Config::default().parameters()
}

fn give(connection: &mut Connection, packets: impl IntoIterator<Item = &'static str>, now: Time) {
    for packet in packets {
        connection.handle_request(Request::Data(Message::new(Packet::new(packet))), now);
    }
}

/// All that it has to send.
fn sent(connection: &mut Connection, now: Time) -> Vec<Pdu> {
    core::iter::from_fn(|| connection.poll_pdu(now)).map(|outgoing| outgoing.pdu).collect()
}

/// The numbers of the SD PDUs among them.
fn numbers(pdus: &[Pdu]) -> Vec<u32> {
    let number = |pdu: &Pdu| if let Pdu::Sd { number, .. } = pdu { Some(*number) } else { None };
    pdus.iter().filter_map(number).collect()
}

fn told(connection: &mut Connection) -> Vec<Indication> {
    core::iter::from_fn(|| connection.poll_indication()).collect()
}

fn sd(number: u32, packet: &'static str) -> Option<Pdu> {
    Some(Pdu::Sd { number, packet: packet.into() })
}

fn stat(list: &[u32], ps: u32, r: u32) -> Option<Pdu> {
    Some(Pdu::Stat(Stat::new(stat_list(list.iter().copied()), ps, r + 100, r)))
}

fn expire(connection: &mut Connection) -> Option<(Time, Timer)> {
    let (at, timer) = connection.next_timer()?;
    connection.handle_timer(timer, at);
    Some((at, timer))
}
