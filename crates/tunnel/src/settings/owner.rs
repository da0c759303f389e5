//! Who may change a file that this process obeys. Settings say where packets go and whose key is whose: whoever can change them, or put
//! another file in their place, decides what this process does, as root.
//!
//! ```text
//!     /                   root's, and nobody else may write there
//!     /etc                likewise
//!     /etc/arqway         likewise; /tmp will do too, where nobody can replace what is another's (sticky)
//!     /etc/arqway/a.toml  root's, or of whoever runs this, and nobody else may write it; a link is followed in the same way
//! ```

use arqway_net::{User, own_user};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// Why a file is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum OwnerError {
    /// It, or something on the way to it, cannot be looked at.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// What.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is another user's.
    #[error(
        "{}: user {user} owns this and could change {what}; expected root or the user who runs this: chown {expected} '{}'",
        path.display(), path.display()
    )]
    Owned {
        /// What.
        path: PathBuf,
        /// Whose.
        user: u32,
        /// What he could change by it.
        what: &'static str,
        /// Whose it could be.
        expected: u32,
    },
    /// Others may write to it.
    #[error(
        "{}: others can change {what} (mode {mode:04o}); expected that its owner alone can: chmod go-w '{}'",
        path.display(), path.display()
    )]
    Open {
        /// What.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// What they could change by it.
        what: &'static str,
    },
}

/// Links that are followed at most, as the kernel does (path_resolution(7)).
const MOST_LINKS: usize = 40;
/// What is written of a file's permissions.
const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;
const OTHERS_READ: u32 = 0o004;
const OTHERS_ENTER: u32 = 0o001;

/// Refuses a file that others than root and the user of this process may change, or put another one in the place of. Whether all users
/// can read it. A pipe of the shell is nobody else's.
///
/// # Errors
/// Who may, and by what.
pub fn check_owner(path: &Path) -> Result<bool, OwnerError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |error| OwnerError::Unreadable { path, error }
    };
    if !fs::metadata(path).map_err(unreadable(path))?.is_file() {
        return Ok(false);
    }
    let trusted = Trusted::own();
    let whole = std::path::absolute(path).map_err(unreadable(path))?;
    let (mut at, mut is_shown, mut links) = (PathBuf::from("/"), true, 0);
    let mut rest: VecDeque<OsString> = parts(&whole);
    loop {
        let found = fs::symlink_metadata(&at).map_err(unreadable(&at))?;
        if found.is_symlink() {
            trusted.check_user(&at, &found, "where this link leads")?;
            links += 1;
            if links > MOST_LINKS {
                return Err(unreadable(path)(io::Error::other("too many links")));
            }
            let target = fs::read_link(&at).map_err(unreadable(&at))?;
            at.pop();
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            parts(&target).into_iter().rev().for_each(|part| rest.push_front(part));
        } else if found.is_dir() {
            trusted.check(&at, &found, "which files are in this folder")?;
            is_shown &= found.mode() & OTHERS_ENTER != 0;
        } else {
            trusted.check(&at, &found, "this file")?;
            return Ok(is_shown && found.mode() & OTHERS_READ != 0);
        }
        match rest.pop_front() {
            Some(part) if part == ".." => drop(at.pop()),
            Some(part) => at.push(part),
            None => return Err(unreadable(path)(io::ErrorKind::NotFound.into())),
        }
    }
}

/// The names of which a path is made.
fn parts(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    named.map(|part| part.as_os_str().to_owned()).collect()
}

/// Users who may change what this process obeys.
struct Trusted(Vec<u32>);

impl Trusted {
    fn own() -> Self {
        let own = own_user();
        // Whoever has become root by sudo(8) is so already; nobody else can set this for a process of root's.
        let by_sudo = std::env::var("SUDO_UID").ok().and_then(|user| user.parse().ok()).filter(|_| own == 0);
        // In a user namespace root's files are those of nobody who is known there (user_namespaces(7)).
        let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        let is_whole = map.split_whitespace().eq(["0", "0", "4294967295"]);
        let unknown = (!is_whole).then_some(User::UNKNOWN);
        Self([0, own].into_iter().chain(by_sudo).chain(unknown).collect())
    }

    fn check(&self, path: &Path, found: &Metadata, what: &'static str) -> Result<(), OwnerError> {
        self.check_user(path, found, what)?;
        let mode = found.mode() & 0o7777;
        // A user's own group has his number, by the custom of distributions, and nobody else in it.
        let is_own_group = found.gid() == 0 || found.gid() == found.uid();
        let is_open = mode & OTHERS_WRITE != 0 || mode & GROUP_WRITES != 0 && !is_own_group;
        if is_open && !(found.is_dir() && mode & STICKY != 0) {
            return Err(OwnerError::Open { path: path.to_owned(), mode, what });
        }
        Ok(())
    }

    fn check_user(&self, path: &Path, found: &Metadata, what: &'static str) -> Result<(), OwnerError> {
        let (user, expected) = (found.uid(), own_user());
        if self.0.contains(&user) {
            return Ok(());
        }
        Err(OwnerError::Owned { path: path.to_owned(), user, what, expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    /// A folder of our own, with a file in a folder in it.
    struct Place(PathBuf);

    impl Place {
        fn new(test: &str) -> Self {
            let place = std::env::temp_dir().join(format!("arqway-owner-{test}-{}", std::process::id()));
            fs::create_dir_all(place.join("etc")).expect("a folder of our own");
            fs::write(place.join("etc/a.toml"), "").expect("a file of our own");
            let place = Self(place);
            for path in ["", "etc"] {
                place.set(path, 0o755);
            }
            place.set("etc/a.toml", 0o600);
            place
        }

        fn set(&self, path: &str, mode: u32) {
            fs::set_permissions(self.0.join(path), fs::Permissions::from_mode(mode)).expect("our own");
        }

        /// What is said of the file, without where it is.
        fn said(&self, path: &str) -> Result<bool, String> {
            let place = self.0.display().to_string();
            check_owner(&self.0.join(path)).map_err(|error| error.to_string().replace(&place, ""))
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    #[test]
    fn a_file_that_others_may_write_or_replace_is_refused_and_one_that_they_may_read_is_told() {
        let place = Place::new("modes");
        assert_eq!(place.said("etc/a.toml"), Ok(false));
        for (mode, others) in [(0o644, true), (0o640, false), (0o604, true)] {
            place.set("etc/a.toml", mode);
            assert_eq!(place.said("etc/a.toml"), Ok(others), "{mode:o}");
        }
        place.set("etc", 0o750);
        assert_eq!(place.said("etc/a.toml"), Ok(false), "who cannot enter the folder cannot read what is in it");
        for (path, mode) in [("etc/a.toml", 0o666), ("etc/a.toml", 0o602), ("etc", 0o777), ("", 0o757)] {
            let before = fs::metadata(place.0.join(path)).expect("our own").mode();
            place.set(path, mode);
            let said = place.said("etc/a.toml").expect_err("open");
            assert!(said.contains(&format!("(mode {mode:04o})")) && said.contains("chmod go-w"), "{said}");
            place.set(path, before);
        }
        place.set("etc", 0o1777);
        assert!(place.said("etc/a.toml").is_ok(), "nobody can replace what is another's in a folder like /tmp");
    }

    #[test]
    fn what_another_user_owns_is_refused_by_whatever_way_it_is_reached() {
        let place = Place::new("owners");
        symlink("etc/../etc/a.toml", place.0.join("link")).expect("a link of our own");
        symlink("loop", place.0.join("loop")).expect("a link of our own");
        assert_eq!(place.said("link"), Ok(false));
        assert!(place.said("loop").is_err());
        if own_user() != 0 {
            return;
        }
        for path in ["etc/a.toml", "etc", ""] {
            chown(place.0.join(path), Some(65_534), None).expect("root");
            for way in ["etc/a.toml", "link", "etc/../link"] {
                let said = place.said(way).expect_err("another's");
                assert!(said.contains("user 65534 owns this") && said.contains("chown 0"), "{said}");
            }
            chown(place.0.join(path), Some(0), None).expect("root");
        }
        // A group may not write either, but for root's and a user's own.
        place.set("etc/a.toml", 0o660);
        assert!(place.said("etc/a.toml").is_ok());
        chown(place.0.join("etc/a.toml"), None, Some(100)).expect("root");
        assert!(place.said("etc/a.toml").is_err());
        std::os::unix::fs::lchown(place.0.join("link"), Some(65_534), None).expect("root");
        place.set("etc/a.toml", 0o600);
        assert!(place.said("etc/a.toml").is_ok() && place.said("link").is_err(), "a link of another's leads anywhere");
    }
}
