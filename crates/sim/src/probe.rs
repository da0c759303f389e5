//! Watching a run without changing it. Every method does nothing unless a probe says otherwise, and costs nothing then.
//!
//! What a probe sees of a frame, and where it is asked:
//!
//! ```text
//!     frame_queued --> [ the line's queue ] --> frame_taken --> frame_sent ))) ----- (((  frame_received
//!          |                                         |              whether it arrives
//!     frame_dropped: no room                    or withdrawn: taken, and not sent
//! ```

use crate::app::Application;
use crate::channel::Direction;
use crate::host::Host;
use crate::tcp::{Sender, Transmission};
use arqway_link::Frame;
use arqway_units::{Span, Time};

/// Declares what can be watched once: the trait, and what passes each call on to the probes inside.
macro_rules! probe {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?);)*) => {
        /// What can be watched. A pair of probes watches as both, an `Option` of one if there is one.
        pub trait Probe {
            $($(#[$doc])* fn $name(&mut self, $($argument: $type),*) { $(let _ = $argument;)* })*
        }

        impl<P: Probe> Probe for &mut P {
            $(fn $name(&mut self, $($argument: $type),*) { P::$name(self, $($argument),*); })*
        }

        impl<P: Probe> Probe for Option<P> {
            $(fn $name(&mut self, $($argument: $type),*) {
                if let Some(probe) = self { probe.$name($($argument),*); }
            })*
        }

        impl<A: Probe, B: Probe> Probe for (A, B) {
            $(fn $name(&mut self, $($argument: $type),*) {
                self.0.$name($($argument),*);
                self.1.$name($($argument),*);
            })*
        }
    };
}

probe! {
    /// TCP sends a packet, of whichever connection; the sender is as it is when all that it sends now is on its way.
    fn tcp_sent(transmission: Transmission, sender: &Sender, now: Time);
    /// TCP has handled an acknowledgement of everything up to and with a packet.
    fn tcp_acknowledged(number: i64, sender: &Sender, now: Time);
    /// TCP has handled an expired retransmission timer, but not yet sent again.
    fn tcp_timed_out(sender: &Sender, now: Time);
    /// A user has got something from an application: a media packet, so long after it was sent, or a page with all its
    /// objects, so long after the browser asked for it.
    fn delivered(application: Application, delay: Span, now: Time);
    /// A host's network layer sends a packet; whether the first queue has room for it is not known yet.
    fn packet_sent(host: Host, packet: &[u8], now: Time);
    /// A packet has come all the way to a host's network layer.
    fn packet_received(host: Host, packet: &[u8], now: Time);
    /// A packet comes to the end of the wireless link that sends it this way; whether it is taken is not known yet.
    fn packet_offered(direction: Direction, packet: &[u8], now: Time);
    /// A frame is handed over to the queue in front of the wireless link. Its acknowledgement number is not written yet.
    fn frame_queued(direction: Direction, frame: &Frame, now: Time);
    /// That queue has no room for the frame handed over last.
    fn frame_dropped(direction: Direction, frame: &Frame, now: Time);
    /// The frame at the head of the queue leaves it, to be sent or, if its peer has it by now, to be withdrawn.
    fn frame_taken(direction: Direction, frame: &Frame, now: Time);
    /// A frame starts on the wireless link, as it goes out, and whether it will arrive.
    fn frame_sent(direction: Direction, frame: &Frame, arrives: bool, now: Time);
    /// A frame has crossed the wireless link.
    fn frame_received(direction: Direction, frame: &Frame, now: Time);
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProbe;

impl Probe for NoProbe {}
