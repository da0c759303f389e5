//! An acknowledgement that comes after duplicates were withheld is told in steps (the question of shikama06 §4.6).

use super::*;
use etherparse::{PacketHeaders, TransportHeader};

fn regenerating() -> End {
    End::with(&Unordered { regenerate_acknowledgements: true, ..Unordered::default() })
}

/// The acknowledgement number, if the checksum is right.
fn number_of(packet: &Bytes) -> u32 {
    let read = PacketHeaders::from_ip_slice(packet).expect("a packet");
    let (Some(net), Some(TransportHeader::Tcp(tcp))) = (read.net, read.transport) else { panic!("no TCP") };
    let checksum = match net {
        etherparse::NetHeaders::Ipv4(ip, _) => tcp.calc_checksum_ipv4(&ip, read.payload.slice()),
        etherparse::NetHeaders::Ipv6(ip, _) => tcp.calc_checksum_ipv6(&ip, read.payload.slice()),
        etherparse::NetHeaders::Arp(_) => panic!("no IP"),
    };
    assert_eq!(checksum, Ok(tcp.checksum));
    tcp.acknowledgment_number
}

/// Five segments went out, the first was lost, and so many duplicates came.
fn after_duplicates(end: &mut End, tcp: Tcp, duplicates: u32) {
    assert_eq!(end.hear(&tcp.ack(1000)).len(), 1);
    for number in 0..5 {
        end.filter.sent(&tcp.data(1000 + number * LENGTH));
    }
    end.filter.retransmitted(&tcp.data(1000));
    for _ in 0..duplicates {
        assert!(end.hear(&tcp.ack(1000)).is_empty());
    }
}

#[test]
fn one_step_for_each_segment_and_checksums_stay_right() {
    for tcp in [TCP, IPV6] {
        let mut end = regenerating();
        after_duplicates(&mut end, tcp, 4);
        let heard = end.hear(&tcp.ack(1500));
        assert_eq!(heard.iter().map(number_of).collect::<Vec<_>>(), [1100, 1200, 1300, 1400, 1500]);
        assert_eq!(heard.last(), Some(&tcp.ack(1500)), "the last one is as it came");
        assert_eq!(end.counters.acknowledgements_regenerated, 4);
    }
}

#[test]
fn never_more_steps_than_duplicates_were_withheld() {
    let mut end = regenerating();
    after_duplicates(&mut end, TCP, 1);
    assert_eq!(end.hear(&TCP.ack(1500)).iter().map(number_of).collect::<Vec<_>>(), [1100, 1500]);
    end.filter.sent(&TCP.data(1500));
    end.filter.sent(&TCP.data(1600));
    assert_eq!(end.hear(&TCP.ack(1700)).len(), 1, "nothing was withheld: its receiver delays acknowledgements");
}

#[test]
fn without_the_setting_there_is_one_step() {
    let mut end = End::new();
    after_duplicates(&mut end, TCP, 4);
    assert_eq!(end.hear(&TCP.ack(1500)), [TCP.ack(1500)]);
}

#[test]
fn while_tcp_itself_recovers_a_step_would_make_it_send_more_again() {
    let mut end = regenerating();
    after_duplicates(&mut end, TCP, 3);
    end.filter.sent(&TCP.data(1000));
    assert_eq!(end.hear(&TCP.ack(1500)).len(), 1);
    for number in 5..8 {
        end.filter.sent(&TCP.data(1000 + number * LENGTH));
    }
    end.filter.retransmitted(&TCP.data(1500));
    assert!(end.hear(&TCP.ack(1500)).is_empty());
    assert_eq!(end.hear(&TCP.ack(1800)).len(), 2, "it has recovered");
}

#[test]
fn what_is_signed_is_not_touched() {
    let mut end = regenerating();
    after_duplicates(&mut end, TCP, 4);
    let mut signed = TCP.ack(1500).to_vec();
    signed[9] = 51;
    signed[3] += 12;
    signed.splice(20..20, [6, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
    assert_eq!(end.hear(&signed.clone().into()), [Bytes::from(signed)]);
}

#[test]
fn data_on_an_acknowledgement_is_not_doubled() {
    let mut end = regenerating();
    after_duplicates(&mut end, TCP, 4);
    let with_data = TCP.packet(false, &Says { acknowledgement: 1500, length: 10, ..NOTHING });
    assert_eq!(end.hear(&with_data), [with_data]);
}
