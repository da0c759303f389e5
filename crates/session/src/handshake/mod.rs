//! A handshake: two messages, after which two ends that know each other's public keys share keys that nobody else has.
//!
//! | file | concept |
//! | --- | --- |
//! | `dialect.rs` | the constants: ours, and WireGuard's for tests |
//! | `noise.rs` | the pattern, by `snow` |
//! | `wire.rs` | the messages octet by octet |
//! | `mac.rs` | codes and cookies |
//! | `timestamp.rs` | when a first message was made |

pub(crate) mod dialect;
pub(crate) mod mac;
pub(crate) mod noise;
pub(crate) mod timestamp;
pub(crate) mod wire;
