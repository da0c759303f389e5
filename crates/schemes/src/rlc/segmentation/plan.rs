//! What goes into the next PDU: which SDUs end in it, which LIs say so, and how much is padding.

use super::{Awaiting, Mode, Segmenter};
use crate::rlc::pdu::{HeaderExtension, LengthIndicator};

/// What goes into a PDU, besides its LIs.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) extension: HeaderExtension,
    /// How many SDUs have their last octet here.
    pub(super) whole: usize,
    /// How many octets of the one behind them.
    pub(super) part: usize,
    /// How many ends are told here: by an LI, by the header, or by what stands in the place of an LI.
    pub(super) ends: usize,
    /// Octets behind the data.
    pub(super) padding: usize,
    /// An LI tells of it.
    pub(super) is_padding_told: bool,
    /// More SDUs would not change this PDU.
    pub(super) is_full: bool,
    /// The LI that the next PDU begins with.
    pub(super) owes: Option<LengthIndicator>,
}

/// What goes into the next PDU.
impl Segmenter {
    pub(super) fn plan(&self, indicate: &mut impl FnMut(LengthIndicator)) -> Plan {
        if let Some((plan, indicator)) = self.plan_sole() {
            indicator.into_iter().for_each(indicate);
            return plan;
        }
        let li = self.format.size.octets();
        let mut room = self.format.room();
        let opening = self.opening();
        let mut ends = usize::from(self.awaiting.is_some_and(|awaiting| awaiting.sdu.is_some()));
        if let Some(opening) = opening {
            indicate(opening);
            room -= li;
        }
        let (mut at, mut whole, mut part, mut owes) = (0, 0, 0, None);
        for sdu in &self.waiting {
            let is_behind_end = at > 0;
            if ends >= self.format.most_ends || room == 0 || is_behind_end && room < li {
                break;
            }
            if sdu.len() > room {
                part = core::mem::take(&mut room);
                break;
            }
            whole += 1;
            at += sdu.len();
            room -= sdu.len();
            if room < li {
                owes =
                    Some(if room == 0 { LengthIndicator::PreviousFilled } else { LengthIndicator::PreviousOneShort });
                break;
            }
            indicate(LengthIndicator::End(u16::try_from(at).unwrap_or(u16::MAX)));
            ends += 1;
            room -= li;
        }
        let pads = self.format.fixed || owes.is_some();
        let is_padding_told = pads && owes.is_none() && room >= li;
        if is_padding_told {
            indicate(LengthIndicator::Padding);
        }
        let is_any_told = opening.is_some() || ends > 0 || is_padding_told;
        Plan {
            extension: if is_any_told { HeaderExtension::Indicator } else { HeaderExtension::Data },
            whole,
            part,
            ends,
            padding: if !pads {
                0
            } else if is_padding_told {
                room - li
            } else {
                room
            },
            is_padding_told,
            is_full: room < li || ends >= self.format.most_ends,
            owes,
        }
    }

    /// The first LI, where it is not the end of an SDU.
    fn opening(&self) -> Option<LengthIndicator> {
        if let Some(awaiting) = self.awaiting {
            return Some(awaiting.indicator);
        }
        let Mode::Unacknowledged { alternative, marks_first } = self.format.mode else { return None };
        let sdu = self.waiting.front()?;
        if !self.begun {
            // Where E = 0 means something else, only an LI can say what this is.
            (marks_first || alternative).then_some(LengthIndicator::First)
        } else {
            let ends = sdu.len() + self.format.size.octets() <= self.format.room();
            (alternative && !ends).then_some(LengthIndicator::Middle)
        }
    }

    /// A PDU that is one SDU, or the rest of one, and says so in a way of its own, perhaps with an LI.
    fn plan_sole(&self) -> Option<(Plan, Option<LengthIndicator>)> {
        let (octets, li, room) = (self.waiting.front()?.len(), self.format.size.octets(), self.format.room());
        let is_alone = !self.format.fixed && self.waiting.len() == 1 && octets < room;
        let is_awaited = self.awaiting.is_some_and(|awaiting| awaiting.sdu.is_some());
        let (extension, indicator, padding) = match (self.format.mode, self.awaiting) {
            (Mode::Acknowledged { special_end: true }, None) if octets == room || is_alone => {
                (HeaderExtension::EndsHere, None, 0)
            }
            // What stands here tells the end of the SDU before as well, if that filled its PDU.
            (
                Mode::Unacknowledged { alternative: true, .. },
                None | Some(Awaiting { indicator: LengthIndicator::PreviousFilled, .. }),
            ) if !self.begun => {
                if octets == room || is_alone {
                    (HeaderExtension::EndsHere, None, 0)
                } else if self.awaiting.is_some() && !is_awaited {
                    return None; // After a discard only E = 0 does without (§11.2.4.3).
                } else if octets + li == room {
                    (HeaderExtension::Indicator, Some(LengthIndicator::Whole), 0)
                } else if li == 2 && octets + li + 1 == room {
                    (HeaderExtension::Indicator, Some(LengthIndicator::WholeOneShort), 1)
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        let ends = 1 + usize::from(is_awaited);
        let is_full = !is_alone;
        let plan = Plan { extension, whole: 1, part: 0, ends, padding, is_padding_told: false, is_full, owes: None };
        Some((plan, indicator))
    }
}
