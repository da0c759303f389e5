//! The rules of each RFC, scripted; and everything under any loss.

mod count;
mod network;
mod probe;
mod rack;
mod scoreboard;

use super::*;
use crate::tcp::sender::Sender;
use crate::tcp::{Block, CongestionControl, PacketWindow, TcpConfig};
use std::vec;
use std::vec::Vec;

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Span::from_milliseconds(milliseconds)
}

/// A sender of so many packets, whose window begins with so many.
fn sender(variant: Variant, packets: u64, window: u32) -> Sender {
    let config = TcpConfig {
        variant: Some(variant),
        congestion_control: Some(CongestionControl::Reno),
        tick: Some(Span::from_milliseconds(1)),
        initial_window: PacketWindow::new(window),
        maximum_window: PacketWindow::new(100),
        limited_transmit: Some(true),
        ..TcpConfig::default()
    };
    Sender::new(config.settings(), packets, Span::ZERO)
}

fn sent(sender: &mut Sender) -> Vec<i64> {
    core::iter::from_fn(|| sender.poll_transmission()).map(|transmission| transmission.number).collect()
}

fn start(sender: &mut Sender, milliseconds: u64) -> Vec<i64> {
    sender.start(at(milliseconds));
    sent(sender)
}

fn told(number: i64, blocks: &[(i64, i64)]) -> Acknowledgement {
    Acknowledgement { number, blocks: blocks.iter().map(|(from, to)| Block { from: *from, to: *to }).collect() }
}

/// An acknowledgement comes, with blocks: what goes out then.
fn hears(sender: &mut Sender, number: i64, blocks: &[(i64, i64)], milliseconds: u64) -> Vec<i64> {
    sender.take_acknowledgement(&told(number, blocks), at(milliseconds));
    sent(sender)
}

/// Time passes until the next deadline: when that is, and what goes out then.
fn waits(sender: &mut Sender) -> (u64, Vec<i64>) {
    let due = sender.poll_timeout().expect("a deadline");
    sender.handle_timeout(due);
    (due.since(Time::ZERO).as_nanoseconds() / 1_000_000, sent(sender))
}

const NOTHING: [i64; 0] = [];
