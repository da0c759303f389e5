//! The two ends of the emulated link, as they were asked for.

use super::{Arguments, Message};
use crate::addresses::{Address, addresses, two};
use crate::failure::Failure;
use arqway_emulate::{DISCARD, ECHO, serve};
use arqway_net::{Device, Interface, Namespace};
use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;
use std::process::Command;
use std::sync::mpsc::Sender;
use std::thread;

/// The addresses of the ends where none are asked for.
const ADDRESSES: [&str; 2] = ["10.81.0.1/24", "10.81.0.2/24"];
/// The namespaces where none are asked for and there is no command.
const NAMESPACES: [&str; 2] = ["arqway-client", "arqway-server"];
/// The name of the device in each namespace.
const DEVICE: &str = "arq0";
/// So many packets wait in a device until the emulator reads them: a burst, and not a queue of its own. What it drops is
/// counted and told.
const TRANSMIT_QUEUE: u32 = 1000;

/// Both ends, and what is made around them.
pub(super) struct Ends {
    pub(super) client: Interface,
    pub(super) server: Interface,
    pub(super) around: Around,
}

/// What is made around the interfaces, and removed in the end.
pub(super) enum Around {
    /// Two namespaces, the client's first.
    Namespaces([Namespace; 2], [Address; 2]),
    /// Nothing but names.
    Interfaces([String; 2]),
}

/// Which ends are wanted.
pub(super) enum Wanted {
    /// Namespaces, with names or without.
    Namespaces { names: Option<[String; 2]>, addresses: [Address; 2], mtu: u32, has_servers: bool },
    /// TAP devices, ports of bridges if these are named.
    Taps { names: [String; 2], bridges: Option<[String; 2]>, mtu: u32 },
    /// Interfaces that exist.
    Interfaces([String; 2]),
}

impl Wanted {
    /// What the command line says.
    pub(super) fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let mtu = arguments.mtu;
        if let Some(names) = two(&arguments.interfaces, "--interfaces", "eth1,eth2")? {
            return Ok(Self::Interfaces(names));
        }
        if let Some(names) = two(&arguments.taps, "--taps", "tap0,tap1")? {
            return Ok(Self::Taps { names, bridges: two(&arguments.bridges, "--bridges", "br0,br1")?, mtu });
        }
        let addresses = addresses(&arguments.addresses, ADDRESSES)?;
        let names = two(&arguments.namespaces, "--namespaces", "left,right")?;
        // A command needs no names, and any number of them can run at once.
        let names = names.or_else(|| arguments.command.is_empty().then(|| NAMESPACES.map(str::to_owned)));
        Ok(Self::Namespaces { names, addresses, mtu, has_servers: arguments.servers })
    }

    /// Why it takes more than a user namespace, if it does.
    pub(super) fn needs_root(&self) -> Option<&'static str> {
        match self {
            Self::Namespaces { names: None, .. } => None,
            Self::Namespaces { names: Some(_), .. } => Some("namespaces with names"),
            Self::Taps { .. } | Self::Interfaces(_) => Some("interfaces of this machine"),
        }
    }

    /// Makes them.
    pub(super) fn make(self) -> Result<Ends, Failure> {
        match self {
            Self::Interfaces(names) => {
                let [client, server] = [Interface::attach(&names[0])?, Interface::attach(&names[1])?];
                Ok(Ends { client, server, around: Around::Interfaces(names) })
            }
            Self::Taps { names, bridges, mtu } => {
                let tap = |end: usize| {
                    let bridge = bridges.as_ref().map(|bridges| bridges[end].as_str());
                    Interface::tap(&device(&names[end], vec![], mtu), bridge)
                };
                let (client, server) = (tap(0)?, tap(1)?);
                Ok(Ends { client, server, around: Around::Interfaces(names) })
            }
            Self::Namespaces { names, addresses, mtu, has_servers } => {
                let namespaces = match names {
                    Some([client, server]) => [Namespace::named(&client)?, Namespace::named(&server)?],
                    None => [Namespace::anonymous()?, Namespace::anonymous()?],
                };
                in_namespaces(namespaces, addresses, mtu, has_servers)
            }
        }
    }
}

fn in_namespaces(
    namespaces: [Namespace; 2],
    addresses: [Address; 2],
    mtu: u32,
    has_servers: bool,
) -> Result<Ends, Failure> {
    let tun = |end: usize| {
        let Address { address, prefix } = addresses[end];
        Interface::tun(&device(DEVICE, vec![(address, prefix)], mtu), &namespaces[end])
    };
    let (client, server) = (tun(0)?, tun(1)?);
    if has_servers {
        namespaces[1].within(|| serve(addresses[1].address))?.map_err(|error| {
            Failure::Failed(format!("cannot start the servers at ports {ECHO} and {DISCARD}: {error}"))
        })?;
    }
    Ok(Ends { client, server, around: Around::Namespaces(namespaces, addresses) })
}

impl Around {
    /// Starts the command at the client's end, if there is one; its end is a message.
    pub(super) fn start(&self, command: &[OsString], messages: &Sender<Message>) -> Result<(), Failure> {
        let (Self::Namespaces([client, _], [own, peer]), [program, arguments @ ..]) = (self, command) else {
            return Ok(());
        };
        let mut command = Command::new(program);
        command.args(arguments);
        command.env("ARQWAY_ADDRESS", own.address.to_string()).env("ARQWAY_PEER", peer.address.to_string());
        let child = client.spawn(command)?;
        let messages = messages.clone();
        let wait = move || {
            // Nobody listens where the emulation has ended first.
            messages.send(Message::Command(child.wait())).ok();
        };
        thread::Builder::new().name("command".to_owned()).spawn(wait).map(drop).map_err(Failure::failed)
    }

    /// Ends what runs in the namespaces, and removes them.
    pub(super) fn remove(self) -> Result<(), Failure> {
        match self {
            Self::Namespaces([client, server], _) => {
                let removed = [client.remove(), server.remove()];
                Ok(removed.into_iter().collect::<Result<(), _>>()?)
            }
            Self::Interfaces(_) => Ok(()),
        }
    }
}

impl fmt::Display for Around {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Namespaces([client, server], [of_client, of_server]) => {
                let named = |namespace: &Namespace| {
                    namespace.name().map(|name| format!(" in namespace {name}")).unwrap_or_default()
                };
                let (of_client, of_server) = (of_client.address, of_server.address);
                write!(out, "client {of_client}{}, server {of_server}{}", named(client), named(server))
            }
            Self::Interfaces([client, server]) => write!(out, "client behind {client}, server behind {server}"),
        }
    }
}

fn device(name: &str, addresses: Vec<(IpAddr, u8)>, mtu: u32) -> Device {
    Device { name: name.to_owned(), addresses, mtu, transmit_queue: TRANSMIT_QUEUE }
}
