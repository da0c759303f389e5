//! Several lines of one link: each comes and goes by itself, and the link is there while one of them is.
//!
//! ```text
//!     line 0    |==========|        |=======|          silence, or the owner, ends a line
//!     line 1    |====================|    |=====       what services had given it goes by another
//!     the link  |=====================|   |=====       services stand still only while there is none
//! ```
//!
//! While another line is there, one that is silent is not waited for: it is given up after a round trip and a little more. A line that is
//! given up is asked whether it is back as one is that is alone.

use super::events::Event;
use super::line::Line;
use super::liveness::{Act, Limits};
use super::outage::{Outage, Reason};
use super::wire::{self, Malformed};
use super::{Bearer, PathMetrics, Rate};
use arqway_contract::{Frame, LineId, LinkService, LinkState};
use arqway_units::{BitRate, Time};

impl<S: LinkService> Bearer<S> {
    /// How many lines there are, by number from 0 on.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lines.count()
    }

    /// What is known of the path of a line.
    #[must_use]
    pub fn path_of(&self, line: LineId) -> Option<PathMetrics> {
        let line = Some(self.lines.get(line)).filter(|found| found.id == line)?;
        Some(line.metrics())
    }

    /// Why nothing crosses a line.
    #[must_use]
    pub fn outage_of(&self, line: LineId) -> Outage {
        let line = self.lines.get(line);
        line.outage.with(Reason::Silence, !line.path.liveness.is_up())
    }

    /// A reason why nothing crosses a line holds from now on, or no longer. There is such a line from now on.
    pub fn set_line_outage(&mut self, line: LineId, reason: Reason, holds: bool, now: Time) {
        self.shared.last_input = now;
        if reason == Reason::Silence {
            return;
        }
        self.reach(line, now);
        let line = self.line(line);
        let was_away = !line.outage.is_over();
        line.outage = line.outage.with(reason, holds);
        if was_away && line.outage.is_over() {
            line.path.liveness.resume(now);
        }
        self.tell_services(now);
    }

    /// The datagrams of a line take another path from now on: what was measured of the one before does not hold.
    pub fn change_path_of(&mut self, line: LineId, now: Time) {
        self.shared.last_input = now;
        self.reach(line, now);
        let Self { shared, lines, .. } = self;
        lines.get_mut(line).forget(&shared.config, now);
        self.tell_capacity();
    }

    /// Datagrams leave by a line at another rate from now on. There is such a line from now on.
    pub fn set_rate_of(&mut self, line: LineId, rate: Rate, now: Time) {
        self.shared.last_input = now;
        self.reach(line, now);
        self.line(line).path.set_rate(rate, now);
        self.tell_capacity();
    }

    /// From now on frames go by a line only while no other is there, or as by any other. The peer is told. There is such a line from now on.
    pub fn spare(&mut self, line: LineId, is_spare: bool, now: Time) {
        self.shared.last_input = now;
        self.reach(line, now);
        if self.line(line).spared_here != is_spare {
            self.line(line).spare(is_spare);
            self.tell_use(line, now);
        }
    }

    /// The peer says whether a line is spare.
    pub(super) fn hear_use(&mut self, line: LineId, said: u8, now: Time) -> Result<(), Malformed> {
        let is_spare = match said {
            wire::USED => false,
            wire::SPARE => true,
            _ => return Err(Malformed),
        };
        if self.line(line).spared_by_peer != is_spare {
            self.line(line).spared_by_peer = is_spare;
            self.tell_use(line, now);
        }
        Ok(())
    }

    fn tell_use(&mut self, line: LineId, now: Time) {
        let Self { shared, lines, .. } = self;
        if lines.are_several() {
            shared.inner.handle_line(line, lines.get(line).state(), now);
            self.tell_capacity();
        }
    }

    /// There is a line of this number.
    pub(super) fn reach(&mut self, line: LineId, now: Time) {
        if line.index() < self.lines.count() {
            return;
        }
        let Self { shared, lines, .. } = self;
        lines.reach(line, |id| Line::new(id, &shared.config, &shared.context, now));
        lines.iter_mut().for_each(|line| line.path.stands_beside_others());
        self.tell_lines(now);
        self.tell_services(now);
    }

    /// Tells the services how fast the link is, and how long a round trip takes.
    pub(super) fn tell_capacity(&mut self) {
        let Self { shared, lines, .. } = self;
        if !lines.are_several() {
            if let Some(rate) = lines.first.path.capacity() {
                shared.inner.handle_capacity(rate, lines.first.path.round_trip());
            }
            return;
        }
        let now = shared.last_input;
        let fastest =
            lines.iter().filter(|line| line.is_up && !line.is_spare()).filter_map(|line| line.path.shown()).max();
        for line in lines.iter_mut() {
            line.compare(fastest.unwrap_or(BitRate::MINIMUM), now);
        }
        for line in lines.iter().filter(|line| line.is_up) {
            shared.inner.handle_line(line.id, line.state(), now);
        }
        let has_other = lines.iter().any(|line| line.is_up && !line.is_spare());
        let used = || lines.iter().filter(|line| line.is_up && !(has_other && line.is_spare()));
        let rates = used().filter(|line| line.slow.is_none()).filter_map(|line| line.path.capacity());
        let rate = BitRate::from_bits_per_second(rates.map(BitRate::as_bits_per_second).sum());
        let round_trips = used().filter_map(Line::bridged);
        if let Some((rate, round_trip)) = rate.zip(round_trips.max()) {
            shared.inner.handle_capacity(rate, round_trip);
        }
    }

    /// Tells the services, which are new, of all lines, where there are several.
    pub(super) fn tell_lines(&mut self, now: Time) {
        let Self { shared, lines, .. } = self;
        if lines.are_several() {
            lines.iter().for_each(|line| shared.inner.handle_line(line.id, line.state(), now));
        }
    }

    /// Tells the services whether frames cross the link, and which line, where that has changed.
    pub(super) fn tell_services(&mut self, now: Time) {
        let is_there = self.shared.outage.is_over() && self.shared.epoch.id().is_some();
        let is_up = is_there && self.lines.iter().any(Line::is_there);
        if is_up != self.shared.is_up {
            self.shared.is_up = is_up;
            let (state, event) = if is_up { (LinkState::Up, Event::Up) } else { (LinkState::Down, Event::Down) };
            if !is_up {
                self.shared.counters.outages += 1;
                for line in self.lines.iter_mut() {
                    line.path.mtu.pause();
                    line.path.interrupt();
                }
            }
            self.shared.tell(None, event);
            self.shared.inner.handle_link(state, now);
        }
        if !self.lines.are_several() {
            self.lines.first.is_up = is_up;
            return;
        }
        // What is under way while there is no line may still come: the last one is not given up, but waited for.
        if is_up {
            self.lines.ids().for_each(|line| self.tell_line(line, now));
        }
    }

    /// Tells the services of a line, where it has come or gone.
    fn tell_line(&mut self, line: LineId, now: Time) {
        let limits = self.limits_of(line);
        let Self { shared, lines, .. } = self;
        let found = lines.get_mut(line);
        if found.is_there() == found.is_up {
            return;
        }
        found.is_up = found.is_there();
        found.tell_use();
        // Who announces that a line goes down does so while what is on it still arrives.
        let is_closed = !found.is_up && found.outage == Outage::default().with(Reason::Announced, true);
        found.lost_at = (is_closed && found.path.sent.unanswered_since().is_some()).then(|| now + limits.limit);
        let mut others = alloc::collections::VecDeque::new();
        if !found.is_up {
            found.path.mtu.pause();
            found.path.interrupt();
            others = found.empty(&mut shared.inner, now);
        }
        shared.tell(Some(line), if found.is_up { Event::Up } else { Event::Down });
        shared.inner.handle_line(line, found.state(), now);
        if let Some(other) = lines.iter_mut().find(|line| line.is_there()) {
            others.into_iter().for_each(|frame: Frame| other.transit.packer.push(frame, now));
        }
        self.tell_capacity();
    }

    /// What was under way on a line that was closed has had its time.
    pub(super) fn lose_closed(&mut self, now: Time) {
        let Self { shared, lines, .. } = self;
        for line in lines.iter_mut() {
            if line.lost_at.take_if(|at| *at <= now).is_some() && !line.is_up {
                shared.inner.handle_line(line.id, line.state(), now);
            }
        }
    }

    /// Asks lines by which nothing has gone for long.
    pub(super) fn keep_open(&mut self, now: Time) {
        let Self { shared, lines, .. } = self;
        if lines.are_several() {
            for line in lines.iter_mut().filter(|line| line.kept_at(&shared.config).is_some_and(|at| at <= now)) {
                (line.transit.wants.ping, line.sent_at) = (true, now);
            }
        }
    }

    /// Asks silent lines, and gives them up. With one that goes, others are waited for longer.
    pub(super) fn mind_silence(&mut self, now: Time) {
        while let Some(line) = self.silent_line(now) {
            let limits = self.limits_of(line);
            let Line { path, transit, .. } = self.line(line);
            match path.liveness.act(path.sent.unanswered_since(), limits, now) {
                Some(Act::Ping) => transit.wants.ping = true,
                Some(Act::Down) => self.tell_services(now),
                None => return,
            }
        }
    }

    /// A line about whose silence something is to be done now.
    fn silent_line(&self, now: Time) -> Option<LineId> {
        let is_due = |line: &&Line| self.silence_ends(line).is_some_and(|deadline| deadline <= now);
        self.lines.iter().find(is_due).map(|line| line.id)
    }

    /// When something is to be done about the silence of a line.
    pub(super) fn silence_ends(&self, line: &Line) -> Option<Time> {
        let Line { path, outage, .. } = line;
        let deadline = path.liveness.deadline(path.sent.unanswered_since(), self.limits_of(line.id));
        deadline.filter(|_| outage.is_over())
    }

    /// After how much silence a line is asked and given up: sooner while there is another.
    pub(super) fn limits_of(&self, line: LineId) -> Limits {
        let has_other = self.lines.iter().any(|other| other.id != line && other.is_up);
        let path = &self.lines.get(line).path;
        if has_other { path.limits_beside() } else { path.limits() }
    }
}
