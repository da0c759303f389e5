//! All that touches the system, for whatever carries real packets; Linux.
//!
//! The rest of Arqway is told the time and handed its packets. This crate is where they come from, and the only one that
//! may say `unsafe`, each time with its reason.
//!
//! | module | what |
//! | --- | --- |
//! | `clock` | [`Clock`]: the only file that reads a clock; a [`timeout`] in its nanoseconds |
//! | `memory` | [`give_back_freed_memory`]: a burst's is not kept for ever |
//! | `wait` | [`Wait`] for packets and for a time, in nanoseconds; [`Waker`] from another thread |
//! | `event_loop` | [`drive`]: the loop of which tunnel and emulator are [`Guest`]s |
//! | `namespace` | [`Namespace`]: made, entered, removed; a [`Child`] inside; [`leftovers`] of a process that was killed |
//! | `interface` | [`Interface`]: packets in and out |
//! | `udp` | [`UdpSocket`]: datagrams in batches |
//! | `sent` | [`Sent`]: what became of datagrams, and when those that found no room can be tried again |
//! | `serial` | [`SerialPort`]: datagrams over a serial line |
//! | `unix_socket` | [`connect_abstract`], [`peer_credentials`]: Unix sockets, and who is at their other end |
//! | `privileges` | [`privileges`]: root's, or a user namespace's, or what is missing |
//! | `confinement` | [`confine`], [`protect_memory`]: what is given up once all is open |
//! | `netlink`, `option` | links, addresses and routes; socket options |
//! | `underlay` | [`Underlay`]: which way datagrams leave that must not go into a device of ours |
//! | `masquerade`, `name_servers` | [`Masquerade`]; [`ask_name_servers`]: what a tunnel for others needs besides routes |
//! | `error` | [`NetError`] |
//!
//! Two hosts that see each other, through us:
//!
//! ```no_run
//! use arqway_net::{Clock, Device, Interface, Namespace, NetError, Wait};
//! use arqway_slab::Slab;
//! use std::os::fd::AsFd;
//!
//! fn host(address: [u8; 4]) -> Result<(Namespace, Interface), NetError> {
//!     let device = Device { name: "link".into(), addresses: vec![(address.into(), 24)], mtu: 1500, transmit_queue: 100 };
//!     let namespace = Namespace::anonymous()?;
//!     let interface = Interface::tun(&device, &namespace)?;
//!     Ok((namespace, interface))
//! }
//!
//! # fn main() -> Result<(), NetError> {
//! arqway_net::privileges()?;
//! let ((_a, mut a), (_b, mut b)) = (host([10, 9, 0, 1])?, host([10, 9, 0, 2])?);
//! let (clock, wait, mut slab) = (Clock::start(), Wait::new()?, Slab::new());
//! loop {
//!     wait.on(&[a.as_fd(), b.as_fd()], None, &clock)?;
//!     while let Some(packet) = a.receive(&mut slab)? {
//!         b.send(&packet)?;
//!     }
//!     while let Some(packet) = b.receive(&mut slab)? {
//!         a.send(&packet)?;
//!     }
//! }
//! # }
//! ```

mod clock;
mod confinement;
mod error;
mod event_loop;
mod interface;
mod masquerade;
mod memory;
mod name_servers;
mod namespace;
mod netlink;
mod option;
mod privileges;
mod sent;
mod serial;
mod udp;
mod underlay;
mod unix_socket;
mod wait;

pub use clock::{Clock, timeout};
pub use confinement::{User, confine, protect_memory};
pub use error::NetError;
pub use event_loop::{Guest, Next, drive};
pub use interface::{Device, Interface};
pub use masquerade::Masquerade;
pub use memory::give_back_freed_memory;
pub use name_servers::ask_name_servers;
pub use namespace::{Child, Namespace, leftovers};
pub use option::set_congestion_control;
pub use privileges::{Privileges, own_user, privileges};
pub use sent::{Again, Sent};
pub use serial::{BITS_AN_OCTET, SerialConfig, SerialPort};
pub use udp::{Arrival, Datagrams, Outer, UdpSocket, reaches, unmapped};
pub use underlay::{Underlay, Way};
pub use unix_socket::{Credentials, connect_abstract, peer_credentials};
pub use wait::{Await, Awaited, Interest, Ready, Wait, Waker};
