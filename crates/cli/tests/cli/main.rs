//! The command as others use it, from the outside.

mod command;
mod folder;
mod sensitivity;
mod shell;
mod trace;
#[cfg(unix)]
mod tutorial;
