//! A service that is an object of Python, asked by the names of the contract.
//!
//! The contract knows no exceptions. So the first one is kept for whoever asked, and the object is asked nothing more until that is
//! told: whatever it does, the loop above ends.
//!
//! It is told the clock that stands still while the link is down, and is asked for nothing then: so its timers need no care.

use super::frame::Frame;
use super::time;
use arqway_link::{
    Counters, Deadlines, Departure, Frame as LinkFrame, Full, Kind, LinkClock, LinkService, LinkState, Packet, Start,
    Tag, Ticket,
};
use arqway_units::{Octets, Time};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many frames, or packets, a service may have between two things it is told: far more than a sane one, but not for ever.
const MOST: u32 = 100_000;

pub(super) struct PythonEnd {
    object: Py<PyAny>,
    clock: LinkClock,
    raised: Mutex<Option<PyErr>>,
    /// Frames with a ticket that are handed over and have not departed.
    handed: BTreeMap<Ticket, LinkFrame>,
    frames: u32,
    packets: u32,
}

impl PythonEnd {
    pub(super) fn new(object: Py<PyAny>) -> Self {
        let (clock, raised) = (LinkClock::default(), Mutex::default());
        Self { object, clock, raised, handed: BTreeMap::new(), frames: 0, packets: 0 }
    }

    pub(super) fn object(&self) -> &Py<PyAny> {
        &self.object
    }

    /// What the object raised, if it did since this was asked last.
    pub(super) fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, error: PyErr) {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn has_raised(&self) -> bool {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Asks the object; `silence` where it raises, or has raised before.
    fn ask<T>(&self, silence: T, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        if self.has_raised() {
            return silence;
        }
        Python::attach(|py| ask(self.object.bind(py))).unwrap_or_else(|error| {
            self.keep(error);
            silence
        })
    }

    /// Takes note that it is told something; what time it is to the object.
    fn told(&mut self, now: Time) -> f64 {
        (self.frames, self.packets) = (0, 0);
        self.clock.read(now).timers.as_seconds()
    }

    fn too_many(&self, what: &str) {
        let message = format!("{what} returned something {MOST} times in a row; it has to return None eventually");
        self.keep(PyRuntimeError::new_err(message));
    }
}

/// A method returned something that it may not.
fn unfit<T>(method: &str, returned: &Bound<'_, PyAny>, right: &str) -> PyResult<T> {
    Err(PyTypeError::new_err(format!("{method} returned {}; expected {right}", returned.repr()?)))
}

/// A frame of Python's: a [`Frame`], or octets alone.
fn frame_of(method: &str, returned: &Bound<'_, PyAny>) -> PyResult<Option<LinkFrame>> {
    if returned.is_none() {
        return Ok(None);
    }
    if let Ok(frame) = returned.cast::<Frame>() {
        return Ok(Some(frame.get().0.clone()));
    }
    match returned.cast::<PyBytes>() {
        Ok(octets) => Ok(Some(LinkFrame::new(Kind::new(0), &[], octets.as_bytes().to_vec().into()))),
        Err(_) => unfit(method, returned, "a Frame, bytes or None"),
    }
}

impl LinkService for PythonEnd {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let now = self.told(now);
        let taken = self.ask(false, |object| {
            let octets = PyBytes::new(object.py(), &packet.octets);
            let taken = object.call_method1("handle_packet", (octets, now))?;
            let right = "True if it took the packet, False if it has no room";
            taken.extract::<bool>().or_else(|_| unfit("handle_packet", &taken, right))
        });
        if taken { Ok(()) } else { Err(Full::of(packet)) }
    }

    fn handle_frame(&mut self, frame: LinkFrame, now: Time) {
        let now = self.told(now);
        self.ask((), |object| object.call_method1("handle_frame", (Frame(frame), now)).map(drop));
    }

    fn handle_timeout(&mut self, now: Time) {
        let now = self.told(now);
        if !self.clock.stands() {
            self.ask((), |object| object.call_method1("handle_timeout", (now,)).map(drop));
        }
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        let up = state == LinkState::Up;
        if up {
            self.clock.go_on(now);
        } else {
            self.clock.stop(now);
        }
        let now = self.told(now);
        self.ask((), |object| object.call_method1("handle_link", (up, now)).map(drop));
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<LinkFrame> {
        if self.clock.stands() {
            return None;
        }
        let now = self.clock.read(now).timers.as_seconds();
        // Python knows no largest number: no room is `None`.
        let room = Some(room).filter(|room| *room < Octets::MAX).map(Octets::as_u64);
        let frame =
            self.ask(None, |object| frame_of("poll_frame", &object.call_method1("poll_frame", (now, room))?))?;
        self.frames += 1;
        if self.frames > MOST {
            self.too_many("poll_frame");
        }
        if let Some(ticket) = frame.ticket {
            self.handed.insert(ticket, frame.clone());
        }
        Some(frame)
    }

    fn start_frame(&mut self, frame: &mut LinkFrame, now: Time) -> Start {
        let (given, now) = (Frame(frame.clone()), self.clock.read(now).timers.as_seconds());
        let fresh = self.ask(Some(frame.clone()), |object| {
            frame_of("start_frame", &object.call_method1("start_frame", (given, now))?)
        });
        let (ticket, tag) = (frame.ticket, frame.tag);
        let Some(mut fresh) = fresh else {
            ticket.into_iter().for_each(|ticket| drop(self.handed.remove(&ticket)));
            return Start::Withdraw;
        };
        // The ticket and the kind were said when it was handed over.
        (fresh.ticket, fresh.tag) = (ticket, tag);
        *frame = fresh;
        ticket.into_iter().for_each(|ticket| drop(self.handed.insert(ticket, frame.clone())));
        Start::Send
    }

    fn handle_departure(&mut self, _tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        let now = self.told(now);
        let Some(frame) = self.handed.remove(&ticket) else { return };
        let sent = departure == Departure::Sent;
        self.ask((), |object| object.call_method1("handle_departure", (Frame(frame), now, sent)).map(drop));
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        let packet = self.ask(None, |object| {
            let packet = object.call_method0("poll_packet")?;
            if packet.is_none() {
                return Ok(None);
            }
            match packet.cast::<PyBytes>() {
                Ok(octets) => Ok(Some(Packet::new(octets.as_bytes().to_vec()))),
                Err(_) => unfit("poll_packet", &packet, "bytes or None"),
            }
        })?;
        self.packets += 1;
        if self.packets > MOST {
            self.too_many("poll_packet");
        }
        Some(packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        if self.clock.stands() {
            return None;
        }
        let deadline = self.ask(None, |object| {
            let deadline = object.call_method0("poll_timeout")?;
            let right = "a time in seconds, or None";
            let seconds = deadline.extract::<Option<f64>>().or_else(|_| unfit("poll_timeout", &deadline, right))?;
            seconds.map(time).transpose()
        });
        self.clock.true_time(Deadlines::of_timers(deadline))
    }

    /// It says so when it is given one.
    fn wants_packet(&self, _room: Octets) -> bool {
        true
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        self.ask(Octets::ZERO, |object| {
            let largest = object.call_method1("largest_packet", (room.as_u64(),))?;
            let right = "a number of octets";
            largest.extract().map(Octets::new).or_else(|_| unfit("largest_packet", &largest, right))
        })
    }

    fn counters(&self) -> Counters {
        Counters::default()
    }
}
