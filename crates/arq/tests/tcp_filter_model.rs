//! Every course that a small world can take, looked at: TCP over a link that sends again what it loses and puts nothing in
//! order, with the filter as it is.
//!
//! ```text
//!     TCP's sender -> sent -> forward, frame by frame -------------> the wired part -> TCP's receiver
//!                     filter                                                            |
//!     TCP's sender <- next <- backward: requests, acknowledgements <------------------- +
//! ```
//!
//! Any frame may be lost on the link, which sends it again: when the next one arrives and it is asked for, or when there is no
//! next one. Any packet may be lost behind the link, both ways. Only so many are lost in all, so TCP must come to its end.

use arqway_arq::Unordered;
use arqway_arq::tcp_filter::TcpFilter;
use arqway_contract::Counters;
use bytes::Bytes;
use etherparse::{PacketBuilder, TcpHeaderSlice};
use stateright::{Checker, Model, Property};
use std::collections::VecDeque;

/// Octets in a segment.
const LENGTH: u32 = 100;

/// All numbers begin so that they wrap on the way.
const START: u32 = 0u32.wrapping_sub(250);

fn wire(segment: u8) -> u32 {
    START.wrapping_add(u32::from(segment) * LENGTH)
}

/// A segment with data, of the connection of this number.
fn data(flow: u8, segment: u8) -> Bytes {
    let mut octets = Vec::new();
    let packet =
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(80, 1000 + u16::from(flow), wire(segment), 5000);
    packet.ack(1).write(&mut octets, &[0; LENGTH as usize]).expect("memory");
    octets.into()
}

/// An acknowledgement of all segments before this one.
fn acknowledgement(flow: u8, segment: u8) -> Bytes {
    let mut octets = Vec::new();
    let packet = PacketBuilder::ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).tcp(1000 + u16::from(flow), 80, 1, 5000);
    packet.ack(wire(segment)).write(&mut octets, &[]).expect("memory");
    octets.into()
}

/// The world, and what a mutation leaves out of it.
#[derive(Debug, Clone)]
struct Small {
    flows: usize,
    segments: u8,
    losses: u8,
    /// How often TCP's timer may expire while something is still under way.
    early_timeouts: u8,
    regenerates: bool,
    /// Whether the filter is told what is sent again.
    tells_what_is_sent_again: bool,
    /// Whether it is told what is sent for the first time.
    tells_what_is_sent: bool,
}

const SMALL: Small = Small {
    flows: 1,
    segments: 6,
    losses: 2,
    early_timeouts: 0,
    regenerates: false,
    tells_what_is_sent_again: true,
    tells_what_is_sent: true,
};

/// TCP's sender: NewReno (RFC 6582), with a window that is open from the beginning.
#[derive(Debug, Clone, PartialEq, Hash, Default)]
struct Sender {
    unacknowledged: u8,
    next: u8,
    window: u8,
    duplicates: u8,
    recovers_up_to: u8,
    fast_retransmissions: u8,
    timeouts: u8,
}

/// A segment of a connection, in a frame or behind the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Piece {
    flow: u8,
    number: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Backward {
    /// The link asks for a frame again.
    Request(Piece),
    /// TCP has all before this.
    Acknowledgement(Piece),
}

#[derive(Debug, Clone, PartialEq, Hash)]
struct State {
    senders: Vec<Sender>,
    /// Of each connection, a bit for each segment that has arrived.
    received: Vec<u8>,
    forward: VecDeque<Piece>,
    /// Lost on the link and not yet asked for.
    lost: Vec<Piece>,
    backward: VecDeque<Backward>,
    /// Acknowledgements that the link has lost and will send again.
    lost_backward: Vec<Piece>,
    lost_on_link: u8,
    lost_behind: u8,
    withheld: bool,
    filter: TcpFilter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Nowhere,
    OnLink,
    Behind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Action {
    /// The first frame reaches the other end of the link, unless it is lost somewhere.
    Forward(Place),
    Backward(Place),
    /// The link's own timers.
    SendAgain(usize),
    SendAcknowledgementAgain(usize),
    /// TCP's.
    Timeout(usize),
}

impl Small {
    fn transmit(&self, state: &mut State, piece: Piece) {
        if self.tells_what_is_sent {
            state.filter.sent(&data(piece.flow, piece.number));
        }
        state.forward.push_back(piece);
    }

    fn transmit_again(&self, state: &mut State, piece: Piece) {
        if self.tells_what_is_sent_again {
            state.filter.retransmitted(&data(piece.flow, piece.number));
        }
        state.forward.push_back(piece);
    }

    /// Sends what the window allows.
    fn send(&self, state: &mut State, flow: usize) {
        let Sender { unacknowledged, window, .. } = state.senders[flow];
        while state.senders[flow].next < self.segments.min(unacknowledged + window) {
            let number = state.senders[flow].next;
            state.senders[flow].next += 1;
            self.transmit(state, Piece { flow: flow as u8, number });
        }
    }

    /// A segment comes out of the link.
    fn arrive(&self, state: &mut State, piece: Piece, is_lost_behind: bool) {
        for missing in std::mem::take(&mut state.lost) {
            state.backward.push_back(Backward::Request(missing));
        }
        if !is_lost_behind {
            let received = &mut state.received[usize::from(piece.flow)];
            *received |= 1 << piece.number;
            let number = received.trailing_ones() as u8;
            state.backward.push_back(Backward::Acknowledgement(Piece { number, ..piece }));
        }
    }

    /// An acknowledgement comes out of the link.
    fn come_back(&self, state: &mut State, piece: Piece, is_lost_behind: bool) {
        let mut received = Some(acknowledgement(piece.flow, piece.number));
        let mut counters = Counters::default();
        while let Some(packet) = state.filter.next(|| received.take(), &mut counters) {
            let tcp = TcpHeaderSlice::from_slice(&packet[20..]).expect("a segment");
            let number = tcp.acknowledgment_number().wrapping_sub(START) / LENGTH;
            if !is_lost_behind {
                self.acknowledge(state, usize::from(piece.flow), number as u8);
            }
        }
        state.withheld |= counters.acknowledgements_withheld > 0;
    }

    fn acknowledge(&self, state: &mut State, flow: usize, number: u8) {
        let sender = &mut state.senders[flow];
        let mut again = None;
        if number > sender.unacknowledged {
            sender.window = (sender.window + number - sender.unacknowledged).min(self.segments);
            sender.unacknowledged = number;
            sender.next = sender.next.max(number);
            sender.duplicates = 0;
            // A partial acknowledgement (RFC 6582 §3.2).
            again = (number < sender.recovers_up_to && sender.fast_retransmissions > 0).then_some(number);
        } else if number == sender.unacknowledged && number < sender.next {
            sender.duplicates += 1;
            if sender.duplicates == 3 && number >= sender.recovers_up_to {
                sender.recovers_up_to = sender.next;
                sender.fast_retransmissions += 1;
                again = Some(number);
            }
        }
        if let Some(number) = again {
            self.transmit(state, Piece { flow: flow as u8, number });
        }
        self.send(state, flow);
    }

    fn time_out(&self, state: &mut State, flow: usize) {
        let sender = &mut state.senders[flow];
        sender.timeouts += 1;
        (sender.window, sender.duplicates) = (1, 0);
        sender.recovers_up_to = sender.recovers_up_to.max(sender.next);
        sender.next = sender.unacknowledged;
        self.send(state, flow);
    }
}

impl State {
    /// Nothing is under way any more, nor will the link send anything again.
    fn is_quiet(&self) -> bool {
        self.forward.is_empty() && self.backward.is_empty() && self.lost.is_empty() && self.lost_backward.is_empty()
    }

    fn lose(&mut self, place: Place) {
        match place {
            Place::Nowhere => {}
            Place::OnLink => self.lost_on_link += 1,
            Place::Behind => self.lost_behind += 1,
        }
    }
}

impl Model for Small {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let settings = Unordered { regenerate_acknowledgements: self.regenerates, ..Unordered::default() };
        let mut state = State {
            senders: vec![Sender { window: self.segments, ..Sender::default() }; self.flows],
            received: vec![0; self.flows],
            forward: VecDeque::new(),
            lost: Vec::new(),
            backward: VecDeque::new(),
            lost_backward: Vec::new(),
            lost_on_link: 0,
            lost_behind: 0,
            withheld: false,
            filter: TcpFilter::new(&settings),
        };
        // All connections at once, a segment of each in turn.
        for number in 0..self.segments {
            for flow in 0..self.flows {
                state.senders[flow].next = number + 1;
                self.transmit(&mut state, Piece { flow: flow as u8, number });
            }
        }
        vec![state]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let mut places = vec![Place::Nowhere];
        if state.lost_on_link + state.lost_behind < self.losses {
            places.extend([Place::OnLink, Place::Behind]);
        }
        if !state.forward.is_empty() {
            actions.extend(places.iter().map(|place| Action::Forward(*place)));
        }
        match state.backward.front() {
            // Its loss would only make the link wait, as if the frame had been lost behind all others.
            Some(Backward::Request(_)) => actions.push(Action::Backward(Place::Nowhere)),
            Some(Backward::Acknowledgement(_)) => actions.extend(places.iter().map(|place| Action::Backward(*place))),
            None => {}
        }
        if state.forward.is_empty() {
            actions.extend((0..state.lost.len()).map(Action::SendAgain));
        }
        actions.extend((0..state.lost_backward.len()).map(Action::SendAcknowledgementAgain));
        let unfinished = |flow: &usize| state.senders[*flow].unacknowledged < self.segments;
        // One that would wait for ever has been found out by then.
        let is_early = |flow: &usize| state.senders[*flow].timeouts < self.early_timeouts;
        let is_due =
            |flow: &usize| state.is_quiet() && state.senders[*flow].timeouts <= self.losses + self.early_timeouts;
        let may = |flow: &usize| unfinished(flow) && (is_due(flow) || is_early(flow));
        actions.extend((0..self.flows).filter(may).map(Action::Timeout));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Forward(place) => {
                let piece = state.forward.pop_front()?;
                state.lose(place);
                match place {
                    Place::OnLink => state.lost.push(piece),
                    Place::Nowhere | Place::Behind => self.arrive(&mut state, piece, place == Place::Behind),
                }
            }
            Action::Backward(place) => {
                let backward = state.backward.pop_front()?;
                state.lose(place);
                match (backward, place) {
                    (Backward::Request(piece), _) => self.transmit_again(&mut state, piece),
                    (Backward::Acknowledgement(piece), Place::OnLink) => state.lost_backward.push(piece),
                    (Backward::Acknowledgement(piece), _) => self.come_back(&mut state, piece, place == Place::Behind),
                }
            }
            Action::SendAgain(index) => {
                let piece = state.lost.remove(index);
                self.transmit_again(&mut state, piece);
            }
            Action::SendAcknowledgementAgain(index) => {
                let piece = state.lost_backward.remove(index);
                state.backward.push_back(Backward::Acknowledgement(piece));
            }
            Action::Timeout(flow) => self.time_out(&mut state, flow),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            // As a timeout comes whenever TCP would wait for ever, this is that every connection completes, and soon.
            Property::always(
                "TCP waits for no more timeouts than packets were lost behind the link",
                |small: &Self, state: &State| {
                    let most = state.lost_behind + small.early_timeouts;
                    state.senders.iter().all(|sender| sender.timeouts <= most)
                },
            ),
            Property::always("what the link lost makes TCP send nothing again", |small: &Self, state: &State| {
                state.lost_behind + small.early_timeouts > 0
                    || state.senders.iter().all(|sender| sender.fast_retransmissions == 0)
            }),
            Property::always("without a loss on the link every acknowledgement passes", |_, state: &State| {
                state.lost_on_link > 0 || !state.withheld
            }),
            Property::sometimes(
                "a loss behind the link makes TCP send again at once",
                |small: &Self, state: &State| {
                    small.segments < 4 || state.senders.iter().any(|sender| sender.fast_retransmissions > 0)
                },
            ),
            Property::sometimes("all losses there may be, and all completes", |small: &Self, state: &State| {
                state.lost_on_link == small.losses
                    && state.senders.iter().all(|sender| sender.unacknowledged == small.segments)
            }),
        ]
    }
}

/// The properties that do not hold, and how many states were looked at.
fn failing(small: Small) -> (Vec<&'static str>, usize) {
    let checker = small.checker().threads(2).spawn_bfs().join();
    assert!(checker.is_done());
    let properties = checker.model().properties();
    let discovered = checker.discoveries();
    let fails = |property: &&Property<Small>| {
        let is_promise = matches!(property.expectation, stateright::Expectation::Always);
        discovered.contains_key(property.name) == is_promise
    };
    (properties.iter().filter(fails).map(|property| property.name).collect(), checker.unique_state_count())
}

#[test]
fn one_connection_survives_any_three_losses_and_tcp_sends_nothing_again_for_the_links() {
    let (failing, states) = failing(Small { losses: 3, ..SMALL });
    assert_eq!((failing, states > 20_000), (Vec::new(), true), "{states} states");
}

#[test]
fn two_connections_survive_any_two_losses() {
    let (failing, states) = failing(Small { flows: 2, segments: 5, ..SMALL });
    assert_eq!((failing, states > 20_000), (Vec::new(), true), "{states} states");
}

#[test]
fn losses_under_tcps_own_early_timeouts_are_survived() {
    let (failing, states) = failing(Small { segments: 4, losses: 3, early_timeouts: 1, ..SMALL });
    assert_eq!((failing, states > 20_000), (Vec::new(), true), "{states} states");
}

#[test]
fn acknowledgements_that_are_made_here_change_none_of_it() {
    let (failing, states) = failing(Small { losses: 3, regenerates: true, ..SMALL });
    assert_eq!((failing, states > 20_000), (Vec::new(), true), "{states} states");
}

#[test]
fn the_model_finds_out_a_filter_that_does_not_know_what_was_sent_again() {
    let (failing, _) = failing(Small { tells_what_is_sent_again: false, ..SMALL });
    assert_eq!(failing, ["what the link lost makes TCP send nothing again"]);
}

#[test]
fn the_model_finds_out_a_filter_that_does_not_know_that_tcp_sends_again_what_was_acknowledged() {
    let (failing, _) = failing(Small { tells_what_is_sent: false, segments: 4, losses: 3, ..SMALL });
    assert_eq!(failing, ["TCP waits for no more timeouts than packets were lost behind the link"]);
}
