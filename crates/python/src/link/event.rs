//! Something that happened on a wire.

use super::frame::Frame;
use arqway_link::{LinkState, Side};
use arqway_sim::{LinkEvent, LinkEventKind};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Something that happened on a wire.
#[pyclass(frozen, module = "arqway.link")]
pub(crate) struct Event(pub(super) LinkEvent);

/// The name of an end.
pub(super) fn name(end: Side) -> &'static str {
    match end {
        Side::AccessPoint => "a",
        Side::Client => "b",
    }
}

#[pymethods]
impl Event {
    /// The time, in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.0.at.as_seconds()
    }

    /// The end: ``"a"`` or ``"b"``.
    #[getter]
    fn end(&self) -> &'static str {
        name(self.0.end)
    }

    /// What happened: ``packet-taken``, ``packet-refused``, ``frame-queued``, ``frame-dropped``, ``frame-withdrawn``, ``frame-sent``,
    /// ``frame-lost`` (sent, and lost on the link), ``frame-departed``, ``frame-received``, ``frame-cut`` (in flight when the link went
    /// down), ``packet-delivered``, ``timeout``, ``link-down`` and ``link-up`` (this end was notified).
    #[getter]
    fn what(&self) -> &'static str {
        match &self.0.what {
            LinkEventKind::PacketTaken(_) => "packet-taken",
            LinkEventKind::PacketRefused(_) => "packet-refused",
            LinkEventKind::FrameQueued(_) => "frame-queued",
            LinkEventKind::FrameDropped(_) => "frame-dropped",
            LinkEventKind::FrameWithdrawn(_) => "frame-withdrawn",
            LinkEventKind::FrameSent { arrives: true, .. } => "frame-sent",
            LinkEventKind::FrameSent { arrives: false, .. } => "frame-lost",
            LinkEventKind::FrameDeparted => "frame-departed",
            LinkEventKind::FrameReceived(_) => "frame-received",
            LinkEventKind::FrameCut(_) => "frame-cut",
            LinkEventKind::PacketDelivered(_) => "packet-delivered",
            LinkEventKind::TimerExpired => "timeout",
            LinkEventKind::LinkHeard(LinkState::Down) => "link-down",
            LinkEventKind::LinkHeard(LinkState::Up) => "link-up",
        }
    }

    /// The frame, if the event concerns one.
    #[getter]
    fn frame(&self) -> Option<Frame> {
        match &self.0.what {
            LinkEventKind::FrameQueued(frame)
            | LinkEventKind::FrameDropped(frame)
            | LinkEventKind::FrameWithdrawn(frame)
            | LinkEventKind::FrameSent { frame, .. }
            | LinkEventKind::FrameReceived(frame)
            | LinkEventKind::FrameCut(frame) => Some(Frame(frame.clone())),
            LinkEventKind::PacketTaken(_)
            | LinkEventKind::PacketRefused(_)
            | LinkEventKind::FrameDeparted
            | LinkEventKind::PacketDelivered(_)
            | LinkEventKind::TimerExpired
            | LinkEventKind::LinkHeard(_) => None,
        }
    }

    /// The packet, if the event concerns one.
    #[getter]
    fn packet<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        match &self.0.what {
            LinkEventKind::PacketTaken(packet)
            | LinkEventKind::PacketRefused(packet)
            | LinkEventKind::PacketDelivered(packet) => Some(PyBytes::new(py, &packet.octets)),
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        let about = self.frame().map_or_else(String::new, |frame| {
            format!(" kind {}, {} octets", frame.0.tag.as_octet() & 7, frame.0.size().as_u64())
        });
        format!("<{:.6} s {} {}{about}>", self.time(), self.end(), self.what())
    }
}
