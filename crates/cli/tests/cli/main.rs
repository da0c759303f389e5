//! The command as others use it, from the outside.

mod advise;
#[cfg(target_os = "linux")]
mod bad_inputs;
mod command;
mod fit;
mod folder;
mod sensitivity;
mod shards;
mod shell;
mod trace;
#[cfg(unix)]
mod tutorial;
