//! The numbers of Selective Repeat, which go round in eight bits, as numbers that never do.

/// How many numbers there are on the wire, and the furthest that a frame may lie ahead of the first awaited.
const MODULUS: u64 = 256;
const HALF: u64 = MODULUS / 2;

/// The first number from `base` on whose low eight bits are these.
pub(super) fn at_or_after(base: u64, low: u64) -> u64 {
    base + (low.wrapping_sub(base) & (MODULUS - 1))
}

/// What the receiving end has, as far as the frames that reach it tell.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    /// The first number that is missing: all before it are delivered.
    next: u64,
    /// Whether the numbers from there on have arrived; bit 0 is `next` itself.
    beyond: u128,
}

impl Arrived {
    /// A frame arrives whose number has these low bits: up to which number, exclusive, all is delivered now, if that
    /// has changed.
    pub(super) fn receive(&mut self, low: u64) -> Option<u64> {
        let ahead = at_or_after(self.next, low) - self.next;
        if ahead >= HALF {
            // Behind the window: it was delivered before.
            return None;
        }
        self.beyond |= 1 << ahead;
        let in_sequence = self.beyond.trailing_ones();
        self.beyond = self.beyond.checked_shr(in_sequence).unwrap_or(0);
        self.next += u64::from(in_sequence);
        (in_sequence > 0).then_some(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_where_eight_bits_go_round() {
        assert_eq!((at_or_after(250, 250), at_or_after(250, 3), at_or_after(600, 87)), (250, 259, 855));
    }

    #[test]
    fn frames_are_delivered_in_sequence_and_once() {
        let mut arrived = Arrived::default();
        let delivered: Vec<_> = [0, 2, 3, 0, 2, 1, 1].map(|number| arrived.receive(number)).into();
        assert_eq!(delivered, [Some(1), None, None, None, None, Some(4), None]);
        for number in 4..1000u64 {
            assert_eq!(arrived.receive(number % 256), Some(number + 1));
        }
        // A whole window behind a gap.
        for number in 1001..1128 {
            assert_eq!(arrived.receive(number % 256), None);
        }
        assert_eq!(arrived.receive(1000 % 256), Some(1128));
    }
}
