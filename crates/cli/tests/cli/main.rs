//! The command as others use it, from the outside.

mod advise;
mod command;
mod fit;
mod folder;
mod sensitivity;
mod shards;
mod shell;
mod trace;
#[cfg(unix)]
mod tutorial;
