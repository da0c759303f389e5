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
    let texts = two(values, "--addresses", &default.join(","))?;
    pair(texts.unwrap_or_else(|| default.map(str::to_owned)))
}

fn pair([one, other]: [String; 2]) -> Result<[Address; 2], Failure> {
    let pair = [Address::read(&one)?, Address::read(&other)?];
    check_pair(pair)?;
    Ok(pair)
}

/// The same, a pair for each link.
#[cfg(feature = "lab")]
pub(crate) fn addresses_of_links(
    values: &[String],
    links: usize,
    default: impl Fn(usize) -> [String; 2],
) -> Result<Vec<[Address; 2]>, Failure> {
    let texts = pairs(values, links, "--addresses", &default(0).join(","))?;
    texts.unwrap_or_else(|| (0..links).map(default).collect()).into_iter().map(pair).collect()
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
    Ok(pairs(values, 1, option, example)?.and_then(|pairs| pairs.into_iter().next()))
}

/// Two values of an option for each link, if it is there: those of the first link's ends, those of the second's, and so on.
pub(crate) fn pairs(
    values: &[String],
    links: usize,
    option: &str,
    example: &str,
) -> Result<Option<Vec<[String; 2]>>, Failure> {
    if values.is_empty() {
        return Ok(None);
    }
    let is_again = |(index, value): (usize, &String)| value.is_empty() || values[..index].contains(value);
    if values.len() == 2 * links && !values.iter().enumerate().any(is_again) {
        let pair = |pair: &[String]| [pair[0].clone(), pair[1].clone()];
        return Ok(Some(values.chunks_exact(2).map(pair).collect()));
    }
    let expected = match links {
        1 => format!("two different values, one for each end, such as {option} {example}"),
        links => {
            format!("{} different values, one for each end of the first link, of the second, and so on", 2 * links)
        }
    };
    Err(Failure::Usage(format!("{option}: expected {expected}")))
}
