//! A message octet by octet.
//!
//! ```text
//!     kind, 1 | number, 4 | flow | by kind
//!
//!     flow          what tells it, 1 | family 4 or 6, 1 | source, 4 or 16 | destination, 4 or 16
//!                     0: by ports       protocol, 1 | source, 2 | destination, 2
//!                     1: by protocol    protocol, 1
//!                     2: by label       label, 4
//!
//!     0 advertise   rate, 8 | loss, 8 | latest delay in ns or all ones, 8 | links, 1 | by link: offers, 1 | offer ...
//!     1 reserve     links, 1 | by link: offer | rate, 8
//!     2 refuse      why, 1 | which link, 1 | service, 1 | number, 8 | number, 8
//!     3 release     nothing
//!     4 change      nothing
//!
//!     offer         service, 1 | goodput, 8 | loss, 8 | delay in ns, 8 | left to set aside in bit/s, 8
//! ```
//!
//! Shares are numbers of IEEE 754. All are written highest octet first.

use super::{MOST_LINKS, Message, What, Why};
use crate::metrics::ServiceMetrics;
use crate::mux::FlowId;
use crate::path::{Needs, Offer, Shortage, Unmet};
use alloc::vec::Vec;
use arqway_contract::ServiceId;
use arqway_ip::{FlowLabel, Protocol};
use arqway_units::{BitRate, Ratio, Span};
use core::net::{IpAddr, SocketAddr};

impl Message {
    /// Its octets.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.push(match self.what {
            What::Advertise { .. } => 0,
            What::Reserve { .. } => 1,
            What::Refuse(_) => 2,
            What::Release => 3,
            What::Change => 4,
        });
        out.extend(self.number.to_be_bytes());
        write_flow(&self.flow, &mut out);
        match &self.what {
            What::Advertise { needs, links } => {
                out.extend(needs.rate.as_bits_per_second().to_be_bytes());
                out.extend(needs.loss.as_f64().to_be_bytes());
                out.extend(needs.delay.map_or(u64::MAX, Span::as_nanoseconds).to_be_bytes());
                out.push(octet(links.len()));
                for offers in links {
                    out.push(octet(offers.len()));
                    offers.iter().for_each(|offer| write_offer(offer, &mut out));
                }
            }
            What::Reserve { links } => {
                out.push(octet(links.len()));
                for (offer, rate) in links {
                    write_offer(offer, &mut out);
                    out.extend(rate.as_bits_per_second().to_be_bytes());
                }
            }
            What::Refuse(why) => write_why(why, &mut out),
            What::Release | What::Change => {}
        }
        out
    }

    /// Reads one; nothing where the octets are none, or more.
    #[must_use]
    pub fn read(octets: &[u8]) -> Option<Self> {
        let mut rest = Rest(octets);
        let [kind] = rest.take()?;
        let number = u32::from_be_bytes(rest.take()?);
        let flow = rest.flow()?;
        let what = match kind {
            0 => {
                let rate = rest.rate()?;
                let loss = rest.ratio()?;
                let delay = rest.number()?;
                let delay = (delay != u64::MAX).then(|| Span::from_nanoseconds(delay));
                let links = (0..rest.links()?).map(|_| {
                    let [offers] = rest.take()?;
                    (0..offers).map(|_| rest.offer()).collect()
                });
                What::Advertise { links: links.collect::<Option<_>>()?, needs: Needs { rate, loss, delay } }
            }
            1 => {
                let links = (0..rest.links()?).map(|_| Some((rest.offer()?, rest.rate()?)));
                What::Reserve { links: links.collect::<Option<_>>()? }
            }
            2 => What::Refuse(rest.why()?),
            3 => What::Release,
            4 => What::Change,
            _ => return None,
        };
        rest.0.is_empty().then_some(Self { flow, number, what })
    }
}

/// A count that is always small.
fn octet(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

fn write_flow(flow: &FlowId, out: &mut Vec<u8>) {
    let (kind, source, destination) = match *flow {
        FlowId::Ports { source, destination, .. } => (0, source.ip(), destination.ip()),
        FlowId::Protocol { source, destination, .. } => (1, source, destination),
        FlowId::Label { source, destination, .. } => (2, source, destination),
    };
    out.push(kind);
    out.push(if source.is_ipv4() { 4 } else { 6 });
    for address in [source, destination] {
        match address {
            IpAddr::V4(address) => out.extend(address.octets()),
            IpAddr::V6(address) => out.extend(address.octets()),
        }
    }
    match *flow {
        FlowId::Ports { protocol, source, destination } => {
            out.push(protocol.number());
            out.extend(source.port().to_be_bytes());
            out.extend(destination.port().to_be_bytes());
        }
        FlowId::Protocol { protocol, .. } => out.push(protocol.number()),
        FlowId::Label { label, .. } => out.extend(label.number().to_be_bytes()),
    }
}

fn write_offer(Offer { service, metrics, available }: &Offer, out: &mut Vec<u8>) {
    out.push(octet(service.index()));
    out.extend(metrics.goodput.as_f64().to_be_bytes());
    out.extend(metrics.loss.as_f64().to_be_bytes());
    out.extend(metrics.delay.as_nanoseconds().to_be_bytes());
    out.extend(available.to_be_bytes());
}

fn write_why(why: &Why, out: &mut Vec<u8>) {
    let none = 0;
    let (kind, link, service, first, second) = match why {
        Why::Unmet(Unmet::Loss(loss)) => (0, none, none, loss.as_f64().to_bits(), 0),
        Why::Unmet(Unmet::Delay(delay)) => (1, none, none, delay.as_nanoseconds(), 0),
        Why::Unmet(Unmet::Rate(rate)) => (2, none, none, *rate, 0),
        Why::Short { link, reason } => match reason {
            Shortage::Rate { needed, left } => (3, octet(*link), none, needed.as_bits_per_second(), *left),
            Shortage::Reserved => (4, octet(*link), none, 0, 0),
            Shortage::NoService(service) => (5, octet(*link), octet(service.index()), 0, 0),
            Shortage::Endless => (6, octet(*link), none, 0, 0),
            Shortage::AnotherPath => (7, octet(*link), none, 0, 0),
        },
    };
    out.extend([kind, link, service]);
    out.extend(first.to_be_bytes());
    out.extend(second.to_be_bytes());
}

/// What has not been read yet.
struct Rest<'o>(&'o [u8]);

impl Rest<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }

    fn rate(&mut self) -> Option<BitRate> {
        self.number().and_then(BitRate::from_bits_per_second)
    }

    fn ratio(&mut self) -> Option<Ratio> {
        Ratio::new(f64::from_be_bytes(self.take()?))
    }

    fn links(&mut self) -> Option<u8> {
        let [links] = self.take()?;
        (usize::from(links) <= MOST_LINKS).then_some(links)
    }

    fn flow(&mut self) -> Option<FlowId> {
        let [kind, family] = self.take()?;
        let mut address = || match family {
            4 => self.take::<4>().map(IpAddr::from),
            6 => self.take::<16>().map(IpAddr::from),
            _ => None,
        };
        let (source, destination) = (address()?, address()?);
        Some(match kind {
            0 => {
                let [protocol] = self.take()?;
                let ports = (u16::from_be_bytes(self.take()?), u16::from_be_bytes(self.take()?));
                let (source, destination) = (SocketAddr::new(source, ports.0), SocketAddr::new(destination, ports.1));
                FlowId::Ports { protocol: Protocol::of_number(protocol), source, destination }
            }
            1 => {
                let [protocol] = self.take()?;
                FlowId::Protocol { protocol: Protocol::of_number(protocol), source, destination }
            }
            2 => FlowId::Label { label: FlowLabel::new(u32::from_be_bytes(self.take()?))?, source, destination },
            _ => return None,
        })
    }

    fn offer(&mut self) -> Option<Offer> {
        let [service] = self.take()?;
        let service = ServiceId::new(service)?;
        let (goodput, loss) = (self.ratio()?, self.ratio()?);
        let delay = Span::from_nanoseconds(self.number()?);
        Some(Offer { service, metrics: ServiceMetrics { goodput, loss, delay }, available: self.number()? })
    }

    fn why(&mut self) -> Option<Why> {
        let [kind, link, service] = self.take()?;
        let (first, second) = (self.number()?, self.number()?);
        let short = |reason| Why::Short { link: link.into(), reason };
        Some(match kind {
            0 => Unmet::Loss(Ratio::new(f64::from_bits(first))?).into(),
            1 => Unmet::Delay(Span::from_nanoseconds(first)).into(),
            2 => Unmet::Rate(first).into(),
            3 => short(Shortage::Rate { needed: BitRate::from_bits_per_second(first)?, left: second }),
            4 => short(Shortage::Reserved),
            5 => short(Shortage::NoService(ServiceId::new(service)?)),
            6 => short(Shortage::Endless),
            7 => short(Shortage::AnotherPath),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use proptest::prelude::*;

    fn ratio() -> impl Strategy<Value = Ratio> {
        (0.0f64..=1.0).prop_map(|share| Ratio::new(share).expect("a share"))
    }

    fn rate() -> impl Strategy<Value = BitRate> {
        (1..u64::MAX).prop_filter_map("zero", BitRate::from_bits_per_second)
    }

    fn offer() -> impl Strategy<Value = Offer> {
        (0..ServiceId::COUNT, ratio(), ratio(), any::<u64>(), any::<u64>()).prop_map(
            |(service, goodput, loss, delay, available)| Offer {
                service: ServiceId::new(service).expect("a service"),
                metrics: ServiceMetrics { goodput, loss, delay: Span::from_nanoseconds(delay) },
                available,
            },
        )
    }

    fn flow() -> impl Strategy<Value = FlowId> {
        let addresses = prop_oneof![
            any::<([u8; 4], [u8; 4])>().prop_map(|(one, other)| (IpAddr::from(one), IpAddr::from(other))),
            any::<([u8; 16], [u8; 16])>().prop_map(|(one, other)| (IpAddr::from(one), IpAddr::from(other))),
        ];
        (addresses, any::<u8>(), any::<(u16, u16)>(), 0u32..1 << 20, 0..3).prop_map(
            |((source, destination), protocol, ports, label, kind)| match kind {
                0 => FlowId::Ports {
                    protocol: Protocol::of_number(protocol),
                    source: SocketAddr::new(source, ports.0),
                    destination: SocketAddr::new(destination, ports.1),
                },
                1 => FlowId::Protocol { protocol: Protocol::of_number(protocol), source, destination },
                _ => FlowId::Label { label: FlowLabel::new(label).expect("20 bits"), source, destination },
            },
        )
    }

    fn what() -> impl Strategy<Value = What> {
        let needs = (rate(), ratio(), proptest::option::of(0..u64::MAX)).prop_map(|(rate, loss, delay)| Needs {
            rate,
            loss,
            delay: delay.map(Span::from_nanoseconds),
        });
        let links = proptest::collection::vec(proptest::collection::vec(offer(), 0..5), 0..=MOST_LINKS);
        let reserved = proptest::collection::vec((offer(), rate()), 0..=MOST_LINKS);
        let short = (0usize..16, rate(), any::<u64>(), 0..ServiceId::COUNT, 0..5).prop_map(
            |(link, needed, left, service, kind)| Why::Short {
                link,
                reason: match kind {
                    0 => Shortage::Rate { needed, left },
                    1 => Shortage::Reserved,
                    2 => Shortage::NoService(ServiceId::new(service).expect("a service")),
                    3 => Shortage::Endless,
                    _ => Shortage::AnotherPath,
                },
            },
        );
        prop_oneof![
            (needs, links).prop_map(|(needs, links)| What::Advertise { needs, links }),
            reserved.prop_map(|links| What::Reserve { links }),
            short.prop_map(What::Refuse),
            ratio().prop_map(|loss| What::Refuse(Unmet::Loss(loss).into())),
            any::<u64>().prop_map(|delay| What::Refuse(Unmet::Delay(Span::from_nanoseconds(delay)).into())),
            any::<u64>().prop_map(|rate| What::Refuse(Unmet::Rate(rate).into())),
            Just(What::Release),
            Just(What::Change),
        ]
    }

    proptest! {
        #[test]
        fn a_message_reads_back_as_it_was_written(flow in flow(), number in any::<u32>(), what in what()) {
            let message = Message { flow, number, what };
            let octets = message.write();
            prop_assert_eq!(Message::read(&octets), Some(message));
            // Neither a part of it nor more than it is one.
            prop_assert_eq!(Message::read(&octets[..octets.len() - 1]), None);
            prop_assert_eq!(Message::read(&[&octets[..], &[0]].concat()), None);
        }

        #[test]
        fn any_octets_are_a_message_or_none(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(message) = Message::read(&octets) {
                prop_assert_eq!(Message::read(&message.write()), Some(message));
            }
        }
    }

    #[test]
    fn a_small_message_by_hand() {
        let flow = FlowId::Protocol {
            protocol: Protocol::UDP,
            source: [10, 0, 0, 1].into(),
            destination: [10, 0, 0, 2].into(),
        };
        let message = Message { flow, number: 258, what: What::Release };
        assert_eq!(message.write(), vec![3, 0, 0, 1, 2, 1, 4, 10, 0, 0, 1, 10, 0, 0, 2, 17]);
    }
}
