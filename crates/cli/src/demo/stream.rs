//! One direction of a telephone call: a small packet at a constant pace, of use for so long.

use super::period::{FirstBack, Period};
use super::world::Call;
use arqway_units::{Span, Time};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, UdpSocket};
use std::thread;
use std::time::Duration;

/// That of RTP, by which a tunnel without settings of its own takes it for a call.
const PORT: u16 = 5004;
/// How often it is looked whether it is over.
const TICK: Duration = Duration::from_millis(100);
const LARGEST: usize = 2048;

pub(super) fn open(own: IpAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((own, PORT))?;
    socket.set_read_timeout(Some(TICK))?;
    Ok(socket)
}

/// Sends until it is over. How many packets that were; one that the system does not take is lost like others.
pub(super) fn speak(socket: &UdpSocket, to: IpAddr, call: &Call, period: &Period<'_>) -> u64 {
    let mut packet = vec![0; call.payload];
    let (mut number, mut due) = (0_u64, period.now());
    while period.goes_on() {
        stamp(&mut packet, number, period.now());
        socket.send_to(&packet, (to, PORT)).ok();
        number += 1;
        due += call.interval;
        thread::sleep(Duration::from_nanos(due.since(period.now()).as_nanoseconds()));
    }
    number
}

/// How many packets came in time, and how long after a cut link was back the first of them.
pub(super) fn listen(socket: &UdpSocket, call: &Call, period: &Period<'_>) -> io::Result<(u64, Option<Span>)> {
    let (mut packet, mut back) = ([0; LARGEST], FirstBack::default());
    let mut in_time = BTreeSet::new();
    while period.goes_on_for(call.within) {
        if let Some(length) = received(socket.recv(&mut packet))?
            && let Some((number, sent)) = stamped(&packet[..length])
            && period.now().since(sent) <= call.within
        {
            in_time.insert(number);
            back.arrives(period);
        }
    }
    Ok((arqway_units::count(in_time.len()), back.after(period)))
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
