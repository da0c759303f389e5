//! SSCOP against what another implementation did: recorded exchanges, answered octet for octet and on time.

mod recording;
mod replay;

use recording::Recording;
use replay::replay;

#[test]
fn a_recorded_exchange_without_losses_is_repeated_to_the_octet() {
    replay(&Recording::read(include_str!("clean.txt")));
}

#[test]
fn a_recorded_exchange_with_losses_is_repeated_to_the_octet() {
    replay(&Recording::read(include_str!("loss10.txt")));
}

#[test]
fn a_recorded_exchange_with_lists_in_pieces_is_repeated_to_the_octet() {
    replay(&Recording::read(include_str!("maxstat5.txt")));
}
