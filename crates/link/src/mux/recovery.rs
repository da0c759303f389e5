//! How long a round trip is for who sends through a service that recovers what is lost: packets that have arrived wait for those that
//! have not, and these come round trips later.
//!
//! ```text
//!     frames of a round trip       1 000    all are sent
//!     of these lost, sent again       30    a round trip later
//!     of these lost, sent again        1    two round trips later, and all behind it wait
//! ```
//!
//! TCP halves its window, or takes a third of it off, when a queue drops a packet. What waits in the queue has to last until the window
//! fills the longest of these round trips again, or the line is idle.

/// However many are lost, and as long as nothing is known.
pub(super) const MOST: f64 = 4.0;

/// After how many round trips the last of so many frames has arrived, of which this share is lost each time that they are sent. One frame
/// of N is lost k times where N p^k is 1.
pub(super) fn round_trips(frames: f64, loss: f64) -> f64 {
    if frames <= 1.0 || loss <= 0.0 {
        return 1.0;
    }
    (1.0 + libm::log(frames) / libm::log(1.0 / loss.min(0.5))).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of the largest of so many numbers of transmissions: the sum of how probable it is that k were not enough.
    fn mean(frames: i32, loss: f64) -> f64 {
        (0..200).map(|sent| 1.0 - libm::pow(1.0 - libm::pow(loss, f64::from(sent)), f64::from(frames))).sum()
    }

    #[test]
    fn all_frames_of_a_round_trip_have_arrived_by_then_on_average_and_hardly_sooner() {
        for (frames, loss) in [(10, 0.01), (100, 0.001), (400, 0.03), (1000, 0.03), (1000, 0.1), (30_000, 0.01)] {
            let (told, mean) = (round_trips(frames.into(), loss), mean(frames, loss));
            assert!((0.0..0.6).contains(&(told - mean)), "{told} for {frames} frames, {loss} lost; {mean} on average");
        }
    }

    #[test]
    fn it_is_one_where_nothing_is_lost_or_sent_and_four_at_most() {
        for (frames, loss) in [(0.0, 0.5), (1.0, 0.5), (1e9, 0.0), (f64::NAN, 0.0)] {
            assert!((round_trips(frames, loss) - 1.0).abs() < 1e-9, "{frames} {loss}");
        }
        assert!((round_trips(1e9, 1.0) - MOST).abs() < 1e-9);
    }
}
