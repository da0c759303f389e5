//! A tunnel in real time: its device, its line, its clock, one thread.
//!
//! ```text
//!     wait (waker, device, line, routes, deadline)  ->  now  ->  turn(now)  ->  what happened is told
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `mod.rs` | [`RunningTunnel`], and its turns of the event loop |
//! | `start.rs` | how it begins |
//! | `paths.rs` | questions about paths, until they are answered |
//! | `requests.rs` | what it does for those who ask: `arqway status`, `hint`, `down` |
//!
//! The device and the addresses on it end with the process, however that ends.

mod paths;
mod requests;
mod start;

use crate::control::{EventLine, Journal, Request, What};
use crate::host::{Host, Resolver};
use crate::hub::{self, Event, ForRoom, Hub};
use crate::line::budgets::{Budgets, News};
use crate::line::{Line, LineNews, SystemLine};
use arqway_link::{LineId, LinkState, bearer};
use arqway_net::{Awaited, Clock, Guest, Interest, NetError, Next, Ready, Wait, Waker, drive};
use arqway_session::{self as session, PeerId};
use arqway_units::{Span, Time};
use arrayvec::ArrayVec;
use paths::Questions;
use start::Generator;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// How often the system's clock is looked at, which somebody may set.
const CLOCK_INTERVAL: Span = Span::from_milliseconds(1000);

/// What the loop waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Somebody asks, a name has been looked up, or it is to stop.
    Waker,
    /// Packets of the network layer.
    Device,
    /// Datagrams of peers, or room for ours.
    Line(LineId),
    /// News of the system's routes.
    Routes(LineId),
}

/// A tunnel with all that it needs of the system.
pub struct RunningTunnel {
    hub: Hub<Generator>,
    /// One at least.
    lines: Vec<Box<dyn SystemLine>>,
    host: Host,
    /// Where peers are, as far as that is said by a name.
    resolver: Resolver<PeerId>,
    clock: Clock,
    /// Wakes the loop: to stop, or because somebody asks.
    waker: Arc<Waker>,
    requests: Receiver<Request>,
    journal: Journal,
    /// Name and kind of each service, by its number.
    services: Vec<(String, &'static str)>,
    /// Of lines that have them.
    budgets: Option<Budgets>,
    /// Lines that are spare, whatever they carry.
    spares: ArrayVec<LineId, { LineId::COUNT }>,
    /// Peers whose names had no address at the start, and why: it is said once it runs.
    unresolved: Vec<(PeerId, What)>,
    /// About paths, from those who ask.
    questions: Questions,
}

impl std::fmt::Debug for RunningTunnel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("RunningTunnel").field("hub", &self.hub).field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl RunningTunnel {
    /// What wakes it so that it looks whether it is to stop.
    #[must_use]
    pub fn waker(&self) -> Arc<Waker> {
        Arc::clone(&self.waker)
    }

    /// Where datagrams of peers arrive: an address, or a device.
    #[must_use]
    pub fn place(&self) -> String {
        let places: Vec<String> = self.lines.iter().map(|line| line.place()).collect();
        places.join(", ")
    }

    /// Carries packets until `stop` is set and the [waker](Self::waker) woken, or somebody asks it to end (`arqway down`); tells what happens.
    /// Nothing is carried while it tells, so that should take no time.
    ///
    /// # Errors
    /// The device or the socket is gone.
    pub fn run(&mut self, stop: &AtomicBool, tell: impl FnMut(&EventLine)) -> Result<(), NetError> {
        let (clock, unresolved) = (self.clock, std::mem::take(&mut self.unresolved));
        let mut running = Running {
            tunnel: self,
            stop,
            tell,
            is_down: false,
            clock_checked: Time::ZERO,
            for_room: ForRoom::default(),
        };
        unresolved.into_iter().for_each(|(peer, what)| running.publish((Some(peer), None), what, clock.now()));
        let outcome = drive(&mut running, &Wait::new()?, &clock);
        running.write_budgets(Budgets::write, clock.now());
        outcome
    }
}

/// A tunnel as a guest of the event loop.
struct Running<'t, T> {
    tunnel: &'t mut RunningTunnel,
    stop: &'t AtomicBool,
    tell: T,
    /// Somebody has asked it to end.
    is_down: bool,
    /// When the system's clock was last looked at.
    clock_checked: Time,
    /// The lines that datagrams wait for until they can be written.
    for_room: ForRoom,
}

impl<T: FnMut(&EventLine)> Guest for Running<'_, T> {
    type Source = Source;

    fn is_over(&self) -> bool {
        self.is_down || self.stop.load(Ordering::Relaxed)
    }

    fn turn(&mut self, now: Time) -> Result<Next, NetError> {
        if now >= self.clock_checked + CLOCK_INTERVAL {
            self.clock_checked = now;
            self.tunnel.hub.set_wall(self.tunnel.clock.since_1970());
            self.mind_budgets(now);
        }
        for place in LineId::first(self.tunnel.lines.len()) {
            while let Some(news) = self.tunnel.lines.get_mut(place.index()).and_then(|line| line.tend(now)) {
                self.hear_line(place, &news, now);
            }
        }
        self.tunnel.ask_paths_again(now);
        let RunningTunnel { hub, lines, host, .. } = &mut *self.tunnel;
        let next = {
            let lines = lines.iter_mut().map(|line| line.as_mut() as &mut dyn Line);
            let mut lines: ArrayVec<&mut dyn Line, { LineId::COUNT }> = lines.collect();
            hub.turn(&mut lines, &mut host.device, now)?
        };
        self.tunnel.tell_paths();
        while let Some(event) = self.tunnel.hub.poll_event() {
            let RunningTunnel { hub, journal, .. } = &*self.tunnel;
            let what = What::of(&event, hub.session(), |peer| journal.name_of(peer));
            self.publish((event.peer(), event.line()), what, now);
            if let Event::Session(session::Event::Unreachable { peer, .. })
            | Event::Link(peer, None, bearer::Event::Down) = event
                && !self.tunnel.hub.is_announced_down(peer)
            {
                self.tunnel.resolver.ask(peer, now);
            }
        }
        let hub::Next::Wait { until, for_room } = next else {
            self.for_room = ForRoom::default();
            return Ok(Next::Turn);
        };
        self.for_room = for_room;
        let of_lines = self.tunnel.lines.iter().filter_map(|line| line.poll_timeout());
        Ok(Next::Wait(until.into_iter().chain(of_lines).chain(self.tunnel.questions.next()).min()))
    }

    fn awaited(&self) -> impl AsRef<[Awaited<'_, Source>]> {
        let RunningTunnel { waker, host, lines, .. } = &*self.tunnel;
        let own = [
            (Source::Waker, Some(waker.as_fd()), Interest::Read),
            (Source::Device, Some(host.device.interface().as_fd()), Interest::Read),
        ];
        let of_lines = LineId::first(lines.len()).zip(lines).flat_map(|(place, line)| {
            let on_line = if self.for_room.has(place) { Interest::ReadOrWrite } else { Interest::Read };
            [(Source::Line(place), line.descriptor(), on_line), (Source::Routes(place), line.changes(), Interest::Read)]
        });
        let all = own.into_iter().chain(of_lines);
        let all = all.filter_map(|(name, at, interest)| Some(Awaited { name, descriptor: at?, interest }));
        all.collect::<ArrayVec<Awaited<'_, Source>, { 2 + 2 * LineId::COUNT }>>()
    }

    fn woken(&mut self, ready: &Ready<Source>, now: Time) {
        for (place, line) in LineId::first(self.tunnel.lines.len()).zip(&mut self.tunnel.lines) {
            if ready.has(Source::Routes(place)) {
                line.changed(now);
            }
        }
        if ready.has(Source::Waker) {
            self.tunnel.waker.clear();
            while let Some((peer, address)) = self.tunnel.resolver.poll() {
                self.tunnel.hub.set_address(peer, address, now);
            }
            while let Ok(request) = self.tunnel.requests.try_recv() {
                self.answer(request, now);
            }
        }
    }
}

impl<T: FnMut(&EventLine)> Running<'_, T> {
    /// The device of the line is gone, and so are both directions of it; or it is back.
    fn hear_line(&mut self, place: LineId, news: &LineNews, now: Time) {
        let (state, what) = match news {
            LineNews::Gone { why } => (Some(LinkState::Down), What::LineGone { why: why.clone() }),
            LineNews::Refused { why } => (None, What::LineRefused { why: why.clone() }),
            LineNews::Back => (Some(LinkState::Up), What::LineBack),
        };
        let place = Some(place).filter(|_| self.tunnel.lines.len() > 1);
        state.into_iter().for_each(|state| self.tunnel.hub.handle_line(place, state, now));
        let peers: Vec<PeerId> = self.tunnel.journal.peers().map(|(peer, _)| peer).collect();
        for peer in peers {
            self.publish((Some(peer), place), what.clone(), now);
        }
    }

    /// Lines that have used their budgets are spare until the month ends.
    fn mind_budgets(&mut self, now: Time) {
        let RunningTunnel { hub, budgets, clock, spares, .. } = &mut *self.tunnel;
        let Some(budgets) = budgets else { return };
        let news = budgets.count(clock.since_1970(), now, |line| hub.crossed(line));
        for News { line, is_spent, .. } in &news {
            hub.spare(*line, *is_spent || spares.contains(line), now);
        }
        for News { line, is_spent, most } in news {
            let most = most.as_u64();
            let what = if is_spent { What::BudgetSpent { octets: most } } else { What::BudgetRenewed { octets: most } };
            self.publish((None, Some(line)), what, now);
        }
        self.write_budgets(|budgets| budgets.write_if_due(now), now);
    }

    fn write_budgets(&mut self, write: impl FnOnce(&mut Budgets) -> io::Result<()>, now: Time) {
        if let Some(Err(error)) = self.tunnel.budgets.as_mut().map(write) {
            self.publish((None, None), What::BudgetUnwritten { why: error.to_string() }, now);
        }
    }

    fn publish(&mut self, about: (Option<PeerId>, Option<LineId>), what: What, now: Time) {
        (self.tell)(&self.tunnel.journal.record(about, what, now));
    }
}
