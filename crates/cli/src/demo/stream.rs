//! Packets at a constant pace in one direction, of use for so long: a telephone call, or another stream of UDP.

use super::period::{FirstBack, Period};
use arqway_units::{Span, Time};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, UdpSocket};
use std::thread;
use std::time::Duration;

/// That of RTP, by which a tunnel without settings of its own takes it for a call; and one that says nothing.
pub(super) const CALL: u16 = 5004;
pub(super) const ANY: u16 = 7007;
/// How often it is looked whether it is over.
const TICK: Duration = Duration::from_millis(100);
const LARGEST: usize = 2048;

/// Packets of UDP, in one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    /// Of both ends.
    pub(super) port: u16,
    /// Octets of a packet inside UDP.
    pub(super) payload: usize,
    /// From one packet to the next.
    pub(super) interval: Span,
    /// What comes later is of no use.
    pub(super) within: Span,
}

/// What came of a stream.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// How long each packet took, however late it was.
    pub(super) delays: Vec<Span>,
    /// How many of them were in time.
    pub(super) in_time: u64,
    /// How long after a cut link was back the first of these came.
    pub(super) back: Option<Span>,
}

pub(super) fn open(own: IpAddr, port: u16) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((own, port))?;
    socket.set_read_timeout(Some(TICK))?;
    Ok(socket)
}

/// Sends until it is over. How many packets that were; one that the system does not take is lost like others.
pub(super) fn speak(socket: &UdpSocket, to: IpAddr, stream: &Stream, period: &Period<'_>) -> u64 {
    let mut packet = vec![0; stream.payload];
    let (mut number, mut due) = (0_u64, period.now());
    while period.goes_on() {
        stamp(&mut packet, number, period.now());
        socket.send_to(&packet, (to, stream.port)).ok();
        number += 1;
        due += stream.interval;
        thread::sleep(Duration::from_nanos(due.since(period.now()).as_nanoseconds()));
    }
    number
}

/// What comes of it, each packet once.
pub(super) fn listen(socket: &UdpSocket, stream: &Stream, period: &Period<'_>) -> io::Result<Heard> {
    let (mut packet, mut back, mut heard) = ([0; LARGEST], FirstBack::default(), Heard::default());
    let mut numbers = BTreeSet::new();
    while period.goes_on_for(stream.within) {
        if let Some(length) = received(socket.recv(&mut packet))?
            && let Some((number, sent)) = stamped(&packet[..length])
            && numbers.insert(number)
        {
            let delay = period.now().since(sent);
            heard.delays.push(delay);
            if delay <= stream.within {
                heard.in_time += 1;
                back.arrives(period);
            }
        }
    }
    heard.back = back.after(period);
    Ok(heard)
}

/// What came, if anything did; that nobody is there yet is as if nothing had.
pub(super) fn received(read: io::Result<usize>) -> io::Result<Option<usize>> {
    match read {
        Ok(length) => Ok(Some(length)),
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable => Ok(None),
            _ => Err(error),
        },
    }
}

/// Writes its number and when it was sent into a packet.
pub(super) fn stamp(packet: &mut [u8], number: u64, now: Time) {
    let numbers = [number, now.since(Time::ZERO).as_nanoseconds()];
    for (place, number) in packet.as_chunks_mut().0.iter_mut().zip(numbers) {
        *place = number.to_le_bytes();
    }
}

/// What [`stamp`] has written.
pub(super) fn stamped(packet: &[u8]) -> Option<(u64, Time)> {
    let [number, sent, ..] = packet.as_chunks().0 else { return None };
    Some((u64::from_le_bytes(*number), Time::ZERO + Span::from_nanoseconds(u64::from_le_bytes(*sent))))
}
