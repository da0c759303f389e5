//! A counter on the wire: as few of its 64 bits as the receiver needs to tell which one is meant.
//!
//! The receiver takes what it reads for the nearest counter to the newest it has seen. Two octets do while the sender knows
//! that the newest is close; where much was sent and nothing reported, four do.

/// Two octets are enough while fewer datagrams than this are unreported: half of what they could name, so that those that
/// are under way have room in both directions.
pub(crate) const SHORT_WHILE: u64 = 1 << 14;
/// With so many unreported, four octets are not enough either, and the key is done with.
pub(crate) const LONG_WHILE: u64 = 1 << 30;

/// The counter with these lowest `bits` that is nearest to `near`.
pub(crate) fn widen(low: u32, bits: u32, near: u64) -> u64 {
    let span = 1u64 << bits;
    let here = near & !(span - 1) | u64::from(low);
    let (below, above) = (here.checked_sub(span), here.checked_add(span));
    let nearest = [Some(here), below, above].into_iter().flatten().min_by_key(|counter| counter.abs_diff(near));
    nearest.unwrap_or(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_counter_is_meant() {
        for near in [0, 1, 0x7FFF, 0x8000, 0x1_0000, 0x1_8000, 0xFFFF_FFFF, 1 << 40, (1 << 60) + 12345, u64::MAX] {
            for counter in [near.saturating_sub(0x7FFF), near.saturating_sub(1), near, near.saturating_add(0x7FFF)] {
                let low = u32::try_from(counter & 0xFFFF).expect("16 bits");
                assert_eq!(widen(low, 16, near), counter, "near {near:#x}");
            }
            for counter in [near.saturating_sub(0x7FFF_FFFF), near, near.saturating_add(0x7FFF_FFFF)] {
                let low = u32::try_from(counter & 0xFFFF_FFFF).expect("32 bits");
                assert_eq!(widen(low, 32, near), counter, "near {near:#x}");
            }
        }
    }
}
