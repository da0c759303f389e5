//! The emulator with the real kernel: namespaces, devices, commands. These tests need root.
//!
//! What is tested here does not depend on how fast or how busy the machine is: which packets are lost, what is said, what is
//! left behind. Rates and delays are measured by `bench/emulated`.

#![cfg(target_os = "linux")]

mod clean_up;
mod demo;
mod emulator;
mod fates;
mod faults;
mod load;
mod servers;
#[path = "../system/mod.rs"]
mod system;
