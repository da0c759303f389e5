//! Two small servers at the end of the link: echo (RFC 862, port 7) and discard (RFC 863, port 9), over TCP and UDP.
//!
//! So that whoever has a bad link on the desk has something at its other end: `nc $ARQWAY_PEER 7`.

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Sends back what it gets.
pub const ECHO: u16 = 7;
/// Takes what it gets.
pub const DISCARD: u16 = 9;

/// So many connections are served at once; others are closed.
const CONNECTIONS: usize = 64;
const BUFFER: usize = 64 * 1024;

/// Starts the servers at an address of this thread's namespace. They run until the process ends.
///
/// # Errors
/// What the system says: the address is not one of this namespace, or something listens there.
pub fn serve(address: IpAddr) -> io::Result<()> {
    for (port, echoes) in [(ECHO, true), (DISCARD, false)] {
        let (listener, socket) = (TcpListener::bind((address, port))?, UdpSocket::bind((address, port))?);
        thread::Builder::new().name("server".to_owned()).spawn(move || accept(&listener, echoes))?;
        thread::Builder::new().name("server".to_owned()).spawn(move || datagrams(&socket, echoes))?;
    }
    Ok(())
}

fn accept(listener: &TcpListener, echoes: bool) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let counted = Arc::clone(&open);
        let serve = move || {
            // A connection that breaks is over, like one that ends.
            connection(stream, echoes).ok();
            counted.fetch_sub(1, Ordering::Relaxed);
        };
        if thread::Builder::new().name("connection".to_owned()).spawn(serve).is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn connection(mut stream: TcpStream, echoes: bool) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            length if echoes => stream.write_all(&buffer[..length])?,
            _ => {}
        }
    }
}

fn datagrams(socket: &UdpSocket, echoes: bool) {
    let mut buffer = vec![0; BUFFER];
    // An error of one datagram (a peer that is gone) is none of the next.
    let mut failures = 0;
    while failures < CONNECTIONS {
        match socket.recv_from(&mut buffer) {
            Ok((length, from)) => {
                failures = 0;
                if echoes {
                    socket.send_to(&buffer[..length], from).ok();
                }
            }
            Err(_) => failures += 1,
        }
    }
}
