//! Frames of tally as they are written.

use super::feedback::{Feedback, Runs};
use super::layout::{
    Counter, DATA, DATA_FEEDBACK, DATA_LINK, FEEDBACK, Form, LONG, LONG_FEEDBACK_OR_POLL, MOST, MOST_RUNS_ALONE,
    Number, PIECE_OR_GIVEN_UP, POLL, REPAIR_FLAGS, SLAB, Short, TinyCounter, TinyNumber, WHOLE, put_variable,
};
use super::pdu::{Head, Repair};
use arqway_contract::{Frame, Holds, Kind};
use arqway_ip::Ecn;
use arrayvec::ArrayVec;
use bytes::{Bytes, BytesMut};

impl Head {
    /// How many octets it takes.
    pub(crate) fn octets(&self) -> usize {
        let form = self.form();
        let link = self.link.map_or(0, |link| match link {
            0..0x80 => 1,
            0x80..0x4000 => 2,
            _ => 3,
        });
        let feedback = self.feedback.map_or(0, |runs| form.head() + 1 + runs);
        if form == Form::Tiny { form.head() } else { form.head() + link + feedback }
    }

    /// The form that it has: the tiny one has room for nothing else, but that the packet waits for none.
    pub(crate) fn form(&self) -> Form {
        let is_bare = self.starts && self.ends && self.link.unwrap_or(0) == 0 && self.feedback.is_none();
        if is_bare { self.narrowest } else { self.narrowest.max(Form::Short) }
    }

    fn kind(&self) -> Kind {
        match (self.form(), self.feedback, self.link) {
            (Form::Tiny, ..) => WHOLE,
            (Form::Long, ..) => LONG,
            (Form::Short, Some(_), _) => DATA_FEEDBACK,
            (Form::Short, None, Some(_)) => DATA_LINK,
            (Form::Short, None, None) => DATA,
        }
    }

    /// The frame; counter and feedback are written when it starts.
    pub(crate) fn frame(&self, octets: Bytes) -> Frame {
        debug_assert!(self.octets() <= MOST, "what is set aside for feedback depends on the form");
        let blank = [0; MOST];
        let mut frame = Frame::new(self.kind(), &blank[..self.octets().min(MOST)], octets);
        self.write(&mut frame, Counter::ZERO, None);
        frame
    }

    /// Writes it with a counter, and what there is to say, into the frame.
    pub(crate) fn write(&self, frame: &mut Frame, counter: Counter, feedback: Option<&Feedback>) {
        let mut head = ArrayVec::<u8, MOST>::new();
        put_names(&mut head, self.form(), self.number.as_u64(), counter.as_u64(), self.flags());
        let length = self.feedback.map(|runs| u8::try_from(runs).unwrap_or(0x7f));
        let put_link = |head: &mut ArrayVec<u8, MOST>| {
            if let Some(link) = self.link {
                put_variable(head, link, MOST);
            }
        };
        match (self.form(), length) {
            (Form::Tiny | Form::Short, Some(length)) => {
                head.push(length | if self.link.is_some() { 0x80 } else { 0 });
                put_link(&mut head);
            }
            (Form::Long, Some(length)) => {
                put_link(&mut head);
                head.push(length);
            }
            (Form::Tiny, None) => {}
            (_, None) => put_link(&mut head),
        }
        if let (Some(runs), Some(feedback)) = (self.feedback, feedback) {
            feedback.put(&mut head, self.form());
            feedback.put_runs(&mut head, runs);
        }
        let size = frame.head.len();
        frame.head.clear();
        frame.head.extend(head.into_iter().chain(core::iter::repeat(0)).take(size));
    }

    fn flags(&self) -> u64 {
        let both = u64::from(self.starts) << 1 | u64::from(self.ends);
        match self.form() {
            Form::Tiny => u64::from(self.link.is_some()),
            Form::Short => both,
            Form::Long => both << 2 | u64::from(self.feedback.is_some()) << 1 | u64::from(self.link.is_some()),
        }
    }
}

fn put_names<const N: usize>(to: &mut ArrayVec<u8, N>, form: Form, number: u64, counter: u64, flags: u64) {
    match form {
        Form::Tiny => {
            let bits = TinyNumber::new(number).wire() << 8 | TinyCounter::new(counter).wire() << 1 | flags;
            to.extend(bits.to_be_bytes().into_iter().skip(6));
        }
        Form::Short => {
            let bits = Short::new(number).wire() << 13 | Short::new(counter).wire() << 2 | flags;
            to.extend(bits.to_be_bytes().into_iter().skip(5));
        }
        Form::Long => {
            let bits = Number::new(number).wire() << 22 | Counter::new(counter).wire() << 4 | flags;
            to.extend(bits.to_be_bytes().into_iter().skip(3));
        }
    }
}

impl Feedback {
    /// Without its runs.
    fn put<const N: usize>(&self, to: &mut ArrayVec<u8, N>, form: Form) {
        let lateness = self.lateness.bits();
        let (upward, of_line) = (u64::from(self.runs.upward), u64::from(self.line.is_some()));
        let flags = if form == Form::Long { lateness << 2 | upward << 1 | of_line } else { lateness };
        put_names(to, form, self.next, self.newest, flags);
    }

    /// What is behind the numbers, in so many octets: the line, and the runs.
    fn put_runs<const N: usize>(&self, to: &mut ArrayVec<u8, N>, octets: usize) {
        if let Some(line) = self.line {
            to.push(line.number());
        }
        self.runs.put(to, octets.saturating_sub(usize::from(self.line.is_some())));
    }

    /// A frame with nothing else, whose runs take `runs` octets of memory that many frames share.
    pub(crate) fn frame(&self, runs: usize, slab: &mut BytesMut) -> Frame {
        let mut head = ArrayVec::<u8, MOST>::new();
        self.put(&mut head, self.form);
        let mut octets = ArrayVec::<u8, MOST_RUNS_ALONE>::new();
        self.put_runs(&mut octets, runs);
        if slab.capacity() < octets.len() {
            slab.reserve(SLAB);
        }
        slab.extend_from_slice(&octets);
        let kind = if self.form == Form::Long { LONG_FEEDBACK_OR_POLL } else { FEEDBACK };
        Frame::new(kind, &head, slab.split().freeze()).holding(Holds::Nothing)
    }
}

impl Runs {
    /// Exactly so many octets, filled up with zeros.
    fn put<const N: usize>(&self, to: &mut ArrayVec<u8, N>, octets: usize) {
        let end = (to.len() + octets).min(N);
        for number in &self.numbers {
            if !put_variable(to, *number, end) {
                break;
            }
        }
        while to.len() < end {
            to.push(0);
        }
    }
}

/// A piece of a cut; its counter is written when it starts.
pub(crate) fn piece(head: &Head, offset: usize, is_last: bool, octets: Bytes) -> Frame {
    let mut to = ArrayVec::<u8, MOST>::new();
    let marks = u64::from(head.starts) << 1 | u64::from(head.ends);
    let flags = marks << 2 | u64::from(is_last) << 1 | u64::from(head.link.is_some());
    put_names(&mut to, Form::Long, head.number.as_u64(), 0, flags);
    if let Some(link) = head.link {
        put_variable(&mut to, link, MOST);
    }
    to.extend(u16::try_from(offset).unwrap_or(u16::MAX).to_be_bytes());
    Frame::new(PIECE_OR_GIVEN_UP, &to, octets)
}

/// `count` frames from `number` on are given up, with which a packet may start; its counter is written when it starts.
pub(crate) fn given_up(number: Number, starts: bool, count: u16) -> Frame {
    let mut to = ArrayVec::<u8, MOST>::new();
    put_names(&mut to, Form::Long, number.as_u64(), 0, u64::from(starts) << 3);
    to.extend(count.to_be_bytes());
    Frame::new(PIECE_OR_GIVEN_UP, &to, Bytes::new())
}

/// A repair frame; its counter is written when it starts.
pub(crate) fn repair(repair: Repair) -> Frame {
    let mut to = ArrayVec::<u8, MOST>::new();
    put_names(&mut to, Form::Long, repair.first, 0, REPAIR_FLAGS);
    to.extend((repair.count << 6 | u16::from(repair.key)).to_be_bytes());
    // It has parts of packets that may be marked, and of others.
    Frame::new(PIECE_OR_GIVEN_UP, &to, repair.sum).holding(Holds::Packets(Ecn::default()))
}

/// A poll; its counter is written when it starts.
pub(crate) fn poll() -> Frame {
    Frame::new(LONG_FEEDBACK_OR_POLL, &[0; POLL], Bytes::new())
}

/// Writes the counter into a frame that is not [`Head`]'s to write.
pub(crate) fn write_counter(frame: &mut Frame, counter: Counter) {
    let octets = (counter.wire() << 4).to_be_bytes();
    if frame.tag.kind() == LONG_FEEDBACK_OR_POLL {
        let [.., a, b, c] = (counter.wire() << 6).to_be_bytes();
        frame.head.clear();
        frame.head.extend([a, b, c]);
    } else if let Some(names) = frame.head.first_chunk_mut::<5>() {
        // The counter's 18 bits begin behind the number's.
        let mask = (0x3_ffff_u64 << 4).to_be_bytes();
        for ((octet, mask), bits) in names.iter_mut().zip(&mask[3..]).zip(&octets[3..]) {
            *octet = *octet & !mask | bits;
        }
    }
}
