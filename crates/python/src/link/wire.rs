//! Two services at the ends of a line with the simulator's channel, in virtual time, step by step.

use super::event::Event;
use super::held::Held;
use super::service::Service;
use super::time;
use crate::values;
use arqway_link::{LinkState, Packet, Side};
use arqway_sim::{BareLink, LinkEvent, Streams, Wireless};
use arqway_units::Time;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::VecDeque;

/// Two services joined by a line in virtual time; :func:`connect` makes it.
#[pyclass(module = "arqway.link")]
pub(crate) struct Wire {
    link: BareLink<Held>,
    /// Steps that the caller has not seen yet.
    unseen: VecDeque<LinkEvent>,
}

/// Join two services by a line in virtual time.
///
/// Line, channel and the loop that drives the services are the simulator's: you see what an experiment runs.
///
/// Parameters
/// ----------
/// a, b : Service, PythonService, str or mapping
///     The services at the ends: ``a`` at the access point, ``b`` at the client. Anything else than a :class:`Service` is made into one.
/// seed, replication : int
///     The seed of the channel's random numbers, and the replication.
/// loss : str or float, optional
///     The probability that the line loses a frame: ``"5 %"``.
/// **link
///     Other settings of the line, as an experiment's ``[wireless]`` has them: ``rate``, ``delay``, ``queue``, ``errors``,
///     ``reordering``, ``duplication``, ``jitter``, ``charge_tag``, and ``down`` and ``up`` for one direction.
///     The defaults are 64 kbit/s, 50 ms, and a queue of one frame.
///
/// Returns
/// -------
/// Wire
///     At time zero.
///
/// Raises
/// ------
/// Mistakes
///     The settings are wrong.
///
/// Examples
/// --------
/// >>> wire = connect("sr:0.5", "sr:0.5", rate="64 kbit/s", delay="50 ms", loss="10 %")
/// >>> wire.send("a", b"a packet")
/// True
/// >>> [event.packet for event in wire.run() if event.what == "packet-delivered"]
/// [b'a packet']
#[pyfunction]
#[pyo3(signature = (a, b, *, seed=1, replication=0, loss=None, **link))]
pub(crate) fn connect(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    seed: u64,
    replication: u32,
    loss: Option<&Bound<'_, PyAny>>,
    link: Option<&Bound<'_, PyDict>>,
) -> PyResult<Wire> {
    let py = a.py();
    if a.is(b) && !a.is_instance_of::<pyo3::types::PyString>() && !a.is_instance_of::<PyDict>() {
        return Err(PyValueError::new_err("both ends are the same service: each end needs its own"));
    }
    let settings = PyDict::new(py);
    if let Some(link) = link {
        values::add_keywords(&settings, link)?;
    }
    if let Some(loss) = loss {
        if settings.contains("errors")? {
            return Err(PyTypeError::new_err("`loss` is short for uniform errors: give either `loss` or `errors`"));
        }
        let errors = PyDict::new(py);
        errors.set_item("kind", "uniform")?;
        errors.set_item("loss", loss)?;
        settings.set_item("errors", errors)?;
    }
    let wireless: Wireless = values::read(py, "link", &settings)?;
    let ends = [Service::at(a, Side::AccessPoint)?, Service::at(b, Side::Client)?].map(Held);
    let link = BareLink::new(ends, &wireless, &Streams::new(seed, replication));
    let mut wire = Wire { link, unseen: VecDeque::new() };
    wire.look(py)?;
    Ok(wire)
}

impl Wire {
    /// Keeps the events for the caller, and raises what a service has raised.
    fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        self.unseen.extend(self.link.take_steps());
        [Side::AccessPoint, Side::Client].into_iter().try_for_each(|end| self.link.service(end).take_raised(py))
    }
}

/// An end by its name.
fn end(name: &str) -> PyResult<Side> {
    match name {
        "a" => Ok(Side::AccessPoint),
        "b" => Ok(Side::Client),
        _ => Err(PyValueError::new_err(format!("no end is called `{name}`; expected \"a\" or \"b\""))),
    }
}

#[pymethods]
impl Wire {
    /// The service at the access point.
    #[getter]
    fn a(&self, py: Python<'_>) -> Py<Service> {
        self.link.service(Side::AccessPoint).0.clone_ref(py)
    }

    /// The service at the client.
    #[getter]
    fn b(&self, py: Python<'_>) -> Py<Service> {
        self.link.service(Side::Client).0.clone_ref(py)
    }

    /// The current time, in seconds.
    #[getter]
    fn now(&self) -> f64 {
        self.link.now().as_seconds()
    }

    /// Let the network layer at one end send a packet now.
    ///
    /// Returns
    /// -------
    /// bool
    ///     Whether the service took it.
    fn send(&mut self, py: Python<'_>, end: &str, packet: Vec<u8>) -> PyResult<bool> {
        let taken = self.link.send(self::end(end)?, Packet::new(packet));
        self.look(py)?;
        Ok(taken)
    }

    /// Take the link down, or bring it back, now.
    ///
    /// While it is down nothing gets through, and frames in flight are lost.
    ///
    /// Parameters
    /// ----------
    /// up : bool
    ///     Whether the link is up from now on.
    /// notify : bool
    ///     Whether the ends are notified, as by a modem that reports its carrier: then the services and their timers stand still,
    ///     and queued frames keep waiting. Ends that are not notified send in vain.
    ///
    /// Examples
    /// --------
    /// >>> wire = connect("sr:0.5", "sr:0.5")
    /// >>> wire.set_link(False)
    /// >>> wire.send("a", b"a packet")
    /// True
    /// >>> sum(event.what == "frame-sent" for event in wire.run(until=60.0))
    /// 0
    /// >>> wire.set_link(True)
    /// >>> [event.packet for event in wire.run() if event.what == "packet-delivered"]
    /// [b'a packet']
    #[pyo3(signature = (up, *, notify=true))]
    fn set_link(&mut self, py: Python<'_>, up: bool, notify: bool) -> PyResult<()> {
        self.link.set_link(if up { LinkState::Up } else { LinkState::Down }, notify);
        self.look(py)
    }

    /// Run, and return each event as it happens.
    ///
    /// Parameters
    /// ----------
    /// until : float, optional
    ///     The time at which to stop, in seconds. Without it, the wire runs until nothing is left to happen, which is never for a
    ///     service that keeps a timer running.
    ///
    /// Returns
    /// -------
    /// iterator of Event
    ///     The wire runs only as far as you take events from it.
    #[pyo3(signature = (until=None))]
    fn run(slf: Py<Self>, until: Option<f64>) -> PyResult<WireRun> {
        let until = until.map_or(Ok(Time::MAX), time)?;
        Ok(WireRun { wire: slf, until })
    }

    fn __repr__(&self) -> String {
        format!("<arqway.link.Wire at {} s>", self.now())
    }
}

/// The events of a wire, as they happen.
#[pyclass(frozen, module = "arqway.link")]
pub(crate) struct WireRun {
    wire: Py<Wire>,
    until: Time,
}

#[pymethods]
impl WireRun {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Event>> {
        let mut wire = self.wire.try_borrow_mut(py)?;
        loop {
            if let Some(step) = wire.unseen.pop_front() {
                return Ok(Some(Event(step)));
            }
            py.check_signals()?;
            if !wire.link.step(self.until) {
                return Ok(None);
            }
            wire.look(py)?;
        }
    }
}
