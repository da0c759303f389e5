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
//! length. Where all are of one length, every eighth packet is cut into four shorter ones, or into fewer longer ones, so that there
//! is a slope to see; as long as that could change the length.
//!
//! Only frames count that followed directly upon one that arrived. Where losses come in bursts, such a frame is lost if a burst
//! begins in it, which a longer one gives more time to; whatever else a burst takes it takes whatever the length, and would hide that
//! slope behind its chances.

use arqway_units::{Time, ToFloat, truncate};
use core::ops::Range;

/// Frames of up to 2^0, 2^1, ... 2^16 octets.
const CLASSES: usize = 17;
/// What is known is brought up to date after so many frames,
const EVERY: u32 = 64;
/// and counts for half after so many.
const REMEMBERED: f64 = 8192.0;
/// A class with fewer frames says nothing.
const LEAST_FRAMES: f64 = 16.0;
/// A frame follows directly upon another if so many times the pause between them is less than it takes itself.
const NO_PAUSE: u64 = 8;
/// One packet in so many is cut otherwise than it should be.
const EXPLORED: u32 = 8;
/// Then the cuts are shorter or longer by this factor: the further apart lengths are, the fewer losses show the slope.
const APART: usize = 4;
/// The hazard is believed from so many standard errors on,
const SIGNIFICANT: f64 = 3.0;
/// and until it is less than so many: what is believed is doubted only for a reason.
const DOUBTFUL: f64 = 1.0;
/// Less to be won than that is not worth a change.
const WORTHWHILE: f64 = 1.005;
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
    /// All frames, whatever they followed upon.
    all: Class,
    /// When the last frame departed, if it arrived.
    arrived_until: Option<Time>,
    judged: u32,
    hazard: Option<Hazard>,
    is_believed: bool,
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
    /// A frame of so many octets, which was on the line from one time to another, arrived, or was lost.
    pub(super) fn judge(&mut self, octets: usize, line: Range<Time>, is_lost: bool) {
        self.all.add(octets, is_lost);
        let before = self.arrived_until.filter(|until| *until <= line.start);
        if before.is_some_and(|until| line.start.since(until) * NO_PAUSE < line.end.since(line.start)) {
            let index = CLASSES.min((usize::BITS - octets.leading_zeros()) as usize + 1) - 1;
            self.classes[index].add(octets, is_lost);
        }
        self.arrived_until = (!is_lost).then_some(line.end);
        self.judged += 1;
        if self.judged == EVERY {
            self.judged = 0;
            self.forget();
            self.hazard = self.slope();
            let least = if self.is_believed { DOUBTFUL } else { SIGNIFICANT };
            self.is_believed = self.hazard.is_some_and(|hazard| hazard.mean > least * hazard.error);
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
        (points().count() > 1 && across > 0.0).then(|| Hazard { mean: along / across, error: libm::sqrt(1.0 / across) })
    }

    /// How long the cuts of a packet of so many octets are to be.
    pub(super) fn choose(&mut self, packet: usize) -> usize {
        if packet < 2 * SHORTEST {
            return packet;
        }
        let believed = self.hazard.filter(|_| self.is_believed).map_or(0.0, |hazard| hazard.mean);
        let length = best(packet, believed);
        self.packets += 1;
        if self.packets < EXPLORED || !self.may_learn(packet, length) {
            return length;
        }
        self.packets = 0;
        if length < packet { packet.min(APART * length) } else { packet.div_ceil(APART).max(SHORTEST) }
    }

    /// Whether frames of another length could show that the best length is another one.
    fn may_learn(&self, packet: usize, length: usize) -> bool {
        let loss = self.loss();
        // If all that is lost were lost for its length, or as much of it as is likely.
        let most = -libm::log(1.0 - loss.min(0.9)) / packet.to_f64();
        let Some(Hazard { mean, error }) = self.hazard else { return best(packet, most) < packet };
        if length < packet {
            return mean < 2.0 * SIGNIFICANT * error;
        }
        best(packet, (mean + SIGNIFICANT * error).clamp(0.0, most)) < packet
    }
}

impl Class {
    fn add(&mut self, octets: usize, is_lost: bool) {
        self.sent += 1.0;
        self.octets += octets.to_f64();
        self.lost += f64::from(u8::from(is_lost));
    }

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
    use arqway_units::Span;

    /// Packets of so many octets over a link that loses a frame of this length or not, as numbers from 0 to 1 decide. An octet takes a
    /// microsecond.
    fn learn(packet: usize, packets: u32, mut loses: impl FnMut(f64, &mut dyn FnMut() -> f64) -> bool) -> CutLength {
        let (mut cuts, mut state, mut now) = (CutLength::default(), 1u64, Time::ZERO);
        let mut draw = || {
            // Lehmer's generator, as Park and Miller have it.
            state = state * 48_271 % 0x7fff_ffff;
            state.to_f64() / 2_147_483_647.0
        };
        for _ in 0..packets {
            let length = cuts.choose(packet);
            for _ in 0..packet.div_ceil(length) {
                let octets = length + 4;
                let end = now + Span::from_nanoseconds(1000) * octets as u64;
                cuts.judge(octets, now..end, loses(octets.to_f64(), &mut draw));
                now = end;
            }
        }
        // The next packet is none that is cut otherwise.
        cuts.packets = 0;
        cuts
    }

    /// Bursts that begin after so many octets on average and last for so many, both exponential.
    fn bursts(good: f64, bad: f64) -> impl FnMut(f64, &mut dyn FnMut() -> f64) -> bool {
        let (mut is_bad, mut left) = (false, good);
        move |octets, draw| {
            let (mut is_hit, mut rest) = (is_bad, octets);
            while rest >= left {
                rest -= left;
                is_bad = !is_bad;
                left = -libm::log(draw()) * if is_bad { bad } else { good };
                is_hit = true;
            }
            left -= rest;
            is_hit
        }
    }

    #[test]
    fn bit_errors_make_cuts_as_short_as_is_best() {
        for (bit_errors, least, most) in [(3e-5, 90, 200), (1e-5, 180, 380), (5e-6, 220, 700)] {
            let mut cuts = learn(1500, 20_000, |octets, draw| draw() > libm::exp(-8.0 * bit_errors * octets));
            let length = cuts.choose(1500);
            assert!((least..=most).contains(&length), "{length} octets at {bit_errors}");
        }
    }

    #[test]
    fn losses_that_do_not_depend_on_the_length_leave_packets_whole_and_are_soon_left_alone() {
        for loss in [0.0, 0.01, 0.054, 0.098, 0.3] {
            let mut cuts = learn(1000, 20_000, |_, draw| draw() < loss);
            assert_eq!(cuts.choose(1000), 1000, "at {loss}");
            assert!((cuts.loss() - loss).abs() < 0.02);
        }
    }

    #[test]
    fn bursts_of_less_than_two_packets_are_given_less_of_a_packet_to_hit() {
        for (good, bad) in [(40_000.0, 2_000.0), (60_000.0, 3_000.0)] {
            let mut cuts = learn(1500, 20_000, bursts(good, bad));
            let length = cuts.choose(1500);
            assert!((250..=750).contains(&length), "{length} octets where bursts are {good} apart");
        }
    }

    #[test]
    fn losses_in_rows_whatever_the_length_leave_packets_whole() {
        // Rows of ten frames, 5 % of all.
        let mut row = 0;
        let mut cuts = learn(1000, 20_000, |_, draw| {
            row = if row > 0 {
                row - 1
            } else if draw() < 0.005 {
                10
            } else {
                0
            };
            row > 0
        });
        assert_eq!(cuts.choose(1000), 1000);
    }

    #[test]
    fn what_could_not_be_better_is_not_tried() {
        let mut cuts = learn(250, 5_000, |octets, draw| draw() > libm::exp(-8e-7 * octets));
        assert!((0..100).all(|_| cuts.choose(250) == 250));
        assert!((0..100).all(|_| cuts.choose(90) == 90));
    }
}
