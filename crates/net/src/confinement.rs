//! What a process gives up once it has opened all that it needs, so that a fault in it is worth little to whoever finds it.
//!
//! Rights belong to threads (credentials(7)): call both before there is a second one. Those that are started later have no more.

use crate::error::NetError;
use rustix::fs::{Gid, Uid};
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities, set_no_new_privs, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};
use std::fs::read_to_string;

/// A user of this machine, as passwd(5) has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    /// Its number.
    pub id: u32,
    /// The number of its group.
    pub group: u32,
}

impl User {
    /// Whose files are shown as those of users that a user namespace does not know (`/proc/sys/kernel/overflowuid`).
    pub const UNKNOWN: u32 = 65_534;

    /// The user of this name in `/etc/passwd`: a machine that starts may have no other directory of users yet.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::in_directory(&read_to_string("/etc/passwd").unwrap_or_default(), name)
    }

    fn in_directory(directory: &str, wanted: &str) -> Option<Self> {
        directory.lines().find_map(|line| {
            let mut fields = line.split(':');
            let (name, _, id, group) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
            (name == wanted).then_some(Self { id: id.parse().ok()?, group: group.parse().ok()? })
        })
    }
}

/// Keeps what is in the memory of this process out of core dumps, and away from other processes of its user (ptrace(2)).
///
/// # Errors
/// The system does not let us.
pub fn protect_memory() -> Result<(), NetError> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })
        .map_err(|error| NetError::system("forbid core dumps", error))?;
    hide()
}

fn hide() -> Result<(), NetError> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| NetError::system("keep other processes out of this one's memory", error))
}

/// Becomes another user, if one is given, and gives up all capabilities (capabilities(7)); no program that is started from here
/// gets any of them back (`PR_SET_NO_NEW_PRIVS`).
///
/// # Errors
/// The system does not let us: only root becomes another user.
pub fn confine(user: Option<User>) -> Result<(), NetError> {
    if let Some(User { id, group }) = user {
        let failed = |error| NetError::system(format!("become user {id} of group {group}"), error);
        let (user, group) = (Uid::from_raw(id), Gid::from_raw(group));
        set_thread_groups(&[group]).map_err(failed)?;
        set_thread_res_gid(group, group, group).map_err(failed)?;
        set_thread_res_uid(user, user, user).map_err(failed)?;
        // The system has shown it to that user's processes with this.
        hide()?;
    }
    let failed = |error| NetError::system("give up capabilities", error);
    set_no_new_privs(true).map_err(failed)?;
    clear_ambient_capability_set().map_err(failed)?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_name_with_its_group() {
        let directory =
            "root:x:0:0:root:/root:/bin/bash\narqway-old:x:7:8::/:\nbroken:x:\narqway:x:120:121::/:/bin/false\n";
        assert_eq!(User::in_directory(directory, "arqway"), Some(User { id: 120, group: 121 }));
        for nobody in ["", "arq", "broken", "x"] {
            assert_eq!(User::in_directory(directory, nobody), None, "{nobody}");
        }
    }

    #[test]
    fn a_thread_that_is_confined_has_no_capabilities_and_gets_none_back() {
        let of_thread = || {
            confine(None).expect("anybody may give up");
            (rustix::thread::capabilities(None).expect("our own"), rustix::thread::no_new_privs().expect("our own"))
        };
        let (sets, no_new) = std::thread::spawn(of_thread).join().expect("no panic");
        assert!(no_new && sets.effective.is_empty() && sets.permitted.is_empty() && sets.inheritable.is_empty());
    }
}
