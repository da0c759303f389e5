//! What goes out next, and how much (RFC 6675 §4, NextSeg, and §5 (C); RFC 8985 §7.3 for the probe).
//!
//! | rule | what | where |
//! | --- | --- | --- |
//! | 1 | the lowest packet that is lost and was not sent again | always |
//! | 2 | a new packet | always, as far as the receiver's window allows |
//! | 3 | the lowest that is missing below one that has arrived, lost or not | in fast recovery by count |
//! | 4 | the highest of which nothing is known, once (rescue) | in fast recovery by count |

use super::{Selective, State};
use crate::tcp::sender::Sender;
use arqway_units::{Span, Time};

impl Sender {
    /// Sends what fits into the window beside what is in the network, so many packets at most.
    pub(in crate::tcp::sender) fn send_selectively(&mut self, selective: &mut Selective, most: u32, now: Time) {
        let mut left = most.min(self.settings.maximum_burst.unwrap_or(u32::MAX));
        self.pacer.waits = false;
        while left > 0 && selective.board.pipe() < self.usable_window() {
            let Some(next) = self.next_segment(selective) else { break };
            if now < self.pacer.next {
                self.pacer.waits = true;
                break;
            }
            match next {
                Next::New => self.send_new(selective, now),
                Next::Again(number) => self.send_again(selective, number, now),
                Next::Rescue(number) => self.send_rescue(selective, number, now),
            }
            left -= 1;
        }
        let waits = left == 0 || self.pacer.waits;
        self.note_use(if waits { i64::MAX } else { selective.board.pipe() });
    }

    fn next_segment(&self, selective: &mut Selective) -> Option<Next> {
        if let Some(number) = selective.board.next_lost() {
            return Some(Next::Again(number));
        }
        let is_undecided = selective.time.is_none() && selective.state == State::Open && self.is_undecided();
        if self.has_new() && (self.settings.limited_transmit || !is_undecided) {
            return Some(Next::New);
        }
        if selective.time.is_some() || selective.state != State::Fast {
            return None;
        }
        let hole = selective.board.next_hole(selective.highest_again).map(Next::Again);
        let may_rescue = self.acknowledged > selective.rescue;
        hole.or_else(|| selective.board.last_missing().filter(|_| may_rescue).map(Next::Rescue))
    }

    /// Whether there is a new packet that the receiver has room for.
    fn has_new(&self) -> bool {
        self.next < self.end && self.next <= self.acknowledged + i64::from(self.settings.maximum_window)
    }

    fn send_new(&mut self, selective: &mut Selective, now: Time) {
        let number = self.next;
        self.next += 1;
        self.send_and_note(selective, number, now);
    }

    pub(super) fn send_again(&mut self, selective: &mut Selective, number: i64, now: Time) {
        selective.highest_again = selective.highest_again.max(number);
        self.send_and_note(selective, number, now);
        if number == self.acknowledged + 1 {
            self.start_timer(now);
        }
    }

    fn send_and_note(&mut self, selective: &mut Selective, number: i64, now: Time) {
        let Selective { board, time, .. } = selective;
        self.send(number, now);
        board.send(number, now);
        if let Some(time) = time {
            time.rack.send(board, number, now);
        }
    }

    fn send_rescue(&mut self, selective: &mut Selective, number: i64, now: Time) {
        self.send(number, now);
        selective.board.resend_uncounted(number, now);
        selective.rescue = self.recover;
    }

    /// No acknowledgement came for long enough: a new packet goes out, or the last one again, whatever the congestion window
    /// says; and then the retransmission timer runs.
    pub(super) fn send_probe(&mut self, selective: &mut Selective, now: Time) {
        let has_new = self.has_new();
        if let Some(time) = &mut selective.time {
            time.probe.stop();
            if !time.probe.may_be_sent() {
                return;
            }
            time.probe.send(if has_new { self.next } else { self.highest_sent }, !has_new);
        }
        if has_new {
            self.send_new(selective, now);
        } else {
            self.send_and_note(selective, self.highest_sent, now);
        }
        self.start_timer(now);
    }

    /// Sets the probe's timer when a new packet has gone out or was acknowledged, and stops it where something else tells of
    /// losses (RFC 8985 §7.2).
    pub(in crate::tcp::sender) fn schedule_probe(&mut self, selective: &mut Selective, now: Time) {
        let Selective { state, board, time: Some(time), receiver_delay, .. } = selective else { return };
        let outstanding = board.end() - board.first();
        if *state != State::Open || board.arrived() > 0 || outstanding == 0 {
            time.probe.stop();
            return;
        }
        let reached = (self.acknowledged, self.highest_sent);
        if core::mem::replace(&mut time.reached, reached) == reached {
            return;
        }
        let delay = if outstanding == 1 { *receiver_delay } else { Span::ZERO };
        time.probe.schedule(self.smoothed_round_trip(), delay, now, self.timer);
    }
}

/// What NextSeg says.
enum Next {
    New,
    Again(i64),
    Rescue(i64),
}
