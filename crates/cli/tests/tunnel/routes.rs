//! What a tunnel sets on its machine, and that nothing of it is left.
//!
//! ```text
//!     left ---- 192.168.77.0/24 ---- right ---- 192.168.78.0/24 ---- world
//!       `----------- tunnel -----------'
//! ```

use crate::ends::{Site, Tunnel};
use crate::system::{can_run, interface, ip};
use rustix::process::Signal;
use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const WORLD: &str = "192.168.78.2:7";

#[test]
fn all_addresses_go_into_the_tunnel_and_its_own_datagrams_do_not() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("gateway");
    let before = site.routes(0);
    let [left, _right] = site.up();
    // World has no way back to the tunnel's addresses.
    assert_eq!(site.call_to(0, 2, WORLD), "192.168.78.1");
    assert!(site.counter(0, "packets_delivered") > 500);
    let during = site.routes(0);
    for route in ["0.0.0.0/1 dev tun-left", "128.0.0.0/1 dev tun-left", "::/1 dev tun-left", "8000::/1 dev tun-left"] {
        assert!(during.contains(route), "no {route}:\n{during}");
    }
    left.kill(Signal::KILL);
    assert_eq!(site.routes(0), before);
}

#[test]
fn tcp_begins_with_the_window_that_is_set_on_the_routes_into_it() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("window");
    site.change(0, "routes = true", "routes = true\ninitial-window = 40");
    let _tunnels = site.up();
    let routes = site.routes(0);
    let begins = |route: &&str| route.contains("dev tun-left") && route.contains("initcwnd 40 initrwnd 40");
    assert_eq!(routes.lines().filter(begins).count(), 4, "two halves of both versions of IP:\n{routes}");
}

#[test]
fn datagrams_of_ipv6_go_around_it_too() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("six");
    site.add_ipv6();
    ip(&format!("-n {} route add default via fd77::2", site.namespaces[0]));
    for (end, setting) in [(0, "endpoint"), (1, "listen")] {
        site.change(end, &format!("{setting} = \"192.168.78.1:51820\""), &format!("{setting} = \"[fd78::1]:51820\""));
    }
    let _tunnels = site.up();
    site.call_to(0, 2, WORLD);
}

#[test]
fn one_address_of_ipv6_to_listen_at_is_refused_where_a_route_would_take_its_datagrams_into_the_tunnel() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("source");
    site.add_ipv6();
    ip(&format!("-n {} route add default via fd77::2", site.namespaces[0]));
    for (end, setting) in [(0, "endpoint"), (1, "listen")] {
        site.change(end, &format!("{setting} = \"192.168.78.1:51820\""), &format!("{setting} = \"[fd78::1]:51820\""));
    }
    site.change(0, "routes = true", "routes = true\nlisten = \"[fd77::1]:51820\"");
    // Not all addresses, but that of the other end.
    site.change(0, "\"::/0\"", "\"fd00::/8\"");
    let said = Tunnel::spawn(&site, 0).ends_with(2);
    assert!(
        said.contains("from [fd77::1]:51820 alone would follow the route to [fd78::1]:51820 into the tunnel")
            && said.contains("expected a port alone as `listen`"),
        "{said}"
    );
    site.change(0, "\"[fd77::1]:51820\"", "51820");
    {
        let _tunnels = site.up();
        site.call_to(0, 2, WORLD);
    }
    site.change(0, "listen = 51820", "listen = \"[fd77::1]:51820\"");
    site.change(0, "\"fd00::/8\"", "\"fd09::/16\"");
    let _tunnels = site.up();
}

#[test]
fn its_datagrams_follow_the_default_route_to_another_interface() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("uplink");
    site.cable([0, 1], 79);
    let [_left, _right] = site.up();
    let before = site.counter(0, "packets_taken");
    ip(&format!("-n {} route delete default", site.namespaces[0]));
    // Without another way than into the tunnel there is none, and no datagram becomes a packet again.
    // That the route is gone is heard within a second after the news before it.
    let sent = Cell::new(0);
    site.status_when(0, |status| {
        let is_lost = status["counters"]["datagrams_lost"].as_u64() > Some(0);
        if !is_lost {
            let said = site.inside(0, "bash").args(["-c", "echo > /dev/udp/192.168.78.2/9"]).status().expect("bash");
            assert!(said.success());
            sent.set(sent.get() + 1);
        }
        is_lost
    });
    assert_eq!(site.counter(0, "packets_taken"), before + sent.get());
    ip(&format!("-n {} route add default via 192.168.79.2", site.namespaces[0]));
    ip(&format!("-n {} address delete 192.168.77.1/24 dev {}", site.namespaces[0], interface("c770")));
    site.call_to(0, 2, WORLD);
    let address = &site.status(1)["peers"][0]["address"];
    assert!(address.as_str().is_some_and(|address| address.starts_with("192.168.79.1:")), "{address}");
}

#[test]
fn of_two_default_routes_its_datagrams_take_the_one_whose_link_is_up() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("hops");
    site.cable([0, 1], 79);
    let [left, right] = [0, 1].map(|end| &site.namespaces[end]);
    ip(&format!("-n {left} route replace default nexthop via 192.168.77.2 nexthop via 192.168.79.2"));
    let _tunnels = site.up();
    // The other end of the first cable, so that the host's own is up and has no carrier.
    ip(&format!("-n {right} link set {} down", interface("c771")));
    site.call_to(0, 2, WORLD);
    let address = &site.status(1)["peers"][0]["address"];
    assert!(address.as_str().is_some_and(|address| address.starts_with("192.168.79.1:")), "{address}");
}

#[test]
fn a_gateway_that_was_killed_hides_nobody_any_more_and_does_again_when_it_is_back() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("hides");
    let [_left, right] = site.up();
    right.kill(Signal::KILL);
    // The kernel takes one table of this name.
    let _right = Tunnel::start(&site, 1);
    assert_eq!(site.call_to(0, 2, WORLD), "192.168.78.1");
}

#[test]
fn a_gateway_hides_its_peers_from_the_world_in_both_versions_of_ip() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("both");
    site.add_ipv6();
    for (end, number) in [(0, 1), (1, 2)] {
        let address = format!("addresses = [\"10.9.0.{number}/24\"");
        site.change(end, &address, &format!("{address}, \"fd09::{number}/64\""));
    }
    site.change(1, "allowed = [\"10.9.0.1\"", "allowed = [\"10.9.0.1\", \"fd09::1\"");
    site.sysctl(1, "net.ipv6.conf.all.forwarding=0");
    let said = refused(&site, 1);
    assert!(
        said.contains("forwarding of IPv6") && said.contains("`sysctl -w net.ipv6.conf.all.forwarding=1`"),
        "{said}"
    );
    site.sysctl(1, "net.ipv6.conf.all.forwarding=1");
    let [_left, right] = site.up();
    assert_eq!(site.call_to(0, 2, "[fd78::2]:7"), "fd78::1");
    assert_eq!(site.call_to(0, 2, WORLD), "192.168.78.1");
    right.kill(Signal::KILL);
    let _right = Tunnel::start(&site, 1);
    assert_eq!(site.call_to(0, 2, "[fd78::2]:7"), "fd78::1");
}

/// What a tunnel says that cannot begin.
fn refused(site: &Site, end: usize) -> String {
    let before = (site.routes(end), site.interfaces(end));
    let said = Tunnel::spawn(site, end).fails();
    assert_eq!((site.routes(end), site.interfaces(end)), before);
    said
}

#[test]
fn what_the_machine_does_not_let_through_is_said_before_anything_is_left() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("refused");
    site.sysctl(1, "net.ipv4.ip_forward=0");
    let said = refused(&site, 1);
    assert!(said.contains("forwarding of IPv4") && said.contains("`sysctl -w net.ipv4.ip_forward=1`"), "{said}");
    site.sysctl(0, "net.ipv4.conf.all.rp_filter=1");
    let said = refused(&site, 0);
    let uplink = interface("c770");
    assert!(said.contains(&format!("`sysctl -w net.ipv4.conf.{uplink}.rp_filter=2`")), "{said}");
    site.sysctl(0, "net.ipv4.conf.all.rp_filter=0");
}

#[test]
fn where_ipv6_is_disabled_its_routes_are_left_out_and_its_addresses_refused_with_the_command_that_enables_it() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("four");
    site.sysctl(0, "net.ipv6.conf.all.disable_ipv6=1");
    {
        let _tunnels = site.up();
        site.call_to(0, 2, WORLD);
        let during = site.routes(0);
        assert!(during.contains("0.0.0.0/1 dev tun-left") && !during.contains("::/1"), "{during}");
    }
    site.change(0, "addresses = [\"10.9.0.1/24\"", "addresses = [\"10.9.0.1/24\", \"fd09::1/64\"");
    let said = refused(&site, 0);
    let enabled = "net.ipv6.conf.default.disable_ipv6=0";
    assert!(
        said.contains("the address fd09::1/64 of `tun-left`") && said.contains(&format!("`sysctl -w {enabled}`")),
        "{said}"
    );
    // Packets of the others would leave past the tunnel.
    let uplink = interface("c770");
    site.change(0, ", \"fd09::1/64\"", "");
    site.sysctl(0, &format!("net.ipv6.conf.{uplink}.disable_ipv6=0"));
    let said = refused(&site, 0);
    assert!(
        said.contains(&format!("would leave by `{uplink}`")) && said.contains(&format!("`sysctl -w {enabled}`")),
        "{said}"
    );
    site.sysctl(0, enabled);
    let _left = Tunnel::start(&site, 0);
    assert!(site.routes(0).contains("8000::/1 dev tun-left"));
}

#[test]
fn the_command_that_loosens_a_strict_filter_does_so_whatever_the_interface_is_called() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("vlan");
    let (namespace, uplink) = (&site.namespaces[0], interface("c770"));
    // As a VLAN's.
    let renamed = format!("{uplink}.5");
    ip(&format!("-n {namespace} link set {uplink} down"));
    ip(&format!("-n {namespace} link set {uplink} name {renamed} up"));
    ip(&format!("-n {namespace} route add default via 192.168.77.2"));
    site.sysctl(0, "net.ipv4.conf.all.rp_filter=1");
    let said = refused(&site, 0);
    let setting = said.split("`sysctl -w ").nth(1).and_then(|rest| rest.split('`').next());
    let setting = setting.unwrap_or_else(|| panic!("no command:\n{said}"));
    assert!(setting.contains(&renamed), "{said}");
    site.sysctl(0, setting);
    let _left = Tunnel::start(&site, 0);
}

#[test]
fn a_network_to_which_another_route_leads_is_refused_whatever_the_metric_of_that_one() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("stands");
    site.add_ipv6();
    let (uplink, namespace) = (interface("c770"), &site.namespaces[0]);
    // A route into the tunnel would have the metric 0, and 1024 in IPv6: it would win, or lose, or be as good.
    for (network, metrics) in [("192.0.2.0/24", [0, 600]), ("128.0.0.0/1", [0, 600]), ("2001:db8::/64", [256, 2048])] {
        if network != "128.0.0.0/1" {
            site.change(0, "allowed = [", &format!("allowed = [\"{network}\", "));
        }
        for metric in metrics {
            ip(&format!("-n {namespace} route add {network} dev {uplink} metric {metric}"));
            let said = refused(&site, 0);
            let expected =
                format!("a route to {network} into `tun-left`: a route by `{uplink}` with metric {metric} stands");
            assert!(said.contains(&expected) && said.contains("remove that one, or allow less"), "{said}");
            ip(&format!("-n {namespace} route delete {network} dev {uplink} metric {metric}"));
        }
    }
    let _left = Tunnel::start(&site, 0);
}

#[test]
fn name_servers_are_set_by_resolvectl_and_without_it_the_tunnel_does_not_begin() {
    if !can_run() {
        return;
    }
    let site = Site::gateway("names");
    site.change(0, "routes = true", "routes = true\ndns = [\"10.9.0.2\", \"192.168.78.2\"]");
    let folder = site.folder.0.join("programs");
    fs::create_dir_all(&folder).expect("our own folder");
    let said = Tunnel::with_path(&site, 0, &folder).fails();
    assert!(said.contains("missing: resolvectl of systemd-resolved") && said.contains("remove `dns`"), "{said}");
    let script = folder.join("resolvectl");
    let said_to = site.folder.path("said");
    fs::write(&script, format!("#!/bin/sh\necho \"$@\" >> {said_to}\n")).expect("our own folder");
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("our own file");
    let mut left = Tunnel::with_path(&site, 0, &folder);
    left.wait_for(": up, listening on");
    let asked = fs::read_to_string(&said_to).expect("it was asked");
    assert_eq!(asked, "dns tun-left 10.9.0.2 192.168.78.2\ndomain tun-left ~.\n");
    drop(left);
    fs::write(&script, "#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n").expect("our own folder");
    let said = Tunnel::with_path(&site, 0, &folder).fails();
    assert!(said.contains("`resolvectl dns tun-left 10.9.0.2 192.168.78.2`: Failed to connect to bus"), "{said}");
}
