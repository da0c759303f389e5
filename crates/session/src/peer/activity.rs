//! Who was heard and who was answered: what keepalives and the search for a dead peer go by.

use crate::config::Config;
use arqway_units::Time;

/// When something last went to and came from a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Activity {
    sent: Option<Time>,
    heard: Option<Time>,
    /// The first packet that was sent since the peer was heard.
    unanswered: Option<Time>,
    /// Since when it is waited for the peer, before it is asked (again) whether it is there.
    silent: Option<Time>,
    /// A packet came, and nothing was sent since.
    answer_by: Option<Time>,
}

impl Activity {
    /// A datagram leaves, with a packet or without.
    pub(crate) fn sent(&mut self, is_packet: bool, now: Time) {
        self.sent = Some(now);
        self.answer_by = None;
        if is_packet {
            self.unanswered.get_or_insert(now);
            self.silent.get_or_insert(now);
        }
    }

    /// A genuine datagram has come, with a packet or without.
    pub(crate) fn heard(&mut self, is_packet: bool, config: &Config, now: Time) {
        self.heard = Some(now);
        (self.unanswered, self.silent) = (None, None);
        if is_packet {
            self.answer_by.get_or_insert(now + config.answer_within.get());
        }
    }

    /// When the peer was last heard.
    pub(crate) fn heard_at(&self) -> Option<Time> {
        self.heard
    }

    /// When the first packet was sent that the peer has not answered.
    pub(crate) fn unanswered_since(&self) -> Option<Time> {
        self.unanswered
    }

    /// Whether the peer waits for a sign of life. It is asked once.
    pub(crate) fn take_answer(&mut self, now: Time) -> bool {
        self.answer_by.take_if(|by| *by <= now).is_some()
    }

    /// Whether the peer has been silent for too long. Once in each such time.
    pub(crate) fn take_silence(&mut self, config: &Config, now: Time) -> bool {
        self.silent
            .take_if(|since| now.since(*since) >= config.silence.get())
            .map(|_| self.silent = Some(now))
            .is_some()
    }

    /// When the way through a NAT has to be held open.
    pub(crate) fn keepalive_at(&self, config: &Config) -> Time {
        self.sent.map_or(Time::ZERO, |sent| sent + config.keepalive.get())
    }

    /// The peer is not asked any more, until there is another packet for it.
    pub(crate) fn give_up(&mut self) {
        self.silent = None;
    }

    /// When the next of these is due.
    pub(crate) fn deadline(&self, config: &Config) -> Option<Time> {
        let silent = self.silent.map(|since| since + config.silence.get());
        [self.answer_by, silent].into_iter().flatten().min()
    }
}
