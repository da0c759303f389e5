//! A datagram taken apart.

use super::epoch::Heard;
use super::wire::{self, Content, Hello, Item, Malformed, Name, Report};
use super::{Bearer, Event};
use arqway_contract::{Frame, LinkService};
use arqway_units::{Octets, Time};

impl<S: LinkService> Bearer<S> {
    /// A datagram arrives.
    pub(super) fn receive(&mut self, mut datagram: Frame, now: Time) {
        if wire::is_hello(datagram.tag) {
            match Hello::read(datagram) {
                Some(hello) => self.hear(&hello, now),
                None => self.counters.malformed_received += 1,
            }
            return;
        }
        let (size, is_marked) = (datagram.size(), datagram.met_congestion());
        let Some((content, name)) = wire::take_name(&mut datagram) else {
            self.counters.malformed_received += 1;
            return;
        };
        let Some(number) = self.number(name, now) else {
            self.counters.of_other_epochs += 1;
            return;
        };
        if !self.path.received.arrive(number, size, self.counters.frames_sent, now) {
            self.counters.duplicates_received += 1;
            self.hear_again(content, datagram, now);
            return;
        }
        self.counters.datagrams_received += 1;
        if is_marked {
            self.path.received.was_marked();
        }
        if self.take(content, datagram, size, now).is_err() {
            self.counters.malformed_received += 1;
        }
    }

    /// A datagram that arrived before, or too late to tell. Questions and reports mean the same however often they come, and
    /// are heard: an end that took a number which its peer never wrote takes all that follows for late, and the peer learns
    /// by a report that it must number beyond that one.
    fn hear_again(&mut self, content: Content, datagram: Frame, now: Time) {
        match content {
            Content::Ping => self.wants_report(now),
            Content::Several => {
                let mut octets = wire::octets(datagram);
                while let Some(Ok(item)) = wire::take_item(&mut octets) {
                    if let Item::Report(report) = item {
                        self.hear_report(&report, now);
                    }
                }
            }
            _ => {}
        }
    }

    fn hear(&mut self, hello: &Hello, now: Time) {
        match self.epoch.hear(hello, now) {
            Heard::Nothing => {}
            Heard::Peer => self.begin(false, now),
            Heard::Restarted => self.begin(true, now),
        }
    }

    /// The number of a datagram of this epoch. One of another epoch may come from long ago, or from a peer that has restarted.
    fn number(&mut self, name: Name, now: Time) -> Option<u64> {
        let lifetime = self.config.datagram_lifetime;
        if self.epoch.takes(name, lifetime, now) {
            return self.path.received.number(name);
        }
        if matches!(name, Name::Full { .. }) || self.epoch.takes_short(lifetime, now) {
            self.epoch.doubt(now);
        }
        None
    }

    fn take(&mut self, content: Content, mut datagram: Frame, size: Octets, now: Time) -> Result<(), Malformed> {
        match content {
            Content::One => {
                datagram.disclose().ok_or(Malformed)?;
                self.wants_report(now);
                self.path.received.had_frame();
                self.inner.handle_frame(datagram, now);
            }
            Content::Several => {
                let mut octets = wire::octets(datagram);
                while let Some(item) = wire::take_item(&mut octets) {
                    match item? {
                        Item::Frame(frame) => {
                            self.wants_report(now);
                            self.path.received.had_frame();
                            self.inner.handle_frame(frame, now);
                        }
                        Item::Report(report) => self.hear_report(&report, now),
                    }
                }
            }
            Content::Piece => {
                let frame = self.transit.assembler.take(datagram)?;
                self.wants_report(now);
                if let Some(frame) = frame {
                    self.inner.handle_frame(frame, now);
                }
            }
            Content::Ping => {
                self.path.received.wants_report_now(now);
                // Alone and small where large datagrams may be lost for their size; else beside frames.
                self.transit.wants.report = self.path.mtu.is_in_doubt();
            }
            Content::Probe => {
                let said = datagram.take().map(u16::from_be_bytes).ok_or(Malformed)?;
                let is_whole = Octets::new(said.into()) == size;
                self.transit.wants.answer = is_whole.then_some(said);
                return if is_whole { Ok(()) } else { Err(Malformed) };
            }
            Content::Answer => {
                let arrived = datagram.take().map(u16::from_be_bytes).ok_or(Malformed)?;
                self.hear_size(arrived);
            }
        }
        Ok(())
    }

    fn wants_report(&mut self, now: Time) {
        if self.path.received.due().is_none() {
            self.path.received.wants_report(self.path.report_intervals(), now);
        }
    }

    fn hear_report(&mut self, report: &Report, now: Time) {
        let Some(news) = self.path.sent.report(report, now) else { return };
        self.transit.wants.short |= report.takes_short;
        if let Some(round_trip) = news.round_trip {
            self.path.sample(round_trip);
            self.tell_capacity();
        }
        if self.path.follow(&news, now) {
            self.tell_capacity();
            if let Some(rate) = self.path.poll_change() {
                self.events.push(Event::Rate(rate));
            }
        }
        if let Some(change) = self.path.judge(&news, now) {
            match self.path.slowed_from() {
                Some(_) if change.is_news => self.events.push(Event::Slowed(change.pace)),
                Some(_) => {}
                None => self.events.push(Event::Restored),
            }
            self.tell_capacity();
        }
        if let Some(carries) = self.path.fall_short(&news, now) {
            self.events.push(Event::RateTooHigh(carries));
        }
        if self.path.liveness.answered(now) {
            self.tell_services(now);
        }
        if report.largest > 0 {
            self.hear_size(report.largest);
        }
    }

    /// A datagram of this size has arrived at the peer.
    fn hear_size(&mut self, size: u16) {
        let size = self.path.with_overhead(Octets::new(size.into()));
        self.path.mtu.arrived(size);
        self.tell_mtu();
    }
}
