//! Questions about paths that wait for their answers: each is asked again while none comes, since it may be lost as any packet.

use super::RunningTunnel;
use crate::control::{self, PathStatus, line_of_json};
use crate::hub::PathEnd;
use arqway_session::PeerId;
use arqway_units::{Span, Time};
use std::net::IpAddr;
use std::sync::mpsc::Sender;

/// How long it is until a question is asked again.
const AGAIN: Span = Span::from_milliseconds(1000);
/// So often it is asked.
const TIMES: u32 = 5;
/// So many wait at once.
const MOST: usize = 16;

/// A question that waits.
#[derive(Debug)]
pub(super) struct Question {
    number: u64,
    to: PathEnd,
    answer: Sender<String>,
    /// When it is asked again, or given up.
    next: Time,
    left: u32,
}

impl RunningTunnel {
    /// Asks what a path does; the answer is told when there is one.
    pub(super) fn ask_path(&mut self, to: Option<IpAddr>, peer: Option<&str>, answer: Sender<String>, now: Time) {
        let refuse = |why: &str| drop(answer.send(control::error(why)));
        if self.questions.len() >= MOST {
            return refuse("too many ask about paths at once; try again");
        }
        let to = match to.map_or_else(|| self.only_peer(peer).map(PathEnd::Peer), |to| Ok(PathEnd::Address(to))) {
            Ok(to) => to,
            Err(why) => return refuse(&why),
        };
        let number = self.hub.new_question();
        if let Err(error) = self.hub.ask_path(number, to, now) {
            return refuse(&error.to_string());
        }
        self.questions.push(Question { number, to, answer, next: now + AGAIN, left: TIMES - 1 });
    }

    /// The peer of this name, or the only one.
    fn only_peer(&self, name: Option<&str>) -> Result<PeerId, String> {
        let names = || self.journal.peers().map(|(_, name)| name).collect::<Vec<_>>().join(", ");
        let mut meant = self.journal.peers().filter(|(_, known)| name.is_none_or(|name| name == *known));
        match (meant.next(), meant.next()) {
            (Some((peer, _)), None) => Ok(peer),
            (None, _) => Err(format!("it has no peer `{}`; its peers are {}", name.unwrap_or_default(), names())),
            (Some(_), Some(_)) => Err(format!("it has several peers; say to which, or an address: {}", names())),
        }
    }

    /// Tells answers that have come.
    pub(super) fn tell_paths(&mut self) {
        let Self { hub, questions, .. } = self;
        while let Some(answer) = hub.poll_path_answer() {
            if let Some(at) = questions.iter().position(|question| question.number == answer.number) {
                drop(questions.swap_remove(at).answer.send(line_of_json(&PathStatus::new(&answer))));
            }
        }
    }

    /// Asks again where no answer has come.
    pub(super) fn ask_paths_again(&mut self, now: Time) {
        let Self { hub, questions, .. } = self;
        questions.retain_mut(|question| {
            if question.next > now {
                return true;
            }
            let goes_on = question.left > 0;
            if goes_on {
                (question.next, question.left) = (now + AGAIN, question.left - 1);
            }
            // What could be asked before can be now.
            if !goes_on || hub.ask_path(question.number, question.to, now).is_err() {
                let whom = match question.to {
                    PathEnd::Address(to) => {
                        format!("{to}: expected an address of a tunnel of Arqway at the end of the path")
                    }
                    PathEnd::Peer(_) => "the peer: is the link up, and the peer of this version?".to_owned(),
                };
                drop(question.answer.send(control::error(&format!("no answer in {TIMES} s from {whom}"))));
            }
            goes_on
        });
    }

    /// When a question is to be asked again.
    pub(super) fn next_question(&self) -> Option<Time> {
        self.questions.iter().map(|question| question.next).min()
    }
}
