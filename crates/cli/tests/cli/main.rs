//! The command as others use it, from the outside.

mod advise;
#[cfg(target_os = "linux")]
mod bad_inputs;
#[cfg(target_os = "linux")]
mod both_ends;
#[cfg(target_os = "linux")]
mod classify;
mod command;
mod fit;
mod folder;
mod list;
#[cfg(target_os = "linux")]
#[path = "../pty/mod.rs"]
mod pty;
mod refused;
mod sensitivity;
mod shards;
mod shell;
#[cfg(target_os = "linux")]
mod terminal;
mod trace;
#[cfg(unix)]
mod tutorial;
mod with;
#[cfg(unix)]
mod written;
