//! The loop of whatever carries real packets: the tunnel and the emulator are its guests.
//!
//! ```text
//!     turn(now): all that is to be done    -->  awaited: descriptors, until a time
//!         ^                                        |
//!         +-----  woken: which were ready  <-------+  ppoll(2)
//! ```

use crate::clock::Clock;
use crate::error::NetError;
use crate::wait::{Awaited, Ready, Wait};
use arqway_units::Time;

/// What is to come after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Another turn at once: there may be more to read.
    Turn,
    /// A turn at this time, if there is one, or when something that is awaited happens.
    Wait(Option<Time>),
}

/// What a loop drives.
pub trait Guest {
    /// What it calls the descriptors that it waits for.
    type Source: Copy + PartialEq;

    /// Whether it has ended.
    fn is_over(&self) -> bool;

    /// Does all that is to be done at this time.
    ///
    /// # Errors
    /// An interface or a line is gone.
    fn turn(&mut self, now: Time) -> Result<Next, NetError>;

    /// What it waits for after that turn.
    fn awaited(&self) -> impl AsRef<[Awaited<'_, Self::Source>]>;

    /// The wait is over: these were ready, or none where the time had come.
    fn woken(&mut self, ready: &Ready<Self::Source>, now: Time);
}

/// Drives a guest until it is over. Descriptors are looked at after each turn, also of one that always has more to do.
///
/// # Errors
/// As [`Guest::turn`] and [`Wait::on`].
pub fn drive(guest: &mut impl Guest, wait: &Wait, clock: &Clock) -> Result<(), NetError> {
    while !guest.is_over() {
        let until = match guest.turn(clock.now())? {
            Next::Turn => Some(Time::ZERO),
            Next::Wait(until) => until,
        };
        let ready = wait.on(guest.awaited().as_ref(), until, clock)?;
        guest.woken(&ready, clock.now());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::{Interest, Waker};
    use std::os::fd::AsFd as _;

    /// Ends when it is woken by `stop`.
    struct Counting {
        stop: Waker,
        next: fn(u32) -> Next,
        turns: u32,
        is_over: bool,
    }

    impl Guest for Counting {
        type Source = &'static str;

        fn is_over(&self) -> bool {
            self.is_over
        }

        fn turn(&mut self, now: Time) -> Result<Next, NetError> {
            self.turns += 1;
            if self.turns == 3 {
                self.stop.wake();
            }
            assert!(self.turns <= 3, "not told to stop at {} s", now.as_seconds());
            Ok((self.next)(self.turns))
        }

        fn awaited(&self) -> impl AsRef<[Awaited<'_, &'static str>]> {
            [Awaited { name: "stop", descriptor: self.stop.as_fd(), interest: Interest::Read }]
        }

        fn woken(&mut self, ready: &Ready<&'static str>, _: Time) {
            self.is_over = ready.has("stop");
        }
    }

    #[test]
    fn a_guest_is_told_what_woke_it_whether_it_waits_or_always_has_more_to_do() {
        let always: fn(u32) -> Next = |_| Next::Turn;
        let then_waits: fn(u32) -> Next = |turn| if turn < 3 { Next::Wait(Some(Time::ZERO)) } else { Next::Wait(None) };
        for next in [always, then_waits] {
            let mut guest = Counting { stop: Waker::new().unwrap(), next, turns: 0, is_over: false };
            drive(&mut guest, &Wait::new().unwrap(), &Clock::start()).unwrap();
            assert_eq!(guest.turns, 3);
        }
    }
}
