//! How much of a core strangers get. A key agreement costs a quarter of a millisecond, a cookie two microseconds.

use crate::config::Config;
use arqway_units::{Span, Time};

/// What is done with a handshake message that was written for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// A key agreement says who wrote it.
    Agree,
    /// Its sender has to show that it is where it says it is.
    AskForCookie,
    /// Nothing: there are too many, or too many from there.
    Drop,
}

/// Lets so many through in a second, and so many at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    /// When it would be full again.
    full_at: Time,
}

impl Bucket {
    pub(super) const FULL: Self = Self { full_at: Time::ZERO };

    pub(super) fn lets(&mut self, a_second: u32, at_once: u32, now: Time) -> bool {
        a_second > 0 && self.lets_each(Span::from_milliseconds(1000) / u64::from(a_second), at_once, now)
    }

    /// One in each such time, and so many at once.
    pub(super) fn lets_each(&mut self, each: Span, at_once: u32, now: Time) -> bool {
        let full_at = self.full_at.max(now) + each;
        let lets = full_at.since(now) <= each * u64::from(at_once);
        if lets {
            self.full_at = full_at;
        }
        lets
    }
}

/// Places for networks that have shown a cookie; those that meet in one share it.
const PLACES: usize = 512;
/// One place gets so many key agreements a second, and so many at once.
const OF_ONE_PLACE: (u32, u32) = (20, 5);

#[derive(Debug)]
pub(crate) struct Load {
    unproven: Bucket,
    all: Bucket,
    places: Vec<Bucket>,
}

impl Load {
    pub(crate) fn new() -> Self {
        Self { unproven: Bucket::FULL, all: Bucket::FULL, places: vec![Bucket::FULL; PLACES] }
    }

    /// `proven` says from which place a message comes, if there is a cookie, and is asked only if that matters.
    pub(crate) fn admit(&mut self, config: &Config, proven: impl FnOnce() -> Option<u16>, now: Time) -> Admission {
        // A tenth of a second's worth at once: time to hear of it before a second is over.
        if self.unproven.lets(config.unproven_handshakes, config.unproven_handshakes / 10 + 1, now) {
            return self.within_all(config, now);
        }
        let Some(place) = proven() else { return Admission::AskForCookie };
        let bucket = &mut self.places[usize::from(place) % PLACES];
        if bucket.lets(OF_ONE_PLACE.0, OF_ONE_PLACE.1, now) { self.within_all(config, now) } else { Admission::Drop }
    }

    fn within_all(&mut self, config: &Config, now: Time) -> Admission {
        if self.all.lets(config.handshakes, config.handshakes / 10 + 1, now) {
            Admission::Agree
        } else {
            Admission::Drop
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn cookies_are_asked_for_from_so_many_messages_a_second_on() {
        let (mut load, config) = (Load::new(), Config::default());
        let mut agreed = 0;
        for microsecond in 0..100_000 {
            let now = Time::ZERO + Span::from_nanoseconds(microsecond * 10_000);
            match load.admit(&config, || None, now) {
                Admission::Agree => agreed += 1,
                admission => assert_eq!(admission, Admission::AskForCookie),
            }
        }
        assert!((100..=111).contains(&agreed), "{agreed} in a second");
        assert_eq!(load.admit(&config, || None, at(1100)), Admission::Agree, "a tenth of a second later");
    }

    #[test]
    fn one_place_with_a_cookie_leaves_room_for_another() {
        let (mut load, config) = (Load::new(), Config::default());
        while load.admit(&config, || None, at(0)) == Admission::Agree {}
        let admissions: Vec<_> = (0..7).map(|_| load.admit(&config, || Some(1), at(0))).collect();
        assert_eq!(admissions[..5], [Admission::Agree; 5]);
        assert_eq!(admissions[5..], [Admission::Drop; 2]);
        assert_eq!(load.admit(&config, || Some(2), at(0)), Admission::Agree);
        let config = Config { unproven_handshakes: 0, ..config };
        let agreed = (0..100).filter(|step| load.admit(&config, || Some(1), at(10 * step)) == Admission::Agree);
        assert_eq!(agreed.count(), 19, "20 a second, of which those at once are the first");
    }

    #[test]
    fn key_agreements_take_their_share_and_no_more_whoever_has_cookies() {
        let (mut load, config) = (Load::new(), Config::default());
        let mut agreed = 0;
        for step in 0..200_000u64 {
            let place = u16::try_from(step % 200).expect("small");
            let now = Time::ZERO + Span::from_nanoseconds(step * 5_000);
            agreed += u32::from(load.admit(&config, || Some(place), now) == Admission::Agree);
        }
        assert!((1000..=1101).contains(&agreed), "{agreed} in a second");
    }
}
