//! Delivery without regard to sequence (25.322 §4.2.1.3.2: in-sequence delivery is a function that may be off): each SDU as soon as
//! it is [whole](crate::rlc::whole), the window wherever it is.
//!
//! ```text
//!     behind            VR(R)                    VR(H)
//!     | aab | bbb |     missing | ccc | c dd | e
//!           kept: b is not whole yet   c: delivered when its end came
//! ```
//!
//! The window slides as ever. Behind it stay the PDUs of the one SDU that is under way there: no other can still need them.

use super::Number;
use crate::rlc::pdu::Contents;
use crate::rlc::reassembly::LONGEST_SDU;
use crate::rlc::whole;
use crate::rlc::whole::Held;
use alloc::collections::VecDeque;
use arqway_arq::Window;
use bytes::Bytes;

/// What of the PDUs behind the window may still be needed.
#[derive(Debug)]
pub(super) struct AsReceived {
    /// Those of the SDU that is under way at VR(R), up to the one before it.
    behind: VecDeque<Contents>,
    octets: usize,
    /// VR(R).
    next: u64,
    /// With this PDU an SDU begins, though nothing in it may say so.
    begins: Option<u64>,
}

impl Default for AsReceived {
    /// The first SDU begins with the first PDU.
    fn default() -> Self {
        Self { behind: VecDeque::new(), octets: 0, next: 0, begins: Some(0) }
    }
}

impl AsReceived {
    /// A PDU has come into its place in the window: what needs it and is whole by that is delivered.
    pub(super) fn arrived(&self, pdus: &Pdus, number: Number, released: &mut VecDeque<Bytes>) {
        whole::deliver_what_needed(&View { kept: self, pdus }, number.as_u64(), &mut |sdu| released.push_back(sdu));
    }

    /// The window has moved past a PDU, or past the place of one that will not come.
    pub(super) fn passed(&mut self, number: Number, contents: Option<Contents>) {
        self.next = number.next().as_u64();
        let Some(contents) = contents else { return self.forget(None) };
        let (has_end, is_open) =
            (whole::ends::<View<'_>>(&contents).next().is_some(), whole::is_open::<View<'_>>(&contents));
        if !is_open {
            return self.forget(Some(self.next));
        }
        if has_end {
            self.forget(None);
        }
        self.octets += contents.data.len();
        self.behind.push_back(contents);
        if self.octets > LONGEST_SDU {
            self.forget(None);
        }
    }

    /// The peer has discarded all before this PDU: an SDU begins with it (§11.6.3). It may be here already.
    pub(super) fn begins_with(&mut self, pdus: &Pdus, number: Number, released: &mut VecDeque<Bytes>) {
        if self.begins == Some(number.as_u64()) {
            return;
        }
        let number = number.as_u64();
        self.forget(Some(number));
        let Some(before) = number.checked_sub(1) else { return };
        let view = View { kept: self, pdus };
        whole::deliver_behind(&view, (number, 0), before, &mut |sdu| released.push_back(sdu));
    }

    fn forget(&mut self, begins: Option<u64>) {
        self.behind.clear();
        self.octets = 0;
        self.begins = begins;
    }
}

type Pdus = Window<12, Option<Contents>>;

/// The PDUs behind the window, and those in it.
struct View<'a> {
    kept: &'a AsReceived,
    pdus: &'a Pdus,
}

impl Held for View<'_> {
    const ENDS_HERE_IS_WHOLE: bool = false;

    fn get(&self, number: u64) -> Option<&Contents> {
        match self.kept.next.checked_sub(number) {
            Some(back) if back > 0 => {
                let index = self.kept.behind.len().checked_sub(usize::try_from(back).ok()?)?;
                self.kept.behind.get(index)
            }
            _ => self.pdus.get(Number::new(number))?.as_ref(),
        }
    }

    fn is_known_to_begin(&self, number: u64) -> bool {
        self.kept.begins == Some(number)
    }
}
