//! One end of a service, inside `Checked`.

use super::frame::Frame;
use super::python_end::PythonEnd;
use super::time;
use crate::values;
use arqway_link::{
    AnyService, Checked, Counters, Departure, Frame as LinkFrame, Full, LinkService, LinkState, Packet, ServiceConfig,
    ShortForm, Side, Start, Tag, Ticket, WorldDefaults,
};
use arqway_units::{Octets, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString, PyType};
use std::sync::{Mutex, PoisonError};

/// Whatever is inside.
pub(super) enum AnyEnd {
    Built(Box<AnyService>),
    Python(PythonEnd),
}

/// The same inside `Checked`; a broken rule is kept and raised later.
pub(super) type Watched = Checked<AnyEnd, true>;

/// One end of a link layer service. Pass in the time, packets and frames; poll it for frames, packets and its next deadline.
///
/// It reads no clock and sends nothing by itself. Every call is checked against the contract: a call that breaks it raises
/// :class:`ContractError` with the rule's name.
///
/// Parameters
/// ----------
/// service : str, mapping or PythonService
///     A short form such as ``"sr:1.1"``; a kind such as ``"selective-repeat"`` with its settings as keywords; both in one
///     mapping, ``{"kind": "selective-repeat", "timeout": "1.1 s"}``; or a service written in Python.
/// side : str
///     ``"access-point"`` or ``"client"``; it matters only to services that help one direction.
/// **settings
///     Settings of that kind, as in an experiment, with ``_`` for ``-``.
///
/// Raises
/// ------
/// Mistakes
///     The settings are wrong.
///
/// Examples
/// --------
/// >>> service = Service("selective-repeat", timeout="1.1 s")
/// >>> service.handle_packet(b"a packet", now=0.0)
/// True
/// >>> service.poll_frame(now=0.0)
/// <arqway.link.Frame kind 0, 11 octets, ticket 0>
#[pyclass(module = "arqway.link")]
pub(crate) struct Service {
    watched: Mutex<Watched>,
    name: String,
}

static CONTRACT_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

impl Service {
    /// The service that somebody names, or gives.
    fn of(service: &Bound<'_, PyAny>, side: Side, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let settings = settings.filter(|settings| !settings.is_empty());
        let (end, name) = if service.hasattr("poll_frame")? {
            if settings.is_some() {
                return Err(PyTypeError::new_err("a service written in Python takes no settings here"));
            }
            let name = service.get_type().name()?.to_string();
            (AnyEnd::Python(PythonEnd::new(service.clone().unbind())), name)
        } else {
            let config = config(service, settings)?;
            (AnyEnd::Built(Box::new(config.build(&side.into()))), config.kind().to_owned())
        };
        Ok(Self { watched: Mutex::new(Checked::keeping(end)), name })
    }

    /// The service at an end of a wire: as it is, or made of what names it.
    pub(super) fn at(service: &Bound<'_, PyAny>, side: Side) -> PyResult<Py<Self>> {
        match service.cast::<Self>() {
            Ok(service) => Ok(service.clone().unbind()),
            Err(_) => Py::new(service.py(), Self::of(service, side, None)?),
        }
    }

    pub(super) fn watched(&mut self) -> &mut Watched {
        self.watched.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was raised inside, or broken.
    pub(super) fn take_raised(&mut self, py: Python<'_>) -> PyResult<()> {
        let watched = self.watched();
        if let AnyEnd::Python(end) = watched.inner()
            && let Some(raised) = end.take_raised()
        {
            return Err(raised);
        }
        let Some(violation) = watched.take_violation() else { return Ok(()) };
        let class = CONTRACT_ERROR.import(py, "arqway._contract", "ContractError")?;
        Err(PyErr::from_value(class.call1((violation.rule.name(), violation.told))?))
    }

    /// Asks it something, and raises what that has raised or broken.
    fn ask<T>(&mut self, py: Python<'_>, ask: impl FnOnce(&mut Watched) -> T) -> PyResult<T> {
        let answer = ask(self.watched());
        self.take_raised(py)?;
        Ok(answer)
    }
}

/// The configuration that a short form, a kind with settings, or a mapping with both names.
fn config(service: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<ServiceConfig> {
    let py = service.py();
    let all = PyDict::new(py);
    if let Ok(name) = service.cast::<PyString>() {
        let name = name.to_str()?;
        let short = name.parse::<ShortForm>().and_then(|form| form.in_world(&WorldDefaults::default()));
        match (short, settings) {
            (Ok(config), None) => return Ok(config),
            (Err(error), _) if name.contains(':') => return Err(PyValueError::new_err(error.to_string())),
            (Ok(_), Some(_)) if name.contains(':') => {
                let message =
                    format!("`{name}` already has its setting; to give others, use a kind such as `selective-repeat`");
                return Err(PyValueError::new_err(message));
            }
            _ => all.set_item("kind", name)?,
        }
    } else if let Ok(mapping) = service.cast::<PyMapping>() {
        all.update(mapping)?;
    } else {
        let message = format!(
            "{} is not a service; expected a short form such as \"sr:1.1\", a kind such as \"selective-repeat\", a \
             mapping with a kind, or a PythonService",
            service.repr()?
        );
        return Err(PyTypeError::new_err(message));
    }
    if let Some(settings) = settings {
        values::add_keywords(&all, settings)?;
    }
    values::read(py, "service", &all)
}

/// A name of a side.
fn side(name: &str) -> PyResult<Side> {
    match name {
        "access-point" => Ok(Side::AccessPoint),
        "client" => Ok(Side::Client),
        _ => Err(PyValueError::new_err(format!("no side is called `{name}`; expected access-point or client"))),
    }
}

#[pymethods]
impl Service {
    #[new]
    #[pyo3(signature = (service, *, side="access-point", **settings))]
    fn new(service: &Bound<'_, PyAny>, side: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::of(service, self::side(side)?, settings)
    }

    /// Take a packet to carry.
    ///
    /// Returns
    /// -------
    /// bool
    ///     Whether it was taken. ``False``: the service is full, and the caller keeps the packet or drops it.
    fn handle_packet(&mut self, py: Python<'_>, packet: Vec<u8>, now: f64) -> PyResult<bool> {
        let now = time(now)?;
        self.ask(py, |service| service.handle_packet(Packet::new(packet), now).is_ok())
    }

    /// Take a frame from the peer; one that cannot be decoded is counted, and is not an error.
    fn handle_frame(&mut self, frame: &Bound<'_, PyAny>, now: f64) -> PyResult<()> {
        let (py, now) = (frame.py(), time(now)?);
        let frame = match frame.cast::<Frame>() {
            Ok(frame) => frame.get().0.clone(),
            Err(_) => Frame::from_bytes(frame.extract()?)?.0,
        };
        // What crosses a line is octets; the sender's ticket stays behind.
        let frame = LinkFrame::from_wire(frame.tag, frame.parts().concat().into());
        self.ask(py, |service| service.handle_frame(frame, now))
    }

    /// Act on every deadline at or before ``now``.
    fn handle_timeout(&mut self, py: Python<'_>, now: f64) -> PyResult<()> {
        let now = time(now)?;
        self.ask(py, |service| service.handle_timeout(now))
    }

    /// Learn that the link below went down or came back: timers freeze, and then continue. A packet that became too old in
    /// the meantime is dropped when the link is back.
    fn handle_link(&mut self, py: Python<'_>, up: bool, now: f64) -> PyResult<()> {
        let now = time(now)?;
        let state = if up { LinkState::Up } else { LinkState::Down };
        self.ask(py, |service| service.handle_link(state, now))
    }

    /// Hand the next frame over to the queue below; ``None`` if there is none that fits.
    ///
    /// Parameters
    /// ----------
    /// now : float
    ///     The time in seconds.
    /// room : int, optional
    ///     How many octets the frame may have, its tag included; by default any number.
    #[pyo3(signature = (now, room=None))]
    fn poll_frame(&mut self, py: Python<'_>, now: f64, room: Option<u64>) -> PyResult<Option<Frame>> {
        let (now, room) = (time(now)?, room.map_or(Octets::MAX, Octets::new));
        self.ask(py, |service| service.poll_frame(now, room).map(Frame))
    }

    /// How large a packet it carries in frames of so many octets; 0 where not even a header fits.
    fn largest_packet(&mut self, py: Python<'_>, room: u64) -> PyResult<u64> {
        self.ask(py, |service| service.largest_packet(Octets::new(room)).as_u64())
    }

    /// A frame handed over earlier is about to be sent: the last chance to write a fresh acknowledgement into its head.
    ///
    /// Returns
    /// -------
    /// Frame or None
    ///     The frame as it goes out; ``None`` if the service withdraws it because its peer already has it.
    fn start_frame(&mut self, py: Python<'_>, frame: &Frame, now: f64) -> PyResult<Option<Frame>> {
        let (now, mut frame) = (time(now)?, frame.0.clone());
        self.ask(py, |service| match service.start_frame(&mut frame, now) {
            Start::Send => Some(Frame(frame)),
            Start::Withdraw => None,
        })
    }

    /// Learn that a frame has left the queue below; for a frame without a ticket nothing happens.
    ///
    /// Parameters
    /// ----------
    /// frame : Frame
    ///     The frame, as handed over or as started.
    /// now : float
    ///     The time in seconds.
    /// sent : bool
    ///     ``True``: its last bit has gone out. ``False``: the queue dropped it, and it will never start.
    #[pyo3(signature = (frame, now, sent=true))]
    fn handle_departure(&mut self, py: Python<'_>, frame: &Frame, now: f64, sent: bool) -> PyResult<()> {
        let now = time(now)?;
        let Some(ticket) = frame.0.ticket else { return Ok(()) };
        let departure = if sent { Departure::Sent } else { Departure::Dropped };
        self.ask(py, |service| service.handle_departure(frame.0.tag, ticket, departure, now))
    }

    /// Release the next packet to the network layer; ``None`` if there is none.
    fn poll_packet<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let packet = self.ask(py, LinkService::poll_packet)?;
        Ok(packet.map(|packet| PyBytes::new(py, &packet.octets)))
    }

    /// When ``handle_timeout`` is next due, in seconds; ``None`` if it is not.
    fn poll_timeout(&mut self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.ask(py, |service| service.poll_timeout().map(Time::as_seconds))
    }

    /// Its counters, by name; for a service written in Python, that object's ``counters``.
    #[getter]
    fn counters<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = PyDict::new(py);
        match self.watched().inner() {
            AnyEnd::Built(service) => {
                for (name, count) in service.counters().named() {
                    counters.set_item(name, count)?;
                }
            }
            AnyEnd::Python(end) => {
                if let Some(counted) = end.object().bind(py).getattr_opt("counters")? {
                    counters.update(counted.cast::<PyMapping>()?)?;
                }
            }
        }
        Ok(counters)
    }

    /// Its kind, such as ``selective-repeat``; for a service written in Python, the name of its class.
    #[getter]
    fn kind(&self) -> &str {
        &self.name
    }

    fn __repr__(&self) -> String {
        format!("<arqway.link.Service {}>", self.name)
    }
}

/// Forwards a call to either kind of end.
macro_rules! each {
    ($self:ident, $end:ident => $call:expr) => {
        match $self {
            AnyEnd::Built($end) => $call,
            AnyEnd::Python($end) => $call,
        }
    };
}

impl LinkService for AnyEnd {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        each!(self, end => end.handle_packet(packet, now))
    }

    fn handle_frame(&mut self, frame: LinkFrame, now: Time) {
        each!(self, end => end.handle_frame(frame, now));
    }

    fn handle_timeout(&mut self, now: Time) {
        each!(self, end => end.handle_timeout(now));
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        each!(self, end => end.handle_link(state, now));
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<LinkFrame> {
        each!(self, end => end.poll_frame(now, room))
    }

    fn start_frame(&mut self, frame: &mut LinkFrame, now: Time) -> Start {
        each!(self, end => end.start_frame(frame, now))
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        each!(self, end => end.handle_departure(tag, ticket, departure, now));
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        each!(self, end => end.poll_packet())
    }

    fn poll_timeout(&self) -> Option<Time> {
        each!(self, end => end.poll_timeout())
    }

    fn wants_packet(&self, room: Octets) -> bool {
        each!(self, end => end.wants_packet(room))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        each!(self, end => end.largest_packet(room))
    }

    fn counters(&self) -> Counters {
        each!(self, end => end.counters())
    }
}
