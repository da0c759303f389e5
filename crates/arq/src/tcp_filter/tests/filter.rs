//! What the filter withholds, and what it must let pass (shikama06 §3.3).

use super::*;

#[test]
fn duplicates_that_the_link_causes_are_withheld_until_a_new_acknowledgement() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    for _ in 0..5 {
        assert!(!end.passes(&TCP.ack(1000)));
    }
    assert_eq!(end.counters.acknowledgements_withheld, 5);
    assert!(end.passes(&TCP.ack(1400)), "new data");
    assert!(end.passes(&TCP.ack(1400)), "1400 was not sent again");
}

#[test]
fn duplicates_that_a_loss_on_the_wired_side_causes_pass() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    // 1000 was repaired; 1100 never came to the link.
    for _ in 0..4 {
        assert!(end.passes(&TCP.ack(1100)));
    }
    assert!(end.passes(&OTHER.ack(1000)) && end.passes(&OTHER.ack(1000)), "another connection");
}

#[test]
fn of_several_losses_each_is_withheld_in_its_turn() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    end.filter.retransmitted(&TCP.data(1200));
    assert!(!end.passes(&TCP.ack(1000)));
    assert!(end.passes(&TCP.ack(1200)), "the first of its number");
    assert!(!end.passes(&TCP.ack(1200)));
    assert!(end.passes(&TCP.ack(1500)));
}

#[test]
fn the_first_acknowledgement_of_a_number_passes_even_if_its_segment_was_sent_again_before() {
    let mut end = End::new();
    end.filter.sent(&TCP.data(1000));
    end.filter.retransmitted(&TCP.data(1000));
    assert!(end.passes(&TCP.ack(1000)));
    assert!(!end.passes(&TCP.ack(1000)));
}

#[test]
fn what_passed_before_the_loss_is_remembered() {
    let mut end = End::new();
    assert!(end.passes(&TCP.ack(1000)));
    end.filter.retransmitted(&TCP.data(1000));
    assert!(!end.passes(&TCP.ack(1000)), "its first one passed before");
}

#[test]
fn a_duplicate_within_a_segment_that_was_sent_again_is_withheld() {
    let mut end = End::new();
    end.filter.retransmitted(&TCP.data(1000));
    assert!(end.passes(&TCP.ack(1050)));
    assert!(!end.passes(&TCP.ack(1050)));
    assert!(end.passes(&TCP.ack(1099)));
    assert!(!end.passes(&TCP.ack(1099)));
    assert!(end.passes(&TCP.ack(1100)) && end.passes(&TCP.ack(1100)), "its end lies outside");
}

#[test]
fn numbers_wrap_at_32_bits() {
    let start = 0u32.wrapping_sub(150);
    let mut end = End::new();
    end.after_loss_at(TCP, start);
    assert!(!end.passes(&TCP.ack(start)));
    let second = start.wrapping_add(LENGTH);
    end.filter.retransmitted(&TCP.data(second));
    assert!(end.passes(&TCP.ack(second)));
    assert!(!end.passes(&TCP.ack(second)));
    assert!(end.passes(&TCP.ack(20)), "within the segment that crosses zero");
    assert!(!end.passes(&TCP.ack(20)));
    assert!(end.passes(&TCP.ack(250)), "beyond zero, and new");
    assert!(end.passes(&TCP.ack(250)));
    end.after_loss_at(TCP, 300);
    assert!(!end.passes(&TCP.ack(300)));
    assert!(end.passes(&TCP.ack(second)), "an old one");
}

#[test]
fn a_duplicate_with_blocks_of_sack_is_withheld_and_one_with_d_sack_passes() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    let with = |blocks: &[(u32, u32)]| Says { acknowledgement: 1000, blocks: blocks.to_vec(), ..NOTHING };
    assert!(!end.passes(&TCP.packet(false, &with(&[(1100, 1200)]))));
    assert!(!end.passes(&TCP.packet(false, &with(&[(1300, 1400), (1100, 1200)]))));
    assert!(end.passes(&TCP.packet(false, &with(&[(900, 1000)]))), "a duplicate of acknowledged data");
    assert!(end.passes(&TCP.packet(false, &with(&[(1200, 1300), (1100, 1500)]))), "one of data behind the gap");
    assert!(!end.passes(&TCP.packet(false, &with(&[(1100, 1200)]))));
}

#[test]
fn an_update_of_the_window_passes() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    let update = TCP.packet(false, &Says { acknowledgement: 1000, window: 6000, ..NOTHING });
    assert!(end.passes(&update));
    assert!(!end.passes(&update), "it says nothing new any more");
}

#[test]
fn answers_to_probes_of_a_closed_window_pass() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    let closed = TCP.packet(false, &Says { acknowledgement: 1000, window: 0, ..NOTHING });
    for _ in 0..3 {
        assert!(end.passes(&closed), "without them TCP's sender gives up");
    }
}

#[test]
fn an_acknowledgement_that_bears_data_or_is_urgent_passes() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    for says in [Says { length: 1, ..NOTHING }, Says { flags: "fin", ..NOTHING }, Says { flags: "urg", ..NOTHING }] {
        assert!(end.passes(&TCP.packet(false, &Says { acknowledgement: 1000, ..says })));
    }
    assert!(!end.passes(&TCP.ack(1000)));
}

#[test]
fn both_ends_of_a_connection_may_send_data() {
    // Each direction has a filter, at the other end of the link; here is one. Its own acknowledgements, bare or on data, are
    // those of the other direction and mean nothing to it.
    let mut end = End::new();
    let mixed = |sequence| TCP.packet(true, &Says { sequence, acknowledgement: 500, length: 100, ..NOTHING });
    end.filter.sent(&mixed(1000));
    end.filter.retransmitted(&mixed(1000));
    end.filter.retransmitted(&TCP.packet(true, &Says { sequence: 1100, acknowledgement: 500, ..NOTHING }));
    let answer = |acknowledgement| TCP.packet(false, &Says { sequence: 500, acknowledgement, length: 100, ..NOTHING });
    assert!(end.passes(&answer(1000)), "the first of its number, on data");
    assert!(!end.passes(&TCP.ack(1000)), "a duplicate of it");
    assert!(end.passes(&answer(1000)), "data");
    assert!(end.passes(&answer(1100)));
    assert!(end.passes(&TCP.ack(1100)), "what was sent again from 1100 on was nothing");
}

#[test]
fn syn_and_reset_pass_and_begin_anew() {
    for (flags, from_sender) in [("syn", false), ("rst", false), ("syn", true), ("rst", true)] {
        let mut end = End::new();
        end.after_loss_at(TCP, 1000);
        let packet = TCP.packet(from_sender, &Says { acknowledgement: 1000, flags, ..NOTHING });
        if from_sender {
            end.filter.sent(&packet);
        } else {
            assert!(end.passes(&packet), "{flags}");
        }
        assert!(end.passes(&TCP.ack(1000)) && end.passes(&TCP.ack(1000)), "the ports may be of another connection");
    }
}

#[test]
fn a_syn_that_is_sent_again_is_not_recorded() {
    let mut end = End::new();
    let syn = TCP.packet(true, &Says { sequence: 1000, flags: "syn", ..NOTHING });
    end.filter.sent(&syn);
    end.filter.retransmitted(&syn);
    assert!(end.passes(&TCP.ack(1000)) && end.passes(&TCP.ack(1000)));
}

#[test]
fn an_acknowledgement_that_was_overtaken_passes_and_ends_nothing() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    assert!(end.passes(&TCP.ack(900)));
    assert!(end.passes(&TCP.ack(900)));
    assert!(!end.passes(&TCP.ack(1000)));
}

#[test]
fn what_tcp_sends_again_itself_is_no_news() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    end.filter.sent(&TCP.data(1000));
    end.filter.retransmitted(&TCP.data(1000));
    assert!(!end.passes(&TCP.ack(1000)));
    assert!(end.passes(&TCP.ack(1100)), "either copy brings the new acknowledgement");
}

#[test]
fn an_acknowledgement_that_was_lost_behind_this_end_passes_when_it_comes_again() {
    let mut end = End::new();
    end.after_loss_at(TCP, 1000);
    // TCP's sender has not seen that 900 was acknowledged. Its peer, who misses 1000, can only repeat itself.
    end.filter.sent(&TCP.data(900));
    assert!(end.passes(&TCP.ack(1000)));
    assert!(!end.passes(&TCP.ack(1000)));
}

#[test]
fn ipv6_and_extension_headers_are_read() {
    let extended = |packet: Bytes| {
        // A hop-by-hop header of eight octets in front of TCP.
        let mut octets = packet.to_vec();
        let length = u16::from_be_bytes([octets[4], octets[5]]) + 8;
        octets[4..6].copy_from_slice(&length.to_be_bytes());
        octets[6] = 0;
        octets.splice(40..40, [6, 0, 1, 4, 0, 0, 0, 0]);
        Bytes::from(octets)
    };
    for change in [|packet| packet, extended] {
        let mut end = End::new();
        end.filter.retransmitted(&change(IPV6.data(1000)));
        assert!(end.passes(&change(IPV6.ack(1000))));
        assert!(!end.passes(&change(IPV6.ack(1000))));
    }
}

#[test]
fn options_of_ipv4_are_read_past() {
    let optioned = |packet: Bytes| {
        let mut octets = packet.to_vec();
        octets[0] = 0x46;
        octets[3] += 4;
        octets.splice(20..20, [1; 4]);
        Bytes::from(octets)
    };
    let mut end = End::new();
    end.filter.retransmitted(&optioned(TCP.data(1000)));
    assert!(end.passes(&optioned(TCP.ack(1000))));
    assert!(!end.passes(&TCP.ack(1000)));
}

#[test]
fn what_is_no_whole_segment_is_left_alone() {
    let change = |packet: Bytes, change: fn(&mut Vec<u8>)| {
        let mut octets = packet.to_vec();
        change(&mut octets);
        Bytes::from(octets)
    };
    let changes: [fn(&mut Vec<u8>); 5] = [
        |octets| octets[9] = 17,   // UDP
        |octets| octets[9] = 50,   // ESP
        |octets| octets[6] = 0x20, // the first fragment
        |octets| octets[7] = 2,    // a later one
        |octets| octets.truncate(octets.len() - 1),
    ];
    for (index, how) in changes.into_iter().enumerate() {
        let mut end = End::new();
        end.filter.retransmitted(&change(TCP.data(1000), how));
        assert!(end.passes(&TCP.ack(1000)) && end.passes(&TCP.ack(1000)), "data {index}");
        end.filter.retransmitted(&TCP.data(1000));
        let ack = change(TCP.ack(1000), how);
        assert!(end.passes(&ack) && end.passes(&ack), "acknowledgement {index}");
        assert_eq!(end.counters.acknowledgements_withheld, 0);
    }
}
