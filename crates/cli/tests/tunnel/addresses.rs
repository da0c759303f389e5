//! Machines with several addresses: which of them datagrams leave from.

use crate::ends::Site;
use crate::system::{can_run, interface, ip};

/// A spoke, `right`, that calls an address of its hub, `left`, which does not know where it is.
fn calling(test: &str, address: &str) -> Site {
    let site = Site::new(test);
    site.change(0, "endpoint = \"192.168.77.2:51820\"", "");
    site.change(1, "endpoint = \"192.168.77.1:51820\"", &format!("endpoint = \"{address}:51820\""));
    site
}

#[test]
fn whoever_calls_one_of_several_addresses_is_answered_from_that_one() {
    if !can_run() {
        return;
    }
    for (test, address, firewall) in
        [("called", "192.168.77.3", "ip protocol udp"), ("called6", "[fd77::3]", "ip6 nexthdr udp")]
    {
        let site = calling(test, address);
        site.add_ipv6_to_cable();
        ip(&format!("-n {} address add 192.168.77.3/24 dev {}", site.namespaces[0], interface("c770")));
        // Beside fd77::1, it is never the kernel's choice.
        let second = format!("fd77::3/64 dev {} nodad preferred_lft 0", interface("c770"));
        ip(&format!("-n {} address add {second}", site.namespaces[0]));
        // Lets in what was asked for, and no datagram from another address than the one that was called.
        let rules = format!(
            "table inet firewall {{ chain input {{ type filter hook input priority 0; \
             ct state established accept; {firewall} drop; }}; }}"
        );
        assert!(site.inside(1, "nft").arg(rules).status().expect("nftables").success());
        let [mut hub, spoke] = site.up();
        site.call();
        site.call_to(1, 0, "10.9.0.1:7");
        assert_eq!(site.status(1)["peers"][0]["address"], format!("{address}:51820"));
        // A handshake that the hub begins.
        site.arqway(0, &["hint", "tun-left", "handoff"]);
        hub.wait_for("hint: handoff");
        hub.wait_for("link up");
        site.call();
        let (_, said) = spoke.kill(rustix::process::Signal::TERM);
        assert!(!said.contains("address changed"), "{said}");
    }
}

#[test]
fn an_end_leaves_by_another_uplink_with_its_address_although_it_still_has_that_of_the_first() {
    if !can_run() {
        return;
    }
    let site = calling("uplinks", "10.77.0.1");
    site.cable([0, 1], 79);
    let [hub, spoke] = [0, 1].map(|end| &site.namespaces[end]);
    ip(&format!("-n {hub} address add 10.77.0.1/32 dev lo"));
    // Like a provider, the hub's side drops what comes by the second cable with an address of the first.
    site.sysctl(0, "net.ipv4.conf.all.rp_filter=1");
    ip(&format!("-n {spoke} route add default via 192.168.77.1"));
    let [mut hub, _spoke] = site.up();
    site.call();
    ip(&format!("-n {spoke} route replace default via 192.168.79.1"));
    site.call_to(1, 0, "10.9.0.1:7");
    hub.wait_for("right: address changed to 192.168.79.2:51820");
    site.call();
}

#[test]
fn an_address_that_is_taken_from_a_machine_costs_its_peers_no_more_than_a_move() {
    if !can_run() {
        return;
    }
    let site = calling("taken", "192.168.77.3");
    let port = interface("c770");
    ip(&format!("-n {} address add 192.168.77.3/24 dev {port}", site.namespaces[0]));
    let [_hub, mut spoke] = site.up();
    ip(&format!("-n {} address delete 192.168.77.3/24 dev {port}", site.namespaces[0]));
    // What the hub sends next leaves from the address that it has.
    site.arqway(0, &["hint", "tun-left", "handoff"]);
    spoke.wait_for("left: address changed to 192.168.77.1:51820");
    site.call();
}
