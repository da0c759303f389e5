//! Packets out of a device leave the machine under its own addresses: a table of nftables, over nfnetlink.
//!
//! ```text
//!     table inet arqway-home {
//!         flags owner
//!         chain postrouting {
//!             type nat hook postrouting priority srcnat; policy accept;
//!             iif "home" oif != "home" masquerade
//!         }
//!     }
//! ```
//!
//! The table has an owner, this socket: the kernel removes it when that is closed, however the process ends, and lets nobody else
//! change it (`NFT_TABLE_F_OWNER`, since Linux 5.12). So it takes no capability to clean up, and nothing is left behind.

use crate::error::NetError;
use crate::netlink::Link;
use netlink_packet_core::{NLM_F_ACK, NLM_F_APPEND, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST};
use netlink_sys::protocols::NETLINK_NETFILTER;
use netlink_sys::{Socket, SocketAddr};
use rustix::io::Errno;
use std::fs::read_to_string;
use std::io;
use std::net::IpAddr;

/// Masquerades as long as it lives.
pub struct Masquerade {
    _owner: Socket,
}

impl Masquerade {
    /// For the device of this link, in the calling thread's namespace.
    pub(crate) fn behind(link: &Link) -> Result<Self, NetError> {
        let set = || {
            let socket = Socket::new(NETLINK_NETFILTER)?;
            socket.connect(&SocketAddr::new(0, 0))?;
            socket.send(&batch(&format!("arqway-{}", link.name), link.index), 0)?;
            let mut answers = Vec::with_capacity(64 * 1024);
            socket.recv(&mut answers, 0)?;
            outcome(&answers)?;
            Ok(Self { _owner: socket })
        };
        set().map_err(|error: io::Error| match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::OPNOTSUPP | Errno::AFNOSUPPORT | Errno::PROTONOSUPPORT) => NetError::missing(
                "nftables with NAT and tables that have an owner, which masquerading needs",
                "use a kernel of 5.12 or later with nft_masq and nft_chain_nat",
            ),
            _ => NetError::system(format!("masquerade what comes out of `{}` with nftables", link.name), error),
        })
    }
}

impl std::fmt::Debug for Masquerade {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Masquerade").finish_non_exhaustive()
    }
}

/// Whether the machine sends on packets of an address's version of IP.
pub(crate) fn check_forwarding(address: IpAddr) -> Result<(), NetError> {
    let (version, setting) = match address {
        IpAddr::V4(_) => ("IPv4", "net.ipv4.ip_forward"),
        IpAddr::V6(_) => ("IPv6", "net.ipv6.conf.all.forwarding"),
    };
    let value = read_to_string(format!("/proc/sys/{}", setting.replace('.', "/"))).unwrap_or_default();
    if value.trim() == "0" {
        let what = format!("forwarding of {version}, without which there is nothing to masquerade");
        return Err(NetError::missing(&what, &format!("allow it with `sysctl -w {setting}=1`")));
    }
    Ok(())
}

/// Messages of nfnetlink (linux/netfilter/nfnetlink.h) and of its part nftables (linux/netfilter/nf_tables.h).
const BATCH_BEGIN: u16 = 0x10;
const BATCH_END: u16 = 0x11;
const NFTABLES: u16 = 10;
const NEW_TABLE: u16 = NFTABLES << 8;
const NEW_CHAIN: u16 = NFTABLES << 8 | 3;
const NEW_RULE: u16 = NFTABLES << 8 | 6;
/// An answer: linux/netlink.h.
const ERROR: u16 = 2;
/// IPv4 and IPv6 (`NFPROTO_INET`).
const INET: u8 = 1;
const OWNER: u32 = 2;
const POSTROUTING: u32 = 4;
/// Where source NAT takes place (`NF_IP_PRI_NAT_SRC`).
const SOURCE_NAT: u32 = 100;
/// What is looked at: the numbers of the interfaces that a packet comes and goes by; and the comparisons.
const FROM: u32 = 4;
const TO: u32 = 5;
const EQUAL: u32 = 0;
const OTHER: u32 = 1;
const REGISTER: u32 = 1;

/// All that is to be set, which comes into force at once or not at all.
fn batch(table: &str, device: u32) -> Vec<u8> {
    let chain = "postrouting";
    let hook = [number(1, POSTROUTING), number(2, SOURCE_NAT)].concat();
    let expressions =
        [loads(FROM), compares(EQUAL, device), loads(TO), compares(OTHER, device), expression("masq", &[])].concat();
    let new_table = [text(1, table), number(2, OWNER)].concat();
    let new_chain = [text(1, table), text(3, chain), nested(4, &hook), text(7, "nat")].concat();
    let new_rule = [text(1, table), text(2, chain), nested(4, &expressions)].concat();
    [
        message(BATCH_BEGIN, 0, 0, NFTABLES, &[]),
        message(NEW_TABLE, NLM_F_CREATE | NLM_F_EXCL, INET, 0, &new_table),
        message(NEW_CHAIN, NLM_F_CREATE | NLM_F_EXCL, INET, 0, &new_chain),
        message(NEW_RULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK, INET, 0, &new_rule),
        message(BATCH_END, 0, 0, NFTABLES, &[]),
    ]
    .concat()
}

/// What is known of a packet, loaded to be compared.
fn loads(what: u32) -> Vec<u8> {
    expression("meta", &[number(1, REGISTER), number(2, what)].concat())
}

fn compares(how: u32, with: u32) -> Vec<u8> {
    // Interfaces have their numbers in the machine's own order.
    let value = nested(3, &attribute(1, &with.to_ne_bytes()));
    expression("cmp", &[number(1, REGISTER), number(2, how), value].concat())
}

fn expression(name: &str, data: &[u8]) -> Vec<u8> {
    nested(1, &[text(1, name), nested(2, data)].concat())
}

fn number(kind: u16, value: u32) -> Vec<u8> {
    attribute(kind, &value.to_be_bytes())
}

fn text(kind: u16, value: &str) -> Vec<u8> {
    attribute(kind, &[value.as_bytes(), &[0]].concat())
}

/// An attribute that has attributes in it (`NLA_F_NESTED`).
fn nested(kind: u16, attributes: &[u8]) -> Vec<u8> {
    attribute(kind | 0x8000, attributes)
}

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(4 + value.len()).unwrap_or(u16::MAX);
    let mut octets = [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat();
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}

/// A message with the header of nfnetlink: the family, no version, and a number that only batches use.
fn message(kind: u16, flags: u16, family: u8, resource: u16, attributes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(20 + attributes.len()).unwrap_or(u32::MAX);
    let mut octets = length.to_ne_bytes().to_vec();
    octets.extend(kind.to_ne_bytes());
    octets.extend((NLM_F_REQUEST | flags).to_ne_bytes());
    octets.extend([0; 8]);
    octets.extend([family, 0]);
    octets.extend(resource.to_be_bytes());
    octets.extend(attributes);
    octets
}

/// What the kernel says to it: the first error, if there is one.
fn outcome(mut answers: &[u8]) -> io::Result<()> {
    let word = |octets: &[u8], at: usize| octets.get(at..)?.first_chunk().map(|word| u32::from_ne_bytes(*word));
    while let Some(length) = word(answers, 0) {
        let kind = answers.get(4..).and_then(|rest| rest.first_chunk()).map(|kind| u16::from_ne_bytes(*kind));
        let code = word(answers, 16).map_or(0, u32::cast_signed);
        if kind == Some(ERROR) && code != 0 {
            return Err(io::Error::from_raw_os_error(code.saturating_neg()));
        }
        let next =
            usize::try_from(length).ok().and_then(|length| length.checked_next_multiple_of(4)).unwrap_or(usize::MAX);
        answers = answers.get(next.max(16)..).unwrap_or_default();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_among_the_answers_counts_and_an_acknowledgement_is_none() {
        let answer = |code: i32| {
            let mut octets = [&36_u32.to_ne_bytes()[..], &ERROR.to_ne_bytes(), &[0; 10]].concat();
            octets.extend(code.to_ne_bytes());
            octets.resize(36, 0);
            octets
        };
        assert!(outcome(&answer(0)).is_ok() && outcome(&[]).is_ok() && outcome(&[1, 2, 3]).is_ok());
        let refused = outcome(&[answer(0), answer(-1), answer(-2)].concat()).unwrap_err();
        assert_eq!(Errno::from_io_error(&refused), Some(Errno::PERM));
        // A length that cannot be ends it.
        assert!(outcome(&[0; 64]).is_ok() && outcome(&[0xff; 64]).is_ok());
    }

    #[test]
    fn messages_and_attributes_say_how_long_they_are_and_begin_at_words() {
        assert_eq!(text(1, "nat"), [&8_u16.to_ne_bytes()[..], &1_u16.to_ne_bytes(), b"nat\0"].concat());
        assert_eq!(text(1, "masq").len(), 12);
        let (mut rest, mut messages) = (&batch("arqway-home", 7)[..], 0);
        while let Some(length) = rest.first_chunk() {
            rest = &rest[usize::try_from(u32::from_ne_bytes(*length)).unwrap()..];
            messages += 1;
        }
        assert_eq!((messages, rest.len()), (5, 0));
    }
}
