//! What this process may do, and how it gets what it lacks.

use crate::error::NetError;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};
use rustix::thread::{CapabilitySet, UnshareFlags, capabilities, unshare_unsafe};
use std::fs::{read_to_string, write};
use std::io;

/// With whose rights this process makes devices and namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Privileges {
    /// The machine's: all that this crate can do.
    Machine,
    /// Those inside a user namespace of its own (user_namespaces(7)): anonymous network namespaces and devices inside
    /// them. Not names, which are root's, and nothing outside.
    UserNamespace,
}

/// Gets what it takes to make network namespaces and devices inside them: as root, nothing need be done; anyone else
/// enters a user namespace, if the machine allows that.
///
/// Call it first of all: a process with more than one thread cannot enter a user namespace. Inside, this user appears as root.
///
/// # Errors
/// What is missing, and the command that gives it.
pub fn privileges() -> Result<Privileges, NetError> {
    let needed = CapabilitySet::NET_ADMIN | CapabilitySet::SYS_ADMIN;
    let has_all = capabilities(None).is_ok_and(|sets| sets.effective.contains(needed));
    if !has_all {
        enter_user_namespace()?;
    }
    open("/dev/net/tun", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| no_device(error, "open /dev/net/tun"))?;
    Ok(if has_all { Privileges::Machine } else { Privileges::UserNamespace })
}

/// The number of this process's user.
#[must_use]
pub fn own_user() -> u32 {
    geteuid().as_raw()
}

/// Why the device file cannot be opened.
pub(crate) fn no_device(error: Errno, doing: &str) -> NetError {
    match error {
        Errno::NOENT | Errno::NODEV | Errno::NXIO => {
            NetError::missing("/dev/net/tun, which TUN and TAP devices come from", "load its module: sudo modprobe tun")
        }
        Errno::ACCESS => NetError::missing("the right to open /dev/net/tun", remedy()),
        Errno::PERM => NetError::missing("CAP_NET_ADMIN, the right to make network devices", remedy()),
        other => NetError::system(doing, other),
    }
}

/// What helps this user.
pub(crate) fn remedy() -> &'static str {
    if outer_user() == 0 {
        "root lacks it here: start the container with --cap-add NET_ADMIN --cap-add SYS_ADMIN --device /dev/net/tun"
    } else {
        "run it as root: sudo arqway ..."
    }
}

/// The number that this user has outside of a user namespace, in which everyone is root: user_namespaces(7).
pub(crate) fn outer_user() -> u32 {
    let inner = geteuid().as_raw();
    let map = read_to_string("/proc/self/uid_map").unwrap_or_default();
    let outer = map.lines().find_map(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u32>);
        let (first, outside, count) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        inner.checked_sub(first).filter(|offset| *offset < count).map(|offset| outside.saturating_add(offset))
    });
    outer.unwrap_or(inner)
}

/// Where the machine forbids user namespaces, what it has there, and what would allow them.
const SWITCHES: [(&str, &str, &str); 3] = [
    ("/proc/sys/user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=15000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
];

/// Moves the process into a user namespace in which it is root.
fn enter_user_namespace() -> Result<(), NetError> {
    // Asked before: inside, this user has no number until one is given to it.
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // SAFETY: only `FILES` is unsafe, because other threads would not see this one's descriptors; they stay shared here.
    #[expect(unsafe_code, reason = "rustix cannot tell flags that are safe from those that are not")]
    let unshared = unsafe { unshare_unsafe(UnshareFlags::NEWUSER) };
    match unshared {
        Ok(()) => {}
        Err(Errno::INVAL) => {
            return Err(NetError::system("enter a user namespace: the process has more than one thread", Errno::INVAL));
        }
        Err(_) => return Err(forbidden()),
    }
    let map = || -> io::Result<()> {
        // Who is not root may map groups only after giving up to change them.
        write("/proc/self/setgroups", "deny")?;
        write("/proc/self/gid_map", format!("0 {group} 1"))?;
        write("/proc/self/uid_map", format!("0 {user} 1"))
    };
    map().map_err(|_| forbidden())
}

/// What to say where the machine does not allow user namespaces.
fn forbidden() -> NetError {
    let is_set =
        |(file, forbids, _): &&(&str, &str, &str)| read_to_string(file).is_ok_and(|text| text.trim() == *forbids);
    let switch = SWITCHES.iter().find(is_set);
    let remedy = remedy();
    let allow = switch.map_or_else(String::new, |(_, _, command)| format!("; or allow user namespaces: {command}"));
    NetError::missing("the right to make network namespaces", &format!("{remedy}{allow}"))
}
