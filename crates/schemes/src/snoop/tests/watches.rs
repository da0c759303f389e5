//! Which connections are watched, for how long, and what of them.

use super::*;
use core::num::NonZeroUsize;

fn small(connections: usize, cache: usize) -> Config {
    let [connections, cache] = [connections, cache].map(|count| NonZeroUsize::new(count).expect("not zero"));
    Config { connections, cache, ..Config::default() }
}

#[test]
fn two_connections_of_the_same_hosts_are_told_apart_by_their_ports() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=3);
    access_point.send(&OTHER.data(1));
    assert_eq!(access_point.watched(), (2, 4));
    assert_eq!(access_point.hear(&OTHER.ack(2)), PASSES);
    assert_eq!(access_point.watched(), (2, 3));
}

#[test]
fn ipv6_is_watched_as_ipv4_is() {
    let tcp = Tcp { version: 6, ..TCP };
    let mut access_point = AccessPoint::new(Config::default());
    for number in 1..=4 {
        access_point.send(&tcp.data(number));
    }
    assert_eq!(access_point.hear(&tcp.ack(1)), PASSES);
    assert_eq!(access_point.hear(&tcp.ack(1)), PASSES);
    assert_eq!(access_point.hear(&tcp.ack(1)), answered_by(tcp.data(1)));
}

#[test]
fn the_connection_silent_longest_makes_room_for_a_new_one_and_is_counted() {
    let mut access_point = AccessPoint::new(small(2, 100));
    for (milliseconds, port) in [(0, 1), (1, 2), (2, 1), (3, 3)] {
        access_point.wait_until(milliseconds);
        access_point.send(&Tcp { port, ..TCP }.data(1));
    }
    assert_eq!((access_point.watched(), access_point.snoop.counters().connections_evicted), ((2, 2), 1));
    access_point.hear(&Tcp { port: 2, ..TCP }.ack(2));
    assert_eq!(access_point.watched(), (2, 2), "the second has gone");
    access_point.hear(&Tcp { port: 1, ..TCP }.ack(2));
    assert_eq!(access_point.watched(), (2, 1), "the first has not");
}

#[test]
fn a_full_cache_keeps_no_more_but_lets_everything_pass() {
    let mut access_point = AccessPoint::after(small(1, 3), 1..=5);
    assert_eq!(access_point.watched(), (1, 3));
    assert_eq!(access_point.hear(&TCP.ack(4)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(4)), PASSES);
    assert_eq!(access_point.hear(&TCP.ack(4)), PASSES, "4 was not kept");
    access_point.send(&TCP.data(6));
    assert_eq!((access_point.watched(), access_point.hear(&TCP.ack(7))), ((1, 1), PASSES));
    assert_eq!(access_point.watched(), (1, 0));
}

#[test]
fn a_reset_from_either_end_passes_and_ends_the_watch() {
    for from_server in [true, false] {
        let mut access_point = AccessPoint::after(Config::default(), 1..=3);
        let reset = TCP.packet(from_server, 400, 0, RST, 0, 0);
        if from_server {
            access_point.send(&reset);
        } else {
            assert_eq!(access_point.hear(&reset), PASSES);
        }
        assert_eq!((access_point.watched(), access_point.snoop.poll_timeout()), ((0, 0), None));
    }
}

#[test]
fn a_connection_is_watched_until_the_client_has_the_server_s_last_octet_and_its_fin() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=1);
    access_point.send(&TCP.down(2 * LENGTH, LENGTH, FIN | ACK));
    assert_eq!(access_point.hear(&TCP.ack(3)), PASSES);
    assert_eq!(access_point.watched(), (1, 1), "the FIN takes a number too");
    assert_eq!(access_point.hear(&TCP.up(3 * LENGTH + 1, u16::MAX)), PASSES);
    assert_eq!((access_point.watched(), access_point.snoop.poll_timeout()), ((0, 0), None));
    assert_eq!(access_point.hear(&TCP.up(3 * LENGTH + 1, u16::MAX)), PASSES, "as of a stranger");
}

#[test]
fn a_connection_that_falls_silent_is_forgotten_with_all_that_was_kept() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=3);
    access_point.wait_until(119_999);
    assert_eq!(access_point.watched(), (1, 3));
    access_point.wait_until(120_000);
    assert_eq!((access_point.watched(), access_point.snoop.poll_timeout()), ((0, 0), None));
    assert_eq!(access_point.snoop.counters().connections_evicted, 0, "it made room for none");
}

#[test]
fn a_connection_heard_again_after_a_long_silence_starts_from_nothing() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=1);
    access_point.now = at(20);
    access_point.hear(&TCP.ack(2));
    access_point.now = at(200_000);
    access_point.send(&TCP.data(2));
    assert_eq!(access_point.snoop.poll_timeout(), Some(at(201_100)), "the first timeout again");
}

#[test]
fn what_the_client_has_already_is_not_kept() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=3);
    access_point.hear(&TCP.ack(4));
    access_point.send(&TCP.data(2));
    assert_eq!((access_point.watched(), access_point.snoop.poll_timeout()), ((1, 0), None));
}

#[test]
fn a_window_update_data_of_the_client_and_an_older_number_are_no_duplicates() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=6);
    access_point.hear(&TCP.ack(2));
    for window in [1000, 2000, 3000] {
        assert_eq!(access_point.hear(&TCP.up(2 * LENGTH, window)), PASSES, "a window of {window}");
    }
    for _ in 0..3 {
        let data = TCP.packet(false, 0, 2 * LENGTH, ACK, 3000, 10);
        assert_eq!(access_point.hear(&data), PASSES, "data of the client");
        assert_eq!(access_point.hear(&TCP.ack(1)), PASSES, "an older number");
        access_point.hear(&TCP.up(2 * LENGTH, 3000));
    }
}

#[test]
fn an_acknowledgement_of_what_never_passed_changes_nothing() {
    let mut access_point = AccessPoint::after(Config::default(), 1..=3);
    for number in [4, 5, 1000, 1 << 20] {
        let is_new = number == 4;
        assert_eq!(access_point.hear(&TCP.ack(number)), PASSES);
        assert_eq!(access_point.watched(), (1, 0), "{number}, {is_new}");
    }
    access_point.send(&TCP.data(4));
    assert_eq!(access_point.watched(), (1, 1), "the next is kept as ever");
}
