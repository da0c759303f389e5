//! Waiting for packets, for a time, and for a word from another thread.

use crate::clock::{self, Clock};
use crate::error::NetError;
use arqway_units::Time;
use arrayvec::ArrayVec;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::{Errno, read, write};
use std::num::NonZeroU64;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The least priority among those that come before all ordinary threads.
const LEAST_OF_REAL_TIME: i32 = 1;

/// How many descriptors one wait takes at most.
const MOST: usize = 20;

/// Waits on a thread that wants to be woken on time.
///
/// The kernel may wake a thread up to 50 us late, so that it can wake several at once (`PR_SET_TIMERSLACK`, prctl(2)); a
/// link with a delay of a few milliseconds would show that. So the thread that makes a `Wait` asks for 1 ns.
#[derive(Debug)]
pub struct Wait {
    /// What the slack was, and becomes again; and this belongs to the thread that made it.
    slack: Option<NonZeroU64>,
    thread: std::marker::PhantomData<*const ()>,
}

/// What a wait waits for: something to read from a descriptor, or its name too, by which what is ready is asked for.
pub trait Await: Copy {
    /// What tells it from others.
    type Name: Copy + PartialEq;

    /// Its name, its descriptor, and what is to happen there.
    fn awaited(&self) -> Awaited<'_, Self::Name>;
}

/// A descriptor that is waited for, by name.
#[derive(Debug, Clone, Copy)]
pub struct Awaited<'f, N> {
    /// What the caller calls it.
    pub name: N,
    /// The descriptor.
    pub descriptor: BorrowedFd<'f>,
    /// What is to happen there.
    pub interest: Interest,
}

/// What is waited for at a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// There is something to read.
    Read,
    /// There is something to read, or room to write.
    ReadOrWrite,
}

impl<N: Copy + PartialEq> Await for Awaited<'_, N> {
    type Name = N;

    fn awaited(&self) -> Awaited<'_, N> {
        *self
    }
}

/// Something to read, where it need not be told from which.
impl Await for BorrowedFd<'_> {
    type Name = ();

    fn awaited(&self) -> Awaited<'_, ()> {
        Awaited { name: (), descriptor: *self, interest: Interest::Read }
    }
}

/// What a wait has found, by name; an error to be read counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ready<N>(ArrayVec<N, MOST>);

impl<N: PartialEq> Ready<N> {
    /// Whether what was waited for at this descriptor is there.
    #[must_use]
    pub fn has(&self, name: N) -> bool {
        self.0.contains(&name)
    }

    /// Whether nothing was ready: the time had come, or a signal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Wait {
    /// A way to wait on time, for the thread that calls this.
    ///
    /// # Errors
    /// The system does not let the thread set its timer slack.
    pub fn new() -> Result<Self, NetError> {
        let failed = |error| NetError::system("set the timer slack of a thread to 1 ns", error);
        let before = rustix::thread::current_timer_slack().map_err(failed)?;
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).map_err(failed)?;
        Ok(Self { slack: NonZeroU64::new(before), thread: std::marker::PhantomData })
    }

    /// Asks the scheduler to run this thread before all ordinary ones from now on (`SCHED_FIFO`, sched(7)), and says whether it
    /// does: that takes root, or `CAP_SYS_NICE`. For a thread that has little to do, and that on time.
    ///
    /// Where it has much to do, the system keeps a twentieth of the time for others (`sched_rt_runtime_us`). What this thread
    /// starts is ordinary again.
    #[must_use = "without it, packets are later where the machine is busy"]
    pub fn prefer_this_thread(&self) -> bool {
        let parameters = libc::sched_param { sched_priority: LEAST_OF_REAL_TIME };
        // SAFETY: the call reads the parameters and keeps nothing; the thread of number 0 is the present one.
        #[expect(unsafe_code, reason = "no safe crate of ours has this call")]
        let set =
            unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &raw const parameters) };
        set == 0
    }

    /// Waits until what is awaited happens at one of the descriptors (at most 20), or `until`, or a signal: ppoll(2), in nanoseconds.
    ///
    /// `None` waits without a limit. A time that has passed only looks.
    ///
    /// # Errors
    /// The system does not let the thread wait, or there are more than 20 descriptors.
    pub fn on<A: Await>(&self, awaited: &[A], until: Option<Time>, clock: &Clock) -> Result<Ready<A::Name>, NetError> {
        let failed = |error| NetError::system(format!("wait for {} descriptors", awaited.len()), error);
        if awaited.len() > MOST {
            return Err(failed(Errno::INVAL));
        }
        let mut polled: ArrayVec<PollFd<'_>, MOST> = awaited.iter().map(|awaited| polled(&awaited.awaited())).collect();
        let timeout = until.and_then(|until| clock::timeout(until.since(clock.now())));
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready(ArrayVec::new())),
            Err(error) => return Err(failed(error)),
        }
        let found = awaited.iter().zip(&polled).filter(|(_, polled)| !polled.revents().is_empty());
        Ok(Ready(found.map(|(awaited, _)| awaited.awaited().name).collect()))
    }
}

fn polled<'f, N>(awaited: &Awaited<'f, N>) -> PollFd<'f> {
    let flags = match awaited.interest {
        Interest::Read => PollFlags::IN,
        Interest::ReadOrWrite => PollFlags::IN | PollFlags::OUT,
    };
    PollFd::from_borrowed_fd(awaited.descriptor, flags)
}

impl Drop for Wait {
    fn drop(&mut self) {
        // Where it cannot be set back, the thread only goes on being woken on time.
        let _ = rustix::thread::set_current_timer_slack(self.slack);
    }
}

/// Wakes a [`Wait`] from another thread, such as one that handles signals: eventfd(2).
#[derive(Debug)]
pub struct Waker {
    event: OwnedFd,
}

impl Waker {
    /// One that has not been woken.
    ///
    /// # Errors
    /// The process has too many descriptors open.
    pub fn new() -> Result<Self, NetError> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| NetError::system("make an eventfd, which wakes a thread", error))?;
        Ok(Self { event })
    }

    /// Makes the descriptor readable until [`clear`](Self::clear). A full counter is readable already.
    pub fn wake(&self) {
        let _ = write(&self.event, &1_u64.to_ne_bytes());
    }

    /// Forgets that it was woken, and says whether it was.
    pub fn clear(&self) -> bool {
        read(&self.event, &mut [0; 8]).is_ok()
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arqway_units::Span;

    #[test]
    fn a_wait_ends_at_its_time_and_never_before() {
        let (clock, wait) = (Clock::start(), Wait::new().unwrap());
        let until = clock.now() + Span::from_milliseconds(2);
        assert!(wait.on::<BorrowedFd<'_>>(&[], Some(until), &clock).unwrap().is_empty());
        assert!(clock.now() >= until);
    }

    #[test]
    fn a_wait_for_a_time_that_has_passed_only_looks() {
        let clock = Clock::start();
        assert!(Wait::new().unwrap().on::<BorrowedFd<'_>>(&[], Some(Time::ZERO), &clock).unwrap().is_empty());
    }

    #[test]
    fn a_waker_wakes_from_another_thread_and_is_told_apart() {
        let (clock, wait, quiet, waker) =
            (Clock::start(), Wait::new().unwrap(), Waker::new().unwrap(), Waker::new().unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| waker.wake());
            let awaited = [("quiet", &quiet), ("waker", &waker)].map(|(name, waker)| Awaited {
                name,
                descriptor: waker.as_fd(),
                interest: Interest::Read,
            });
            let ready = wait.on(&awaited, None, &clock).unwrap();
            assert!(!ready.has("quiet") && ready.has("waker"));
        });
        assert!(waker.clear() && !waker.clear());
    }

    #[test]
    fn the_timer_slack_is_as_it_was_once_the_wait_is_dropped() {
        let before = rustix::thread::current_timer_slack().unwrap();
        let wait = Wait::new().unwrap();
        assert_eq!(rustix::thread::current_timer_slack().unwrap(), 1);
        drop(wait);
        assert_eq!(rustix::thread::current_timer_slack().unwrap(), before);
    }
}
