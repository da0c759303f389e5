//! RLC's PDUs of any octets, read twice: by the reader, and here, bit by bit as 3GPP TS 25.322 §9.2 has them. Both must
//! refuse the same, and of the rest read the same, wherever the sender's head ended.

use arqway_link::fuzz::Input;
use arqway_link::rlc::pdu::{
    AmOptions, AmPdu, Contents, KIND, LengthIndicator, LengthIndicatorSize, Reset, Status, Sufi, parse_am, parse_um,
};
use arqway_link::{Frame, Tag};
use std::fmt::Write as _;

pub(crate) fn am(octets: &[u8]) {
    let mut input = Input::new(octets);
    let (choices, split) = (input.octet(), input.index(20));
    let octets = input.rest();
    let options = AmOptions { ends_here: choices & 2 != 0, at_most_fifteen_ends: choices & 4 != 0 };
    let read = parse_am(off_the_wire(octets), size(choices), options);
    assert_eq!(parse_am(from_memory(octets, split), size(choices), options), read);
    let read = read.map(|pdu| match pdu {
        AmPdu::Data(pdu) => {
            let status = pdu.status.as_ref().map(said);
            format!("AMD {} {} {} {status:?}", pdu.number, pdu.poll, contents(&pdu.contents))
        }
        AmPdu::Status(status) => format!("STATUS {}", said(&status)),
        AmPdu::Reset(Reset { number, hyper_frame_number }) => format!("RESET {number} {hyper_frame_number}"),
        AmPdu::ResetAck(Reset { number, hyper_frame_number }) => format!("RESET ACK {number} {hyper_frame_number}"),
    });
    assert_eq!(read, am_by_bits(octets, size(choices), options), "{octets:02x?}");
}

pub(crate) fn um(octets: &[u8]) {
    let mut input = Input::new(octets);
    let (choices, split) = (input.octet(), input.index(20));
    let octets = input.rest();
    let alternative = choices & 2 != 0;
    let read = parse_um(off_the_wire(octets), size(choices), alternative);
    assert_eq!(parse_um(from_memory(octets, split), size(choices), alternative), read);
    let read = read.map(|pdu| format!("UMD {} {}", pdu.number, contents(&pdu.contents)));
    assert_eq!(read, um_by_bits(octets, size(choices), alternative), "{octets:02x?}");
}

fn size(choices: u8) -> LengthIndicatorSize {
    if choices & 1 == 0 { LengthIndicatorSize::Seven } else { LengthIndicatorSize::Fifteen }
}

fn off_the_wire(octets: &[u8]) -> Frame {
    Frame::from_wire(Tag::of_kind(KIND), octets.to_vec().into())
}

fn from_memory(octets: &[u8], split: usize) -> Frame {
    let split = split.min(octets.len());
    Frame::new(KIND, &octets[..split], octets[split..].to_vec().into())
}

fn contents(read: &Contents) -> String {
    described(&read.indicators().collect::<Vec<_>>(), &read.data, read.ends_here())
}

fn described(indicators: &[LengthIndicator], data: &[u8], ends_here: bool) -> String {
    format!("{indicators:?} {data:02x?} {ends_here}")
}

/// What the reader says that a STATUS says.
fn said(status: &Status) -> String {
    let mut text = String::new();
    for sufi in status.sufis() {
        let _ = match sufi {
            Sufi::NoMore => write!(text, "NO_MORE;"),
            Sufi::Window(size) => write!(text, "WINDOW {size};"),
            Sufi::Ack(number) => write!(text, "ACK {number};"),
            Sufi::List(list) => write!(text, "LIST {:?};", list.missing().collect::<Vec<_>>()),
            Sufi::Bitmap(bitmap) => {
                assert!(bitmap.missing().chain(bitmap.received()).count() == bitmap.all().count());
                write!(text, "BITMAP {:?};", bitmap.all().collect::<Vec<_>>())
            }
            Sufi::RelativeList(list) => write!(text, "LIST {:?};", list.missing().collect::<Vec<_>>()),
            Sufi::MoveReceivingWindow(mrw) => {
                write!(text, "MRW {:?} {} {};", mrw.numbers().collect::<Vec<_>>(), mrw.n, mrw.beyond_window)
            }
            Sufi::MoveReceivingWindowAck { n, number } => write!(text, "MRW_ACK {n} {number};"),
            Sufi::Poll(number) => write!(text, "POLL {number};"),
        };
    }
    text
}

/// Octets read bit by bit.
struct Bits<'octets> {
    octets: &'octets [u8],
    at: usize,
}

impl<'octets> Bits<'octets> {
    fn take(&mut self, count: usize) -> Option<u32> {
        let mut value = 0;
        for _ in 0..count {
            let octet = self.octets.get(self.at / 8)?;
            value = value << 1 | u32::from(octet >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }

    /// What is left, which begins with an octet.
    fn rest(self) -> &'octets [u8] {
        &self.octets[self.at / 8..]
    }

    fn is_empty(&self) -> bool {
        self.at == 8 * self.octets.len()
    }
}

fn am_by_bits(octets: &[u8], size: LengthIndicatorSize, options: AmOptions) -> Option<String> {
    let mut bits = Bits { octets, at: 0 };
    if bits.take(1)? == 0 {
        return match bits.take(3)? {
            0 => Some(format!("STATUS {}", super_fields(&mut bits)?)),
            kind @ (1 | 2) => {
                let (number, reserved, hyper) = (bits.take(1)? == 1, bits.take(3)?, bits.take(20)?);
                let name = if kind == 1 { "RESET" } else { "RESET ACK" };
                // The octet that it ends in is there or not.
                (reserved == 0).then(|| format!("{name} {number} {hyper}"))
            }
            _ => None,
        };
    }
    let (number, poll) = (bits.take(12)?, bits.take(1)? == 1);
    let (indicators, data, behind) = match bits.take(2)? {
        1 => by_indicators(bits, size, true)?,
        extension @ (0 | 2) => {
            let data = bits.rest();
            let is_right = !data.is_empty() && (extension == 0 || options.ends_here);
            let text = described(&[], data, extension == 2);
            return is_right.then(|| format!("AMD {number} {poll} {text} {:?}", None::<String>));
        }
        _ => return None,
    };
    let has_status = indicators.last() == Some(&LengthIndicator::Status);
    let about_sdus: Vec<_> = indicators
        .into_iter()
        .filter(|indicator| !matches!(indicator, LengthIndicator::Status | LengthIndicator::Padding))
        .collect();
    if options.at_most_fifteen_ends && about_sdus.len() > 15 {
        return None;
    }
    let status = if has_status {
        let mut bits = Bits { octets: behind, at: 0 };
        if bits.take(4)? != 0 {
            return None;
        }
        Some(super_fields(&mut bits)?)
    } else {
        None
    };
    Some(format!("AMD {number} {poll} {} {status:?}", described(&about_sdus, data, false)))
}

fn um_by_bits(octets: &[u8], size: LengthIndicatorSize, alternative: bool) -> Option<String> {
    if size == LengthIndicatorSize::Seven && octets.len() > 125 {
        return None;
    }
    let mut bits = Bits { octets, at: 0 };
    let number = bits.take(7)?;
    if bits.take(1)? == 0 {
        let data = bits.rest();
        return (!data.is_empty()).then(|| format!("UMD {number} {}", described(&[], data, alternative)));
    }
    let (indicators, data, _) = by_indicators(bits, size, false)?;
    let has_padding = indicators.last() == Some(&LengthIndicator::Padding);
    let about_sdus = &indicators[..indicators.len() - usize::from(has_padding)];
    Some(format!("UMD {number} {}", described(about_sdus, data, false)))
}

type Parts<'octets> = (Vec<LengthIndicator>, &'octets [u8], &'octets [u8]);

/// The indicators, the data, and what is behind them.
fn by_indicators(mut bits: Bits<'_>, size: LengthIndicatorSize, is_am: bool) -> Option<Parts<'_>> {
    use LengthIndicator::{
        End, First, Middle, Padding, PreviousFilled, PreviousOneShort, Status, Whole, WholeOneShort,
    };
    let is_long = size == LengthIndicatorSize::Fifteen;
    let mut indicators = Vec::new();
    loop {
        let value = bits.take(if is_long { 15 } else { 7 })?;
        let below_top = if is_long { 0x7fff } else { 0x7f } - value;
        indicators.push(match (value, below_top) {
            (0, _) => PreviousFilled,
            (_, 0) => Padding,
            (_, 1) if is_am => Status,
            (_, 1) => Middle,
            (_, 2) => Whole,
            (_, 3) => First,
            (_, 4) if is_long => PreviousOneShort,
            (_, 5) if is_long => WholeOneShort,
            _ => End(u16::try_from(value).expect("15 bits")),
        });
        if bits.take(1)? == 0 {
            break;
        }
    }
    let octets = bits.rest();
    let mut end = 0;
    for (place, indicator) in indicators.iter().enumerate() {
        let (is_first, is_last) = (place == 0, place + 1 == indicators.len());
        let is_right = match indicator {
            End(next) => {
                let last = std::mem::replace(&mut end, usize::from(*next));
                end > last && end <= octets.len()
            }
            PreviousFilled | PreviousOneShort => is_first,
            First => is_first && !is_am,
            Whole | WholeOneShort | Middle => is_first && is_last && !is_am,
            Padding | Status => is_last,
        };
        if !is_right {
            return None;
        }
    }
    let data = match indicators[indicators.len() - 1] {
        Padding | Status => end,
        WholeOneShort => octets.len().checked_sub(1)?,
        _ if is_long && end > 0 && octets.len() - end == 1 => end,
        _ => octets.len(),
    };
    let speaks_of_data = matches!(indicators[0], First | Whole | WholeOneShort | Middle);
    (data > 0 || !speaks_of_data).then(|| (indicators, &octets[..data], &octets[data..]))
}

/// Super-fields up to the one that ends them, or to the last bit.
fn super_fields(bits: &mut Bits<'_>) -> Option<String> {
    let mut text = String::new();
    while !bits.is_empty() {
        let _ = match bits.take(4)? {
            0 => {
                text += "NO_MORE;";
                break;
            }
            1 => write!(text, "WINDOW {};", bits.take(12)?),
            2 => {
                let _ = write!(text, "ACK {};", bits.take(12)?);
                break;
            }
            3 => write!(text, "LIST {:?};", list(bits)?),
            4 => {
                let (octets, first) = (bits.take(4)? + 1, bits.take(12)?);
                let mut all = Vec::new();
                for ahead in 0..8 * octets {
                    all.push(((first + ahead) % 4096, bits.take(1)? == 1));
                }
                write!(text, "BITMAP {all:?};")
            }
            5 => write!(text, "LIST {:?};", relative_list(bits)?),
            6 => {
                let length = bits.take(4)?;
                let mut numbers = Vec::new();
                for _ in 0..length.max(1) {
                    numbers.push(bits.take(12)?);
                }
                write!(text, "MRW {numbers:?} {} {};", bits.take(4)?, length == 0)
            }
            7 => write!(text, "MRW_ACK {} {};", bits.take(4)?, bits.take(12)?),
            8 => write!(text, "POLL {};", bits.take(12)?),
            _ => return None,
        };
    }
    Some(text)
}

fn list(bits: &mut Bits<'_>) -> Option<Vec<u32>> {
    let length = bits.take(4)?;
    let mut missing = Vec::new();
    for _ in 0..length {
        let (first, more) = (bits.take(12)?, bits.take(4)?);
        missing.extend((0..=more).map(|ahead| (first + ahead) % 4096));
    }
    (length > 0).then_some(missing)
}

fn relative_list(bits: &mut Bits<'_>) -> Option<Vec<u32>> {
    let (length, first) = (bits.take(4)?, bits.take(12)?);
    let mut words = Vec::new();
    for _ in 0..length {
        words.push(bits.take(4)?);
    }
    // How far from the first each is: whole numbers, in the order that they are told.
    let mut reaches = vec![0u64];
    let mut is_burst = false;
    let mut left = &words[..];
    while !left.is_empty() {
        if left[0] == 1 {
            if is_burst {
                return None;
            }
            is_burst = true;
            left = &left[1..];
            if left.is_empty() {
                return None;
            }
            continue;
        }
        let length = left.iter().position(|word| word % 2 == 1)? + 1;
        let (number, others) = left.split_at(length);
        if number.contains(&1) {
            return None;
        }
        let value: u64 = number.iter().rev().fold(0, |value, word| value * 8 + u64::from(word / 2));
        let last = reaches[reaches.len() - 1];
        if last + value > 4095 {
            return None;
        }
        if is_burst {
            reaches.extend(last + 1..=last + value)
        } else {
            reaches.push(last + value)
        }
        is_burst = false;
        left = others;
    }
    Some(reaches.iter().map(|reach| (first + u32::try_from(*reach).expect("below 4096")) % 4096).collect())
}
