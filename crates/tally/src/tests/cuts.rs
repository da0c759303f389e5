//! Packets that are larger than the room: cut, sent again, joined.

use super::*;
use alloc::vec;

/// 50 octets.
const LONG: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX";

#[test]
fn a_packet_is_cut_to_the_room_of_each_frame() {
    let mut end = end();
    // A tag, three octets in front, and 20.
    end.takes(LONG).takes("yz").expect_in(24, "start 0 as 1, middle 1 as 2, end 2 as 3, 3 as 4");
    assert_eq!((end.counters().frames_sent, end.counters().octets_sent), (4, 52));
}

#[test]
fn no_cut_is_shorter_than_16_octets_unless_the_packet_ends_with_it() {
    let mut end = end();
    end.takes(LONG).expect_in(19, "").expect_in(20, "start 0 as 1, middle 1 as 2, middle 2 as 3, end 3 as 4");
    end.takes("abcdefghijklmno").expect_in(18, "").expect_in(19, "4 as 5");
}

#[test]
fn cuts_are_joined_whatever_the_order_in_which_they_arrive() {
    let cuts = [cut(0, 1, (true, false), "ab"), cut(1, 2, (false, false), "cd"), cut(2, 3, (false, true), "e")];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut end = end();
        for (heard, index) in order.into_iter().enumerate() {
            assert_eq!(end.service.poll_packet(), None, "after {heard} of {order:?}");
            end.hears(&cuts[index]);
        }
        assert_eq!(end.service.poll_packet(), Some(Packet::new("abcde")), "{order:?}");
    }
}

#[test]
fn a_frame_goes_out_again_in_pieces_where_the_room_became_smaller() {
    let mut end = end();
    end.takes(LONG).takes("z").expect_in(100, "0 as 1, 1 as 2").tells(0, 2, &[2, 1]);
    // A tag, seven octets in front, and 22; then the rest fits.
    end.expect_in(30, "0 as 3 octets 0..22, 0 as 4 octets 22..44, 0 as 5 octets 44..50 last");
    assert_eq!(end.counters().frames_resent, 3);
    // In a larger room it is whole again.
    end.tells(0, 5, &[2, 1]).expect_in(100, "0 as 6");
}

#[test]
fn in_what_is_left_of_a_transmission_new_data_go_and_what_goes_again_whole_waits_for_the_next_one() {
    let mut end = end();
    end.service.handle_room(Octets::new(100));
    end.takes(LONG).takes("z").expect_in(100, "0 as 1, 1 as 2").tells(0, 2, &[2, 1]).takes("y");
    end.expect_in(30, "2 as 3").expect_in(100, "0 as 4");
    // It would fit into no transmission: then it goes in pieces.
    end.service.handle_room(Octets::new(40));
    end.tells(0, 4, &[3, 2]).expect_in(40, "0 as 5 octets 0..32, 0 as 6 octets 32..50 last");
}

#[test]
fn less_than_an_eighth_of_a_transmission_is_left_empty_unless_a_packet_ends_there() {
    let mut end = end();
    end.service.handle_room(Octets::new(400));
    // A tag, three octets in front, and 49 of 399.
    end.takes(LONG).expect_in(52, "").expect_in(53, "start 0 as 1, end 1 as 2");
    // The same of what goes again in pieces: seven octets in front, and 24 of 199.
    let mut end = self::end();
    end.service.handle_packet(Packet::new(vec![b'x'; 350]), end.now).expect("room for a packet");
    end.takes("z").expect_in(400, "0 as 1, 1 as 2").tells(0, 2, &[2, 1]);
    end.service.handle_room(Octets::new(200));
    end.expect_in(31, "");
    let piece = end.service.poll_frame(end.now, Octets::new(32)).expect("a piece");
    assert_eq!(piece.size(), Octets::new(32));
}

#[test]
fn a_room_that_is_too_small_for_a_frame_has_none_where_it_is_smaller_still() {
    let resequencings = [Resequencing::Full, Resequencing::PerFlow];
    for (resequencing, repair) in resequencings.iter().flat_map(|order| [false, true].map(|repair| (order, repair))) {
        for (whole, length) in [130, 177, 199].into_iter().flat_map(|whole| (1..60).map(move |length| (whole, length)))
        {
            let fits = (1..90).map(|room| {
                let mut end = end_with(|config| (config.resequencing, config.repair) = (resequencing.clone(), repair));
                end.service.handle_room(Octets::new(whole));
                end.service.handle_packet(Packet::new(vec![b'x'; length]), end.now).expect("room for a packet");
                end.service.poll_frame(end.now, Octets::new(room)).is_some()
            });
            assert!(fits.is_sorted(), "{length} octets in rooms of {whole}, repair {repair}");
        }
    }
}

#[test]
fn cuts_are_no_longer_than_a_transmission_whatever_the_room() {
    let mut end = end();
    end.service.handle_room(Octets::new(40));
    end.takes(LONG);
    let frame = end.service.poll_frame(end.now, Octets::new(1304)).expect("a cut");
    assert_eq!(frame.size(), Octets::new(40));
}

#[test]
fn pieces_that_arrived_are_kept_when_others_are_lost_also_where_they_are_cut_otherwise_then() {
    let mut pair = Pair::new(|_| ());
    pair.ends[0].takes(LONG).takes("z");
    pair.run(0, 100, |_| true);
    // The poll shows the loss. Of three pieces, 0..22, 22..44 and 44..50, the last is lost whenever it goes out.
    pair.run(60, 30, |frame| frame.ends_with("last"));
    assert!(pair.delivered.is_empty());
    // Of two pieces, 0..32 and 32..50, the first is lost: 44 octets of the two were there.
    pair.run(120, 40, |frame| frame.contains("octets 0.."));
    assert_eq!(pair.delivered, [LONG.as_bytes(), b"z"]);
    pair.run(200, 100, |_| false);
    assert_eq!(pair.ends[0].deadline(), None);
}

#[test]
fn a_piece_behind_a_gap_completes_nothing() {
    let mut end = end();
    let head =
        Head { narrowest: Form::Long, number: Number::ZERO, starts: true, ends: true, link: None, feedback: None };
    let piece = |offset: usize, is_last, octets: &'static str, counter| {
        let mut frame = wire::piece(&head, offset, is_last, octets.into());
        wire::write_counter(&mut frame, Counter::new(counter));
        frame
    };
    end.hears(&piece(0, false, "ab", 1)).hears(&piece(4, true, "e", 3)).expect("next 0 newest 3");
    // What is there already is not taken twice.
    end.hears(&piece(0, false, "abc", 4)).hears(&piece(3, true, "de", 5));
    assert_eq!(end.service.poll_packet(), Some(Packet::new("abcde")));
    assert_eq!(end.counters().malformed_received, 0);
}

#[test]
fn a_frame_that_the_queue_drops_between_its_pieces_goes_out_from_its_beginning() {
    let mut end = end();
    end.takes(LONG).takes("z").expect_in(100, "0 as 1, 1 as 2").tells(0, 2, &[2, 1]);
    let piece = end.service.poll_frame(end.now, Octets::new(30)).expect("a piece");
    end.depart(&piece, Departure::Dropped).at(1).expect_in(100, "0 as 3");
}

#[test]
fn in_the_order_of_flows_a_packet_in_several_cuts_waits_for_none_of_another_flow() {
    let mut pair = Pair::new(|config| config.resequencing = Resequencing::PerFlow);
    // IPv4 and UDP from one port and from another; what follows the header is theirs.
    let packet = |port: u8, mark: u8| {
        let mut octets = vec![mark; 60];
        octets[..20].copy_from_slice(&[0x45, 0, 0, 60, 0, 0, 0, 0, 9, 17, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
        octets[20..24].copy_from_slice(&[0, port, 0, 1]);
        octets
    };
    let packets = [packet(1, 0), packet(2, 1), packet(1, 2), packet(2, 3)];
    for packet in &packets {
        let [sender, _] = &mut pair.ends;
        sender.service.handle_packet(Packet::new(packet.clone()), sender.now).expect("room");
    }
    let mut lost = 0;
    pair.ends[1].link(arqway_contract::LinkState::Down);
    // The second cut of the first packet is lost, and nobody can be told: the other flow does not wait.
    pair.run(0, 40, |_| {
        lost += 1;
        lost == 2
    });
    assert_eq!(pair.delivered, [packets[1].clone(), packets[3].clone()]);
    pair.ends[1].link(arqway_contract::LinkState::Up);
    pair.run(100, 40, |_| false).run(200, 40, |_| false);
    assert_eq!(pair.delivered[2..], [packets[0].clone(), packets[2].clone()]);
}

#[test]
fn the_smallest_room_for_packets_is_enough_for_whatever_stands_in_front_of_a_cut() {
    let mut end = end_with(|config| config.resequencing = Resequencing::PerFlow);
    let room = (0..).find(|room| end.service.largest_packet(Octets::new(*room)) > Octets::ZERO).expect("a room");
    assert_eq!(room, 27);
    // The peer told of a gap, and is told of it once more with the next frame, if that has room for it.
    let linked = |number, counter| {
        let head = Head {
            narrowest: Form::Short,
            number: Number::new(number),
            starts: true,
            ends: true,
            link: Some(0),
            feedback: None,
        };
        let mut frame = head.frame("x".into());
        head.write(&mut frame, Counter::new(counter), None);
        frame
    };
    end.hears(&linked(200, 2));
    let mut told = end.hand_over();
    assert_eq!(end.start(&mut told), Start::Send);
    end.depart(&told, Departure::Sent).takes(LONG);
    assert!(end.service.poll_frame(end.now, Octets::new(room)).is_some(), "it would wait for ever");
}
