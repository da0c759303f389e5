//! Several lines of one tunnel with the real kernel: two cables, of which either dies, and one whose interface is gone.
//!
//! ```text
//!     left ==== 192.168.77.0 ==== right
//!          ==== 192.168.79.0 ====
//! ```

use crate::ends::{Site, Tunnel};
use crate::system::{can_run, interface, ip};

/// The left end has two lines, the right one learns where they come from.
fn two_lines(test: &str) -> Site {
    let site = Site::new(test);
    site.cable([0, 1], 79);
    let [first, second] = [77, 79].map(|network| interface(&format!("c{network}0")));
    let lines = format!("[[line]]\ninterface = \"{first}\"\n[[line]]\ninterface = \"{second}\"\n[[peer]]");
    site.change(0, "listen = 51820\n", "");
    site.change(0, "[[peer]]", &lines);
    site.change(1, "endpoint = \"192.168.77.1:51820\"", "");
    // The other way to the same address, behind the one that the kernel has by itself.
    ip(&format!("-n {} route add 192.168.77.2/32 via 192.168.79.2 dev {second} metric 900", site.namespaces[0]));
    [0, 1].into_iter().for_each(|end| site.sysctl(end, "net.ipv4.conf.all.rp_filter=2"));
    site
}

/// Whether the lines of an end's only peer are up.
fn lines_are(site: &Site, end: usize, expected: [bool; 2]) {
    site.status_when(end, |status| {
        let lines = status["peers"][0]["lines"].as_array().cloned().unwrap_or_default();
        lines.iter().map(|line| line["is_up"].as_bool()).eq(expected.map(Some))
    });
}

/// Nothing comes through a cable any more, and nobody is told; or again.
fn cut(site: &Site, network: u8, is_cut: bool) {
    for end in [0, 1] {
        let port = interface(&format!("c{network}{end}"));
        let chain = format!("chain input {{ type filter hook ingress device \"{port}\" priority 0; policy drop; }};");
        let rules =
            if is_cut { format!("table netdev cut {{ {chain} }}") } else { "delete table netdev cut".to_owned() };
        assert!(site.inside(end, "nft").arg(rules).status().expect("nftables").success());
    }
}

#[test]
fn either_line_of_two_may_die_and_what_crosses_the_tunnel_does_not_mind() {
    if !can_run() {
        return;
    }
    let site = two_lines("lines");
    let [_left, mut right] = site.up();
    right.wait_for("left: line 1: address changed to 192.168.79.1");
    lines_are(&site, 0, [true, true]);
    site.call();
    for (network, expected) in [(77, [false, true]), (79, [true, false])] {
        cut(&site, network, true);
        site.call();
        lines_are(&site, 0, expected);
        cut(&site, network, false);
        site.call();
        lines_are(&site, 0, [true, true]);
    }
}

#[test]
fn a_line_comes_and_goes_with_its_interface_and_with_who_closes_it() {
    if !can_run() {
        return;
    }
    let site = two_lines("iface");
    let port = interface("c790");
    ip(&format!("-n {} link set {port} name away", site.namespaces[0]));
    let (mut left, mut right) = (Tunnel::start(&site, 0), Tunnel::start(&site, 1));
    left.wait_for("right: link up");
    site.call();
    lines_are(&site, 0, [true, false]);
    ip(&format!("-n {} link set away down", site.namespaces[0]));
    ip(&format!("-n {} link set away name {port}", site.namespaces[0]));
    ip(&format!("-n {} link set {port} up", site.namespaces[0]));
    ip(&format!("-n {} route add 192.168.77.2/32 via 192.168.79.2 dev {port} metric 900", site.namespaces[0]));
    left.wait_for("right: line 1: line back");
    right.wait_for("left: line 1: address changed to 192.168.79.1");
    site.arqway(0, &["hint", "tun-left", "down", "--line", "0"]);
    left.wait_for("right: line 0: down");
    site.call();
    site.arqway(0, &["hint", "tun-left", "up", "--line", "0"]);
    site.call();
    lines_are(&site, 0, [true, true]);
    let refused = site.inside(0, env!("CARGO_BIN_EXE_arqway")).args(["hint", "tun-left", "up", "--line", "2"]).output();
    let said = crate::system::stderr(&refused.expect("iproute2"));
    assert!(said.contains("there is no line 2; expected 0 to 1"), "{said}");
}

#[test]
fn a_line_that_has_used_its_budget_is_spare_at_both_ends_and_its_month_outlives_the_tunnel() {
    if !can_run() {
        return;
    }
    let site = two_lines("budget");
    let first = format!("interface = \"{}\"\n", interface("c770"));
    site.change(0, &first, &format!("{first}budget = \"30 kB\"\n"));
    let state = site.folder.path("state");
    let variable = format!("STATE_DIRECTORY={state}");
    let mut left = Tunnel::with_variables(&site, 0, &[&variable]);
    let mut right = Tunnel::start(&site, 1);
    right.wait_for("left: line 1: address changed to 192.168.79.1");
    // Lines are told of from then on that both ends know them.
    lines_are(&site, 0, [true, true]);
    let is_spare = |status: &serde_json::Value| status["peers"][0]["lines"][0]["is_spare"] == true;
    site.call();
    left.wait_for("line 0: its budget of 30 kB is used up; spare until the month ends");
    let status = site.status(0);
    let line = |key: &str| status["peers"][0]["lines"][0][key].as_u64().expect("octets");
    let [sent, received, month] = ["sent_octets", "received_octets", "month_octets"].map(line);
    assert!(is_spare(&status) && month > sent.max(received) && month <= sent + received, "both ways: {status:#}");
    site.status_when(1, is_spare);
    let crossed =
        |status: serde_json::Value, number: usize| status["peers"][0]["lines"][number]["sent_octets"].as_u64();
    let before = [0, 1].map(|number| crossed(site.status(1), number).expect("octets"));
    (0..3).for_each(|_| site.call());
    let after = [0, 1].map(|number| crossed(site.status(1), number).expect("octets"));
    let [first, second] = [0, 1].map(|number| after[number] - before[number]);
    assert!(second > 10 * first.max(100), "{before:?} {after:?}");
    site.arqway(0, &["down", "tun-left"]);
    let kept = std::fs::read_to_string(format!("{state}/tun-left.budget")).expect("what was used");
    let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    assert!(kept["octets"][interface("c770")].as_u64() >= Some(30_000), "{kept}");
    let mut again = Tunnel::with_variables(&site, 0, &[&variable]);
    again.wait_for("line 0: its budget of 30 kB is used up");
}
