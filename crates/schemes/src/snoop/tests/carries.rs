//! What is no TCP segment, or not to be read as one, is carried as the raw link carries it.

use super::*;
use arqway_units::Octets;

/// Header fields that make a TCP packet none, or no whole one: what to change, and a name.
fn unreadable() -> Vec<(&'static str, Bytes)> {
    let changed = |version: u8, change: &dyn Fn(&mut Vec<u8>)| -> Bytes {
        let mut octets = Tcp { version, ..TCP }.data(1).to_vec();
        change(&mut octets);
        octets.into()
    };
    std::vec![
        ("ESP over IPv4", changed(4, &|octets| octets[9] = 50)),
        ("ESP over IPv6", changed(6, &|octets| octets[6] = 50)),
        ("UDP", changed(4, &|octets| octets[9] = 17)),
        ("an unknown protocol", changed(4, &|octets| octets[9] = 253)),
        ("hop-by-hop options", changed(6, &|octets| octets[6] = 0)),
        ("a first fragment", changed(4, &|octets| octets[6] = 0x20)),
        ("a later fragment", changed(4, &|octets| octets[7] = 5)),
        ("an IP length beyond the end", changed(4, &|octets| octets[2] = 0xff)),
        ("an IP length of nothing", changed(4, &|octets| octets[2..4].fill(0))),
        ("a payload length beyond the end", changed(6, &|octets| octets[4] = 0xff)),
        ("a TCP header beyond the end", changed(4, &|octets| octets.truncate(30))),
        ("a TCP header shorter than any", changed(4, &|octets| octets[32] = 4 << 4)),
        ("TCP options beyond the end", {
            let mut octets = TCP.down(0, 0, ACK).to_vec();
            octets[32] = 15 << 4;
            octets.into()
        }),
        ("no IP version that there is", changed(4, &|octets| octets[0] = 0x55)),
        ("a single octet", Bytes::from_static(&[0x45])),
    ]
}

#[test]
fn what_cannot_be_read_as_tcp_passes_untouched_in_both_directions() {
    for (name, packet) in unreadable() {
        let mut access_point = AccessPoint::new(Config::default());
        access_point.send(&packet);
        for _ in 0..4 {
            assert_eq!(access_point.hear(&packet), PASSES, "{name}");
        }
        assert_eq!((access_point.watched(), access_point.snoop.poll_timeout()), ((0, 0), None), "{name}");
    }
}

#[test]
fn the_same_packet_in_its_right_form_is_read() {
    for version in [4, 6] {
        let mut access_point = AccessPoint::new(Config::default());
        access_point.send(&Tcp { version, ..TCP }.data(1));
        assert_eq!(access_point.watched(), (1, 1));
    }
}

#[test]
fn padding_behind_the_packet_is_no_data() {
    let mut access_point = AccessPoint::new(Config::default());
    let mut padded = TCP.down(100, 0, ACK).to_vec();
    padded.extend([0; 6]);
    access_point.send(&padded.into());
    assert_eq!(access_point.watched(), (0, 0));
}

#[test]
fn the_client_s_end_is_the_raw_link() {
    let mut client = Checked::new(Config::default().build(&Side::Client.into()));
    for _ in 0..5 {
        client.handle_packet(Packet::new(TCP.data(1)), at(0)).expect("room");
        assert_eq!(client.poll_frame(at(0), Octets::MAX).map(|frame| frame.body), Some(TCP.data(1)));
        client.handle_frame(Frame::new(Kind::new(0), &[], TCP.ack(1)), at(0));
        assert_eq!(client.poll_packet().map(|packet| packet.octets), Some(TCP.ack(1)));
    }
    assert_eq!(client.poll_timeout(), None);
}

#[test]
fn a_frame_that_is_none_of_the_service_is_counted() {
    let mut access_point = AccessPoint::new(Config::default());
    access_point.snoop.handle_frame(Frame::new(Kind::new(1), &[], TCP.ack(1)), at(0));
    access_point.snoop.handle_frame(Frame::new(Kind::new(0), &[], Bytes::new()), at(0));
    assert_eq!((access_point.snoop.counters().malformed_received, access_point.snoop.poll_packet()), (2, None));
}
