//! A frame, as Python sees it.

use arqway_link::{Frame as LinkFrame, Kind, Tag, Ticket};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What crosses the link: a kind, and octets.
///
/// On the wire it is one octet with its kind, then its octets; ``bytes(frame)`` is just that.
///
/// Parameters
/// ----------
/// octets : bytes
///     All that stands behind the octet with the kind.
/// kind : int
///     What a service tells its kinds of frame apart by, 0 to 7.
/// ticket : int, optional
///     The service's own name for it. Who gives one is told when the frame has left; it does not cross the link.
#[pyclass(frozen, eq, module = "arqway.link")]
#[derive(Clone, PartialEq)]
pub(crate) struct Frame(pub(super) LinkFrame);

#[pymethods]
impl Frame {
    #[new]
    #[pyo3(signature = (octets, *, kind=0, ticket=None))]
    fn new(octets: Vec<u8>, kind: u8, ticket: Option<u64>) -> PyResult<Self> {
        if kind > 7 {
            return Err(PyValueError::new_err(format!("a kind of frame is a number from 0 to 7, not {kind}")));
        }
        let mut frame = LinkFrame::new(Kind::new(kind), &[], octets.into());
        frame.ticket = ticket.map(Ticket::new);
        Ok(Self(frame))
    }

    /// The frame that these octets off a wire are.
    #[staticmethod]
    pub(super) fn from_bytes(octets: Vec<u8>) -> PyResult<Self> {
        let (tag, octets) =
            octets.split_first().ok_or_else(|| PyValueError::new_err("a frame has an octet at least, its kind"))?;
        Ok(Self(LinkFrame::from_wire(Tag::from_octet(*tag), octets.to_vec().into())))
    }

    /// All that stands behind the octet with the kind.
    #[getter]
    fn octets<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.parts().concat())
    }

    /// What the service tells its kinds of frame apart by.
    #[getter]
    fn kind(&self) -> u8 {
        self.0.tag.as_octet() & 7
    }

    /// The sending service's own name for it.
    #[getter]
    fn ticket(&self) -> Option<u64> {
        self.0.ticket.map(Ticket::number)
    }

    /// How many octets of the line it takes.
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
