//! The field of 256 elements, as RFC 5510 §8.1 and RFC 8681 have it: polynomials over bits, modulo x^8 + x^4 + x^3 + x^2 + 1.
//! A sum is the XOR.

/// What is left of x^8.
const REDUCED: u8 = 0x1d;

/// Adds so many times the addend to the sum, octet by octet; the sum is at least as long.
///
/// Without a table, so that the compiler works on as many octets at once as the processor has room for.
pub fn add_scaled(sum: &mut [u8], times: u8, addend: &[u8]) {
    let (addends, rest) = addend.as_chunks::<64>();
    let (sums, sum_rest) = sum.split_at_mut(addend.len() - rest.len());
    for (sum, addend) in sums.as_chunks_mut::<64>().0.iter_mut().zip(addends) {
        add_scaled_block(sum, times, addend);
    }
    for (sum, octet) in sum_rest.iter_mut().zip(rest) {
        *sum ^= product(times, *octet);
    }
}

/// Takes so many times what is there.
pub fn scale(sum: &mut [u8], times: u8) {
    let (blocks, rest) = sum.as_chunks_mut::<64>();
    for block in blocks {
        let octets = core::mem::replace(block, [0; 64]);
        add_scaled_block(block, times, &octets);
    }
    for octet in rest {
        *octet = product(times, *octet);
    }
}

#[inline(always)]
fn add_scaled_block<const N: usize>(sum: &mut [u8; N], times: u8, addend: &[u8; N]) {
    let mut power = *addend;
    for bit in 0..8 {
        let taken = (times >> bit & 1) * 0xff;
        for (sum, power) in sum.iter_mut().zip(&mut power) {
            *sum ^= *power & taken;
            *power = double(*power);
        }
    }
}

/// Times x.
#[inline(always)]
fn double(element: u8) -> u8 {
    element << 1 ^ (element.cast_signed() >> 7).cast_unsigned() & REDUCED
}

/// The product of two elements.
pub fn product(one: u8, other: u8) -> u8 {
    let mut sum = [0];
    add_scaled_block(&mut sum, one, &[other]);
    sum[0]
}

/// The element that gives one with this one; zero has none, and gives zero.
pub fn inverse(element: u8) -> u8 {
    // Its 254th power, since its 255th is one.
    let square = |element| product(element, element);
    let mut power = element;
    for _ in 0..6 {
        power = product(square(power), element);
    }
    square(power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_element_but_zero_has_an_inverse() {
        assert!((1..=255).all(|element| product(element, inverse(element)) == 1));
        assert_eq!(inverse(0), 0);
    }

    #[test]
    fn products_are_those_of_rfc_5510() {
        // x^8 is x^4 + x^3 + x^2 + 1, and x generates all elements but zero.
        assert_eq!(product(0x80, 2), 0x1d);
        let (mut power, mut order) = (2, 1);
        while power != 1 {
            (power, order) = (product(power, 2), order + 1);
        }
        assert_eq!(order, 255);
    }

    proptest! {
        #[test]
        fn a_sum_of_any_length_is_the_sum_of_its_octets(
            times: u8, octets in proptest::collection::vec(any::<(u8, u8)>(), 0..300), more in 0usize..5,
        ) {
            let (mut sum, addend): (alloc::vec::Vec<u8>, alloc::vec::Vec<u8>) = octets.iter().copied().unzip();
            sum.resize(octets.len() + more, 7);
            add_scaled(&mut sum, times, &addend);
            let expected = octets.iter().map(|(sum, addend)| sum ^ product(times, *addend));
            prop_assert!(sum.iter().copied().eq(expected.chain(core::iter::repeat_n(7, more))));
            let expected: alloc::vec::Vec<u8> = sum.iter().map(|octet| product(times, *octet)).collect();
            scale(&mut sum, times);
            prop_assert_eq!(sum, expected);
        }

        #[test]
        fn products_distribute_over_sums(a: u8, b: u8, c: u8) {
            prop_assert_eq!(product(a, b ^ c), product(a, b) ^ product(a, c));
            prop_assert_eq!(product(a, product(b, c)), product(product(a, b), c));
            prop_assert_eq!(product(a, b), product(b, a));
        }
    }
}
