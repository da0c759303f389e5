//! The octets of tally. Nothing else knows them; who watches frames reads them by [`parse`].
//!
//! The tag's kind tells the frames apart. A frame number counts frames; the transmission counter counts transmissions, those of
//! the same frame again too. Both are the low bits: eleven each in the short form, eighteen in the long one. The short form can
//! be read while there are at most 1,024 frames, or transmissions, of which nothing is known yet. The tiny form has eight and seven. It
//! does for 64 of them, and for a copy that arrives behind up to 192 later frames; one that is later would be taken for another
//! frame. So it is for slow lines that keep the order, on which so many frames take a second.
//!
//! ```text
//!     kind 0  data                | number 11, counter 11, S, E | octets ...
//!     kind 1  data, link          | number 11, counter 11, S, E | link | octets ...                            E = 1
//!     kind 2  data, feedback      | number 11, counter 11, S, E | L, length 7 | link | next 11, newest 11, lateness 2 | runs
//!                                 | octets ...
//!     kind 3  data, long form     | number 18, counter 18, S, E, F, L | link | octets ...                      F = 0
//!                                 | number 18, counter 18, S, E, F, L | link | 0, length 7 | next 18, newest 18, lateness 2, U, V
//!                                 | runs | octets ...                                                          F = 1
//!     kind 4  feedback            | next 11, newest 11, lateness 2 | runs to the end
//!     kind 5  feedback, long form | next 18, newest 18, lateness 2, U, V | runs to the end
//!             poll                | counter 18, zeros 6 |                        nothing else has three octets
//!     kind 6  piece of a frame    | number 18, counter 18, S, E, P, L | link | offset 16 | octets ...          P: the last piece
//!             frames given up     | number 18, counter 18, S, 0, 0, 0 | count 16 |                     nothing else has seven octets
//!             repair              | number 18, counter 18, 0, 0, 1, 1 | count 10, key 6 | sum ...            no piece has a link without E
//!     kind 7  whole packet, tiny  | number 8, counter 7, N | octets ...                     as if S and E were set; N: the link is 0
//! ```
//!
//! S: a packet starts with this frame; E: it ends with it; L: there is a link. Only a frame that ends a packet has one, and only
//! where packets are not released in the order of their numbers (see [`arqway_arq::Resequencing`]): how many frames back the one is
//! that must go before it, 0 where there is none. Without a link it is the one that ended the packet before. Link and runs are
//! numbers of seven bits an octet, the higher ones first; the first bit says that another octet follows.
//!
//! Runs: how far the highest frame received is ahead of the next one awaited, then how many frames down from there were
//! received, how many below those are missing, and so on. With U: one more than the distance from the next one
//! awaited to the first frame told of, then how many frames up from there are missing, how many above those were received, and so on. *length* is how many octets they take. Zeros behind them say nothing.
//!
//! With V the link has several lines, each with transmission counters of its own: *newest* is one of the line whose number stands in the first
//! octet of *runs*, and the runs behind it are of that line's transmissions: how many from *newest* down arrived, how many below those did
//! not, and so on. All that is sent on several lines is in the long form.

mod feedback;
mod layout;
mod pdu;
mod read;
mod write;

pub(crate) use feedback::Arrived;
pub use feedback::{Feedback, Lateness, Runs};
pub use layout::Form;
pub(crate) use layout::{
    Counter, GIVEN_UP, IN_SUM, LEAST_CUT, LONG_REACH, LONGEST_PACKET, MOST_BEFORE_OCTETS, MOST_CUTS, MOST_IN_SUM,
    MOST_OF_LINK, MOST_RUNS_ALONE, Number, POLL, REPAIR, SHORT_REACH, TINY_REACH,
};
pub(crate) use pdu::Head;
pub use pdu::{Cut, Pdu, Repair};
#[cfg(feature = "fuzz")]
pub(crate) use read::check;
pub use read::parse;
pub(crate) use write::{given_up, piece, poll, repair, write_counter};
