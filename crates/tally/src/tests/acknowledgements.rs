//! TCP's acknowledgements, which need no order.

use super::*;
use etherparse::PacketBuilder;

/// Of host 1's connection: an acknowledgement, with this many octets of data.
fn segment(number: u32, data: usize) -> Packet {
    let mut octets = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(80, 4000, 7, 1000).ack(number);
    builder.write(&mut octets, &alloc::vec![0; data]).expect("memory");
    Packet::new(octets)
}

/// What the second end has delivered when the first one's frames have come over, without those that are lost.
fn delivered(packets: &[Packet], resequencing: Resequencing, lost: &str) -> Vec<Packet> {
    let mut pair = Pair::new(|config| config.resequencing = resequencing.clone());
    for packet in packets {
        let end = &mut pair.ends[0];
        end.service.handle_packet(packet.clone(), end.now).expect("room");
    }
    // Its peer does not answer yet.
    pair.run(0, 2000, |frame| frame.starts_with(lost) || frame.contains("poll"));
    core::mem::take(&mut pair.delivered).into_iter().map(Packet::new).collect()
}

#[test]
fn an_acknowledgement_of_tcp_waits_for_none_and_none_waits_for_it() {
    let all = [segment(1, 0), segment(2, 0), segment(2, 9), segment(3, 0), segment(3, 9)];
    let but = |lost: &[usize]| -> Vec<Packet> {
        all.iter().enumerate().filter(|(index, _)| !lost.contains(index)).map(|(_, packet)| packet.clone()).collect()
    };
    assert_eq!(delivered(&all, Resequencing::PerFlow, "0 "), but(&[0]));
    assert_eq!(delivered(&all, Resequencing::PerFlow, "3 "), but(&[3]));
    // Data wait for data, and acknowledgements go on.
    assert_eq!(delivered(&all, Resequencing::PerFlow, "2 "), but(&[2, 4]));
    assert_eq!(delivered(&all, Resequencing::Full, "0 "), []);
}
