//! The emulator without a network: in virtual time, between ends in memory.

mod files;
mod memory;
mod virtual_time;
