//! The Internet checksum: RFC 1071.

/// The sum of these octets as 16-bit words, the last one padded; `sum` goes before.
pub(crate) fn sum(sum: u64, octets: &[u8]) -> u64 {
    // Four octets at a time, in the machine's own order: section 2 (B) and (C).
    let (words, rest) = octets.as_chunks::<4>();
    let own: u64 = words.iter().map(|word| u64::from(u32::from_ne_bytes(*word))).sum();
    let (pairs, last) = rest.as_chunks::<2>();
    let pairs: u64 = pairs.iter().map(|pair| u64::from(u16::from_be_bytes(*pair))).sum();
    let last = last.first().map_or(0, |octet| u64::from(*octet) << 8);
    sum + u64::from(u16::from_be(folded(own))) + pairs + last
}

/// The checksum that goes with a sum.
pub(crate) fn finish(sum: u64) -> u16 {
    !folded(sum)
}

/// A checksum after a word that it covers was changed, or many that add up to this: RFC 1624, equation 3.
pub(crate) fn updated(checksum: u16, old: u16, new: u16) -> u16 {
    finish(u64::from(!checksum) + u64::from(!old) + u64::from(new))
}

/// A sum with what it carries over 16 bits added in.
fn folded(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    u16::try_from(sum).unwrap_or(0)
}

/// A number at a place, in network order.
pub(crate) fn read(octets: &[u8], at: usize) -> Option<u16> {
    octets.get(at..)?.first_chunk().map(|word| u16::from_be_bytes(*word))
}

/// Writes a number at a place, if that lies inside.
pub(crate) fn write(octets: &mut [u8], at: usize, number: u16) -> Option<()> {
    *octets.get_mut(at..)?.first_chunk_mut()? = number.to_be_bytes();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_example_of_rfc_1071_section_3_sums_up() {
        assert_eq!(finish(sum(0, &[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7])), !0xddf2);
    }

    #[test]
    fn octets_add_up_as_words_of_16_bits_however_many_there_are() {
        let octets: Vec<u8> = (0..1500_u32).map(|at| u8::try_from(at * at % 253).unwrap()).collect();
        for length in 0..octets.len() {
            let (words, last) = octets[..length].as_chunks::<2>();
            let words: u64 = words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum();
            let last = last.first().map_or(0, |octet| u64::from(*octet) << 8);
            assert_eq!(finish(sum(7, &octets[..length])), finish(7 + words + last), "{length}");
        }
    }

    #[test]
    fn an_odd_octet_counts_as_the_upper_half_of_a_word() {
        assert_eq!(sum(0, &[1]), sum(0, &[1, 0]));
    }
}
