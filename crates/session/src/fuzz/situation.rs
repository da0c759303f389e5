//! How long it takes until packets cross once the way is open: that depends on what the two ends still have of each other.

use super::world::{PACKET_EACH, SLOWEST, World};
use crate::peer::sending::MOST_INITIATION;
use arqway_units::{Span, Time};

/// A round trip while the way is open.
pub(crate) const ROUND_TRIP: Span = Span::from_nanoseconds(2 * SLOWEST.as_nanoseconds() / 10);
/// The longest wait between two first messages, and the one before the next place where a peer may be, of which there are three.
const LONGEST_WAIT: Span = Span::from_milliseconds(4_270);
const NEXT_PLACE: Span = Span::from_milliseconds(1_270);
/// After so long, an end that is not answered asks.
const SILENCE: Span = Span::from_milliseconds(5_000);

/// What a round trip of packets takes of what an address without proof may be sent.
const SOME_PACKETS: usize = 120;

/// How long each place has its turn where the peer has answered before: half as much again as that took, within these bounds. An answer
/// under way would come too late if another place was asked meanwhile.
fn its_turn(answer: Span) -> Span {
    (answer * 3 / 2).clamp(Span::from_milliseconds(1_000), Span::from_milliseconds(4_000))
}

/// What two ends have when the way opens. The page has the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Situation {
    /// Each opens what the other seals, and one sends it to the right place.
    Keys,
    /// One that has no keys, or whose first message is due, knows where the other is.
    NoKeys,
    /// One has sent first messages, and waits before the next one.
    Waits,
    /// Whoever knows where the other one is, has keys that the other one lost, and does not know that yet.
    LostKeys,
}

impl Situation {
    /// After so long packets cross in both directions, where so many ends ask for cookies, and each place has its turn for so long.
    pub(crate) fn at_most(self, cookies: u64, next_place: Span) -> Span {
        // One more for a clock that is behind.
        let handshake = ROUND_TRIP * (4 + cookies) + PACKET_EACH;
        let places = LONGEST_WAIT + next_place * 2;
        match self {
            Self::Keys => ROUND_TRIP * 3,
            Self::NoKeys => handshake,
            Self::Waits => places + handshake,
            Self::LostKeys => SILENCE + places + handshake,
        }
    }
}

/// What an end has of the other.
struct Has {
    /// Keys with which the other opens what it seals, for some time.
    shared: bool,
    /// Any keys to seal with.
    keys: bool,
    /// A handshake under way, whose next message is not due.
    waits: bool,
    /// Packets, its next first message, and one of the following ones go to where the other is.
    sends_there: bool,
    begins_there: bool,
    will_begin_there: bool,
    /// How long each place has its turn.
    next_place: Span,
}

impl World {
    /// What the ends have of each other, and after how long packets cross then.
    pub(crate) fn situation(&mut self) -> (Situation, Span) {
        let [near, far] = [0, 1].map(|index| self.has(index));
        let ends = [&near, &far];
        let situation = if ends.iter().all(|end| end.shared) && ends.iter().any(|end| end.sends_there) {
            Situation::Keys
        } else if ends.iter().any(|end| !end.keys && !end.waits && end.begins_there) {
            Situation::NoKeys
        } else if ends.iter().any(|end| end.waits && end.will_begin_there) {
            Situation::Waits
        } else {
            Situation::LostKeys
        };
        let cookies = self.configs.iter().filter(|config| config.unproven_handshakes == 0).count();
        let finders = ends.iter().filter(|end| end.will_begin_there && (end.waits || situation != Situation::Waits));
        let next_place = finders.map(|end| end.next_place).min().unwrap_or(NEXT_PLACE);
        (situation, situation.at_most(cookies as u64, next_place))
    }

    fn has(&mut self, index: usize) -> Has {
        let (now, there) = (self.now, self.ends[1 - index].at);
        let config = self.configs[index].clone();
        let soon: Time = now + ROUND_TRIP * 3;
        let far = &mut self.ends[1 - index];
        let theirs: Vec<(u16, u16)> =
            far.endpoint.peer_mut(far.peer).slots.iter().map(|keys| (keys.remote, keys.index)).collect();
        let near = &mut self.ends[index];
        let peer = near.endpoint.peer_mut(near.peer);
        let current = peer.slots.current().filter(|keys| keys.may_seal(&config, now));
        let shared = current.filter(|keys| keys.may_seal(&config, soon));
        let turn = peer.attempt.as_ref().map_or(0, |attempt| attempt.turn());
        let begins_at = peer.paths.first.clone().begins_at(turn, MOST_INITIATION).map(|turn| turn.to);
        Has {
            shared: shared.is_some_and(|keys| theirs.contains(&(keys.index, keys.remote))),
            keys: current.is_some(),
            waits: peer.attempt.as_ref().is_some_and(|attempt| !attempt.is_due(now)),
            sends_there: [1, SOME_PACKETS].into_iter().all(|octets| peer.paths.first.clone().to(octets) == Some(there)),
            begins_there: begins_at == Some(there),
            will_begin_there: peer.paths.first.always_begins_at(there),
            next_place: peer
                .attempt
                .as_ref()
                .map_or(peer.round_trip, |attempt| attempt.round_trip())
                .map_or(NEXT_PLACE, its_turn),
        }
    }
}
