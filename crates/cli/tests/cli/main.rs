//! The command as others use it, from the outside.

mod command;
mod folder;
mod sensitivity;
mod shards;
mod shell;
mod trace;
