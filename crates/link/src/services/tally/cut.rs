//! How long cuts are to be. Where longer frames are lost more often, as on a link with bit errors, shorter ones carry more.
//!
//! A frame of n octets arrives with probability g (1 - h)^n: g is the same for all, h is the *hazard* of an octet. Only h says
//! how long a cut should be: of L octets with H octets in front, L / (L + H) (1 - h)^(L + H) of the line's octets get through,
//! which is most where L (L + H) = H / h:
//!
//! ```text
//!     bit errors   1e-7     1e-6     1e-5     3e-5          with 4 octets in front
//!     best cut     2234      705      221      127 octets
//! ```
//!
//! The hazard is the slope of ln(share that arrived) over the length, by weighted least squares over frames of similar
//! length. Where all are of one length, every eighth packet is cut into shorter ones, or longer ones, so that there is a
//! slope to see; as long as enough is lost for that to matter.

use arqway_units::{ToFloat, truncate};

/// Frames of up to 2^0, 2^1, ... 2^16 octets.
const CLASSES: usize = 17;
/// What is known is brought up to date after so many frames,
const EVERY: u32 = 64;
/// and counts for half after so many.
const REMEMBERED: f64 = 8192.0;
/// A class with fewer frames says nothing.
const LEAST_FRAMES: f64 = 16.0;
/// One packet in so many is cut otherwise than it should be.
const EXPLORED: u32 = 8;
/// The hazard is believed from so many standard errors on.
const SIGNIFICANT: f64 = 3.0;
/// Less to be won than that is not worth a change.
const WORTHWHILE: f64 = 1.01;
/// What stands in front of a cut: the tag and two numbers.
const OVERHEAD: f64 = 4.0;
/// A link that loses less hardly loses a frame.
const HARDLY: f64 = 0.002;
/// The shortest cut that is chosen.
const SHORTEST: usize = 48;

/// What is known of losses, and the length that follows from it.
#[derive(Debug, Clone, Default)]
pub(super) struct CutLength {
    classes: [Class; CLASSES],
    /// All classes together.
    all: Class,
    /// How many losses followed upon a frame that was not lost.
    runs: f64,
    last_was_lost: bool,
    judged: u32,
    hazard: Option<Hazard>,
    /// How many packets have been cut since one was cut otherwise.
    packets: u32,
}

/// Frames of similar length, the recent ones counting for more.
#[derive(Debug, Clone, Copy, Default)]
struct Class {
    sent: f64,
    lost: f64,
    octets: f64,
}

/// How the logarithm of the share that arrives falls with each octet.
#[derive(Debug, Clone, Copy)]
struct Hazard {
    mean: f64,
    error: f64,
}

impl CutLength {
    /// A frame of so many octets arrived, or was lost.
    pub(super) fn judge(&mut self, octets: usize, is_lost: bool) {
        let index = CLASSES.min((usize::BITS - octets.leading_zeros()) as usize + 1) - 1;
        for class in [&mut self.classes[index], &mut self.all] {
            class.sent += 1.0;
            class.octets += octets.to_f64();
            class.lost += f64::from(u8::from(is_lost));
        }
        if is_lost {
            self.runs += f64::from(u8::from(!self.last_was_lost));
        }
        self.last_was_lost = is_lost;
        self.judged += 1;
        if self.judged == EVERY {
            self.judged = 0;
            self.forget();
            self.hazard = self.slope();
        }
    }

    /// The share of frames that is lost.
    pub(super) fn loss(&self) -> f64 {
        if self.all.sent > 0.0 { self.all.lost / self.all.sent } else { 0.0 }
    }

    /// Whether frames are lost so often that it matters how soon that is found, or may be: little is known yet.
    pub(super) fn loses_frames(&self) -> bool {
        self.all.sent < f64::from(EVERY) || self.all.lost > HARDLY * self.all.sent
    }

    fn forget(&mut self) {
        let kept = libm::exp2(-f64::from(EVERY) / REMEMBERED);
        self.runs *= kept;
        for Class { sent, lost, octets } in self.classes.iter_mut().chain([&mut self.all]) {
            *sent *= kept;
            *lost *= kept;
            *octets *= kept;
        }
    }

    /// Weighted least squares over the classes; `None` where frames of one length only were sent.
    fn slope(&self) -> Option<Hazard> {
        let points = || self.classes.iter().filter(|class| class.sent >= LEAST_FRAMES).map(Class::point);
        let total: f64 = points().map(|(.., weight)| weight).sum();
        let mean = |of: fn((f64, f64)) -> f64| {
            points().map(|(length, fate, weight)| of((length, fate)) * weight).sum::<f64>() / total
        };
        let (mean_length, mean_fate) = (mean(|(length, _)| length), mean(|(_, fate)| fate));
        let (mut across, mut along) = (0.0, 0.0);
        for (length, fate, weight) in points() {
            across += weight * (length - mean_length) * (length - mean_length);
            along += weight * (length - mean_length) * (fate - mean_fate);
        }
        // Frames that are lost together say less than as many that are lost one by one.
        let together = (2.0 * self.all.lost / self.runs.max(1.0) - 1.0).max(1.0);
        (points().count() > 1 && across > 0.0)
            .then(|| Hazard { mean: along / across, error: libm::sqrt(together / across) })
    }

    /// How long the cuts of a packet of so many octets are to be.
    pub(super) fn choose(&mut self, packet: usize) -> usize {
        if packet < 2 * SHORTEST {
            return packet;
        }
        let believed =
            self.hazard.filter(|hazard| hazard.mean > SIGNIFICANT * hazard.error).map_or(0.0, |hazard| hazard.mean);
        let length = best(packet, believed);
        self.packets += 1;
        if self.packets < EXPLORED || !self.may_learn(packet, length) {
            return length;
        }
        self.packets = 0;
        if length < packet { packet.min(2 * length) } else { packet.div_ceil(2) }
    }

    /// Whether frames of another length could show that the best length is another one.
    fn may_learn(&self, packet: usize, length: usize) -> bool {
        let loss = self.loss();
        // If all that is lost were lost for its length, or as much of it as is likely.
        let most = -libm::log(1.0 - loss.min(0.9)) / packet.to_f64();
        let likely = self.hazard.map_or(most, |hazard| (hazard.mean + SIGNIFICANT * hazard.error).clamp(0.0, most));
        length < packet || best(packet, likely) < packet
    }
}

impl Class {
    /// Mean length, minus the logarithm of the share that arrived, and the weight of that: one over its variance.
    fn point(&self) -> (f64, f64, f64) {
        let arrived = (self.sent - self.lost + 0.5) / (self.sent + 1.0);
        (self.octets / self.sent, -libm::log(arrived), self.sent * arrived / (1.0 - arrived))
    }
}

/// The best length of equal cuts of a packet, where each octet has this hazard; the whole packet, unless another is better by
/// what makes it worth while.
fn best(packet: usize, hazard: f64) -> usize {
    if hazard <= 0.0 {
        return packet;
    }
    let length = (libm::sqrt(OVERHEAD * OVERHEAD + 4.0 * OVERHEAD / hazard) - OVERHEAD) / 2.0;
    let length = usize::try_from(truncate(length)).unwrap_or(packet).clamp(SHORTEST, packet.max(SHORTEST));
    let equal = packet.div_ceil(packet.div_ceil(length));
    if carried(equal, hazard) > WORTHWHILE * carried(packet, hazard) { equal } else { packet }
}

/// Which share of the line's octets cuts of this length carry across, but for what is lost whatever the length.
fn carried(length: usize, hazard: f64) -> f64 {
    let octets = length.to_f64() + OVERHEAD;
    length.to_f64() / octets * libm::exp(-hazard * octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of so many octets over a link that loses each frame by this law, as a number from 0 to 1 decides.
    fn learn(packet: usize, packets: u32, loss: impl Fn(f64) -> f64) -> CutLength {
        let (mut cuts, mut state) = (CutLength::default(), 1u64);
        for _ in 0..packets {
            let length = cuts.choose(packet);
            for _ in 0..packet.div_ceil(length) {
                // Lehmer's generator, as Park and Miller have it.
                state = state * 48_271 % 0x7fff_ffff;
                let drawn = state.to_f64() / 2_147_483_647.0;
                cuts.judge(length + 4, drawn < loss(length.to_f64() + 4.0));
            }
        }
        cuts
    }

    #[test]
    fn bit_errors_make_cuts_as_short_as_is_best() {
        for (bit_errors, least, most) in [(3e-5, 90, 200), (1e-5, 180, 380), (5e-6, 220, 700)] {
            let mut cuts = learn(1500, 20_000, |octets| 1.0 - libm::exp(-8.0 * bit_errors * octets));
            cuts.packets = 0;
            let length = cuts.choose(1500);
            assert!((least..=most).contains(&length), "{length} octets at {bit_errors}");
        }
    }

    #[test]
    fn losses_that_do_not_depend_on_the_length_leave_packets_whole_and_are_soon_left_alone() {
        for loss in [0.0, 0.01, 0.054, 0.098, 0.3] {
            let mut cuts = learn(1000, 20_000, |_| loss);
            cuts.packets = 0;
            assert_eq!(cuts.choose(1000), 1000, "at {loss}");
            assert!((cuts.loss() - loss).abs() < 0.02);
        }
    }

    #[test]
    fn what_could_not_be_better_is_not_tried() {
        let mut cuts = learn(250, 5_000, |octets| 1.0 - libm::exp(-8e-7 * octets));
        assert!((0..100).all(|_| cuts.choose(250) == 250));
        assert!((0..100).all(|_| cuts.choose(90) == 90));
    }
}
