//! NewReno where more than two packets of a window are lost, which no recorded trace of ns-2 has.

use super::*;
use crate::tcp::Variant;

/// Packets 8 to 17 are outstanding, in a window of ten; 8, 10 and 13 are lost, and the other seven were answered at 300 ms.
fn three_lost(variant: Variant) -> Sender {
    let mut sender = under_way_as(&TcpConfig { variant: Some(variant), ..TcpConfig::default() });
    for number in 2..8 {
        sender.handle_acknowledgement(number, at(200));
    }
    assert_eq!(sent(&mut sender).last(), Some(&17));
    for _ in 0..7 {
        sender.handle_acknowledgement(7, at(300));
    }
    sender
}

fn answer(sender: &mut Sender, numbers: &[i64], now: Time) -> Vec<i64> {
    numbers.iter().for_each(|number| sender.handle_acknowledgement(*number, now));
    sent(sender)
}

#[test]
fn each_partial_acknowledgement_sends_the_next_missing_packet_and_gives_one_back() {
    let mut sender = three_lost(Variant::NewReno);
    assert_eq!(sent(&mut sender), [8, 18, 19], "half of ten, and seven duplicates: twelve beyond packet 7");
    assert_eq!(answer(&mut sender, &[9], at(400)), [10, 20], "8 and 9 are out of the network, 10 is back in it");
    assert_eq!(answer(&mut sender, &[9, 9], at(500)), [21, 22], "18 and 19 have arrived");
    assert_eq!(answer(&mut sender, &[12], at(600)), [13, 23]);
    assert_eq!(sender.congestion_window(), 5.0);
    assert_eq!(answer(&mut sender, &[19], at(700)), [24], "all is acknowledged that was under way: five beyond it");
    assert_eq!((sender.congestion_window(), sender.duplicate_acknowledgements()), (5.2, 0));
}

#[test]
fn reno_leaves_the_second_loss_of_a_window_to_the_timer() {
    let mut sender = three_lost(Variant::Reno);
    assert_eq!(sent(&mut sender), [8, 18, 19]);
    assert_eq!(answer(&mut sender, &[9, 9, 9, 9, 9], at(400)), [] as [i64; 0]);
}

#[test]
fn only_the_first_partial_acknowledgement_restarts_the_timer() {
    let mut sender = three_lost(Variant::NewReno);
    assert_eq!(sender.poll_timeout(), Some(at(1300)), "of packet 8, sent again at 300 ms");
    sender.handle_acknowledgement(9, at(400));
    assert_eq!(sender.poll_timeout(), Some(at(1400)));
    sender.handle_acknowledgement(12, at(600));
    assert_eq!(sender.poll_timeout(), Some(at(1400)));
    sender.handle_acknowledgement(19, at(700));
    assert_eq!(sender.poll_timeout(), Some(at(1700)));
}

#[test]
fn a_partial_acknowledgement_beyond_the_inflation_takes_the_rest_out_of_the_window() {
    let mut sender = under_way_as(&TcpConfig { variant: Some(Variant::NewReno), ..TcpConfig::default() });
    (2..8).for_each(|number| sender.handle_acknowledgement(number, at(200)));
    sent(&mut sender);
    // Packets 8 and 16 are lost, and so are all duplicates but three.
    assert_eq!(answer(&mut sender, &[7, 7, 7], at(300)), [8]);
    assert_eq!(answer(&mut sender, &[15], at(400)), [16], "eight acknowledged, three of inflation: five too many");
    assert_eq!(sender.congestion_window(), 1.0);
    assert_eq!(answer(&mut sender, &[15], at(400)), [18], "one of window, one that marks recovery, one duplicate");
    assert_eq!(answer(&mut sender, &[17], at(500)), [19], "slow start up to the threshold");
    assert_eq!(sender.congestion_window(), 2.0);
}

#[test]
fn a_timeout_ends_the_recovery() {
    let mut sender = three_lost(Variant::NewReno);
    sender.handle_acknowledgement(9, at(400));
    sent(&mut sender);
    sender.handle_timeout(at(1400));
    assert_eq!(sent(&mut sender), [10]);
    assert_eq!(answer(&mut sender, &[12], at(1500)), [13, 14], "no partial acknowledgement: slow start goes on");
    assert_eq!(
        answer(&mut sender, &[12, 12, 12], at(1600)),
        [] as [i64; 0],
        "duplicates of old packets mean no new loss"
    );
}
