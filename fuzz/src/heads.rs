//! Every head of `docs/wire.md`, read from any octets: what can be read is what that page says, no more and no less, each
//! field has the value that stands there, and it does not matter where the sender's head ended. Each service brings the
//! second opinion of its own reader.

use arqway_link::ServiceConfig;
use arqway_link::fuzz::Input;

pub(crate) fn drive(octets: &[u8]) {
    let mut input = Input::new(octets);
    let (kind, split) = (input.octet() & 7, input.index(9));
    ServiceConfig::check_readers(kind, input.rest(), split);
}
