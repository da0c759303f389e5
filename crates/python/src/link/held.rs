//! A service that a wire drives and Python still holds: both ask the same object, one at a time.

use super::service::{Service, Watched};
use arqway_link::{Counters, Departure, Frame, Full, LinkService, LinkState, Packet, Start, Tag, Ticket};
use arqway_units::{Octets, Time};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

pub(super) struct Held(pub(super) Py<Service>);

impl Held {
    /// Asks it; `silence` where it is being asked already, which is told when the wire looks for what was raised.
    fn ask<T>(&self, silence: T, ask: impl FnOnce(&mut Watched) -> T) -> T {
        Python::attach(|py| match self.0.bind(py).try_borrow_mut() {
            Ok(mut service) => ask(service.watched()),
            Err(_) => silence,
        })
    }

    /// What was raised inside, or broken.
    pub(super) fn take_raised(&self, py: Python<'_>) -> PyResult<()> {
        match self.0.bind(py).try_borrow_mut() {
            Ok(mut service) => service.take_raised(py),
            Err(_) => Err(PyRuntimeError::new_err("a service on a wire was called while another call was running")),
        }
    }
}

impl LinkService for Held {
    fn handle_packet(&mut self, packet: Packet, now: Time) -> Result<(), Full> {
        let back = packet.clone();
        self.ask(Err(Full::of(back)), |service| service.handle_packet(packet, now))
    }

    fn handle_frame(&mut self, frame: Frame, now: Time) {
        self.ask((), |service| service.handle_frame(frame, now));
    }

    fn handle_timeout(&mut self, now: Time) {
        self.ask((), |service| service.handle_timeout(now));
    }

    fn handle_link(&mut self, state: LinkState, now: Time) {
        self.ask((), |service| service.handle_link(state, now));
    }

    fn poll_frame(&mut self, now: Time, room: Octets) -> Option<Frame> {
        self.ask(None, |service| service.poll_frame(now, room))
    }

    fn start_frame(&mut self, frame: &mut Frame, now: Time) -> Start {
        self.ask(Start::Send, |service| service.start_frame(frame, now))
    }

    fn handle_departure(&mut self, tag: Tag, ticket: Ticket, departure: Departure, now: Time) {
        self.ask((), |service| service.handle_departure(tag, ticket, departure, now));
    }

    fn poll_packet(&mut self) -> Option<Packet> {
        self.ask(None, LinkService::poll_packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.ask(None, |service| service.poll_timeout())
    }

    fn wants_packet(&self, room: Octets) -> bool {
        self.ask(false, |service| service.wants_packet(room))
    }

    fn largest_packet(&self, room: Octets) -> Octets {
        self.ask(Octets::ZERO, |service| service.largest_packet(room))
    }

    fn counters(&self) -> Counters {
        self.ask(Counters::default(), |service| service.counters())
    }
}
