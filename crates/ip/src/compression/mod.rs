//! Headers of TCP's segments, shortened to what changes from one to the next of a connection (after RFC 1144 and RFC 6846).
//!
//! ```text
//!     a packet                        on the link
//!     4x 6x ...                       the same                               what is not shortened
//!     other                           00, the packet
//!     a segment with data             80 + context, the packet               both ends keep its headers under this number
//!     the next ones                   c0 + context, changes, payload         some 8 octets for 40 to 72
//! ```
//!
//! The other end must get what was shortened in the order in which it was, and all of it. So only segments with data are: of
//! acknowledgements some may be dropped, or overtake others. There is nothing to resynchronize, hence no checks; TCP's own
//! checksum goes with each segment as it is, and tells its receiver if anything went wrong.
//!
//! What comes out is the packet, octet by octet: the sender works out what the receiver will make of the changes, and sends the
//! packet whole where that is another one.

mod changes;
mod segment;
#[cfg(test)]
mod tests;

use super::{FlowKey, FlowTable};
use alloc::boxed::Box;
use bytes::{BufMut, Bytes, BytesMut};
use core::ops::Range;
use segment::SegmentHeaders;

/// How many connections are known at a time. Another one takes the place of the one that has been idle longest, once all of that has
/// arrived; until then it goes as it is.
const CONTEXTS: usize = 64;
/// The first octet of a packet as it is, where that could be taken for something else.
const AS_IT_IS: u8 = 0x00;
/// That of a packet whose headers are to be kept, with the number of the context.
const KEPT: u8 = 0x80;
/// That of a shortened one.
const SHORTENED: u8 = 0xc0;
/// How much memory is taken at once.
const SLAB: usize = 64 * 1024;

/// The sending end.
#[derive(Debug, Clone, Default)]
pub struct Compressor {
    connections: FlowTable<Connection, FlowKey>,
    slab: BytesMut,
}

#[derive(Debug, Clone)]
struct Connection {
    context: u8,
    /// Of the last segment.
    last: SegmentHeaders,
    /// The number of its packet.
    packet: u64,
}

/// The receiving end.
#[derive(Debug, Clone)]
pub struct Decompressor {
    contexts: [Option<Box<SegmentHeaders>>; CONTEXTS],
    slab: BytesMut,
}

impl Compressor {
    /// What goes out for a packet that may be lost: it is not shortened, and no other needs it.
    pub fn leave(&mut self, packet: &Bytes) -> Bytes {
        if is_left(packet) { packet.clone() } else { self.behind(AS_IT_IS, packet) }
    }

    /// What goes out for a packet that the other end will get, behind those before it of its flow. `unknown` are the numbers of packets
    /// from the first that may not have been released there, up to this one.
    pub fn compress(&mut self, packet: &Bytes, flow: FlowKey, unknown: Range<u64>) -> Bytes {
        let Some(segment) = SegmentHeaders::read(packet) else { return self.leave(packet) };
        if let Some(known) = self.connections.get_mut(&flow) {
            // Where this is another connection that has the same key, the headers go whole.
            let changes = known.last.changes(&segment);
            let (context, payload) = (known.context, &packet[segment.as_octets().len()..]);
            (known.last, known.packet) = (segment, unknown.end);
            let Some(changes) = changes else { return self.behind(KEPT | context, packet) };
            reserve(&mut self.slab, 1 + changes.len() + payload.len());
            self.slab.put_u8(SHORTENED | context);
            self.slab.put_slice(&changes);
            self.slab.put_slice(payload);
            return self.slab.split().freeze();
        }
        let Some(context) = self.free_context(unknown.start) else { return self.leave(packet) };
        self.connections.insert(flow, Connection { context, last: segment, packet: unknown.end });
        self.behind(KEPT | context, packet)
    }

    /// A context for a new connection: of those before it, one may still need what the other end has of it.
    fn free_context(&mut self, first_unknown: u64) -> Option<u8> {
        if let Some(next) = u8::try_from(self.connections.len()).ok().filter(|next| usize::from(*next) < CONTEXTS) {
            return Some(next);
        }
        let (flow, idle) = self.connections.iter().min_by_key(|(_, connection)| connection.packet)?;
        let (flow, context) = (*flow, idle.context);
        (idle.packet < first_unknown).then(|| {
            self.connections.remove(&flow);
            context
        })
    }

    fn behind(&mut self, first: u8, packet: &[u8]) -> Bytes {
        reserve(&mut self.slab, 1 + packet.len());
        self.slab.put_u8(first);
        self.slab.put_slice(packet);
        self.slab.split().freeze()
    }
}

/// Whether these are a packet as it is, with nothing in front.
pub fn is_left(octets: &[u8]) -> bool {
    matches!(octets.first(), Some(0x40..KEPT))
}

/// How many octets these have in front that are none of the packet's, if a packet begins with them.
pub fn in_front(octets: &[u8]) -> usize {
    usize::from(matches!(octets.first(), Some(&AS_IT_IS | KEPT..SHORTENED)))
}

impl Default for Decompressor {
    fn default() -> Self {
        Self { contexts: [const { None }; CONTEXTS], slab: BytesMut::new() }
    }
}

impl Decompressor {
    /// The packet that something stands for; `None` where no packet is behind it.
    pub fn decompress(&mut self, mut octets: Bytes) -> Option<Bytes> {
        let first = *octets.first()?;
        let context = &mut self.contexts[usize::from(first) % CONTEXTS];
        match first {
            0x40..KEPT => Some(octets),
            AS_IT_IS => Some(octets.split_off(1)),
            KEPT..SHORTENED => {
                let packet = octets.split_off(1);
                *context = Some(Box::new(SegmentHeaders::read(&packet)?));
                Some(packet)
            }
            SHORTENED.. => {
                let last = context.as_mut()?;
                let mut rest = &octets[1..];
                **last = last.changed(&mut rest)?;
                let headers = last.as_octets();
                reserve(&mut self.slab, headers.len() + rest.len());
                self.slab.put_slice(headers);
                self.slab.put_slice(rest);
                Some(self.slab.split().freeze())
            }
            _ => None,
        }
    }
}

/// Makes room, and so much that most packets find some.
pub(super) fn reserve(slab: &mut BytesMut, octets: usize) {
    if slab.capacity() - slab.len() < octets {
        slab.reserve(octets.max(SLAB));
    }
}
