//! Headers of TCP: when they are shortened, and what comes of that at the other end.

use super::*;
use alloc::vec;
use arqway_arq::{Others, Unordered};
use etherparse::{PacketBuilder, TcpHeader};

/// The segment of this number of a connection, of 52 octets of payload behind 40 of headers.
fn segment(port: u16, number: u32) -> Packet {
    let mut tcp = TcpHeader::new(port, 4000, number * 52, 1000);
    (tcp.ack, tcp.acknowledgment_number) = (true, 1);
    let ip = etherparse::Ipv4Header {
        identification: number as u16,
        ..etherparse::Ipv4Header::new(0, 64, 6.into(), [10, 0, 0, 1], [10, 0, 0, 2]).expect("short")
    };
    let mut octets = Vec::new();
    let builder = PacketBuilder::ip(etherparse::IpHeaders::Ipv4(ip, etherparse::Ipv4Extensions::default()));
    builder.tcp_header(tcp).write(&mut octets, &[b'x'; 52]).expect("memory");
    Packet::new(octets)
}

fn compressing(change: impl FnOnce(&mut Config)) -> Scripted {
    end_with(|config| {
        config.compress_headers = true;
        change(config);
    })
}

/// How many octets of a packet are in the frames that it goes out in, each of which takes so many milliseconds.
fn length_of(end: &mut Scripted, packet: Packet, milliseconds: u64) -> usize {
    let before = end.counters().octets_sent;
    end.service.handle_packet(packet, end.now).expect("room for a packet");
    send(end, 1500, milliseconds);
    usize::try_from(end.counters().octets_sent - before).expect("short")
}

#[test]
fn headers_are_shortened_once_frames_are_known_to_take_time_on_the_line() {
    let mut end = compressing(|_| ());
    for number in 0..3 {
        assert_eq!(length_of(&mut end, segment(80, number), 0), 92);
    }
    assert_eq!(length_of(&mut end, segment(80, 3), 1), 92);
    assert_eq!(length_of(&mut end, segment(80, 4), 1), 92, "and the context, which is none of the packet's");
    assert_eq!(length_of(&mut end, segment(80, 5), 1), 56);
    assert_eq!(length_of(&mut end, segment(81, 6), 1), 92, "another one");
    assert_eq!(length_of(&mut end, segment(80, 6), 1), 56);
}

#[test]
fn packets_that_may_not_arrive_or_not_in_order_are_left_as_they_are() {
    let ages = |config: &mut Config| config.persistence = Some(Span::from_seconds(1.0));
    let unordered = |others| {
        move |config: &mut Config| {
            config.resequencing = Resequencing::None(Unordered { others, ..Unordered::default() });
        }
    };
    let ends = [compressing(ages), compressing(unordered(Others::Full)), compressing(unordered(Others::None))];
    for mut end in ends {
        for number in 0..3 {
            assert_eq!(length_of(&mut end, segment(80, number), 1), 92);
        }
    }
    let mut end = compressing(|_| ());
    let lengths = [None, None, Some(5000), None].into_iter().enumerate().map(|(number, milliseconds)| {
        let deadline = milliseconds.map(|milliseconds| Time::ZERO + Span::from_milliseconds(milliseconds));
        length_of(&mut end, Packet { deadline, ..segment(80, number as u32) }, 1)
    });
    assert_eq!(lengths.collect::<Vec<_>>(), [92, 92, 92, 58], "the next one does not need it");
}

#[test]
fn what_no_packet_can_be_made_of_is_counted_and_the_next_one_comes() {
    let mut end = compressing(|_| ());
    end.hears(&data(0, 1, "\u{7}")).hears(&data(1, 2, "A")).expect("deliver A");
    assert_eq!((end.counters().protocol_errors, end.counters().packets_delivered), (1, 1));
}

#[test]
fn the_longest_packet_may_get_one_octet_more() {
    let mut pair = Pair::new(|config| config.compress_headers = true);
    let longest = pair.ends[0].service.largest_packet(Octets::new(1500));
    assert_eq!(longest, Octets::new(65_534));
    let packet = vec![0; longest.as_usize()];
    pair.ends[0].service.handle_packet(Packet::new(packet.clone()), Time::ZERO).expect("room for a packet");
    assert_eq!(pair.run(0, 1500, |_| false).delivered, [packet]);
}
