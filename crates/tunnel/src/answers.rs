//! Answers to whoever sends packets that cannot go on: errors of ICMP, of which RFC 4443 wants a limit (section 2.4 (f)).

use crate::network::NetworkLayer;
use arqway_link::{IcmpError, icmp_error};
use arqway_net::NetError;
use arqway_units::{Span, Time};

/// A thousand a second, and so many at once.
const EACH: Span = Span::from_milliseconds(1);
const AT_ONCE: u64 = 100;

/// How many may be given.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// When as many as ever may be given at once again.
    full_at: Time,
}

impl Answers {
    /// Says why a packet cannot go on, to whoever sent it.
    pub(crate) fn give(
        &mut self,
        packet: &[u8],
        why: IcmpError,
        network: &mut impl NetworkLayer,
        now: Time,
    ) -> Result<(), NetError> {
        let full_at = self.full_at.max(now) + EACH;
        if full_at.since(now) <= EACH * AT_ONCE
            && let Some(answer) = icmp_error(packet, why)
        {
            self.full_at = full_at;
            network.deliver(&answer)?;
        }
        Ok(())
    }
}
