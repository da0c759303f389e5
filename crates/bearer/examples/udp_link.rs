//! A link over UDP on loopback: two bearers find each other, and carry small packets, many to a datagram.
//!
//!     cargo run -p arqway-bearer --example udp_link

use arqway_bearer::{Bearer, Config};
use arqway_contract::{Clock, Counters, Departure, End, Entity, Frame, Kind, LinkService, Packet, Side, Start, Tag};
use arqway_units::{Octets, Span, Time};
use bytes::Bytes;
use std::{collections::VecDeque, io, net::UdpSocket, time::Duration};

/// The service above, in place of one that sends lost packets again: packets leave as they come.
#[derive(Default)]
struct Plain {
    outgoing: VecDeque<Bytes>,
    arrived: VecDeque<Bytes>,
}

#[rustfmt::skip]
impl Entity for Plain {
    fn has_room(&self) -> bool { self.outgoing.len() < 64 }
    fn wants_packet(&self, _: Octets) -> bool { self.outgoing.is_empty() }
    fn push(&mut self, packet: Packet, _: Clock, _: &mut Counters) { self.outgoing.push_back(packet.octets); }
    fn receive(&mut self, frame: Frame, _: Clock, _: &mut Counters) -> Option<()> { self.arrived.push_back(frame.into_packet()?); Some(()) }
    fn poll(&mut self, _: Clock, _: Octets, _: &mut Counters) -> Option<Frame> { Some(Frame::new(Kind::new(0), &[], self.outgoing.pop_front()?)) }
    fn largest_packet(&self, room: Octets) -> Octets { room - Frame::TAG }
    fn release(&mut self, _: &mut Counters) -> Option<Bytes> { self.arrived.pop_front() }
}

type Link = Bearer<End<Plain>>;

/// Sends what a bearer has to send, tells it what has arrived, and says how many datagrams left.
fn turn(link: &mut Link, socket: &UdpSocket, now: Time) -> io::Result<u32> {
    if link.poll_timeout().is_some_and(|deadline| deadline <= now) {
        link.handle_timeout(now);
    }
    let mut sent = 0;
    while let Some(mut datagram) = link.poll_frame(now, Octets::MAX) {
        if link.start_frame(&mut datagram, now) == Start::Send {
            socket.send(&[&[datagram.tag.as_octet()], datagram.parts().concat().as_slice()].concat())?;
            sent += 1;
        }
        if let Some(ticket) = datagram.ticket {
            link.handle_departure(datagram.tag, ticket, Departure::Sent, now);
        }
    }
    let mut datagram = [0; 2000];
    if let Ok(size @ 1..) = socket.recv(&mut datagram) {
        let body = datagram[1..size].to_vec().into();
        link.handle_frame(Frame::from_wire(Tag::from_octet(datagram[0]), body), now);
    }
    Ok(sent)
}

#[expect(clippy::disallowed_methods, reason = "an owner brings its own clock")]
fn main() -> io::Result<()> {
    let begin = std::time::Instant::now();
    let sockets = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
    for (one, other) in [(0, 1), (1, 0)] {
        sockets[one].connect(sockets[other].local_addr()?)?;
        sockets[one].set_read_timeout(Some(Duration::from_millis(1)))?;
    }
    let end =
        |side: Side, boot| Link::new(Config::default(), |_| End::new(Plain::default()), side.into(), boot, Time::ZERO);
    let mut links = [end(Side::AccessPoint, 1), end(Side::Client, 2)];
    let (mut offered, mut arrived, mut datagrams) = (0, 0, 0);
    while arrived < 500 {
        let now = Time::ZERO + Span::from_nanoseconds(u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
        while links[0].is_up() && offered < 500 && links[0].handle_packet(Packet::new(vec![7; 100]), now).is_ok() {
            offered += 1;
        }
        for (index, link) in links.iter_mut().enumerate() {
            datagrams += turn(link, &sockets[index], now)?;
        }
        arrived += core::iter::from_fn(|| links[1].poll_packet()).count();
    }
    println!("500 packets of 100 octets arrived in {:.0?}, in {datagrams} datagrams both ways", begin.elapsed());
    println!("{:?}", links[0].path());
    Ok(())
}
