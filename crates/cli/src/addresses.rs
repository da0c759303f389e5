//! Addresses of two ends that reach each other: `--addresses 10.81.0.1/24,10.81.0.2/24`.

use crate::failure::Failure;
use std::net::IpAddr;

/// An address in a network: `10.81.0.1/24`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) address: IpAddr,
    pub(crate) prefix: u8,
}

impl Address {
    fn read(text: &str) -> Result<Self, Failure> {
        let refused = || {
            Failure::Usage(format!(
                "`{text}` is not an address in a network: expected one such as 10.81.0.1/24 or fd00::1/64"
            ))
        };
        let (address, prefix) = text.split_once('/').ok_or_else(refused)?;
        let address: IpAddr = address.parse().map_err(|_| refused())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.parse().ok().filter(|prefix| (1..=longest).contains(prefix)).ok_or_else(refused)?;
        Ok(Self { address, prefix })
    }

    /// The network's part of the address.
    fn network(self) -> u128 {
        let (bits, length) = match self.address {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        bits >> (length - u32::from(self.prefix))
    }
}

/// The addresses of two ends that reach each other, by `--addresses` or by default.
pub(crate) fn addresses(values: &[String], default: [&str; 2]) -> Result<[Address; 2], Failure> {
    let addresses = two(values, "--addresses", &default.join(","))?;
    let [one, other] = addresses.unwrap_or_else(|| default.map(str::to_owned));
    let addresses = [Address::read(&one)?, Address::read(&other)?];
    check_pair(addresses)?;
    Ok(addresses)
}

/// Refuses ends that would not reach each other.
fn check_pair([client, server]: [Address; 2]) -> Result<(), Failure> {
    let problem = if client.address == server.address {
        "both ends have the same address"
    } else if client.address.is_ipv4() != server.address.is_ipv4() {
        "one address is of IPv4 and the other of IPv6"
    } else if client.prefix != server.prefix || client.network() != server.network() {
        "the addresses are not in the same network"
    } else {
        return Ok(());
    };
    Err(Failure::Usage(format!(
        "--addresses: {problem}; expected two of one network, such as 10.81.0.1/24,10.81.0.2/24"
    )))
}

/// The two values of an option, if it is there.
pub(crate) fn two(values: &[String], option: &str, example: &str) -> Result<Option<[String; 2]>, Failure> {
    match values {
        [] => Ok(None),
        [client, server] if client != server && !client.is_empty() && !server.is_empty() => {
            Ok(Some([client.clone(), server.clone()]))
        }
        _ => Err(Failure::Usage(format!(
            "{option}: expected two different values, one for each end, such as {option} {example}"
        ))),
    }
}
