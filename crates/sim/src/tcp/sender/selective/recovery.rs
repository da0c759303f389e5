//! What an acknowledgement and an expired timer do: when recovery begins and ends (RFC 6675 §5 and §5.1; RFC 8985 §6 and §7).

use super::rack::Surroundings;
use super::{ByTime, News, Selective, State};
use crate::tcp::acknowledgement::Acknowledgement;
use crate::tcp::sender::Sender;
use crate::tcp::sender::timeout::is_due;
use arqway_units::{Time, ToFloat};

impl Sender {
    /// Takes an acknowledgement and its blocks.
    pub(in crate::tcp::sender) fn take_selective(
        &mut self,
        selective: &mut Selective,
        told: &Acknowledgement,
        now: Time,
    ) {
        let under_way = self.in_the_window();
        let news = selective.note(told, now);
        if let Some(sent) = news.timed {
            self.take_sample(sent, now);
            if let Some(time) = &mut selective.time {
                time.probe.take_sample();
            }
        }
        if news.acknowledged > 0 {
            self.acknowledged = told.number;
            self.next = self.next.max(told.number + 1);
            self.duplicates = 0;
            self.start_timer(now);
        } else if news.arrived > 0 {
            self.duplicates += 1;
        }
        let was = selective.state;
        if was != State::Open && self.acknowledged >= self.recover {
            selective.state = State::Open;
        }
        if self.look_for_losses(selective, told, was, &news, now) && selective.state == State::Open {
            self.shrink(under_way);
        }
        self.recover_if_needed(selective, now);
        if news.acknowledged > 0 {
            self.grow_with(selective, was, &news, now);
            self.rest_if_finished(now);
        }
        self.send_selectively(selective, u32::MAX, now);
        self.schedule_probe(selective, now);
    }

    /// Decides what is lost by now; returns whether a probe has repaired a loss.
    fn look_for_losses(
        &self,
        selective: &mut Selective,
        told: &Acknowledgement,
        was: State,
        news: &News,
        now: Time,
    ) -> bool {
        let state = selective.state;
        let around = Surroundings {
            came_twice: told.duplicate().is_some(),
            leaves_recovery: was != State::Open && state == State::Open,
            ..self.around(state)
        };
        let Selective { board, time, .. } = selective;
        let Some(ByTime { rack, probe, .. }) = time else {
            board.judge();
            return false;
        };
        let window = rack.window(board, around);
        rack.detect(board, window, now);
        probe.has_repaired(told, news.acknowledged > 0)
    }

    fn around(&self, state: State) -> Surroundings {
        Surroundings {
            acknowledged: self.acknowledged,
            sent: self.highest_sent,
            came_twice: false,
            in_recovery: state != State::Open,
            leaves_recovery: false,
            smoothed: self.smoothed_round_trip(),
        }
    }

    /// Begins a recovery where something is lost that was not sent again, and none goes on (RFC 6675 §5 (4)).
    fn recover_if_needed(&mut self, selective: &mut Selective, now: Time) {
        if selective.state != State::Open || selective.board.next_lost().is_none() {
            return;
        }
        selective.state = State::Fast;
        self.recover = self.highest_sent;
        self.shrink(self.in_the_window());
        if let Some(time) = &mut selective.time {
            time.probe.reset();
        }
        selective.highest_again = self.acknowledged;
        // The first goes out however much is in the network (4.3).
        if let Some(first) = selective.board.next_lost() {
            self.send_again(selective, first, now);
            selective.rescue = first;
        }
    }

    /// The packets outstanding, but for those that limited transmit or a probe sent beyond the window (RFC 5681 §3.2).
    fn in_the_window(&self) -> f64 {
        let outstanding = (self.highest_sent - self.acknowledged).to_f64();
        outstanding.min(self.filled_window())
    }

    /// A new acknowledgement opens the window, outside of fast recovery.
    fn grow_with(&mut self, selective: &Selective, was: State, news: &News, now: Time) {
        if was == State::Fast || selective.state == State::Fast {
            return;
        }
        self.open_window(news.acknowledged, now);
        if self.acknowledged == 0 && self.settings.handshake {
            self.window = self.initial_window;
        }
    }

    /// Acts on every deadline that has come.
    pub(in crate::tcp::sender) fn handle_selective_timeout(&mut self, selective: &mut Selective, now: Time) {
        let (of_rack, of_probe) =
            selective.time.as_ref().map_or((None, None), |time| (time.rack.due(), time.probe.due()));
        if is_due(of_rack, now) {
            self.detect_again(selective, now);
        } else if is_due(of_probe, now) {
            self.send_probe(selective, now);
        } else if is_due(self.timer, now) {
            self.time_out_selectively(selective, now);
        } else if is_due(self.pacer.poll_timeout(), now) {
            self.send_selectively(selective, u32::MAX, now);
        }
        self.schedule_probe(selective, now);
    }

    /// What might still have come has not: it is lost (RFC 8985 §6.2 step 5).
    fn detect_again(&mut self, selective: &mut Selective, now: Time) {
        let around = self.around(selective.state);
        let Selective { board, time, .. } = selective;
        if let Some(ByTime { rack, .. }) = time {
            let window = rack.window(board, around);
            rack.detect(board, window, now);
        }
        self.recover_if_needed(selective, now);
        self.send_selectively(selective, u32::MAX, now);
    }

    /// The retransmission timer has expired (RFC 6298 §5.4 to §5.6; RFC 6675 §5.1; RFC 8985 §6.3).
    fn time_out_selectively(&mut self, selective: &mut Selective, now: Time) {
        let around = self.around(selective.state);
        let under_way = self.in_the_window();
        self.give_up_waiting();
        // The threshold stays where the timer expires again for the same packet (RFC 5681 §3.1).
        if selective.timed_out_at.replace(self.acknowledged) == Some(self.acknowledged) {
            self.window = 1.0;
        } else {
            self.close_window(under_way);
        }
        selective.state = State::AfterTimeout;
        let Selective { board, time, .. } = selective;
        match time {
            Some(ByTime { rack, probe, .. }) => {
                let window = rack.window(board, around);
                rack.time_out(board, window, now);
                probe.reset();
            }
            None => (board.first()..board.end()).for_each(|number| board.lose(number)),
        }
        self.start_timer(now);
        if let Some(first) = selective.board.next_lost() {
            self.send_again(selective, first, now);
        }
        self.send_selectively(selective, u32::MAX, now);
    }
}
