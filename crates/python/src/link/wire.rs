//! Two services on a line with a channel of the simulator, in virtual time, step by step.

use super::event::Event;
use super::held::Held;
use super::service::Service;
use super::time;
use crate::values;
use arqway_link::{LinkState, Packet, Side};
use arqway_sim::{LinkStep, Streams, TwoEnds, Wireless};
use arqway_units::Time;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::VecDeque;

/// Two services joined by a line in virtual time; :func:`connect` makes it.
#[pyclass(module = "arqway.link")]
pub(crate) struct Wire {
    link: TwoEnds<Held>,
    /// Steps that nobody has seen yet.
    unseen: VecDeque<LinkStep>,
}

/// Join two services by a line in virtual time.
///
/// Line and channel are the simulator's, and so is what drives the services: what is seen here is what an experiment runs.
///
/// Parameters
/// ----------
/// a, b : Service, PythonService, str or mapping
///     The services at the ends: ``a`` at the access point, ``b`` at the client. What is no :class:`Service` yet becomes one.
/// seed, replication : int
///     Which random numbers the channel draws.
/// loss : str or float, optional
///     The share of frames that the line loses, each with that probability: ``"5 %"``.
/// **link
///     Other settings of the line, as an experiment's ``[wireless]`` has them: ``rate``, ``delay``, ``queue``, ``errors``,
///     ``reordering``, ``duplication``, ``jitter``, ``charge_tag``, and ``down`` and ``up`` for what is different in one direction.
///     Unless given, 64 kbit/s, 50 ms, and a queue of one frame.
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
        return Err(PyValueError::new_err("both ends are the same service: each end needs one of its own"));
    }
    let settings = PyDict::new(py);
    if let Some(link) = link {
        values::add_keywords(&settings, link)?;
    }
    if let Some(loss) = loss {
        if settings.contains("errors")? {
            return Err(PyTypeError::new_err("`loss` is short for errors that are uniform: give one of both"));
        }
        let errors = PyDict::new(py);
        errors.set_item("kind", "uniform")?;
        errors.set_item("loss", loss)?;
        settings.set_item("errors", errors)?;
    }
    let wireless: Wireless = values::read(py, "link", &settings)?;
    let ends = [Service::at(a, Side::AccessPoint)?, Service::at(b, Side::Client)?].map(Held);
    Ok(Wire { link: TwoEnds::new(ends, &wireless, &Streams::new(seed, replication)), unseen: VecDeque::new() })
}

impl Wire {
    /// Keeps what has happened to be seen, and raises what a service has raised.
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

    /// What time it is, in seconds.
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
    /// While it is down nothing gets through, and what is on its way is lost.
    ///
    /// Parameters
    /// ----------
    /// up : bool
    ///     Whether there is a link from now on.
    /// told : bool
    ///     Whether the ends hear of it, as from a modem that reports its carrier: then services stand still, their timers too, and what
    ///     waits in the queues waits on. Ends that are not told send in vain.
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
    #[pyo3(signature = (up, *, told=true))]
    fn set_link(&mut self, py: Python<'_>, up: bool, told: bool) -> PyResult<()> {
        self.link.set_link(if up { LinkState::Up } else { LinkState::Down }, told);
        self.look(py)
    }

    /// Run, each event as it happens.
    ///
    /// Parameters
    /// ----------
    /// until : float, optional
    ///     The time at which it ends, in seconds; then it is that time. Without one it ends when nothing is left to happen, which for a
    ///     service that keeps a timer is never.
    ///
    /// Returns
    /// -------
    /// iterator of Event
    ///     The wire runs as far as events are taken from it.
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
