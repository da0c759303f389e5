//! A secure session over datagrams: nobody else reads, writes or repeats what two ends send each other.
//!
//! It is sans-IO as all of Arqway: time, randomness and datagrams come in as arguments. The handshake is Noise IKpsk2 in the
//! message layout of WireGuard, with keys as WireGuard's; `docs/session.md` has the format and what is promised.
//!
//! ```text
//!     packets     seal  -->  datagrams          poll_datagram  -->  handshakes, keepalives, challenges
//!     datagrams   handle_datagram  -->  packets, answers            poll_event, poll_timeout, handle_timeout
//! ```
//!
//! | room | concept |
//! | --- | --- |
//! | `key/` | keys, as text and in files |
//! | `handshake/` | messages, codes and cookies, time stamps, the pattern |
//! | `transport/` | sealed datagrams, counters, the replay window |
//! | `peer/` | what is known of one peer: its keys, its address, its signs of life |
//! | `endpoint/` | one end of sessions with many peers |
//! | `introduction.rs`, `control.rs` | what ends tell each other |
//! | `index.rs` | who a datagram is for |

mod config;
mod control;
mod counters;
mod endpoint;
mod event;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod handshake;
mod identity;
mod index;
mod introduction;
mod key;
mod peer;
mod random;
mod transport;
mod x25519;

pub use config::{Config, Wait, WaitError};
pub use counters::Counters;
pub use endpoint::{Endpoint, PeerError, Received, Status};
pub use event::{Event, PeerId};
pub use handshake::wire::{MOST_MESSAGE, Message};
pub use introduction::{ADDRESSES, Configuration, Differences, Introduction, Mismatch, PARTS, VERSION};
pub use key::{
    KEY, KEY_TEXT, KeyError, KeyFileError, PresharedKey, PrivateKey, PublicKey, check_key_file, read_preshared,
    read_private,
};
pub use peer::{Keepalive, NotSealed, PeerConfig, Sealed};
pub use random::Random;
pub use transport::{HEAD_ROOM, REPLAY_WINDOW, ReplayWindow, SHORT_HEAD, TAG};

#[cfg(test)]
mod tests;
