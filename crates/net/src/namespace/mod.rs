//! Network namespaces: a network of one's own (network_namespaces(7)).
//!
//! | | what it is | what is left when arqway is killed |
//! | --- | --- | --- |
//! | [`Namespace::anonymous`] | only a descriptor | nothing, once the last process inside has ended |
//! | [`Namespace::named`] | also a file in `/run/netns`, so that `ip netns exec NAME` works (ip-netns(8)) | the file, until the next arqway finds it |
//! | [`Namespace::present`] | where the calling thread is | it is not ours |
//!
//! A namespace that was made here ends when it is dropped: what still runs in it is ended, and its name is taken away.

mod child;
mod identity;
mod leftovers;
mod name;
mod processes;
mod record;

pub use child::Child;
pub use leftovers::leftovers;

use crate::error::NetError;
use crate::netlink::{Change, Netlink};
use identity::Identity;
use record::Entry;
use rustix::fs::{Mode, OFlags, open};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// A network namespace.
#[derive(Debug)]
pub struct Namespace {
    descriptor: OwnedFd,
    /// What is recorded of one that was made here.
    ours: Option<Entry>,
}

impl Namespace {
    /// The namespace of the calling thread.
    ///
    /// # Errors
    /// `/proc` is not there.
    pub fn present() -> Result<Self, NetError> {
        Ok(Self { descriptor: open_present()?, ours: None })
    }

    /// A new namespace without a name; its `lo` is up.
    ///
    /// # Errors
    /// The process lacks `CAP_SYS_ADMIN`, or cannot record what it makes.
    pub fn anonymous() -> Result<Self, NetError> {
        Self::make(None)
    }

    /// A new namespace that `ip netns exec NAME` finds; its `lo` is up.
    ///
    /// # Errors
    /// The name is taken, or cannot be one; the process is not root, to whom `/run/netns` belongs.
    pub fn named(name: &str) -> Result<Self, NetError> {
        name::check(name)?;
        let namespace = Self::make(Some(name))?;
        name::give(name, &namespace.descriptor)?;
        Ok(namespace)
    }

    /// A new namespace, recorded: until it has a name, it ends with this process whatever happens.
    fn make(name: Option<&str>) -> Result<Self, NetError> {
        let (descriptor, identity) = on_a_thread(|| {
            unshare_network()?;
            let netlink = Netlink::open()?;
            netlink.change(&netlink.link("lo")?, Change { up: Some(true), ..Change::default() })?;
            let descriptor = open_present()?;
            let identity = Identity::of_present(&descriptor)?;
            Ok((descriptor, identity))
        })?;
        let entry = Entry { identity, name: name.map(str::to_owned) };
        record::add(entry.clone())?;
        Ok(Self { descriptor, ours: Some(entry) })
    }

    /// Its name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.ours.as_ref()?.name.as_deref()
    }

    /// Runs `work` on a thread of its own inside the namespace. A socket or device that it opens stays inside, wherever
    /// it is used from.
    ///
    /// # Errors
    /// The process may not enter the namespace.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, NetError> {
        on_a_thread(|| {
            enter(self.descriptor.as_fd())?;
            Ok(work())
        })
    }

    /// The names of the interfaces inside.
    ///
    /// # Errors
    /// The process may not enter the namespace, or the kernel does not answer.
    pub fn links(&self) -> Result<Vec<String>, NetError> {
        let links = self.within(|| Netlink::open()?.links())??;
        Ok(links.into_iter().map(|link| link.name).collect())
    }

    /// Ends what runs in a namespace that was made here (`SIGTERM`, after half a second `SIGKILL`), and takes its name
    /// away. Dropping it does the same and tells of no error. What was not made here stays as it is.
    ///
    /// # Errors
    /// What could not be removed; the next [`leftovers`] tries again. That someone else took the name away already is no error.
    pub fn remove(mut self) -> Result<(), NetError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), NetError> {
        let Some(entry) = self.ours.take() else { return Ok(()) };
        processes::end(entry.identity.file)?;
        entry.name.as_deref().map_or(Ok(()), |name| name::take_away(name, entry.identity.file))?;
        record::remove(&entry);
        Ok(())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Runs `work` on a thread of its own: a namespace belongs to a thread, and the caller keeps its own.
fn on_a_thread<T: Send>(work: impl FnOnce() -> Result<T, NetError> + Send) -> Result<T, NetError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("namespace".to_owned())
            .spawn_scoped(scope, work)
            .map_err(|error| NetError::system("start a thread for a network namespace", error))?;
        // A panic of `work` goes on where it was asked for.
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Moves the calling thread into a namespace, for good.
fn enter(namespace: BorrowedFd<'_>) -> Result<(), NetError> {
    move_into_link_name_space(namespace, Some(LinkNameSpaceType::Network))
        .map_err(|error| NetError::system("enter a network namespace", error))
}

/// Gives the calling thread a new network namespace.
fn unshare_network() -> Result<(), NetError> {
    // SAFETY: only `FILES` is unsafe, because other threads would not see this one's descriptors; they stay shared here.
    #[expect(unsafe_code, reason = "rustix cannot tell flags that are safe from those that are not")]
    let unshared = unsafe { unshare_unsafe(UnshareFlags::NEWNET) };
    unshared.map_err(|error| NetError::system("make a network namespace", error))
}

/// The calling thread's namespace.
fn open_present() -> Result<OwnedFd, NetError> {
    open("/proc/thread-self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| NetError::system("open /proc/thread-self/ns/net", error))
}
