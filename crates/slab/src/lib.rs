//! Memory for packets, used again and again.
//!
//! ```text
//!     in use      |pppp|ppp|ppppp|p|....free....|    a packet is read into the free end and cut off
//!     used up     |pppp|pp|ppppp|pppp|pp|ppp|        its packets are out; once the last is dropped, it is used again
//! ```
//!
//! A packet is a [`Bytes`] that shares its slab, so that giving it away copies nothing, and a loop that drops as many
//! packets as it receives allocates nothing. wireguard-go gained 15 to 35 % by keeping its buffers. A packet that is
//! held keeps its whole slab: whoever holds small packets for long copies them, and any where a slab is [crowded](Slab::is_crowded).

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

use alloc::collections::VecDeque;
use bytes::{Bytes, BytesMut};

/// The size of one slab: some 90 packets of 1,400 octets, and two of the largest that there are.
const SLAB: usize = 128 * 1024;
/// Slabs that are kept at most: 128 MiB.
const MOST: usize = 1024;
/// With more slabs than that in use packets are held for long, each with its whole slab: 16 MiB.
const CROWDED: usize = 128;
/// How many used slabs are looked at before a new one is made. The first is the oldest and the most likely to be free;
/// a few more, so that one packet that stays does not keep the slabs behind it from being used.
const LOOKS: usize = 4;
/// How often in a row one more must have been free than was needed before that one is given back: 128 MiB of packets. What the largest
/// burst needed is not kept for ever, and a new slab in a hundred thousand packets costs nothing.
const PATIENCE: u32 = 1024;

/// Where received packets get their memory.
#[derive(Debug, Default)]
pub struct Slab {
    /// The free end of the slab in use, all initialized.
    free: BytesMut,
    /// Slabs that have no room, the oldest first.
    used: VecDeque<BytesMut>,
    /// How often in a row one more was free than was needed.
    spare: u32,
}

impl Slab {
    /// A slab that takes its memory when the first packet comes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// At least `size` octets to write a packet into; what they hold is not defined.
    pub fn room(&mut self, size: usize) -> &mut [u8] {
        if self.free.len() < size {
            let next = self.next(size);
            let full = core::mem::replace(&mut self.free, next);
            // A slab beyond the most that are kept is left to its packets: the last of them frees it.
            if full.capacity() > 0 || !self.used.is_empty() {
                self.used.push_back(full);
            }
            if self.used.len() > MOST {
                self.used.pop_front();
            }
        }
        &mut self.free
    }

    /// The packet in the first `length` octets that were written into the last [`room`](Self::room).
    pub fn cut(&mut self, length: usize) -> Bytes {
        self.cut_mut(length).freeze()
    }

    /// The same, to be changed in place before it is shared.
    pub fn cut_mut(&mut self, length: usize) -> BytesMut {
        self.free.split_to(length.min(self.free.len()))
    }

    /// A packet with these octets.
    pub fn copy(&mut self, octets: &[u8]) -> Bytes {
        self.room(octets.len())[..octets.len()].copy_from_slice(octets);
        self.cut(octets.len())
    }

    /// Whether so many slabs are in use that somebody holds packets, each of which keeps a slab from all others. From here on whoever may
    /// hold a packet for long copies it, or a few packets an end holds all memory.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.used.len() > CROWDED
    }

    /// A slab with room for `size` octets: one whose packets have all been dropped, or a new one.
    fn next(&mut self, size: usize) -> BytesMut {
        let size = size.max(SLAB);
        for _ in 0..self.used.len().min(LOOKS) {
            let Some(mut slab) = self.used.pop_front() else { break };
            slab.clear();
            if slab.try_reclaim(size) {
                slab.resize(size, 0);
                self.give_back();
                return slab;
            }
            self.used.push_back(slab);
        }
        self.spare = 0;
        BytesMut::zeroed(size)
    }

    /// Gives back slabs that are free when there is one to use: at once where there are too many, one by one where there always are some.
    fn give_back(&mut self) {
        while let Some(first) = self.used.front_mut() {
            first.clear();
            if !first.try_reclaim(SLAB) {
                break;
            }
            // The one in use comes to them before it is asked again.
            if self.used.len() >= CROWDED {
                self.used.pop_front();
                continue;
            }
            self.spare += 1;
            if self.spare < PATIENCE {
                return;
            }
            self.used.pop_front();
            break;
        }
        self.spare = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn a_packet_has_the_octets_that_were_written_and_keeps_them() {
        let mut slab = Slab::new();
        let packets: Vec<Bytes> = (0..=255_u8).map(|octet| slab.copy(&[octet; 1400])).collect();
        for (octet, packet) in (0..=255).zip(&packets) {
            assert_eq!(packet[..], [octet; 1400]);
        }
    }

    #[test]
    fn a_packet_larger_than_a_slab_gets_a_larger_one() {
        let mut slab = Slab::new();
        assert_eq!(slab.copy(&vec![7; 3 * SLAB]).len(), 3 * SLAB);
        assert_eq!(slab.copy(&[1, 2])[..], [1, 2]);
    }

    #[test]
    fn a_loop_that_drops_as_much_as_it_takes_allocates_nothing() {
        let mut slab = Slab::new();
        let mut held: VecDeque<Bytes> = VecDeque::with_capacity(1001);
        let mut turn = |times: usize| {
            for _ in 0..times {
                held.push_back(slab.copy(&[7; 1400]));
                if held.len() > 1000 {
                    held.pop_front();
                }
            }
        };
        turn(5_000);
        assert_eq!(allocation_counter::measure(|| turn(50_000)).count_total, 0);
    }

    #[test]
    fn what_a_burst_needed_is_given_back_slab_by_slab_and_what_is_always_needed_is_kept() {
        let mut slab = Slab::new();
        let mut held: VecDeque<Bytes> = VecDeque::with_capacity(10_000);
        let mut turn = |times: usize, most: usize| {
            for _ in 0..times {
                held.push_back(slab.copy(&[7; 1400]));
                while held.len() > most {
                    held.pop_front();
                }
            }
            slab.used.len()
        };
        let always = turn(10_000, 1000);
        let burst = turn(9_000, 9_000);
        assert!(burst > 6 * always, "{burst} and {always} slabs");
        let packets_a_slab = SLAB / 1400;
        let one_by_one = packets_a_slab * PATIENCE as usize;
        assert!(turn(4 * one_by_one, 1000) >= burst - 5, "one by one");
        assert!(turn(one_by_one * burst, 1000) <= always + 1);
        assert!(allocation_counter::measure(|| _ = turn(2 * one_by_one, 1000)).count_total <= 2);
    }

    #[test]
    fn where_many_packets_stay_it_is_crowded_until_they_are_gone_and_their_memory_is_given_back() {
        let mut slab = Slab::new();
        let mut kept = Vec::new();
        // One packet of each slab.
        let mut stays = |slab: &mut Slab, slabs: usize| {
            for _ in 0..slabs {
                drop(slab.copy(&vec![7; SLAB - 200]));
                kept.push(slab.copy(&[9; 100]));
            }
        };
        stays(&mut slab, CROWDED);
        assert!(!slab.is_crowded());
        stays(&mut slab, 300);
        assert!(slab.is_crowded());
        kept.clear();
        let given_back = allocation_counter::measure(|| {
            for _ in 0..1000 {
                drop(slab.copy(&vec![7; SLAB - 200]));
            }
        });
        assert!(!slab.is_crowded());
        assert!(given_back.bytes_current < -200 * i64::try_from(SLAB).unwrap(), "{} octets", given_back.bytes_current);
    }

    #[test]
    fn a_packet_that_stays_keeps_one_slab_and_not_those_behind_it() {
        let mut slab = Slab::new();
        let stays = slab.copy(&[9; 100]);
        for _ in 0..100_000 {
            drop(slab.copy(&[7; 1400]));
        }
        assert!(slab.used.len() <= LOOKS, "{} slabs", slab.used.len());
        assert_eq!(stays[..], [9; 100]);
    }
}
