//! A frame, as Python sees it.

use arqway_link::{Frame as LinkFrame, Kind, Tag, Ticket};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What crosses the link: a kind, and octets.
///
/// On the wire it is one octet with its kind, then its octets; ``bytes(frame)`` gives exactly that.
///
/// Parameters
/// ----------
/// octets : bytes
///     Everything after the octet with the kind.
/// kind : int
///     The kind, 0 to 7, by which a service distinguishes its frames.
/// ticket : int, optional
///     The service's own number for it. A service that sets one is notified when the frame has left; it does not cross the link.
#[pyclass(frozen, eq, module = "arqway.link")]
#[derive(Clone, PartialEq)]
pub(crate) struct Frame(pub(super) LinkFrame);

#[pymethods]
impl Frame {
    #[new]
    #[pyo3(signature = (octets, *, kind=0, ticket=None))]
    fn new(octets: Vec<u8>, kind: u8, ticket: Option<u64>) -> PyResult<Self> {
        if kind > 7 {
            return Err(PyValueError::new_err(format!("the kind of a frame must be 0 to 7, not {kind}")));
        }
        let mut frame = LinkFrame::new(Kind::new(kind), &[], octets.into());
        frame.ticket = ticket.map(Ticket::new);
        Ok(Self(frame))
    }

    /// The frame that these octets off a wire are.
    #[staticmethod]
    pub(super) fn from_bytes(octets: Vec<u8>) -> PyResult<Self> {
        let (tag, octets) =
            octets.split_first().ok_or_else(|| PyValueError::new_err("a frame has at least one octet, its kind"))?;
        Ok(Self(LinkFrame::from_wire(Tag::from_octet(*tag), octets.to_vec().into())))
    }

    /// Everything after the octet with the kind.
    #[getter]
    fn octets<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.parts().concat())
    }

    /// The kind, by which a service distinguishes its frames.
    #[getter]
    fn kind(&self) -> u8 {
        self.0.tag.as_octet() & 7
    }

    /// The sending service's own number for it.
    #[getter]
    fn ticket(&self) -> Option<u64> {
        self.0.ticket.map(Ticket::number)
    }

    /// Its length on the line, in octets.
    #[getter]
    fn size(&self) -> u64 {
        self.0.size().as_u64()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut octets = vec![self.0.tag.as_octet()];
        octets.extend(self.0.parts().concat());
        PyBytes::new(py, &octets)
    }

    fn __repr__(&self) -> String {
        let ticket = self.ticket().map_or_else(String::new, |ticket| format!(", ticket {ticket}"));
        format!("<arqway.link.Frame kind {}, {} octets{ticket}>", self.kind(), self.size())
    }
}
