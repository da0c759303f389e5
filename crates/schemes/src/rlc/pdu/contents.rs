//! What lies behind a data PDU's header: octets of SDUs, and where they end.
//!
//! ```text
//!     | LI 4 | LI 10 | LI padding | A A A A | B B B B B B | 0 0 0 |
//!                                   data: the end of SDU A, the SDU B
//! ```

use super::status::Status;
use super::{HeaderExtension, LengthIndicator, LengthIndicatorSize};
use bytes::Bytes;

/// The SDUs of a data PDU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Octets of SDUs and nothing else: no padding, no STATUS, not the last octet that the standard tells to ignore.
    pub data: Bytes,
    /// The indicators as received, without those for padding and a STATUS.
    indicators: Bytes,
    size: LengthIndicatorSize,
    ends_here: bool,
}

impl Contents {
    /// The length indicators in their order, but for [`Padding`](LengthIndicator::Padding) and
    /// [`Status`](LengthIndicator::Status), which are not about SDUs. Those that tell of the PDU before, or of the data as a
    /// whole, come first; every [`End`](LengthIndicator::End) is higher than the one before and within the data.
    pub fn indicators(&self) -> impl Iterator<Item = LengthIndicator> + '_ {
        let fields = self.indicators.chunks_exact(self.size.octets());
        fields.filter_map(|field| Some(LengthIndicator::read(field, self.size)?.0))
    }

    /// Whether the last octet of data is the last one of an SDU though no indicator says so: the special value of HE, and in
    /// unacknowledged mode the alternative E bit, by which the SDU also begins here. There are no indicators then.
    #[must_use]
    pub fn ends_here(&self) -> bool {
        self.ends_here
    }
}

/// Behind the first two octets of an AMD PDU: SDUs and a piggybacked STATUS.
pub(super) fn of_amd(
    octets: Bytes,
    extension: HeaderExtension,
    size: LengthIndicatorSize,
    most_ends: usize,
) -> Option<(Contents, Option<Status>)> {
    let header = match extension {
        HeaderExtension::Indicator => Header::read(&octets, size)?,
        HeaderExtension::Data | HeaderExtension::EndsHere => return Some((only_data(octets, extension, size)?, None)),
    };
    // Reserved in an AMD PDU: §9.2.2.8, §11.3.4.6.
    let reserved =
        matches!(header.first, Some(LengthIndicator::First | LengthIndicator::Whole | LengthIndicator::WholeOneShort));
    if reserved || header.ends > most_ends {
        return None;
    }
    // What is `Middle` elsewhere.
    let has_status = header.last == LengthIndicator::Middle;
    let (contents, behind) = header.split(octets, has_status, size);
    let status = if has_status { Some(Status::piggybacked(behind)?) } else { None };
    Some((contents, status))
}

/// Behind the first octet of a UMD PDU.
pub(super) fn of_umd(octets: Bytes, extension: HeaderExtension, size: LengthIndicatorSize) -> Option<Contents> {
    let header = match extension {
        HeaderExtension::Indicator => Header::read(&octets, size)?,
        HeaderExtension::Data | HeaderExtension::EndsHere => return only_data(octets, extension, size),
    };
    // These speak of all the data, which the first must be, and the others nothing else be said of.
    let is_about_all =
        matches!(header.first, Some(LengthIndicator::Whole | LengthIndicator::WholeOneShort | LengthIndicator::Middle));
    let is_alone = header.count == 1;
    let middle_is_elsewhere = header.last == LengthIndicator::Middle && !is_alone;
    if (is_about_all && !is_alone) || middle_is_elsewhere {
        return None;
    }
    let needs_data = is_about_all || header.first == Some(LengthIndicator::First);
    let one_short = header.first == Some(LengthIndicator::WholeOneShort);
    let (mut contents, _) = header.split(octets, false, size);
    if one_short {
        contents.data.truncate(contents.data.len().checked_sub(1)?);
    }
    (!needs_data || !contents.data.is_empty()).then_some(contents)
}

/// A PDU without length indicators has data.
fn only_data(data: Bytes, extension: HeaderExtension, size: LengthIndicatorSize) -> Option<Contents> {
    let ends_here = extension == HeaderExtension::EndsHere;
    (!data.is_empty()).then_some(Contents { data, indicators: Bytes::new(), size, ends_here })
}

/// The length indicators of a PDU, read and found to be in a right order.
struct Header {
    /// How many there are.
    count: usize,
    /// The first, where it is not about this PDU's octets from somewhere on: what tells of the PDU before or of all the data.
    first: Option<LengthIndicator>,
    last: LengthIndicator,
    /// Where the last SDU ends that ends here; 0 where none does.
    end: usize,
    /// How many indicators tell of the end of an SDU, here or in the PDU before.
    ends: usize,
}

impl Header {
    fn read(octets: &[u8], size: LengthIndicatorSize) -> Option<Self> {
        let mut header = Self { count: 0, first: None, last: LengthIndicator::Padding, end: 0, ends: 0 };
        for field in octets.chunks_exact(size.octets()) {
            let (indicator, more) = LengthIndicator::read(field, size)?;
            header.take(indicator, more)?;
            if !more {
                let behind = octets.len() - header.count * size.octets();
                // No SDU ends beyond the PDU: §11.2.4.2, §11.3.4.5.
                return (header.end <= behind).then_some(header);
            }
        }
        None
    }

    /// One indicator more: predefined values stand in front or behind all others, lengths grow; any other is reserved (§11.2.4.1).
    fn take(&mut self, indicator: LengthIndicator, more: bool) -> Option<()> {
        use LengthIndicator::{
            End, First, Middle, Padding, PreviousFilled, PreviousOneShort, Status, Whole, WholeOneShort,
        };
        let is_first = self.count == 0;
        match indicator {
            End(octets) if usize::from(octets) > self.end => {
                self.end = octets.into();
                self.ends += 1;
            }
            PreviousFilled | PreviousOneShort if is_first => self.ends += 1,
            First | Whole | WholeOneShort if is_first => self.first = Some(indicator),
            Middle | Padding if !more => {
                if is_first {
                    self.first = Some(indicator);
                }
            }
            End(_) | PreviousFilled | PreviousOneShort | First | Whole | WholeOneShort | Middle | Padding | Status => {
                return None;
            }
        }
        self.count += 1;
        self.last = indicator;
        Some(())
    }

    /// The contents, and what lies behind them: padding, or a STATUS if the last indicator says so.
    fn split(self, mut octets: Bytes, has_status: bool, size: LengthIndicatorSize) -> (Contents, Bytes) {
        let mut indicators = octets.split_to(self.count * size.octets());
        let is_about_behind = has_status || self.last == LengthIndicator::Padding;
        if is_about_behind {
            indicators.truncate(indicators.len() - size.octets());
        }
        // A single octet behind the end of an SDU has no room for an indicator of padding, and is padding: §9.2.2.8, §9.2.2.10.
        let one_short = size == LengthIndicatorSize::Fifteen && self.end > 0 && octets.len() == self.end + 1;
        let data_end = if is_about_behind || one_short { self.end } else { octets.len() };
        let behind = octets.split_off(data_end);
        (Contents { data: octets, indicators, size, ends_here: false }, behind)
    }
}
