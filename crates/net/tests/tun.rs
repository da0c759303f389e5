//! TUN devices in namespaces of their own, with the real kernel.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

mod support;

use arqway_net::{Device, Interface, Namespace, NetError};
use arqway_slab::Slab;
use std::net::UdpSocket;
use std::time::Duration;
use support::{begin, device, next};

/// A socket inside a namespace that gives up after ten seconds.
fn socket(namespace: &Namespace, address: &str) -> UdpSocket {
    let socket = namespace.within(|| UdpSocket::bind(address)).unwrap().unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    socket
}

#[test]
fn a_packet_goes_from_one_namespace_to_the_other_and_back_by_hand() {
    let Some(_alone) = begin() else { return };
    for (here, there) in [("10.77.0.1", "10.77.0.2"), ("fd77::1", "fd77::2")] {
        let (a, b) = (Namespace::anonymous().unwrap(), Namespace::anonymous().unwrap());
        let mut in_a = Interface::tun(&device("arq0", here), &a).unwrap();
        let mut in_b = Interface::tun(&device("arq0", there), &b).unwrap();
        let bracket =
            |address: &str| if address.contains(':') { format!("[{address}]:7") } else { format!("{address}:7") };
        let (from, to) = (socket(&a, &bracket(here)), socket(&b, &bracket(there)));
        let mut slab = Slab::new();
        let mut octets = [0; 100];
        from.send_to(b"there", to.local_addr().unwrap()).unwrap();
        // IPv6 announces its multicast groups of its own accord: those are carried like any other packet.
        let mut carry = |from: &mut Interface, to: &mut Interface, what: &[u8]| {
            while {
                let packet = next(from, &mut slab);
                assert!(to.send(&packet).unwrap());
                !packet.ends_with(what)
            } {}
        };
        carry(&mut in_a, &mut in_b, b"there");
        let (length, sender) = to.recv_from(&mut octets).unwrap();
        assert_eq!((&octets[..length], sender), (&b"there"[..], from.local_addr().unwrap()));
        to.send_to(b"and back", sender).unwrap();
        carry(&mut in_b, &mut in_a, b"and back");
        let length = from.recv(&mut octets).unwrap();
        assert_eq!(&octets[..length], b"and back");
        assert_eq!(in_a.header_octets(), 0);
    }
}

#[test]
fn a_namespace_has_its_loopback_and_the_device_while_that_is_open() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    assert_eq!(namespace.links().unwrap(), ["lo"]);
    let interface = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    assert_eq!(namespace.links().unwrap(), ["lo", "arq0"]);
    let socket = namespace.within(|| UdpSocket::bind("127.0.0.1:0")).unwrap().unwrap();
    socket.send_to(b"up", socket.local_addr().unwrap()).unwrap();
    assert_eq!(socket.recv(&mut [0; 10]).unwrap(), 2);
    drop(interface);
    assert_eq!(namespace.links().unwrap(), ["lo"]);
}

#[test]
fn a_device_whose_name_is_taken_or_impossible_is_refused_and_the_first_one_stays() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    let _first = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    let second = Interface::tun(&device("arq0", "10.77.0.1"), &namespace);
    assert!(matches!(second, Err(NetError::InterfaceExists { name }) if name == "arq0"));
    let long = Interface::tun(&device("sixteen-octets-x", "10.77.0.1"), &namespace);
    assert!(matches!(long, Err(NetError::BadName { .. })));
    assert_eq!(namespace.links().unwrap(), ["lo", "arq0"]);
}

#[test]
fn packets_that_nobody_reads_in_time_are_counted() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    let mut device = device("arq0", "10.77.0.1");
    device.transmit_queue = 10;
    let mut interface = Interface::tun(&device, &namespace).unwrap();
    let from = socket(&namespace, "10.77.0.1:7");
    assert_eq!(interface.overruns(), 0);
    for _ in 0..50 {
        from.send_to(b"x", "10.77.0.2:7").unwrap();
    }
    let mut slab = Slab::new();
    let read = std::iter::from_fn(|| interface.receive(&mut slab).unwrap()).count();
    assert_eq!((read, interface.overruns()), (10, 40));
}

#[test]
fn packets_come_and_go_without_an_allocation() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    let mut interface = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    let from = socket(&namespace, "10.77.0.1:7");
    from.connect("10.77.0.2:7").unwrap();
    let mut slab = Slab::new();
    let mut turn = |times: usize| {
        for _ in 0..times {
            from.send(&[7; 1400]).unwrap();
            let packet = interface.receive(&mut slab).unwrap().unwrap();
            assert!(interface.send(&packet).unwrap());
            assert!(interface.receive(&mut slab).unwrap().is_none());
        }
    };
    turn(200);
    assert_eq!(allocation_counter::measure(|| turn(2_000)).count_total, 0);
}

#[test]
fn a_packet_that_is_longer_than_the_device_was_made_for_is_counted_and_never_cut_short() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    let mut interface = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    let mut command = std::process::Command::new("ip");
    command.args(["link", "set", "arq0", "mtu", "9000"]);
    assert!(namespace.spawn(command).unwrap().wait().unwrap().success());
    let from = socket(&namespace, "10.77.0.1:7");
    let mut slab = Slab::new();
    let mut lengths = Vec::new();
    for payload in [1472, 1473, 5000] {
        from.send_to(&vec![7; payload], "10.77.0.2:7").unwrap();
        lengths.push(interface.receive(&mut slab).unwrap().map(|packet| packet.len()));
    }
    assert_eq!((lengths, interface.overruns()), (vec![Some(1500), None, Some(5028)], 1));
}

#[test]
fn a_device_that_is_deleted_underneath_is_gone_and_one_that_is_down_comes_back() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    let mut interface = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    let mut slab = Slab::new();
    let ip = |arguments: &[&str]| {
        let mut command = std::process::Command::new("ip");
        command.args(arguments);
        assert!(namespace.spawn(command).unwrap().wait().unwrap().success());
    };
    let packet = [&[0x45, 0, 0, 20][..], &[0; 16]].concat();
    ip(&["link", "set", "arq0", "down"]);
    assert!(interface.receive(&mut slab).unwrap().is_none());
    assert!(!interface.send(&packet).unwrap());
    ip(&["link", "set", "arq0", "up"]);
    assert!(interface.receive(&mut slab).unwrap().is_none());
    assert!(interface.send(&packet).unwrap());
    assert!(!interface.send(&[0; 3]).unwrap(), "not a packet");
    ip(&["link", "delete", "arq0"]);
    assert!(matches!(interface.receive(&mut slab), Err(NetError::Gone { name }) if name == "arq0"));
    assert!(matches!(interface.send(&packet), Err(NetError::Gone { .. })));
    assert_eq!(namespace.links().unwrap(), ["lo"]);
}

#[test]
fn a_device_with_an_mtu_too_small_for_ipv6_is_one_of_ipv4() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    let small = Device { mtu: 576, ..device("arq0", "10.77.0.1") };
    let _interface = Interface::tun(&small, &namespace).unwrap();
    socket(&namespace, "10.77.0.1:0");
    let of_ipv6 = Device { mtu: 576, ..device("arq1", "fd77::1") };
    assert!(Interface::tun(&of_ipv6, &namespace).is_err(), "IPv6 needs 1,280 octets");
}
