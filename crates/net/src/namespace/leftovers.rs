//! What a process that was killed has left behind.

use super::identity::Identity;
use super::record::{self, Entry};
use super::{name, processes};
use crate::error::NetError;
use std::fs::File;
use std::os::fd::AsFd;

/// Removes the namespaces of processes of arqway that ended without doing so, with all that runs in them, and says for
/// each what it was. Whoever makes namespaces calls this first.
///
/// Nothing is touched that only looks like theirs: a namespace is known by its cookie (`SO_NETNS_COOKIE`), not by its name.
/// What cannot be removed now is told, too, and tried again the next time. As another user than the one who was killed,
/// or inside a user namespace, this finds nothing that it could remove.
#[must_use = "people want to know what was removed"]
pub fn leftovers() -> Vec<String> {
    let mut told = Vec::new();
    for abandoned in record::abandoned() {
        let process = abandoned.process;
        let mut all_removed = true;
        for entry in &abandoned.entries {
            match remove(entry) {
                Ok(removed) => told.extend(removed.map(|what| {
                    format!("removed {what}, left behind by arqway's process {process}, which was killed")
                })),
                Err(error) => {
                    all_removed = false;
                    told.push(format!("what arqway's process {process} left behind is still there: {error}"));
                }
            }
        }
        if all_removed {
            abandoned.forget();
        }
    }
    told
}

/// Removes what an entry names, and says what there was of it.
fn remove(entry: &Entry) -> Result<Option<String>, NetError> {
    let file = entry.identity.file;
    let called = entry.name.as_ref().map_or_else(String::new, |name| format!(" `{name}`"));
    if !is_there(entry) {
        let unfinished = entry.name.as_deref().map_or(Ok(false), name::take_away_unfinished)?;
        return Ok(unfinished.then(|| format!("the unfinished network namespace{called}")));
    }
    let ended = processes::end(file)?;
    entry.name.as_deref().map_or(Ok(()), |name| name::take_away(name, file))?;
    Ok(Some(match ended {
        0 => format!("the network namespace{called}"),
        1 => format!("the network namespace{called} and a process in it"),
        more => format!("the network namespace{called} and {more} processes in it"),
    }))
}

/// Whether the very namespace is there still: under its name, or around a process.
fn is_there(entry: &Entry) -> bool {
    let named = entry.name.iter().map(|name| name::path(name));
    let around = processes::inside(entry.identity.file).into_iter();
    let mut places = named.chain(around.map(|(process, _)| format!("/proc/{process}/ns/net").into()));
    places.any(|place| {
        File::open(place).is_ok_and(|file| Identity::of(file.as_fd()).is_ok_and(|found| found == entry.identity))
    })
}
