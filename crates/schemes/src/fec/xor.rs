//! The arithmetic of parity: the XOR of packets of different lengths, and a check that is not linear.

use alloc::vec::Vec;

/// XORs a packet onto what is there, as if both went on with zeros for ever.
pub(super) fn xor_onto(sum: &mut Vec<u8>, packet: &[u8]) {
    if sum.len() < packet.len() {
        sum.resize(packet.len(), 0);
    }
    for (octet, of_packet) in sum.iter_mut().zip(packet) {
        *octet ^= of_packet;
    }
}

/// The low 16 bits of a length; no packet of IP has more. What is longer is never recovered: its length does not fit the check.
pub(super) fn length_of(packet: &[u8]) -> u16 {
    let [low, high, ..] = packet.len().to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// A check of a packet in its place.
///
/// It must not be linear in XOR, as a CRC is: packets of another block that happen to bear the right numbers would give
/// a wrong packet with the right CRC. A multiplication a word carries from bit to bit, and the shift brings the high bits
/// back down, which the next multiplication needs.
pub(super) fn check_of(number: u8, packet: &[u8]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(ODD);
        product ^ (product >> 29)
    };
    let (words, rest) = packet.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let start = mix(mix(0, u64::from(number)), packet.len() as u64);
    let hash = words.iter().chain([&last]).fold(start, |hash, word| mix(hash, u64::from_be_bytes(*word)));
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_shorter_packet_goes_on_with_zeros() {
        let mut sum = alloc::vec![1, 2];
        xor_onto(&mut sum, &[1, 0, 7]);
        assert_eq!(sum, [0, 2, 7]);
        xor_onto(&mut sum, &[5]);
        assert_eq!(sum, [5, 2, 7]);
    }

    proptest! {
        #[test]
        fn the_check_is_not_linear(one: [u8; 40], other: [u8; 40], third: [u8; 40]) {
            let mut sum = Vec::new();
            for packet in [&one, &other, &third] {
                xor_onto(&mut sum, packet);
            }
            prop_assume!(one != other && other != third && third != one);
            prop_assert_ne!(check_of(0, &one) ^ check_of(0, &other) ^ check_of(0, &third), check_of(0, &sum));
        }

        #[test]
        fn the_check_tells_places_lengths_and_octets_apart(packet: [u8; 13], number: u8, at in 0usize..13, change in 1u8..) {
            let mut changed = packet;
            changed[at] ^= change;
            prop_assert_ne!(check_of(number, &packet), check_of(number, &changed));
            prop_assert_ne!(check_of(number, &packet), check_of(number.wrapping_add(1), &packet));
            prop_assert_ne!(check_of(number, &packet[..12]), check_of(number, &packet));
            prop_assert_ne!(check_of(number, &[0; 8]), check_of(number, &[0; 9]));
        }
    }
}
