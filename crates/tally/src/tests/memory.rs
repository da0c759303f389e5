//! What a packet costs in memory that is asked for.

use super::*;
use allocation_counter::measure;

/// Both ends carry so many packets in long bursts, of which the link loses every so many-th frame.
fn carry(ends: &mut [Scripted; 2], packets: u64, loses_each: u64) {
    let packet = Bytes::from_static(&[7; 1400]);
    let mut sent = 0;
    for _ in 0..packets / 100 {
        for _ in 0..100 {
            ends[0].service.handle_packet(Packet::new(packet.clone()), ends[0].now).expect("room for a packet");
        }
        while ends[0].deadline().is_some() || ends[0].service.counters().packets_taken > delivered(ends) {
            for side in [0, 1] {
                let [from, to] = ends.get_disjoint_mut([side, 1 - side]).expect("two ends");
                while let Some(mut frame) = from.service.poll_frame(from.now, Octets::MAX) {
                    if from.start(&mut frame) == Start::Send {
                        from.depart(&frame, Departure::Sent);
                        sent += 1;
                        if side == 1 || sent % loses_each != 0 {
                            to.service.handle_frame(frame, to.now);
                        }
                    }
                }
                while to.service.poll_packet().is_some() {}
            }
            for end in ends.iter_mut() {
                let later = end.now + Span::from_milliseconds(1);
                end.at(later.since(Time::ZERO).as_nanoseconds() / 1_000_000);
            }
        }
    }
}

fn delivered(ends: &[Scripted; 2]) -> u64 {
    ends[1].counters().packets_delivered
}

#[test]
fn in_the_steady_state_a_packet_asks_for_memory_less_than_once_in_ten() {
    for loses_each in [u64::MAX, 100] {
        let mut ends = [end(), end()];
        carry(&mut ends, 20_000, loses_each);
        let taken = measure(|| carry(&mut ends, 20_000, loses_each)).count_total;
        assert_eq!(delivered(&ends), 40_000);
        assert!(taken < 2_000, "{taken} times for 20,000 packets");
    }
}
