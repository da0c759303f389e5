//! Watching a run without changing it. Every method does nothing unless a probe says otherwise, and costs nothing then.

use crate::channel::Direction;
use crate::tcp::{Sender, Transmission};
use arqway_link::Frame;
use arqway_units::{Span, Time};

/// What can be watched.
pub trait Probe {
    /// TCP sends a packet; the sender is as it is when all that it sends now is on its way.
    fn tcp_sent(&mut self, _transmission: Transmission, _sender: &Sender, _now: Time) {}
    /// TCP has handled an acknowledgement of everything up to and with a packet.
    fn tcp_acknowledged(&mut self, _number: i64, _sender: &Sender, _now: Time) {}
    /// TCP has handled an expired retransmission timer, but not yet sent again.
    fn tcp_timed_out(&mut self, _sender: &Sender, _now: Time) {}
    /// The client hears a packet of the lecture that was so long under way.
    fn media_received(&mut self, _delay: Span, _now: Time) {}
    /// A frame starts on the wireless link, and whether it will arrive.
    fn frame_sent(&mut self, _direction: Direction, _frame: &Frame, _arrives: bool, _now: Time) {}
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProbe;

impl Probe for NoProbe {}

impl<P: Probe> Probe for &mut P {
    fn tcp_sent(&mut self, transmission: Transmission, sender: &Sender, now: Time) {
        P::tcp_sent(self, transmission, sender, now);
    }
    fn tcp_acknowledged(&mut self, number: i64, sender: &Sender, now: Time) {
        P::tcp_acknowledged(self, number, sender, now);
    }
    fn tcp_timed_out(&mut self, sender: &Sender, now: Time) {
        P::tcp_timed_out(self, sender, now);
    }
    fn media_received(&mut self, delay: Span, now: Time) {
        P::media_received(self, delay, now);
    }
    fn frame_sent(&mut self, direction: Direction, frame: &Frame, arrives: bool, now: Time) {
        P::frame_sent(self, direction, frame, arrives, now);
    }
}
