//! Whose turn it is: deficit round robin (Shreedhar and Varghese, SIGCOMM 1995), and those first who come anew (RFC 8290, Section 4.2).
//!
//! ```text
//!     new:  D                     comes with a quantum, and goes before all others; when that is used up, or nothing of D waits,
//!     old:  A -> B -> C -> A      ... it is the last of these, of whom each has a quantum a round
//! ```
//!
//! Whoever sends little is always new: it waits for no more than a quantum of each other new one, and for the packet that is on its way.
//! O(1) for each packet and each quantum.

use alloc::vec::Vec;

/// Stands for no member.
const NOBODY: u16 = u16::MAX;

/// Members of any number of rounds; each is in one at most.
#[derive(Debug)]
pub(super) struct Members {
    members: Vec<Member>,
    /// What each may send in a round, in octets.
    quantum: i64,
}

#[derive(Debug, Clone, Copy)]
struct Member {
    /// What it may still send in this round.
    credit: i64,
    takes_turns: bool,
    /// Who is next in its line.
    next: u16,
}

impl Members {
    pub(super) fn new(members: usize, quantum: usize) -> Self {
        let member = Member { credit: 0, takes_turns: false, next: NOBODY };
        let quantum = i64::try_from(quantum).unwrap_or(i64::MAX);
        Self { members: alloc::vec![member; members.min(usize::from(NOBODY))], quantum }
    }

    /// Whether it is in a round.
    pub(super) fn takes_turns(&self, member: u16) -> bool {
        self.members.get(usize::from(member)).is_some_and(|member| member.takes_turns)
    }

    /// It has sent so many octets: less than none if they came back.
    pub(super) fn charge(&mut self, member: u16, octets: i64) {
        if let Some(member) = self.members.get_mut(usize::from(member)) {
            member.credit -= octets;
        }
    }
}

/// A line of members, each of whom knows the next.
#[derive(Debug, Clone, Copy)]
struct Line {
    first: u16,
    last: u16,
}

impl Line {
    const EMPTY: Self = Self { first: NOBODY, last: NOBODY };

    fn push(&mut self, member: u16, of: &mut Members) {
        if let Some(joins) = of.members.get_mut(usize::from(member)) {
            joins.next = NOBODY;
        }
        match of.members.get_mut(usize::from(self.last)) {
            Some(last) => last.next = member,
            None => self.first = member,
        }
        self.last = member;
    }

    fn pop(&mut self, of: &Members) -> Option<u16> {
        let first = self.first;
        self.first = of.members.get(usize::from(first))?.next;
        if self.first == NOBODY {
            self.last = NOBODY;
        }
        Some(first)
    }
}

/// Members who take turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    new: Line,
    old: Line,
}

impl Default for Round {
    fn default() -> Self {
        Self { new: Line::EMPTY, old: Line::EMPTY }
    }
}

impl Round {
    /// Something of a member waits; it joins, unless it is in the round.
    pub(super) fn join(&mut self, member: u16, of: &mut Members) {
        let quantum = of.quantum;
        let Some(joins) = of.members.get_mut(usize::from(member)) else { return };
        if !joins.takes_turns {
            (joins.takes_turns, joins.credit) = (true, quantum);
            self.new.push(member, of);
        }
    }

    /// Whose turn it is.
    pub(super) fn next(&mut self, of: &mut Members) -> Option<u16> {
        loop {
            let is_new = self.new.first != NOBODY;
            let line = if is_new { &mut self.new } else { &mut self.old };
            let first = line.first;
            let quantum = of.quantum;
            let member = of.members.get_mut(usize::from(first))?;
            if member.credit > 0 {
                return Some(first);
            }
            member.credit += quantum;
            line.pop(of);
            self.old.push(first, of);
        }
    }

    /// Nothing waits of the one whose turn it is. One that is new is the last of the old ones first, or it would be new again at once.
    pub(super) fn pass(&mut self, of: &mut Members) {
        if let Some(first) = self.new.pop(of) {
            self.old.push(first, of);
        } else if let Some(first) = self.old.pop(of)
            && let Some(member) = of.members.get_mut(usize::from(first))
        {
            member.takes_turns = false;
        }
    }
}
