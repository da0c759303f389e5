//! The ends of the emulated links, as they were asked for: two of each link.

use super::{Arguments, Message};
use crate::addresses::{Address, addresses_of_links, pairs, two};
use crate::failure::Failure;
use arqway_emulate::{DISCARD, ECHO, serve};
use arqway_net::{Device, Interface, Namespace};
use std::ffi::OsString;
use std::fmt;
use std::net::IpAddr;
use std::process::Command;
use std::sync::mpsc::Sender;
use std::thread;

/// The namespaces where none are asked for and there is no command.
const NAMESPACES: [&str; 2] = ["arqway-client", "arqway-server"];
/// So many packets wait in a device until the emulator reads them: a burst, and not a queue of its own. What it drops is
/// counted and told.
const TRANSMIT_QUEUE: u32 = 1000;

/// The ends of each link, the client's first, and what is made around them.
pub(super) struct Ends {
    pub(super) links: Vec<[Interface; 2]>,
    pub(super) around: Around,
}

/// What is made around the interfaces, and removed in the end.
pub(super) enum Around {
    /// Two namespaces, the client's first, and the addresses in them by link.
    Namespaces([Namespace; 2], Vec<[Address; 2]>),
    /// Nothing but names.
    Interfaces(Vec<[String; 2]>),
}

/// Which ends are wanted.
pub(super) enum Wanted {
    /// Namespaces, with names or without.
    Namespaces { names: Option<[String; 2]>, addresses: Vec<[Address; 2]>, mtu: u32, has_servers: bool },
    /// TAP devices, ports of bridges if these are named.
    Taps { names: Vec<[String; 2]>, bridges: Option<Vec<[String; 2]>>, mtu: u32 },
    /// Interfaces that exist.
    Interfaces(Vec<[String; 2]>),
}

/// The addresses of a link's ends where none are asked for.
fn default_addresses(link: usize) -> [String; 2] {
    [1, 2].map(|end| format!("10.81.{link}.{end}/24"))
}

/// The name of a link's device in each namespace.
pub(crate) fn device_name(link: usize) -> String {
    format!("arq{link}")
}

impl Wanted {
    /// What the command line says, for so many links.
    pub(super) fn read(arguments: &Arguments, links: usize) -> Result<Self, Failure> {
        let mtu = arguments.mtu;
        if let Some(names) = pairs(&arguments.interfaces, links, "--interfaces", "eth1,eth2")? {
            return Ok(Self::Interfaces(names));
        }
        if let Some(names) = pairs(&arguments.taps, links, "--taps", "tap0,tap1")? {
            let bridges = pairs(&arguments.bridges, links, "--bridges", "br0,br1")?;
            return Ok(Self::Taps { names, bridges, mtu });
        }
        let addresses = addresses_of_links(&arguments.addresses, links, default_addresses)?;
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
                let attach =
                    |[client, server]: &[String; 2]| Ok([Interface::attach(client)?, Interface::attach(server)?]);
                let links = names.iter().map(attach).collect::<Result<_, Failure>>()?;
                Ok(Ends { links, around: Around::Interfaces(names) })
            }
            Self::Taps { names, bridges, mtu } => {
                let tap = |link: usize, end: usize| {
                    let bridge = bridges.as_ref().map(|bridges| bridges[link][end].as_str());
                    Interface::tap(&device(names[link][end].clone(), vec![], mtu), bridge)
                };
                let taps = |link| Ok([tap(link, 0)?, tap(link, 1)?]);
                let links = (0..names.len()).map(taps).collect::<Result<_, Failure>>()?;
                Ok(Ends { links, around: Around::Interfaces(names) })
            }
            Self::Namespaces { names, addresses, mtu, has_servers } => {
                let namespaces = match names {
                    Some([client, server]) => [Namespace::named(&client)?, Namespace::named(&server)?],
                    None => [Namespace::anonymous()?, Namespace::anonymous()?],
                };
                let links = in_namespaces(&namespaces, &addresses, mtu)?;
                if has_servers {
                    namespaces[1].within(|| serve(addresses[0][1].address))?.map_err(|error| {
                        Failure::Failed(format!("cannot start the servers at ports {ECHO} and {DISCARD}: {error}"))
                    })?;
                }
                Ok(Ends { links, around: Around::Namespaces(namespaces, addresses) })
            }
        }
    }
}

/// A device in each namespace for each link. Where there are several, each is a way to the first link's server, and the first one that of
/// whoever names none.
pub(crate) fn in_namespaces(
    namespaces: &[Namespace; 2],
    addresses: &[[Address; 2]],
    mtu: u32,
) -> Result<Vec<[Interface; 2]>, Failure> {
    let tun = |link: usize, end: usize| {
        let Address { address, prefix } = addresses[link][end];
        Interface::tun(&device(device_name(link), vec![(address, prefix)], mtu), &namespaces[end])
    };
    let tuns = |link| Ok([tun(link, 0)?, tun(link, 1)?]);
    let links = (0..addresses.len()).map(tuns).collect::<Result<Vec<_>, Failure>>()?;
    if let [_, _, ..] = &links[..] {
        let server = addresses[0][1].address;
        for (metric, [client, _]) in (1..).zip(&links) {
            namespaces[0].within(|| client.lead_to(server, metric))??;
        }
    }
    Ok(links)
}

impl Around {
    /// Starts the command at the client's end, if there is one; its end is a message.
    pub(super) fn start(&self, command: &[OsString], messages: &Sender<Message>) -> Result<(), Failure> {
        let (Self::Namespaces([client, _], addresses), [program, arguments @ ..]) = (self, command) else {
            return Ok(());
        };
        let mut command = Command::new(program);
        command.args(arguments);
        if let [[own, peer], ..] = &addresses[..] {
            command.env("ARQWAY_ADDRESS", own.address.to_string()).env("ARQWAY_PEER", peer.address.to_string());
        }
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
        let joined = |of_links: Vec<String>| of_links.join(" and ");
        match self {
            Self::Namespaces([client, server], addresses) => {
                let named = |namespace: &Namespace| {
                    namespace.name().map(|name| format!(" in namespace {name}")).unwrap_or_default()
                };
                let of_end = |end: usize| joined(addresses.iter().map(|pair| pair[end].address.to_string()).collect());
                write!(out, "client {}{}, server {}{}", of_end(0), named(client), of_end(1), named(server))
            }
            Self::Interfaces(names) => {
                let of_end = |end: usize| joined(names.iter().map(|pair| pair[end].clone()).collect());
                write!(out, "client behind {}, server behind {}", of_end(0), of_end(1))
            }
        }
    }
}

fn device(name: String, addresses: Vec<(IpAddr, u8)>, mtu: u32) -> Device {
    Device { name, addresses, mtu, transmit_queue: TRANSMIT_QUEUE }
}
