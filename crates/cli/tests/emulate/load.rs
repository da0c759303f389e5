//! What the tests of fates send over the link.

use std::net::UdpSocket;
use std::time::Duration;

/// So many packets are sent at once.
pub(crate) const PACKETS: u64 = 400;
/// Headers of IPv4 and UDP.
const HEADERS: usize = 28;

/// The length of a packet of the load.
pub(crate) fn length(number: u64) -> usize {
    200 + usize::try_from(number * 7 % 300).expect("a short packet")
}

#[test]
#[ignore = "it is the load of other tests, and runs at the client's end of a link"]
fn sends() {
    let peer = std::env::var("ARQWAY_PEER").expect("the emulator says where the server is");
    let socket = UdpSocket::bind(("0.0.0.0", 0)).expect("a socket");
    for number in 0..PACKETS {
        socket.send_to(&vec![0x5a; length(number) - HEADERS], (&*peer, 9)).expect("room in the device");
    }
    // What answers has been sent after all of these, and none of them waits any more.
    socket.set_read_timeout(Some(Duration::from_millis(300))).expect("a timeout");
    for _ in 0..100 {
        socket.send_to(b"are they through?", (&*peer, 7)).expect("room in the device");
        if socket.recv(&mut [0; 100]).is_ok() {
            return;
        }
    }
    panic!("the server does not answer");
}
