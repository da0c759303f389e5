//! Questions about paths that wait for their answers: each is asked again while none comes, since it may be lost as any packet.

use super::RunningTunnel;
use crate::control::{self, PathStatus, line_of_json};
use crate::hub::{PathAnswer, PathEnd};
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
struct Question {
    number: u64,
    to: PathEnd,
    answer: Sender<String>,
    /// When it is asked again, or given up.
    next: Time,
    left: u32,
}

/// Those that wait.
#[derive(Debug, Default)]
pub(super) struct Questions(Vec<Question>);

impl Questions {
    fn has_room(&self) -> bool {
        self.0.len() < MOST
    }

    /// One has been asked for the first time.
    fn add(&mut self, number: u64, to: PathEnd, answer: Sender<String>, now: Time) {
        self.0.push(Question { number, to, answer, next: now + AGAIN, left: TIMES - 1 });
    }

    /// An answer has come. Whoever has gone meanwhile misses nothing.
    fn tell(&mut self, answer: &PathAnswer) {
        if let Some(at) = self.0.iter().position(|question| question.number == answer.number) {
            drop(self.0.swap_remove(at).answer.send(line_of_json(&PathStatus::new(answer))));
        }
    }

    /// Asks again those that have waited for long enough, and tells of each that has been asked often enough, or cannot be, that no answer has come.
    fn ask_again(&mut self, now: Time, mut ask: impl FnMut(u64, PathEnd) -> bool) {
        self.0.retain_mut(|question| {
            if question.next > now {
                return true;
            }
            let goes_on = question.left > 0 && ask(question.number, question.to);
            if goes_on {
                (question.next, question.left) = (now + AGAIN, question.left - 1);
            } else {
                let whom = match question.to {
                    PathEnd::Address(to) => {
                        format!("{to}: expected an address of a tunnel of Arqway at the end of the path")
                    }
                    PathEnd::Peer(_) => "the peer: is the link up, and the peer of this version?".to_owned(),
                };
                drop(
                    question
                        .answer
                        .send(control::error(&format!("no answer in {} s from {whom}", TIMES - question.left))),
                );
            }
            goes_on
        });
    }

    /// When one is to be asked again.
    pub(super) fn next(&self) -> Option<Time> {
        self.0.iter().map(|question| question.next).min()
    }
}

impl RunningTunnel {
    /// Asks what a path does; the answer is told when there is one.
    pub(super) fn ask_path(&mut self, to: Option<IpAddr>, peer: Option<&str>, answer: Sender<String>, now: Time) {
        let refuse = |why: &str| drop(answer.send(control::error(why)));
        if !self.questions.has_room() {
            return refuse("too many ask about paths at once; try again");
        }
        let to = match to.map_or_else(|| self.only_peer(peer).map(PathEnd::Peer), |to| Ok(PathEnd::Address(to))) {
            Ok(to) => to,
            Err(why) => return refuse(&why),
        };
        let number = self.hub.new_question();
        match self.hub.ask_path(number, to, now) {
            Ok(()) => self.questions.add(number, to, answer, now),
            Err(error) => refuse(&error.to_string()),
        }
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
        while let Some(answer) = self.hub.poll_path_answer() {
            self.questions.tell(&answer);
        }
    }

    /// Asks again where no answer has come.
    pub(super) fn ask_paths_again(&mut self, now: Time) {
        let Self { hub, questions, .. } = self;
        questions.ask_again(now, |number, to| hub.ask_path(number, to, now).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    const HOME: PathEnd = PathEnd::Address(IpAddr::V4(std::net::Ipv4Addr::new(10, 9, 0, 3)));

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    #[test]
    fn a_question_is_asked_again_each_second_until_its_answer_comes() {
        let (mut questions, (answer, answered)) = (Questions::default(), channel());
        questions.add(7, HOME, answer, at(0));
        let mut asked = Vec::new();
        for time in (0..=2500).step_by(100) {
            questions.ask_again(at(time), |number, to| {
                asked.push((time, number, to));
                true
            });
        }
        assert_eq!((asked, questions.next()), (vec![(1000, 7, HOME), (2000, 7, HOME)], Some(at(3000))));
        let answer = |number| PathAnswer { number, there: Vec::new(), back: Vec::new() };
        questions.tell(&answer(8));
        assert!(answered.try_recv().is_err(), "of another question");
        questions.tell(&answer(7));
        assert_eq!(answered.try_recv().as_deref(), Ok("{\"there\":[],\"back\":[]}\n"));
        assert_eq!(questions.next(), None);
    }

    #[test]
    fn after_five_times_or_where_it_cannot_be_asked_any_more_it_is_said_that_no_answer_has_come() {
        for (can_be_asked, given_up_at) in [(true, 5000), (false, 1000)] {
            let (mut questions, (answer, answered)) = (Questions::default(), channel());
            questions.add(7, HOME, answer, at(0));
            for time in (0..given_up_at).step_by(1000) {
                questions.ask_again(at(time), |_, _| can_be_asked);
                assert!(answered.try_recv().is_err(), "{time}");
            }
            questions.ask_again(at(given_up_at), |_, _| can_be_asked);
            let told = answered.try_recv().expect("an error");
            let seconds = given_up_at / 1000;
            let expected = format!("no answer in {seconds} s from 10.9.0.3: expected an address of a tunnel");
            assert!(told.contains(&expected), "{told}");
            assert_eq!(questions.next(), None);
        }
    }

    #[test]
    fn so_many_wait_at_once() {
        let (mut questions, (answer, _answered)) = (Questions::default(), channel());
        for number in 0..16 {
            assert!(questions.has_room());
            questions.add(number, HOME, answer.clone(), at(0));
        }
        assert!(!questions.has_room());
    }
}
