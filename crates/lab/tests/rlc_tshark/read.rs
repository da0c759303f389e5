//! What tshark says of PDUs.
//!
//! It prints a line for each, a column for each field, all occurrences of the field in its column. Which occurrence belongs to
//! which super-field follows from the types and lengths that it prints as well. Two things it spells out for people to read, and
//! that is taken at its word: a bitmap, as the numbers that have arrived, and a relative list, in the line's summary.

use super::capture::{Direction, Mode, Shown, file};
use super::meant::{Behind, Contents, Meant};
use super::said::Said;
use arqway_link::rlc::pdu::{LengthIndicator, LengthIndicatorSize, Reset};
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::process::Command;

/// What is read of each PDU, in this order.
const FIELDS: [&str; 34] = [
    "rlc.channel.ueid",
    "rlc.channel.dir",
    "rlc.dc",
    "rlc.ctrl_pdu_type",
    "rlc.seq",
    "rlc.p",
    "rlc.he",
    "rlc.ext",
    "rlc.rsn",
    "rlc.r1",
    "rlc.hfni",
    "rlc.li.value",
    "rlc.li.ext",
    "rlc.data",
    "rlc.padding",
    "rlc.sufi.type",
    "rlc.sufi.len",
    "rlc.sufi.lsn",
    "rlc.sufi.wsn",
    "rlc.sufi.sn",
    "rlc.sufi.l",
    "rlc.sufi.fsn",
    "rlc.sufi.cw",
    "rlc.sufi.n",
    "rlc.sufi.sn_ack",
    "rlc.sufi.sn_mrw",
    "rlc.sufi.poll_sn",
    "rlc.bitmap_string",
    "rlc.duplicate_of",
    "_ws.expert.message",
    "_ws.malformed",
    "rlc.sequence_number",
    "rlc.length",
    "_ws.col.Info",
];

/// A line for each PDU.
pub(crate) fn lines<'a>(pdus: impl Iterator<Item = &'a Shown>) -> String {
    let name = format!("rlc-{}-{:?}.pcap", std::process::id(), std::thread::current().id());
    let capture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&capture, file(pdus)).expect("a file of our own");
    let mut command = Command::new("tshark");
    command.args(["--enable-heuristic", "rlc_udp", "-o", "rlc.perform_reassembly:FALSE"]);
    command.args(["-T", "fields", "-E", "separator=|", "-E", "occurrence=a", "-E", "aggregator=;"]);
    command.args(FIELDS.iter().flat_map(|field| ["-e", field])).arg("-r").arg(&capture);
    // Its own settings, and nobody's.
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-settings");
    let output = command.env("HOME", &home).output().expect("tshark");
    fs::remove_file(&capture).expect("a file of our own");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What a line says, or what it has to complain of.
pub(crate) fn meant(line: &str, index: usize, shown: &Shown) -> Result<Meant, String> {
    let mut columns = Columns::of(line);
    for complaint in ["_ws.expert.message", "_ws.malformed", "rlc.duplicate_of"] {
        if let Some(what) = columns.text(complaint) {
            return Err(format!("{complaint}: {what}"));
        }
    }
    let meant = match shown.mode {
        Mode::Transparent => Meant::Tmd(columns.octets("rlc.data")?),
        Mode::Unacknowledged => {
            let number = columns.number("rlc.seq")?;
            let has_indicators = columns.number::<u8>("rlc.ext")? == 1;
            Meant::Umd { number, contents: columns.contents(shown, has_indicators)? }
        }
        Mode::Acknowledged if columns.number::<u8>("rlc.dc")? == 1 => columns.amd(shown)?,
        Mode::Acknowledged => match columns.number("rlc.ctrl_pdu_type")? {
            0u8 => Meant::Status(columns.said()?),
            kind @ (1 | 2) => {
                let number = columns.number::<u8>("rlc.rsn")? == 1;
                let reset = Reset { number, hyper_frame_number: columns.number("rlc.hfni")? };
                columns.expect("rlc.r1", 0)?;
                Meant::Reset { acknowledges: kind == 2, reset }
            }
            other => return Err(format!("a control PDU of type {other}")),
        },
    };
    columns.expect("rlc.channel.ueid", index)?;
    columns.expect("rlc.channel.dir", usize::from(shown.direction == Direction::Down))?;
    columns.finish()?;
    Ok(meant)
}

/// What a line has not yet been asked for.
struct Columns<'a> {
    fields: BTreeMap<&'static str, VecDeque<&'a str>>,
    /// Of the summary, what is behind the last relative list that was read.
    summary: &'a str,
}

impl<'a> Columns<'a> {
    fn of(line: &'a str) -> Self {
        let values = line.split('|').map(|column| column.split(';').filter(|value| !value.is_empty()).collect());
        let mut fields: BTreeMap<_, VecDeque<_>> = FIELDS.into_iter().zip(values).collect();
        let summary = fields.remove("_ws.col.Info").and_then(|column| column.front().copied()).unwrap_or_default();
        // What a relative list is spelled out as once more, but not in order.
        fields.remove("rlc.sequence_number");
        fields.remove("rlc.length");
        Self { fields, summary }
    }

    /// The field's next occurrence.
    fn text(&mut self, field: &str) -> Option<&'a str> {
        self.fields.get_mut(field)?.pop_front()
    }

    fn number<T: TryFrom<u64>>(&mut self, field: &str) -> Result<T, String> {
        let text = self.text(field).ok_or_else(|| format!("no {field}"))?;
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| format!("{field} is {text}"))
    }

    fn expect(&mut self, field: &str, value: usize) -> Result<(), String> {
        let read: usize = self.number(field)?;
        if read == value { Ok(()) } else { Err(format!("{field} is {read}, and not {value}")) }
    }

    /// All that is left of a field that has octets.
    fn octets(&mut self, field: &str) -> Result<Vec<u8>, String> {
        let mut octets = Vec::new();
        while let Some(text) = self.text(field) {
            // Of no octets.
            let digits = if text == "<MISSING>" { "" } else { text };
            for place in (0..digits.len()).step_by(2) {
                let octet = digits.get(place..place + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                octets.push(octet.ok_or_else(|| format!("{field} is {text}"))?);
            }
        }
        Ok(octets)
    }

    fn amd(&mut self, shown: &Shown) -> Result<Meant, String> {
        let (number, poll) = (self.number("rlc.seq")?, self.number::<u8>("rlc.p")? == 1);
        let extension: u8 = self.number("rlc.he")?;
        let contents = self.contents(shown, extension == 1)?;
        Ok(Meant::Amd { number, poll, ends_here: extension == 2, contents })
    }

    fn contents(&mut self, shown: &Shown, mut more: bool) -> Result<Contents, String> {
        let mut indicators = Vec::new();
        while more {
            indicators.push(indicator(self.number("rlc.li.value")?, shown)?);
            more = self.number::<u8>("rlc.li.ext")? == 1;
        }
        let (mut data, mut padding) = (self.octets("rlc.data")?, self.octets("rlc.padding")?);
        let behind = match indicators.last() {
            Some(LengthIndicator::Padding) => Behind::Padding(std::mem::take(&mut padding)),
            Some(LengthIndicator::Status) => Behind::Status(self.said()?),
            Some(LengthIndicator::WholeOneShort) => padding.pop().map_or(Behind::Nothing, Behind::Octet),
            // tshark takes for data what the standard says is padding: §9.2.2.8.
            Some(LengthIndicator::End(end))
                if shown.size == LengthIndicatorSize::Fifteen && data.len() == usize::from(*end) + 1 =>
            {
                data.pop().map_or(Behind::Nothing, Behind::Octet)
            }
            _ => Behind::Nothing,
        };
        if !padding.is_empty() {
            return Err(format!("padding {padding:x?}"));
        }
        if matches!(behind, Behind::Padding(_) | Behind::Status(_)) {
            indicators.pop();
        }
        Ok(Contents { indicators, data, behind })
    }

    fn said(&mut self) -> Result<Vec<Said>, String> {
        let mut said = Vec::new();
        while self.fields["rlc.sufi.type"].front().is_some() {
            said.push(self.super_field()?);
        }
        Ok(said)
    }

    fn super_field(&mut self) -> Result<Said, String> {
        Ok(match self.number("rlc.sufi.type")? {
            0u8 => Said::NoMore,
            1 => Said::Window(self.number("rlc.sufi.wsn")?),
            2 => Said::Ack(self.number("rlc.sufi.lsn")?),
            3 => {
                let length = self.number("rlc.sufi.len")?;
                let pair = |_: u8| Ok((self.number("rlc.sufi.sn")?, self.number("rlc.sufi.l")?));
                Said::List((0..length).map(pair).collect::<Result<_, String>>()?)
            }
            4 => self.bitmap()?,
            5 => self.relative_list()?,
            6 => {
                let length: u8 = self.number("rlc.sufi.len")?;
                let numbers = (0..length.max(1)).map(|_| self.number("rlc.sufi.sn_mrw")).collect::<Result<_, _>>()?;
                Said::MoveReceivingWindow { numbers, n: self.number("rlc.sufi.n")?, beyond_window: length == 0 }
            }
            7 => {
                Said::MoveReceivingWindowAck { n: self.number("rlc.sufi.n")?, number: self.number("rlc.sufi.sn_ack")? }
            }
            8 => Said::Poll(self.number("rlc.sufi.poll_sn")?),
            other => return Err(format!("a super-field of type {other}")),
        })
    }

    /// Eight places for each octet: ` 100,    , 102, 103,` and so on, a number where it has arrived.
    fn bitmap(&mut self) -> Result<Said, String> {
        let (length, mut number): (u16, u16) = (self.number("rlc.sufi.len")?, self.number("rlc.sufi.fsn")?);
        let mut all = Vec::new();
        for _ in 0..=length {
            let octet = self.text("rlc.bitmap_string").ok_or("a bitmap that is too short")?;
            for place in octet.split(',').take(8) {
                let arrived = match place.trim() {
                    "" => false,
                    told if told == number.to_string() => true,
                    told => return Err(format!("{told} in the place of {number}")),
                };
                all.push((number, arrived));
                number = (number + 1) & 0xfff;
            }
        }
        Ok(Said::Bitmap(all))
    }

    /// In the summary it is `RLIST=(4000 4004 ->4009 4022)`, of which `->` tells of a burst's end.
    fn relative_list(&mut self) -> Result<Said, String> {
        let length: u8 = self.number("rlc.sufi.len")?;
        let first: u16 = self.number("rlc.sufi.fsn")?;
        for _ in 0..length {
            self.number::<u8>("rlc.sufi.cw")?;
        }
        let (_, list) = self.summary.split_once("RLIST=(").ok_or("no RLIST in the summary")?;
        let (list, behind) = list.split_once(')').ok_or("an RLIST without its end in the summary")?;
        self.summary = behind;
        let mut missing: Vec<u16> = Vec::new();
        for word in list.split(' ') {
            let number: u16 = word.trim_start_matches("->").parse().map_err(|_| format!("RLIST has {word}"))?;
            let last = missing.last().copied().filter(|_| word.starts_with("->"));
            let burst = last.map_or(0, |last| number.wrapping_sub(last) & 0xfff).saturating_sub(1);
            missing.extend((1..=burst).rev().map(|before| number.wrapping_sub(before) & 0xfff));
            missing.push(number);
        }
        if missing.first() == Some(&first) { Ok(Said::RelativeList(missing)) } else { Err(format!("FSN is {first}")) }
    }

    /// Nothing may be left that nobody meant.
    fn finish(self) -> Result<(), String> {
        match self.fields.iter().find(|(_, values)| !values.is_empty()) {
            Some((field, values)) => Err(format!("{field} has {values:?} more")),
            None => Ok(()),
        }
    }
}

/// The values of §9.2.2.8 once more, since tshark prints them as numbers.
fn indicator(value: u16, shown: &Shown) -> Result<LengthIndicator, String> {
    use LengthIndicator::{
        End, First, Middle, Padding, PreviousFilled, PreviousOneShort, Status, Whole, WholeOneShort,
    };
    Ok(match (shown.size, shown.mode, value) {
        (_, _, 0) => PreviousFilled,
        (LengthIndicatorSize::Seven, _, 0b111_1111) => Padding,
        (LengthIndicatorSize::Seven, Mode::Acknowledged, 0b111_1110) => Status,
        (LengthIndicatorSize::Seven, Mode::Unacknowledged, 0b111_1110) => Middle,
        (LengthIndicatorSize::Seven, Mode::Unacknowledged, 0b111_1101) => Whole,
        (LengthIndicatorSize::Seven, Mode::Unacknowledged, 0b111_1100) => First,
        (LengthIndicatorSize::Seven, _, 1..=0b111_1011) => End(value),
        (LengthIndicatorSize::Fifteen, _, 0b111_1111_1111_1111) => Padding,
        (LengthIndicatorSize::Fifteen, Mode::Acknowledged, 0b111_1111_1111_1110) => Status,
        (LengthIndicatorSize::Fifteen, Mode::Unacknowledged, 0b111_1111_1111_1110) => Middle,
        (LengthIndicatorSize::Fifteen, Mode::Unacknowledged, 0b111_1111_1111_1101) => Whole,
        (LengthIndicatorSize::Fifteen, Mode::Unacknowledged, 0b111_1111_1111_1100) => First,
        (LengthIndicatorSize::Fifteen, _, 0b111_1111_1111_1011) => PreviousOneShort,
        (LengthIndicatorSize::Fifteen, Mode::Unacknowledged, 0b111_1111_1111_1010) => WholeOneShort,
        (LengthIndicatorSize::Fifteen, _, 1..=0b111_1111_1111_1001) => End(value),
        _ => return Err(format!("a length indicator of {value}")),
    })
}
