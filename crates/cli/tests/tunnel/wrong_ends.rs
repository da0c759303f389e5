//! Keys that are wrong, and addresses that both ends have: both say within seconds which, and where the other one is.

use crate::ends::{Site, Tunnel, arqway};
use crate::system::{can_run, stderr};
use std::fs;

/// A public key that nobody here has.
fn another() -> String {
    arqway(&["pubkey"], &arqway(&["genkey"], "")).trim().to_owned()
}

#[test]
fn a_listener_with_another_key_of_its_caller_and_the_caller_say_which() {
    if !can_run() {
        return;
    }
    let site = Site::new("otherkey");
    site.change(1, "endpoint = \"192.168.77.1:51820\"\n", "");
    site.change(1, &site.publics[0], &another());
    let mut right = Tunnel::start(&site, 1);
    let mut left = Tunnel::start(&site, 0);
    left.wait_for(&format!("right: 192.168.77.2:51820 has no peer with this end's public key {}", site.publics[0]));
    right.wait_for(&format!(
        "a handshake from 192.168.77.1:51820 with public key {}, which no peer has",
        site.publics[0]
    ));
}

#[test]
fn a_caller_with_another_key_of_its_listener_and_the_listener_say_so() {
    if !can_run() {
        return;
    }
    let site = Site::new("otherright");
    site.change(1, "endpoint = \"192.168.77.1:51820\"\n", "");
    let other = another();
    site.change(0, &site.publics[1], &other);
    let mut right = Tunnel::start(&site, 1);
    let mut left = Tunnel::start(&site, 0);
    left.wait_for(&format!("and that the public key of the end there is {other}"));
    right.wait_for("a handshake from 192.168.77.1:51820 for another public key than this end's");
}

#[test]
fn the_private_key_of_one_host_at_the_other_is_known_by_whose_key_handshakes_are_for() {
    if !can_run() {
        return;
    }
    let site = Site::new("copied");
    let [left, right] = ["left.key", "right.key"].map(|file| site.folder.path(file));
    fs::copy(left, right).expect("our own folder");
    site.change(1, &site.publics[0], &site.publics[1]);
    let mut right = Tunnel::start(&site, 1);
    let _left = Tunnel::start(&site, 0);
    right.wait_for("for the public key of `left`, but this end has");
}

#[test]
fn ends_with_the_same_address_both_say_so_and_an_own_address_as_a_peers_is_refused() {
    if !can_run() {
        return;
    }
    let site = Site::new("sameaddr");
    site.change(1, "10.9.0.2/24", "10.9.0.1/24");
    let check = site.inside(1, env!("CARGO_BIN_EXE_arqway")).args(["up", "--check", &site.settings(1)]).output();
    let check = check.expect("iproute2");
    assert_eq!(check.status.code(), Some(2));
    assert!(stderr(&check).contains("10.9.0.1 is an address of this end"), "{}", stderr(&check));
    site.change(1, "[\"10.9.0.1\"]", "[\"10.9.0.3\"]");
    let mut tunnels = [0, 1].map(|end| Tunnel::start(&site, end));
    tunnels
        .iter_mut()
        .for_each(|tunnel| tunnel.wait_for("both ends have the address 10.9.0.1; give each end one of its own"));
}
