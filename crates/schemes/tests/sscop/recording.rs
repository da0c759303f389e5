//! A recorded exchange, as its file has it.

use arqway_arq::Resequencing;
use arqway_schemes::sscop::connection::{Lengths, Parameters};
use arqway_units::{Span, Time};
use std::collections::BTreeMap;

pub(crate) struct Recording {
    pub(crate) parameters: Parameters,
    /// VT(S), VT(A), VT(MS), VR(R), VR(H), VR(MR) of each entity at the end.
    pub(crate) last: BTreeMap<char, Vec<u64>>,
    pub(crate) events: Vec<Event>,
}

pub(crate) struct Event {
    pub(crate) at: Time,
    pub(crate) entity: char,
    pub(crate) goes_in: bool,
    /// Without the mark of what was lost: it went out all the same.
    pub(crate) what: String,
}

impl Recording {
    pub(crate) fn read(text: &str) -> Self {
        let (mut settings, mut last, mut events) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[0] {
                "mr" => settings.extend(words.chunks(2).map(|pair| (pair[0], number(pair[1])))),
                "timers-ms" => settings.extend(words[1..].chunks(2).map(|pair| (pair[0], number(pair[1])))),
                "final" => {
                    let values = words[2..].iter().map(|word| number(word.split_once('=').expect("name=value").1));
                    last.insert(entity(words[1]), values.collect());
                }
                at => events.push(Event {
                    at: Time::ZERO + Span::from_nanoseconds(1000 * number(at)),
                    entity: entity(words[1]),
                    goes_in: words[2] == "in",
                    what: words[3..].join(" ").trim_end_matches(" lost").to_string(),
                }),
            }
        }
        Self { parameters: parameters(&settings), last, events }
    }
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or_else(|_| panic!("no number: {word}"))
}

fn entity(word: &str) -> char {
    word.chars().next().expect("A or B")
}

fn parameters(settings: &BTreeMap<&str, u64>) -> Parameters {
    let count = |name| settings[name];
    let timer = |name| Span::from_milliseconds(settings[name]);
    Parameters {
        timers: Lengths {
            cc: timer("cc"),
            poll: timer("poll"),
            keep_alive: timer("keep-alive"),
            no_response: timer("no-response"),
            idle: timer("idle"),
        },
        max_cc: u16::try_from(count("max-cc")).expect("a small number"),
        max_pd: u32::try_from(count("max-pd")).expect("a small number"),
        max_stat: u16::try_from(count("max-stat")).expect("a small number"),
        credit: u32::try_from(count("mr")).expect("a small number"),
        clear_buffers: true,
        // That implementation does not poll after the last PDU that is sent again, and sets S with user data.
        poll_after_retransmission: false,
        end_sets_s_bit: true,
        resequencing: Resequencing::Full,
    }
}
