//! A question and its answer octet by octet, as the payload of an IP packet of protocol 253.
//!
//! ```text
//!     "AQP", 3 | 0: question, 1: answer, 1 | number, 8 | links there, 1 | link ... | links back, 1 | link ...
//!
//!     link       text | 1 where it may carry more, 1 bit | rate in bit/s or 0, 63 bits | round trip in us or 0, 4 | services, 1 | service ...
//!     service    text | goodput, 4 | retransmissions of a frame, 4 | loss, 4 | delay in us, 4
//!     text       octets, 1 | UTF-8
//! ```
//!
//! Shares are numbers of IEEE 754, and no number where something is not known. All are written highest octet first.

use arqway_units::{BitRate, Span, ToFloat};
use bytes::Buf as _;

/// A question on its way to its destination, or its answer on the way back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) is_answer: bool,
    /// Which question.
    pub(crate) number: u64,
    /// The links that the question has crossed.
    pub(crate) there: Vec<Link>,
    /// Those that the answer has.
    pub(crate) back: Vec<Link>,
}

/// A link in the direction in which it was crossed.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// As the tunnel is called at its sending end.
    pub name: String,
    /// What it carries.
    pub rate: Option<BitRate>,
    /// It may carry more: nothing has gone faster yet.
    pub rate_is_least: bool,
    /// The smoothed round-trip time.
    pub round_trip: Option<Span>,
    /// By number.
    pub services: Vec<LinkServiceMetrics>,
}

/// What a service of a link does in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkServiceMetrics {
    /// That of its class.
    pub name: String,
    /// Of the octets on the link, the share that packets have.
    pub goodput: Option<f64>,
    /// How often a frame is sent again, on average.
    pub retransmissions: Option<f64>,
    /// The share of the packets that does not arrive.
    pub loss: Option<f64>,
    /// On its way, queueing apart.
    pub delay: Option<Span>,
}

/// A path has no more links, each way.
pub(super) const MOST_LINKS: usize = 8;
/// No longer texts are told.
const LONGEST_TEXT: usize = 24;
/// What says that a link may carry more.
const LEAST: u64 = 1 << 63;
const MAGIC: [u8; 3] = *b"AQP";

impl Message {
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.push(self.is_answer.into());
        out.extend(self.number.to_be_bytes());
        for links in [&self.there, &self.back] {
            out.push(u8::try_from(links.len()).unwrap_or(u8::MAX));
            links.iter().for_each(|link| link.write(&mut out));
        }
        out
    }

    /// Reads one; nothing where the octets are none, or more.
    pub(super) fn read(octets: &[u8]) -> Option<Self> {
        let mut rest = Rest(octets);
        rest.0 = rest.0.strip_prefix(&MAGIC)?;
        let is_answer = match rest.0.try_get_u8().ok()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        let number = rest.0.try_get_u64().ok()?;
        let (there, back) = (rest.links()?, rest.links()?);
        rest.0.is_empty().then_some(Self { is_answer, number, there, back })
    }
}

impl Link {
    fn write(&self, out: &mut Vec<u8>) {
        write_text(&self.name, out);
        let rate = self.rate.map_or(0, BitRate::as_bits_per_second).min(LEAST - 1);
        out.extend((rate | if self.rate_is_least { LEAST } else { 0 }).to_be_bytes());
        out.extend(self.round_trip.map_or(0, microseconds).to_be_bytes());
        out.push(u8::try_from(self.services.len()).unwrap_or(u8::MAX));
        for service in &self.services {
            write_text(&service.name, out);
            for share in [service.goodput, service.retransmissions, service.loss] {
                #[expect(clippy::cast_possible_truncation, reason = "a share to seven digits")]
                let share = share.map_or(f32::NAN, |share| share as f32);
                out.extend(share.to_be_bytes());
            }
            out.extend(service.delay.map_or(u32::MAX, microseconds).to_be_bytes());
        }
    }
}

fn microseconds(span: Span) -> u32 {
    u32::try_from(span.as_nanoseconds() / 1000).unwrap_or(u32::MAX - 1).min(u32::MAX - 1)
}

/// A text, or as much of it as is told.
fn write_text(text: &str, out: &mut Vec<u8>) {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    out.push(u8::try_from(end).unwrap_or(0));
    out.extend(&text.as_bytes()[..end]);
}

/// What has not been read yet.
struct Rest<'o>(&'o [u8]);

impl Rest<'_> {
    /// Without what a terminal would obey.
    fn text(&mut self) -> Option<String> {
        let length = self.0.try_get_u8().ok()?;
        let (text, rest) = self.0.split_at_checked(length.into())?;
        self.0 = rest;
        let text = std::str::from_utf8(text).ok()?;
        (text.len() <= LONGEST_TEXT && !text.contains(char::is_control)).then(|| text.to_owned())
    }

    fn links(&mut self) -> Option<Vec<Link>> {
        let links = self.0.try_get_u8().ok()?;
        (usize::from(links) <= MOST_LINKS).then_some(())?;
        (0..links).map(|_| self.link()).collect()
    }

    fn link(&mut self) -> Option<Link> {
        let name = self.text()?;
        let rate = self.0.try_get_u64().ok()?;
        let round_trip = self.0.try_get_u32().ok()?;
        let services = self.0.try_get_u8().ok()?;
        Some(Link {
            name,
            rate: BitRate::from_bits_per_second(rate & !LEAST),
            rate_is_least: rate & LEAST != 0,
            round_trip: (round_trip > 0).then(|| Span::from_nanoseconds(u64::from(round_trip) * 1000)),
            services: (0..services).map(|_| self.service()).collect::<Option<_>>()?,
        })
    }

    fn service(&mut self) -> Option<LinkServiceMetrics> {
        let name = self.text()?;
        let goodput = self.number(1.0)?;
        let retransmissions = self.number(u64::MAX.to_f64())?;
        let loss = self.number(1.0)?;
        let delay = self.0.try_get_u32().ok()?;
        let delay = (delay != u32::MAX).then(|| Span::from_nanoseconds(u64::from(delay) * 1000));
        Some(LinkServiceMetrics { name, goodput, retransmissions, loss, delay })
    }

    /// A number from 0 to `most`, or none.
    #[expect(clippy::option_option, reason = "what is malformed, and what is not known")]
    fn number(&mut self, most: f64) -> Option<Option<f64>> {
        let number = f64::from(self.0.try_get_f32().ok()?);
        match (0.0..=most).contains(&number) {
            true => Some(Some(number)),
            false => number.is_nan().then_some(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn service() -> impl Strategy<Value = LinkServiceMetrics> {
        let share = || proptest::option::of((0u8..=8).prop_map(|share| f64::from(share) / 8.0));
        ("[a-zé-]{0,12}", share(), share(), share(), proptest::option::of(0u64..1 << 31)).prop_map(
            |(name, goodput, retransmissions, loss, delay)| LinkServiceMetrics {
                name,
                goodput,
                retransmissions,
                loss,
                delay: delay.map(|delay| Span::from_nanoseconds(delay * 1000)),
            },
        )
    }

    fn link() -> impl Strategy<Value = Link> {
        let services = proptest::collection::vec(service(), 0..5);
        ("[a-z/]{0,24}", 0..LEAST, any::<bool>(), any::<u32>(), services).prop_map(
            |(name, rate, least, round_trip, services)| Link {
                name,
                rate: BitRate::from_bits_per_second(rate),
                rate_is_least: least,
                round_trip: (round_trip > 0)
                    .then(|| Span::from_nanoseconds(u64::from(round_trip.min(u32::MAX - 1)) * 1000)),
                services,
            },
        )
    }

    proptest! {
        #[test]
        fn a_message_reads_back_as_it_was_written(
            is_answer in any::<bool>(),
            number in any::<u64>(),
            there in proptest::collection::vec(link(), 0..=MOST_LINKS),
            back in proptest::collection::vec(link(), 0..=MOST_LINKS),
        ) {
            let message = Message { is_answer, number, there, back };
            let octets = message.write();
            prop_assert_eq!(Message::read(&octets), Some(message));
            // Neither a part of it nor more than it is one.
            prop_assert_eq!(Message::read(&octets[..octets.len() - 1]), None);
            prop_assert_eq!(Message::read(&[&octets[..], &[0]].concat()), None);
        }

        #[test]
        fn any_octets_are_a_message_or_none(octets in proptest::collection::vec(any::<u8>(), 0..300)) {
            drop(Message::read(&octets));
            drop(Message::read(&[&MAGIC[..], &octets].concat()));
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_no_name() {
        let link = |name: &str| Link {
            name: name.to_owned(),
            rate: None,
            rate_is_least: false,
            round_trip: None,
            services: Vec::new(),
        };
        let message = |name| Message { is_answer: false, number: 1, there: vec![link(name)], back: Vec::new() };
        assert!(Message::read(&message("boat").write()).is_some());
        assert_eq!(Message::read(&message("\u{1b}[2J").write()), None);
        // A long one is told in part, and never half a letter.
        let long = "é".repeat(20);
        let read = Message::read(&message(&long).write()).expect("it is cut");
        assert_eq!(read.there[0].name, "é".repeat(12));
    }
}
