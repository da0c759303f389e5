//! Ends in memory and a clock that the test sets.

use arqway_emulate::{EmulatedLink, Emulation, End, FileError, LinkSettings, Now, Report};
use arqway_net::{NetError, Next};
use arqway_slab::Slab;
use arqway_units::{Octets, Ratio, Span, Time};
use bytes::Bytes;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

#[derive(Debug, Clone, Default)]
pub(crate) struct Clock(pub(crate) Rc<Cell<Time>>);

impl Now for Clock {
    fn now(&self) -> Time {
        self.0.get()
    }
}

/// What an end sends at which times, and what it got.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) clock: Clock,
    pub(crate) sends: VecDeque<(Time, Octets)>,
    pub(crate) received: Rc<RefCell<Vec<(Time, Octets)>>>,
    pub(crate) header: usize,
    pub(crate) is_deaf: bool,
}

impl End for Memory {
    fn receive(&mut self, slab: &mut Slab) -> Result<Option<Bytes>, NetError> {
        let Some((_, size)) = self.sends.pop_front_if(|(at, _)| *at <= self.clock.now()) else { return Ok(None) };
        let length = size.as_usize() + self.header;
        slab.room(length).fill(0x5a);
        Ok(Some(slab.cut(length)))
    }

    fn send(&mut self, packet: &[u8]) -> Result<bool, NetError> {
        let size = Octets::of(packet.len() - self.header);
        self.received.borrow_mut().push((self.clock.now(), size));
        Ok(!self.is_deaf)
    }

    fn header_octets(&self) -> usize {
        self.header
    }

    fn overruns(&mut self) -> u64 {
        0
    }
}

pub(crate) fn ms(milliseconds: u64) -> Span {
    Span::from_milliseconds(milliseconds)
}

pub(crate) fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a ratio")
}

/// What the server sends crosses an emulated link; what the client got, and the numbers.
pub(crate) fn emulate(
    settings: &LinkSettings,
    seed: u64,
    down: &[(Time, Octets)],
    late: Span,
) -> (Vec<(Time, Octets)>, Report) {
    let (received, report, files) = emulate_with(settings, seed, down, late, |_| {});
    assert!(files.is_empty());
    (received, report)
}

/// The same, with turns at the times that the emulation asks for, each this late; `prepare` gives it files.
pub(crate) fn emulate_with(
    settings: &LinkSettings,
    seed: u64,
    down: &[(Time, Octets)],
    late: Span,
    prepare: impl FnOnce(&mut Emulation<Memory, Clock>),
) -> (Vec<(Time, Octets)>, Report, Vec<FileError>) {
    let clock = Clock::default();
    let received = Rc::new(RefCell::new(Vec::new()));
    let client = Memory { clock: clock.clone(), received: Rc::clone(&received), ..Memory::default() };
    let server = Memory { clock: clock.clone(), sends: down.iter().copied().collect(), ..Memory::default() };
    let mut arrivals: VecDeque<Time> = down.iter().map(|(at, _)| *at).collect();
    let mut emulation = Emulation::new(EmulatedLink::new(settings, seed), client, server, clock.clone());
    prepare(&mut emulation);
    let end = down.last().map_or(Time::ZERO, |(at, _)| *at) + ms(60_000);
    loop {
        let next = emulation.turn().expect("ends in memory");
        let due = match next {
            Next::Turn => continue,
            Next::Wait(due) => due.map(|due| due + late),
        };
        // A packet that is sent wakes the emulator, too.
        while arrivals.pop_front_if(|at| *at <= clock.now()).is_some() {}
        let Some(at) = due.into_iter().chain(arrivals.front().copied()).min().filter(|at| *at <= end) else { break };
        clock.0.set(at.max(clock.now()));
    }
    let (report, files) = emulation.finish();
    (received.take(), report, files)
}
