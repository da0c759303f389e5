//! Headers of UDP, and of what it carries, shortened to the octets that change: for services that lose packets, and deliver them in any order.
//!
//! ```text
//!     a packet                        on the link
//!     the first ones of a flow        the same                                    which octets change is learned
//!     one of the next                 80 + context, generation,                   the other end keeps the rest, and says so
//!                                     which octets change, packet
//!     the other end                   01, context, generation                     ... by this
//!     from then on                    c0 + context, these octets, payload         some 5 octets for 28, 12 for 40 with RTP
//! ```
//!
//! Nothing is told by its difference from the packet before, as RFC 5795's profiles have it: a packet needs nothing but what was confirmed,
//! whatever is lost, late or doubled. That costs an octet or two, and no packet ever waits for a repair. Where an octet changes that never
//! did, the packet and those behind it go whole until the other end has confirmed that, too.
//!
//! The generation is that of the context: where a link is down and services hold what they have, a confirmation may come so late that the
//! context is another flow's by then.

use super::compression::reserve;
use super::{FlowKey, FlowTable};
use alloc::boxed::Box;
use arqway_units::{Span, Time};
use bytes::{BufMut, Bytes, BytesMut};
use etherparse::checksum::Sum16BitWords;

/// How many flows have a context at a time.
const CONTEXTS: usize = 64;
/// How many flows are known at a time.
const FLOWS: usize = 256;
/// A context is given to another flow, or for other octets, once it was not used for so long: nothing of it is under way then, nor held while
/// a link is down.
const UNUSED: Span = Span::from_milliseconds(60_000);
/// So many packets show which octets change.
const LEARNED: u8 = 4;
/// Of a larger packet the headers are a small part.
const MOST_OCTETS: usize = 400;
/// So many octets of what UDP carries are told apart like headers: RTP has as many (RFC 3550, Section 5.1).
const OF_PAYLOAD: usize = 12;
/// The headers of IPv6 and UDP, and these.
const LONGEST: usize = 40 + 8 + OF_PAYLOAD;
/// The octets that say which change.
const MASK: usize = 8;
/// What stands in front of a packet that brings a template.
const HEAD_OF_TEMPLATE: usize = 2 + MASK;

const AS_IT_IS: u8 = 0x00;
const HEARD: u8 = 0x01;
const TEMPLATE: u8 = 0x80;
const SHORT: u8 = 0xc0;

/// What headers have in common, and which of their octets change, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Template {
    octets: [u8; LONGEST],
    length: usize,
    ip: usize,
    changes: u64,
}

/// Octets that follow from the length of a packet, a bit each: those of length, and the checksum of IPv4's header.
const FOLLOW_IPV4: u64 = 0b1100_0000_1100 | 0b11 << 24;
const FOLLOW_IPV6: u64 = 0b11_0000 | 0b11 << 44;

impl Template {
    /// That of a packet, if it is of UDP, small and whole, and says nothing of congestion.
    fn read(packet: &[u8]) -> Option<Self> {
        let ip = match packet.first()? {
            0x45 => 20,
            0x60..0x70 => 40,
            _ => return None,
        };
        let two = |at: usize| Some(usize::from(u16::from_be_bytes(*packet.get(at..)?.first_chunk()?)));
        let is_usual = if ip == 20 {
            two(2)? == packet.len() && packet[1] & 3 == 0 && two(6)? & 0x3fff == 0 && packet[9] == 17
        } else {
            two(4)? + ip == packet.len() && packet[1] >> 4 & 3 == 0 && packet[6] == 17
        };
        if !is_usual || packet.len() > MOST_OCTETS || two(ip + 4)? + ip != packet.len() {
            return None;
        }
        let length = if packet.len() < ip + 8 + OF_PAYLOAD { ip + 8 } else { ip + 8 + OF_PAYLOAD };
        let mut octets = [0; LONGEST];
        octets[..length].copy_from_slice(&packet[..length]);
        let mut template = Self { octets, length, ip, changes: 0 };
        let is_right = ip == 40 || {
            template.complete(packet.len());
            template.octets[..length] == packet[..length]
        };
        is_right.then_some(template)
    }

    fn follow(&self) -> u64 {
        if self.ip == 20 { FOLLOW_IPV4 } else { FOLLOW_IPV6 }
    }

    /// The octets in which another one differs, besides those that follow; `None` where it has other headers.
    fn differences(&self, other: &Self) -> Option<u64> {
        if self.length != other.length || self.ip != other.ip {
            return None;
        }
        let pairs = self.octets.iter().zip(&other.octets).take(self.length);
        let differ = pairs.enumerate().filter(|(_, (one, other))| one != other);
        Some(differ.fold(0, |bits, (place, _)| bits | 1 << place) & !self.follow())
    }

    /// The places that change, in order.
    fn places(&self) -> impl Iterator<Item = usize> + use<> {
        let (changes, length) = (self.changes & !self.follow(), self.length);
        (0..length).filter(move |place| changes >> place & 1 == 1)
    }

    /// Sets what follows from the length of the packet.
    fn complete(&mut self, packet: usize) {
        let two = |number: usize| u16::try_from(number).unwrap_or(u16::MAX).to_be_bytes();
        let udp = self.ip + 4;
        self.octets[udp..udp + 2].copy_from_slice(&two(packet - self.ip));
        if self.ip == 20 {
            self.octets[2..4].copy_from_slice(&two(packet));
            self.octets[10..12].fill(0);
            let sum = Sum16BitWords::new().add_slice(&self.octets[..20]).ones_complement();
            self.octets[10..12].copy_from_slice(&sum.to_ne_bytes());
        } else {
            self.octets[4..6].copy_from_slice(&two(packet - self.ip));
        }
    }
}

/// The sending end.
#[derive(Debug)]
pub struct Shortener {
    flows: FlowTable<Flow, FlowKey>,
    contexts: [Context; CONTEXTS],
    slab: BytesMut,
}

impl Default for Shortener {
    fn default() -> Self {
        Self { flows: FlowTable::default(), contexts: [Context::default(); CONTEXTS], slab: BytesMut::new() }
    }
}

#[derive(Debug)]
struct Flow {
    template: Template,
    /// How many packets it was learned from.
    seen: u8,
    context: Option<u8>,
    /// The other end has the template.
    is_confirmed: bool,
    /// Packets since the template was last another one.
    since: u32,
    last: Time,
}

#[derive(Debug, Clone, Copy, Default)]
struct Context {
    flow: Option<FlowKey>,
    last: Option<Time>,
    /// How often it was given to a flow, or for other octets.
    generation: u8,
}

/// Which template: the number of a context, and the generation of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplateId {
    /// The context's number.
    pub context: u8,
    /// How often it had been given away, eight bits of it.
    pub generation: u8,
}

/// The receiving end.
#[derive(Debug)]
pub struct Restorer {
    templates: [Option<Box<Template>>; CONTEXTS],
    slab: BytesMut,
}

impl Default for Restorer {
    fn default() -> Self {
        Self { templates: [const { None }; CONTEXTS], slab: BytesMut::new() }
    }
}

/// What something that came stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restored {
    /// A packet.
    Packet(Bytes),
    /// A packet, and a template, which is to be [confirmed](confirmation).
    Template(Bytes, TemplateId),
    /// The other end has the template.
    Heard(TemplateId),
}

/// What tells the other end that its template has come.
pub fn confirmation(TemplateId { context, generation }: TemplateId) -> Bytes {
    Bytes::copy_from_slice(&[HEARD, context, generation])
}

impl Shortener {
    /// What goes out for a packet of a flow.
    pub fn shorten(&mut self, packet: &Bytes, flow: FlowKey, now: Time) -> Bytes {
        let Some(template) = Template::read(packet) else { return self.leave(packet) };
        let Some(known) = self.flows.get_mut(&flow) else {
            self.learn(flow, template, now);
            return self.leave(packet);
        };
        known.last = now;
        let Some(differences) = known.template.differences(&template) else { return self.leave(packet) };
        let more = differences & !known.template.changes;
        if known.seen < LEARNED {
            known.seen += 1;
            known.template = Template { changes: known.template.changes | differences, ..template };
            return self.leave(packet);
        }
        if more != 0 || known.context.is_none() {
            let changes = known.template.changes | more;
            let before = known.context.take();
            (known.template, known.is_confirmed, known.since) = (Template { changes, ..template }, false, 0);
            if let Some(context) = before.and_then(|context| self.contexts.get_mut(usize::from(context))) {
                context.flow = None;
            }
            self.give_context(flow, now);
        }
        self.send(packet, flow, &template, now)
    }

    /// The other end has a template.
    pub fn heard(&mut self, TemplateId { context, generation }: TemplateId) {
        let known = self.contexts.get(usize::from(context)).filter(|known| known.generation == generation);
        let flow = known.and_then(|known| known.flow);
        if let Some(flow) = flow.and_then(|flow| self.flows.get_mut(&flow)) {
            flow.is_confirmed |= flow.context == Some(context);
        }
    }

    /// A packet of a flow that is known: short where the other end has its template, with that at the first, second, fourth, ... packet,
    /// and at each eighth, until it is confirmed.
    fn send(&mut self, packet: &Bytes, flow: FlowKey, template: &Template, now: Time) -> Bytes {
        let Self { flows, contexts, slab } = self;
        let Some(known) = flows.get_mut(&flow) else { return self.leave(packet) };
        let Some(number) = known.context else { return self.leave(packet) };
        let Some(context) = contexts.get_mut(usize::from(number)) else { return self.leave(packet) };
        context.last = Some(now);
        let payload = packet.get(template.length..).unwrap_or_default();
        if known.is_confirmed {
            reserve(slab, 1 + packet.len());
            slab.put_u8(SHORT | number);
            known.template.places().for_each(|place| slab.put_u8(template.octets[place]));
            slab.put_slice(payload);
            return slab.split().freeze();
        }
        known.since = known.since.saturating_add(1);
        if !known.since.is_power_of_two() && !known.since.is_multiple_of(8) {
            return self.leave(packet);
        }
        reserve(slab, HEAD_OF_TEMPLATE + packet.len());
        slab.put_u8(TEMPLATE | number);
        slab.put_u8(context.generation);
        slab.put_u64_le(known.template.changes);
        slab.put_slice(packet);
        slab.split().freeze()
    }

    /// A packet as it is.
    fn leave(&mut self, packet: &Bytes) -> Bytes {
        if matches!(packet.first(), Some(0x40..TEMPLATE)) {
            return packet.clone();
        }
        reserve(&mut self.slab, 1 + packet.len());
        self.slab.put_u8(AS_IT_IS);
        self.slab.put_slice(packet);
        self.slab.split().freeze()
    }

    fn learn(&mut self, flow: FlowKey, template: Template, now: Time) {
        if self.flows.len() >= FLOWS {
            let Self { flows, contexts, .. } = self;
            flows.retain(|_, flow| now.since(flow.last) < UNUSED);
            for context in contexts {
                if context.flow.is_some_and(|flow| !flows.contains_key(&flow)) {
                    context.flow = None;
                }
            }
        }
        if self.flows.len() < FLOWS {
            let flow_state = Flow { template, seen: 1, context: None, is_confirmed: false, since: 0, last: now };
            self.flows.insert(flow, flow_state);
        }
    }

    /// Gives a flow a context that nothing under way needs, if there is one.
    fn give_context(&mut self, flow: FlowKey, now: Time) {
        // One that was never used, or that was so the longest ago.
        let longest = self.contexts.iter().enumerate().min_by_key(|(_, context)| context.last);
        let is_free = |context: &Context| context.last.is_none_or(|last| now.since(last) >= UNUSED);
        let Some((index, _)) = longest.filter(|(_, context)| is_free(context)) else { return };
        if let Some(idle) = self.contexts[index].flow.and_then(|flow| self.flows.get_mut(&flow)) {
            (idle.context, idle.is_confirmed) = (None, false);
        }
        let generation = self.contexts[index].generation.wrapping_add(1);
        self.contexts[index] = Context { flow: Some(flow), last: Some(now), generation };
        if let Some(known) = self.flows.get_mut(&flow) {
            known.context = u8::try_from(index).ok();
        }
    }
}

impl Restorer {
    /// What something that came stands for; `None` where it stands for nothing that is known.
    pub fn restore(&mut self, mut octets: Bytes) -> Option<Restored> {
        let first = *octets.first()?;
        let context = first % 64;
        match first {
            0x40..TEMPLATE => Some(Restored::Packet(octets)),
            AS_IT_IS => Some(Restored::Packet(octets.split_off(1))),
            HEARD => match octets[1..] {
                [context, generation] => Some(Restored::Heard(TemplateId { context, generation })),
                _ => None,
            },
            TEMPLATE..SHORT => {
                let generation = *octets.get(1)?;
                let changes = u64::from_le_bytes(*octets.get(2..)?.first_chunk()?);
                let packet = octets.split_off(HEAD_OF_TEMPLATE);
                let template = Template { changes, ..Template::read(&packet)? };
                self.templates[usize::from(context)] = Some(Box::new(template));
                Some(Restored::Template(packet, TemplateId { context, generation }))
            }
            SHORT.. => {
                let template = self.templates[usize::from(context)].as_deref()?;
                let mut headers = *template;
                let mut told = octets.get(1..)?.iter();
                for place in template.places() {
                    headers.octets[place] = *told.next()?;
                }
                let payload = told.as_slice();
                let length = headers.length + payload.len();
                if length > MOST_OCTETS {
                    return None;
                }
                headers.complete(length);
                reserve(&mut self.slab, length);
                self.slab.put_slice(&headers.octets[..headers.length]);
                self.slab.put_slice(payload);
                Some(Restored::Packet(self.slab.split().freeze()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
