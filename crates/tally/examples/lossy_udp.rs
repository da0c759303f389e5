//! Two ends of tally over UDP on loopback, where one datagram in ten is lost: all packets arrive, in order.
//!
//!     cargo run -p arqway-tally --example lossy_udp

use arqway_contract::{Departure, End, Frame, LinkService, Packet, Service, Side, Start, Tag};
use arqway_tally::{Config, Tally};
use arqway_units::{Octets, Span, Time};
use std::{io, net::UdpSocket, time::Duration};

struct Host {
    tally: End<Tally>,
    socket: UdpSocket,
    sent: u32,
}

impl Host {
    fn new(side: Side) -> io::Result<Self> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.set_read_timeout(Some(Duration::from_millis(1)))?;
        Ok(Self { tally: Config::default().build(&side.into()), socket, sent: 0 })
    }

    /// Sends what tally has to send, and tells it what has arrived.
    fn turn(&mut self, now: Time) -> io::Result<()> {
        if self.tally.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.tally.handle_timeout(now);
        }
        while let Some(mut frame) = self.tally.poll_frame(now, Octets::new(1400)) {
            if self.tally.start_frame(&mut frame, now) == Start::Withdraw {
                continue;
            }
            self.sent += 1;
            if !self.sent.is_multiple_of(10) {
                self.socket.send(&[&[frame.tag.as_octet()], frame.parts().concat().as_slice()].concat())?;
            }
            if let Some(ticket) = frame.ticket {
                self.tally.handle_departure(frame.tag, ticket, Departure::Sent, now);
            }
        }
        let mut datagram = [0; 1500];
        if let Ok(size @ 1..) = self.socket.recv(&mut datagram) {
            let body = datagram[1..size].to_vec().into();
            self.tally.handle_frame(Frame::from_wire(Tag::from_octet(datagram[0]), body), now);
        }
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "an owner brings its own clock")]
fn main() -> io::Result<()> {
    let begin = std::time::Instant::now();
    let (mut near, mut far) = (Host::new(Side::AccessPoint)?, Host::new(Side::Client)?);
    near.socket.connect(far.socket.local_addr()?)?;
    far.socket.connect(near.socket.local_addr()?)?;
    let mut packets = (0..200u32).map(|number| Packet::new(number.to_be_bytes().repeat(250))).peekable();
    let mut arrived = Vec::new();
    while arrived.len() < 200 {
        let now = Time::ZERO + Span::from_nanoseconds(u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
        while near.tally.wants_packet(Octets::new(1400)) && packets.peek().is_some() {
            packets
                .next()
                .into_iter()
                .try_for_each(|packet| near.tally.handle_packet(packet, now))
                .map_err(io::Error::other)?;
        }
        near.turn(now)?;
        far.turn(now)?;
        arrived.extend(core::iter::from_fn(|| far.tally.poll_packet()));
    }
    let in_order = arrived.iter().zip(0u32..).all(|(packet, number)| packet.octets.starts_with(&number.to_be_bytes()));
    let counters = near.tally.counters();
    println!("200 packets of 1,000 octets arrived in {:.0?}, in order: {in_order}", begin.elapsed());
    println!("sent {} datagrams, {} of them again, {} were lost", near.sent, counters.frames_resent, near.sent / 10);
    Ok(())
}
