//! The simulator's promises, as one program: the simulated network is generic, so every program compiles it for itself.

mod bearer;
mod bulk;
mod hosts;
mod laws;
mod lines;
mod memory;
mod mobility;
mod ns2_traces;
mod pipe;
mod probes;
mod reservation;
mod services;
mod tcp;
mod tcp_today;
mod worlds;
