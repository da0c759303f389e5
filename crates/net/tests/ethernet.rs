//! TAP devices, and packet sockets on interfaces that are there already, with the real kernel.

#![expect(clippy::unwrap_used, reason = "a test fails by it")]

mod support;

use arqway_net::{Child, Clock, Interface, Namespace, NetError, Wait};
use arqway_slab::Slab;
use arqway_units::Span;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::Command;
use std::time::Duration;
use support::{begin, device, next};

/// How long an end of a connection waits for the other.
const PATIENCE: Option<Duration> = Some(Duration::from_secs(30));

/// Runs `ip` inside a namespace.
fn ip(namespace: &Namespace, arguments: &str) {
    let mut command = Command::new("ip");
    command.args(arguments.split(' '));
    assert!(namespace.spawn(command).unwrap().wait().unwrap().success(), "ip {arguments}");
}

/// A process inside, whose number names the namespace to `ip`.
fn inhabitant(namespace: &Namespace) -> Child {
    let mut command = Command::new("sleep");
    command.arg("100");
    namespace.spawn(command).unwrap()
}

/// A namespace with one end of a pair, the other in `middle`, which is an interface named `name` there.
fn host(name: &str, middle: &Child, addresses: &[&str]) -> Namespace {
    let namespace = Namespace::anonymous().unwrap();
    ip(&namespace, &format!("link add eth0 type veth peer name {name} netns {}", middle.process()));
    for address in addresses {
        let nodad = if address.contains(':') { " nodad" } else { "" };
        ip(&namespace, &format!("address add {address} dev eth0{nodad}"));
    }
    ip(&namespace, "link set eth0 up");
    namespace
}

/// An interface of `middle`, up and attached.
fn attached(middle: &Namespace, name: &str) -> Interface {
    ip(middle, &format!("link set {name} up"));
    middle.within(|| Interface::attach(name)).unwrap().unwrap()
}

/// The sum of 16-bit words, folded; 0xffff where a checksum among them is right.
fn folded(octets: &[u8]) -> u32 {
    let words = octets.chunks(2).map(|word| u32::from(word[0]) << 8 | word.get(1).map_or(0, |low| u32::from(*low)));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}

/// Fails unless a frame is as a wire would carry it: no longer than 1,500 octets behind the header, with right checksums.
fn check(frame: &[u8]) {
    assert!(frame.len() <= 1514, "{} octets", frame.len());
    let (pseudo, transport, protocol) = match frame[12..14] {
        [0x08, 0x00] => {
            assert_eq!(folded(&frame[14..34]), 0xffff, "the header's checksum");
            (&frame[26..34], 34, frame[23])
        }
        [0x86, 0xdd] => (&frame[22..54], 54, frame[20]),
        _ => return,
    };
    if protocol == 6 || protocol == 17 {
        let length = u16::try_from(frame.len() - transport).unwrap().to_be_bytes();
        let all = [pseudo, &[0, protocol], &length, &frame[transport..]].concat();
        assert_eq!(folded(&all), 0xffff, "the data's checksum");
    }
}

/// Carries frames both ways until both ends are through; says whether anything had to be cut.
fn carry(a: &mut Interface, b: &mut Interface, is_over: impl Fn() -> bool) -> bool {
    let (clock, wait, mut slab) = (Clock::start(), Wait::new().unwrap(), Slab::new());
    let latest = clock.now() + Span::from_seconds(60.0);
    let mut was_cut = false;
    while !is_over() {
        assert!(clock.now() < latest, "a minute was not enough");
        let soon = clock.now() + Span::from_milliseconds(10);
        wait.on(&[a.as_fd(), b.as_fd()], Some(soon), &clock).unwrap();
        for _ in 0..2 {
            while let Some(frame) = a.receive(&mut slab).unwrap() {
                check(&frame);
                was_cut |= a.has_more();
                assert!(b.send(&frame).unwrap());
            }
            std::mem::swap(a, b);
        }
    }
    assert_eq!((a.overruns(), b.overruns()), (0, 0));
    was_cut
}

#[test]
fn what_the_system_leaves_to_a_card_comes_in_as_packets_of_the_wire() {
    let Some(_alone) = begin() else { return };
    let middle = Namespace::anonymous().unwrap();
    let inhabitant = inhabitant(&middle);
    let client = host("c", &inhabitant, &["10.78.0.1/24", "fd78::1/64"]);
    let server = host("s", &inhabitant, &["10.78.0.2/24", "fd78::2/64"]);
    let (mut a, mut b) = (attached(&middle, "c"), attached(&middle, "s"));
    assert_eq!((a.name(), a.header_octets()), ("c", 14));
    for address in ["10.78.0.2:5000", "[fd78::2]:5000"] {
        let address: SocketAddr = address.parse().unwrap();
        let octets: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_be_bytes).collect();
        let listener = server.within(|| TcpListener::bind(address)).unwrap().unwrap();
        listener.set_nonblocking(true).unwrap();
        let was_cut = std::thread::scope(|scope| {
            let receiver = scope.spawn(|| {
                // Where nothing is carried, the threads give up before the carrier does.
                let mut listening = [PollFd::new(&listener, PollFlags::IN)];
                poll(&mut listening, Some(&Timespec { tv_sec: 30, tv_nsec: 0 })).unwrap();
                let mut stream = listener.accept().unwrap().0;
                stream.set_nonblocking(false).unwrap();
                stream.set_read_timeout(PATIENCE).unwrap();
                let mut received = Vec::new();
                stream.read_to_end(&mut received).unwrap();
                received
            });
            let sender = scope.spawn(|| {
                let connect = || TcpStream::connect_timeout(&address, PATIENCE.unwrap());
                let mut stream = client.within(connect).unwrap().unwrap();
                stream.set_write_timeout(PATIENCE).unwrap();
                stream.write_all(&octets).unwrap();
            });
            let was_cut = carry(&mut a, &mut b, || sender.is_finished() && receiver.is_finished());
            assert!(receiver.join().unwrap() == octets, "{address}: other octets arrived than were sent");
            was_cut
        });
        assert!(was_cut, "{address}: nothing came in pieces larger than a packet, so this test tested nothing");
    }
}

#[test]
fn a_frame_of_a_vlan_has_its_tag() {
    let Some(_alone) = begin() else { return };
    let middle = Namespace::anonymous().unwrap();
    let inhabitant = inhabitant(&middle);
    let client = host("c", &inhabitant, &[]);
    let (mut interface, mut far) = (attached(&middle, "c"), attached(&client, "eth0"));
    let untagged = FRAME.to_vec();
    let tagged = [&untagged[..12], &[0x81, 0, 0x20, 100], &untagged[12..]].concat();
    let mut slab = Slab::new();
    // The system takes a tag off what comes in, and keeps it beside the frame.
    for frame in [&tagged, &untagged] {
        assert!(far.send(frame).unwrap());
        let is_it = |heard: &bytes::Bytes| heard.starts_with(&frame[..12]);
        let heard = std::iter::repeat_with(|| next(&mut interface, &mut slab)).find(is_it).unwrap();
        assert_eq!(heard, frame);
    }
}

/// A frame of a protocol that nobody answers, to all.
const FRAME: &[u8] =
    b"\xff\xff\xff\xff\xff\xff\x02\x00\x00\x00\x00\x01\x88\xb5experimental, of at least 46 octets, as all frames have";

#[test]
fn an_interface_that_goes_down_comes_back_and_one_that_is_deleted_is_gone() {
    let Some(_alone) = begin() else { return };
    let middle = Namespace::anonymous().unwrap();
    let inhabitant = inhabitant(&middle);
    let client = host("c", &inhabitant, &[]);
    let mut interface = attached(&middle, "c");
    let mut slab = Slab::new();
    ip(&middle, "link set c down");
    while interface.receive(&mut slab).unwrap().is_some() {}
    assert!(!interface.send(FRAME).unwrap());
    ip(&middle, "link set c up");
    while interface.receive(&mut slab).unwrap().is_some() {}
    assert!(interface.send(FRAME).unwrap());
    // Its own system's packets, and another's that is attached to it, are none that come in.
    assert!(attached(&middle, "c").send(FRAME).unwrap());
    let mut all = std::iter::from_fn(|| interface.receive(&mut slab).unwrap());
    assert!(all.all(|heard| heard != FRAME), "what goes out does not come in");
    assert!(!interface.send(&[0; 2000]).unwrap(), "more than it carries");
    assert!(!interface.send(&[0; 5]).unwrap(), "less than a header");
    ip(&client, "link delete eth0");
    for _ in 0..2 {
        assert!(matches!(interface.receive(&mut slab), Err(NetError::Gone { name }) if name == "c"));
        assert!(matches!(interface.send(FRAME), Err(NetError::Gone { .. })));
    }
}

#[test]
fn only_an_ethernet_interface_that_is_there_can_be_attached() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    let _tun = Interface::tun(&device("arq0", "10.77.0.1"), &namespace).unwrap();
    let attach = |name: &str| namespace.within(|| Interface::attach(name)).unwrap();
    let error = attach("eth7").unwrap_err().to_string();
    assert_eq!(error, "there is no interface `eth7` here: expected one of lo, arq0");
    assert!(matches!(attach("arq0"), Err(NetError::NotEthernet { name }) if name == "arq0"));
}

#[test]
fn taps_in_a_bridge_hear_each_other_and_nothing_stays_of_them() {
    let Some(_alone) = begin() else { return };
    let namespace = Namespace::anonymous().unwrap();
    ip(&namespace, "link add br0 type bridge");
    ip(&namespace, "link set br0 up");
    let tap = |name: &str, bridge| {
        let mut device = device(name, "10.77.0.1");
        device.addresses.clear();
        namespace.within(|| Interface::tap(&device, Some(bridge))).unwrap()
    };
    let (mut a, mut b) = (tap("tapa", "br0").unwrap(), tap("tapb", "br0").unwrap());
    assert_eq!(a.header_octets(), 14);
    let (clock, wait, mut slab) = (Clock::start(), Wait::new().unwrap(), Slab::new());
    // A port forwards once the bridge has noticed that it is up.
    let latest = clock.now() + Span::from_seconds(10.0);
    loop {
        assert!(clock.now() < latest, "nothing came through the bridge");
        assert!(a.send(FRAME).unwrap());
        wait.on(&[b.as_fd()], Some(clock.now() + Span::from_milliseconds(20)), &clock).unwrap();
        if std::iter::from_fn(|| b.receive(&mut slab).unwrap()).any(|heard| heard == FRAME) {
            break;
        }
    }
    assert!(matches!(tap("tapc", "br7"), Err(NetError::NoInterface { name, .. }) if name == "br7"));
    drop((a, b));
    assert_eq!(namespace.links().unwrap(), ["lo", "br0"]);
}
