//! The sending end's part: which frame must go before which.

use super::{Others, Resequencing, Unordered};
use alloc::collections::VecDeque;
use arqway_contract::Packet;
use arqway_ip::{FlowKey, FlowTable, is_whole_segment};

/// The frames that packets went into, as chains: each frame is linked to the one before it of the same flow.
///
/// A chain is known as long as one of its frames is unacknowledged, so there are never more chains than frames in the
/// window, and a flow that comes back later begins a new one.
#[derive(Debug, Clone)]
pub struct Chains {
    resequencing: Resequencing,
    /// The last frame of each chain.
    last: FlowTable<u64, FlowKey>,
    /// The unacknowledged frames that belong to a chain, oldest first.
    frames: VecDeque<(u64, FlowKey)>,
}

impl Chains {
    /// No frame has been sent.
    pub fn new(resequencing: &Resequencing) -> Self {
        Self { resequencing: resequencing.clone(), last: FlowTable::default(), frames: VecDeque::new() }
    }

    /// A packet goes into frame `number`, which is higher than all before. Says the frame's link: how many frames back the
    /// previous one of its chain is, 0 where there is none, or none that is unacknowledged.
    pub fn link(&mut self, packet: &Packet, number: u64) -> u32 {
        if let Some(link) = self.resequencing.common_link() {
            return link;
        }
        let Some(chain) = self.chain_of(packet) else { return 0 };
        self.frames.push_back((number, chain));
        let last = self.last.insert(chain, number);
        last.and_then(|last| u32::try_from(number.checked_sub(last)?).ok()).unwrap_or(0)
    }

    /// All frames before this one have arrived, or will never be sent again.
    pub fn acknowledged(&mut self, first_unacknowledged: u64) {
        while let Some((number, chain)) = self.frames.pop_front_if(|(number, _)| *number < first_unacknowledged) {
            if self.last.get(&chain) == Some(&number) {
                self.last.remove(&chain);
            }
        }
    }

    /// Both ends begin anew.
    pub fn clear(&mut self) {
        self.last.clear();
        self.frames.clear();
    }

    /// The chain that a packet belongs to; `None` for one that nothing has to wait for.
    fn chain_of(&self, packet: &Packet) -> Option<FlowKey> {
        if let Resequencing::None(Unordered { others, .. }) = &self.resequencing {
            if packet.outline().is_some_and(|outline| is_whole_segment(&packet.octets, outline)) {
                return None;
            }
            if *others == Others::Full {
                return Some(FlowKey::ANY);
            }
        }
        Some(packet.flow())
    }

    /// How many chains are known.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        debug_assert!(self.last.len() <= self.frames.len());
        self.last.len()
    }
}
