//! What a loopback UDP socket never does: run out of room, or stand beside a network layer with a descriptor.

use crate::daemon::{Endpoint, TunnelError};
use crate::network::NetworkLayer;
use crate::udp::UdpLine;
use arqway_link::raw;
use arqway_link::{Checked, Packet, Service, Side};
use arqway_units::{Span, Time};
use rustix::io::{ioctl_fionbio, read};
use std::io::{PipeReader, Write, pipe};
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;

const LIMIT: Time = Time::from_nanoseconds(10_000_000_000);

#[test]
fn frames_wait_for_room_in_the_socket_and_none_is_lost() {
    const COUNT: u32 = 5_000;
    let (line, peer) = line();
    let config = raw::Config { buffer: NonZeroUsize::new(COUNT as usize).expect("not zero") };
    let mut end = Endpoint::over(Checked::new(config.build(&Side::Client.into())), Numbers(0..COUNT), line);
    let in_peace = (0..100).any(|_| {
        let latest = end.turn(Time::ZERO).expect("a turn") + Span::from_milliseconds(50);
        end.turn(latest).expect("a turn") >= latest
    });
    assert!(in_peace, "something keeps waking an end whose socket is full");
    let sent = end.counters().frames_sent;
    assert!((1..u64::from(COUNT)).contains(&sent), "the socket was to be full, and took {sent} of {COUNT} frames");
    for expected in 0..COUNT {
        let mut octets = [0; 5];
        while peer.recv(&mut octets).is_err() {
            assert!(end.turn(LIMIT).expect("a turn") < LIMIT, "frame {expected} of {COUNT} did not arrive");
        }
        assert_eq!(octets[1..], expected.to_be_bytes());
    }
    assert_eq!((end.counters().frames_sent, end.counters().frames_lost), (COUNT.into(), 0));
}

#[test]
fn a_packet_at_the_descriptor_ends_the_wait() {
    let ((line, peer), (reader, mut writer)) = (line(), pipe().expect("a pipe"));
    let mut end =
        Endpoint::over(Checked::new(raw::Config::default().build(&Side::Client.into())), Piped::new(reader), line);
    end.turn(Time::ZERO).expect("a turn");
    writer.write_all(&[1, 2, 3, 4]).expect("room in the pipe");
    assert!(end.turn(LIMIT).expect("a turn") < LIMIT);
    let mut octets = [0; 5];
    assert_eq!(peer.recv(&mut octets).expect("a frame"), 5);
    assert_eq!(octets[1..], [1, 2, 3, 4]);
}

#[test]
fn a_network_layer_that_has_closed_is_an_error_and_no_endless_loop() {
    let ((line, _peer), (reader, writer)) = (line(), pipe().expect("a pipe"));
    let mut end =
        Endpoint::over(Checked::new(raw::Config::default().build(&Side::Client.into())), Piped::new(reader), line);
    drop(writer);
    let error = end.turn(LIMIT).expect_err("a closed pipe");
    assert!(matches!(error, TunnelError::NetworkLayerClosed), "{error}");
}

/// A line over a socket that, unlike UDP on loopback, is full once its reader falls behind; and its other end.
fn line() -> (UdpLine, UnixDatagram) {
    let (near, far) = UnixDatagram::pair().expect("two sockets");
    near.set_nonblocking(true).expect("a socket of our own");
    far.set_nonblocking(true).expect("a socket of our own");
    (UdpLine::new(near.into()), far)
}

/// A network layer that counts.
struct Numbers(std::ops::Range<u32>);

impl NetworkLayer for Numbers {
    fn poll_packet(&mut self) -> Option<Packet> {
        self.0.next().map(|number| Packet::new(number.to_be_bytes().to_vec()))
    }

    fn deliver(&mut self, _packet: Packet) {}
}

/// A network layer that reads packets of four octets from a pipe.
struct Piped(PipeReader);

impl Piped {
    fn new(reader: PipeReader) -> Self {
        ioctl_fionbio(&reader, true).expect("a pipe of our own");
        Self(reader)
    }
}

impl NetworkLayer for Piped {
    fn poll_packet(&mut self) -> Option<Packet> {
        let mut octets = [0; 4];
        read(&self.0, &mut octets).ok().filter(|length| *length == 4).map(|_| Packet::new(octets.to_vec()))
    }

    fn deliver(&mut self, _packet: Packet) {}

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.0.as_fd())
    }
}
