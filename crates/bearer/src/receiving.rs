//! A datagram taken apart.

use super::epoch::Heard;
use super::line::Line;
use super::wire::{self, Content, Hello, Item, Malformed, Name, Report};
use super::{Bearer, Event};
use arqway_contract::{Frame, LineId, LinkService};
use arqway_units::{Octets, Time};

impl<S: LinkService> Bearer<S> {
    /// A datagram arrives.
    pub(super) fn receive(&mut self, mut datagram: Frame, now: Time) {
        let line = datagram.line();
        self.reach(line, now);
        let size = datagram.size() + self.shared.config.overhead;
        self.line(line).received += size;
        if wire::is_hello(datagram.tag) {
            match Hello::read(datagram) {
                Some(hello) => self.hear(&hello, now),
                None => self.shared.counters.malformed_received += 1,
            }
            return;
        }
        let (size, is_marked) = (datagram.size(), datagram.met_congestion());
        let Some((content, name)) = wire::take_name(&mut datagram) else {
            self.shared.counters.malformed_received += 1;
            return;
        };
        let Some(number) = self.number(line, name, now) else {
            self.shared.counters.of_other_epochs += 1;
            return;
        };
        let frames_sent = self.shared.counters.frames_sent;
        if !self.line(line).path.received.arrive(number, size, frames_sent, now) {
            self.shared.counters.duplicates_received += 1;
            self.hear_again(line, content, datagram, now);
            return;
        }
        self.shared.counters.datagrams_received += 1;
        if is_marked {
            self.line(line).path.received.was_marked();
        }
        if self.take(line, content, datagram, size, now).is_err() {
            self.shared.counters.malformed_received += 1;
        }
    }

    /// A datagram that arrived before, or too late to tell. Questions and reports mean the same however often they come, and
    /// are heard: an end that took a number which its peer never wrote takes all that follows for late, and the peer learns
    /// by a report that it must number beyond that one.
    fn hear_again(&mut self, line: LineId, content: Content, datagram: Frame, now: Time) {
        match content {
            Content::Ping => self.wants_report(line, now),
            Content::Several => {
                let mut octets = wire::octets(datagram);
                while let Some(Ok(item)) = wire::take_item(&mut octets) {
                    if let Item::Report(report) = item {
                        self.hear_report(line, &report, now);
                    }
                }
            }
            _ => {}
        }
    }

    fn hear(&mut self, hello: &Hello, now: Time) {
        match self.shared.epoch.hear(hello, now) {
            Heard::Nothing => {}
            Heard::Peer => self.begin(false, now),
            Heard::Restarted => self.begin(true, now),
        }
    }

    /// The number of a datagram of this epoch. One of another epoch may come from long ago, or from a peer that has restarted.
    fn number(&mut self, line: LineId, name: Name, now: Time) -> Option<u64> {
        let lifetime = self.shared.config.datagram_lifetime;
        if self.shared.epoch.takes(name, lifetime, now) {
            return self.line(line).path.received.number(name);
        }
        if matches!(name, Name::Full { .. }) || self.shared.epoch.takes_short(lifetime, now) {
            self.shared.epoch.doubt(now);
        }
        None
    }

    fn take(
        &mut self,
        line: LineId,
        content: Content,
        mut datagram: Frame,
        size: Octets,
        now: Time,
    ) -> Result<(), Malformed> {
        match content {
            Content::One => {
                datagram.disclose().ok_or(Malformed)?;
                self.wants_report(line, now);
                self.line(line).path.received.had_frame();
                self.shared.inner.handle_frame(datagram.by(line), now);
            }
            Content::Several => {
                let mut octets = wire::octets(datagram);
                while let Some(item) = wire::take_item(&mut octets) {
                    match item? {
                        Item::Frame(frame) => {
                            self.wants_report(line, now);
                            self.line(line).path.received.had_frame();
                            self.shared.inner.handle_frame(frame.by(line), now);
                        }
                        Item::Report(report) => self.hear_report(line, &report, now),
                    }
                }
            }
            Content::Piece => {
                let frame = self.line(line).transit.assembler.take(datagram)?;
                self.wants_report(line, now);
                if let Some(frame) = frame {
                    self.shared.inner.handle_frame(frame.by(line), now);
                }
            }
            Content::Ping => {
                if let Some([said]) = datagram.take() {
                    self.hear_use(line, said, now)?;
                }
                let Line { path, transit, .. } = self.line(line);
                path.received.wants_report_now(now);
                // Alone and small where large datagrams may be lost for their size; else beside frames.
                transit.wants.report = path.mtu.is_in_doubt();
            }
            Content::Probe => {
                let said = datagram.take().map(u16::from_be_bytes).ok_or(Malformed)?;
                let is_whole = Octets::new(said.into()) == size;
                self.line(line).transit.wants.answer = is_whole.then_some(said);
                return if is_whole { Ok(()) } else { Err(Malformed) };
            }
            Content::Answer => {
                let arrived = datagram.take().map(u16::from_be_bytes).ok_or(Malformed)?;
                self.hear_size(line, arrived);
            }
        }
        Ok(())
    }

    fn wants_report(&mut self, line: LineId, now: Time) {
        let path = &mut self.line(line).path;
        if path.received.due().is_none() {
            path.received.wants_report(path.report_intervals(), now);
        }
    }

    fn hear_report(&mut self, line: LineId, report: &Report, now: Time) {
        let of = self.named(line);
        let Line { path, transit, .. } = self.line(line);
        let Some(news) = path.sent.report(report, now) else { return };
        transit.wants.short |= report.takes_short;
        path.lost.hear(news.newest, news.delivered);
        if let Some(round_trip) = news.round_trip {
            let frames = self.shared.counters.frames_sent;
            self.line(line).was_measured(frames, now);
            self.line(line).path.sample(round_trip);
            self.tell_capacity();
        }
        if self.line(line).path.follow(&news, now) {
            self.tell_capacity();
            if let Some(rate) = self.line(line).path.poll_change() {
                self.shared.tell(of, Event::Rate(rate));
            }
        }
        if let Some(change) = self.line(line).path.judge(&news, now) {
            match self.line(line).path.slowed_from() {
                Some(_) if change.is_news => self.shared.tell(of, Event::Slowed(change.pace)),
                Some(_) => {}
                None => self.shared.tell(of, Event::Restored),
            }
            self.tell_capacity();
        }
        if let Some(carries) = self.line(line).path.fall_short(&news, now) {
            self.shared.tell(of, Event::RateTooHigh(carries));
        }
        if self.line(line).path.liveness.answered(now) {
            self.tell_services(now);
        }
        if report.largest > 0 {
            self.hear_size(line, report.largest);
        }
    }

    /// A datagram of this size has arrived at the peer.
    fn hear_size(&mut self, line: LineId, size: u16) {
        let path = &mut self.line(line).path;
        path.mtu.arrived(path.with_overhead(Octets::new(size.into())));
        self.tell_mtu(line);
    }
}
