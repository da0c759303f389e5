//! PDUs of any make, and what they are meant to say.

use super::Pdu;
use super::capture::{Direction, Mode, Shown};
use super::dice::Dice;
use super::meant::{Behind, Contents, Meant};
use super::said::Said;
use LengthIndicatorSize::{Fifteen, Seven};
use arqway_link::rlc::pdu::{
    self, HeaderExtension, LengthIndicator, LengthIndicatorSize, Reset, StatusWriter, amd_head, umd_head,
};

/// So many.
pub(crate) fn pdus(count: usize) -> Vec<Pdu> {
    let mut dice = Dice::new(25_322);
    (0..count).map(|_| pdu(&mut dice)).collect()
}

fn pdu(dice: &mut Dice) -> Pdu {
    let size = if dice.flag() { Seven } else { Fifteen };
    let (mode, octets, meant) = match dice.below(20) {
        0..7 => amd(dice, size),
        7..13 => umd(dice, size),
        13 => tmd(dice),
        14..18 => status(dice),
        _ => reset(dice),
    };
    let direction = if dice.flag() { Direction::Up } else { Direction::Down };
    Pdu { shown: Shown { mode, direction, size, octets }, meant }
}

fn tmd(dice: &mut Dice) -> (Mode, Vec<u8>, Meant) {
    let length = 1 + dice.below(60);
    let octets = dice.octets(length);
    (Mode::Transparent, octets.clone(), Meant::Tmd(octets))
}

fn reset(dice: &mut Dice) -> (Mode, Vec<u8>, Meant) {
    let reset = Reset { number: dice.flag(), hyper_frame_number: dice.bits(20) };
    let acknowledges = dice.flag();
    let pad_to = dice.flag().then(|| 4 + dice.below(40));
    let octets = if acknowledges { pdu::reset_ack(reset, pad_to) } else { pdu::reset(reset, pad_to) };
    (Mode::Acknowledged, octets.to_vec(), Meant::Reset { acknowledges, reset })
}

fn amd(dice: &mut Dice, size: LengthIndicatorSize) -> (Mode, Vec<u8>, Meant) {
    let (number, poll) = (dice.number(), dice.flag());
    let ends_here = dice.one_in(10);
    let (behind_head, contents) = if ends_here { only_data(dice) } else { contents(dice, size, Mode::Acknowledged) };
    let extension = match (ends_here, has_indicators(&contents)) {
        (true, _) => HeaderExtension::EndsHere,
        (false, true) => HeaderExtension::Indicator,
        (false, false) => HeaderExtension::Data,
    };
    let octets = [&amd_head(number, poll, extension)[..], &behind_head].concat();
    (Mode::Acknowledged, octets, Meant::Amd { number, poll, ends_here, contents })
}

fn umd(dice: &mut Dice, size: LengthIndicatorSize) -> (Mode, Vec<u8>, Meant) {
    let number = u8::try_from(dice.bits(7)).expect("seven bits");
    let (behind_head, contents) =
        if dice.one_in(4) { one_sdu(dice, size) } else { contents(dice, size, Mode::Unacknowledged) };
    let octets = [&umd_head(number, has_indicators(&contents))[..], &behind_head].concat();
    (Mode::Unacknowledged, octets, Meant::Umd { number, contents })
}

fn has_indicators(contents: &Contents) -> bool {
    !contents.indicators.is_empty() || matches!(contents.behind, Behind::Padding(_) | Behind::Status(_))
}

fn only_data(dice: &mut Dice) -> (Vec<u8>, Contents) {
    let length = 1 + dice.below(100);
    let data = dice.octets(length);
    (data.clone(), Contents { indicators: Vec::new(), data, behind: Behind::Nothing })
}

/// A UMD PDU whose one indicator speaks of all its data.
fn one_sdu(dice: &mut Dice, size: LengthIndicatorSize) -> (Vec<u8>, Contents) {
    let (indicator, behind) = match dice.below(3) {
        0 => (LengthIndicator::Whole, Behind::Nothing),
        1 if size == Fifteen => (LengthIndicator::WholeOneShort, Behind::Octet(dice.octets(1)[0])),
        _ => (LengthIndicator::Middle, Behind::Nothing),
    };
    let mut octets = Vec::new();
    indicator.write(size, false, &mut octets);
    let length = 1 + dice.below(100);
    let data = dice.octets(length);
    octets.extend(&data);
    if let Behind::Octet(octet) = behind {
        octets.push(octet);
    }
    (octets, Contents { indicators: vec![indicator], data, behind })
}

/// SDUs that end in the PDU, and what stands behind them.
fn contents(dice: &mut Dice, size: LengthIndicatorSize, mode: Mode) -> (Vec<u8>, Contents) {
    let mut indicators = Vec::new();
    indicators.extend(first(dice, size, mode));
    // With indicators of 15 bits some PDUs are long, and none has more indicators than tshark reads.
    let longest = if size == Fifteen && dice.one_in(20) { 150 } else { 7 };
    let mut end = 0;
    for _ in 0..dice.below(13) {
        end += 1 + dice.below(longest);
        indicators.push(LengthIndicator::End(u16::try_from(end).expect("a short PDU")));
    }
    let mut data = dice.octets(end);
    let (indicator, behind, octets_behind) = behind(dice, mode);
    let (indicator, behind, octets_behind) = match indicator {
        Some(indicator) => (Some(indicator), behind, octets_behind),
        // One SDU more begins, or an octet is left that is padding; a PDU without indicators has data.
        None if size == Fifteen && end > 0 && dice.one_in(3) => {
            let octet = dice.octets(1);
            (None, Behind::Octet(octet[0]), octet)
        }
        None => {
            let least = if size == Fifteen || data.is_empty() { 2 } else { 1 };
            let more = if end > 0 && dice.one_in(3) { 0 } else { least + dice.below(12) };
            data.extend(dice.octets(more));
            (None, Behind::Nothing, Vec::new())
        }
    };
    if data.is_empty() && indicators == [LengthIndicator::First] {
        indicators.clear();
    }
    let mut octets = Vec::new();
    let all: Vec<LengthIndicator> = indicators.iter().copied().chain(indicator).collect();
    for (place, indicator) in all.iter().enumerate() {
        indicator.write(size, place + 1 < all.len(), &mut octets);
    }
    octets.extend(data.iter().chain(&octets_behind));
    (octets, Contents { indicators, data, behind })
}

fn first(dice: &mut Dice, size: LengthIndicatorSize, mode: Mode) -> Option<LengthIndicator> {
    match dice.below(6) {
        0 => Some(LengthIndicator::PreviousFilled),
        1 if size == Fifteen => Some(LengthIndicator::PreviousOneShort),
        2 if mode == Mode::Unacknowledged => Some(LengthIndicator::First),
        _ => None,
    }
}

/// What an indicator says to stand behind the data, if one does.
fn behind(dice: &mut Dice, mode: Mode) -> (Option<LengthIndicator>, Behind, Vec<u8>) {
    let length = dice.below(9);
    let padding = dice.octets(length);
    match dice.below(3) {
        0 => (Some(LengthIndicator::Padding), Behind::Padding(padding.clone()), padding),
        1 if mode == Mode::Acknowledged => {
            let mut writer = StatusWriter::new(1 + dice.below(12));
            let said = say(dice, &mut writer);
            let octets = [writer.finish_piggybacked().to_vec(), padding].concat();
            (Some(LengthIndicator::Status), Behind::Status(said), octets)
        }
        _ => (None, Behind::Nothing, Vec::new()),
    }
}

fn status(dice: &mut Dice) -> (Mode, Vec<u8>, Meant) {
    let limit = 1 + dice.below(60);
    let mut writer = StatusWriter::new(limit);
    let said = say(dice, &mut writer);
    let octets = writer.finish(dice.flag().then_some(limit));
    (Mode::Acknowledged, octets.to_vec(), Meant::Status(said))
}

/// Super-fields of any kind, as many as fit.
fn say(dice: &mut Dice, writer: &mut StatusWriter) -> Vec<Said> {
    let ack = dice.flag() && writer.keep_room_for_ack();
    let mut said: Vec<Said> = (0..dice.below(7)).filter_map(|_| push(dice, writer)).collect();
    let number = dice.number();
    said.push(if ack && writer.push_ack(number) { Said::Ack(number) } else { Said::NoMore });
    said
}

fn push(dice: &mut Dice, writer: &mut StatusWriter) -> Option<Said> {
    let (number, n) = (dice.number(), dice.four());
    match dice.below(8) {
        0 => writer.push_window(number).then_some(Said::Window(number)),
        1 => writer.push_poll(number).then_some(Said::Poll(number)),
        2 => {
            let missing = missing(dice);
            let told = writer.push_list(missing.iter().copied());
            (told > 0).then(|| Said::List(runs(&missing[..told])))
        }
        3 => {
            let missing = missing(dice);
            let told = writer.push_relative_list(missing.iter().copied());
            (told > 0).then(|| Said::RelativeList(missing[..told].to_vec()))
        }
        4 => bitmap(dice, writer),
        5 => {
            let numbers: Vec<u16> = (0..=dice.below(15)).map(|_| dice.number()).collect();
            let said = Said::MoveReceivingWindow { numbers: numbers.clone(), n, beyond_window: false };
            writer.push_move_receiving_window(&numbers, n, false).then_some(said)
        }
        6 => {
            let said = Said::MoveReceivingWindow { numbers: vec![number], n, beyond_window: true };
            writer.push_move_receiving_window(&[number], n, true).then_some(said)
        }
        _ => writer.push_move_receiving_window_ack(n, number).then_some(Said::MoveReceivingWindowAck { n, number }),
    }
}

/// Numbers that ascend: some alone, some in a row, some far apart.
fn missing(dice: &mut Dice) -> Vec<u16> {
    let mut number = dice.number();
    let mut missing = vec![number];
    let reach = [2, 8, 40][dice.below(3)];
    for _ in 0..dice.below(60) {
        let step = if dice.one_in(4) { 1 + dice.below(reach) } else { 1 };
        number = (number + u16::try_from(step).expect("a short way")) & 0xfff;
        missing.push(number);
    }
    missing
}

/// Runs of at most 16.
fn runs(missing: &[u16]) -> Vec<(u16, u8)> {
    let mut runs: Vec<(u16, u8)> = Vec::new();
    for number in missing {
        match runs.last_mut() {
            Some((first, more)) if *more < 15 && *number == (*first + u16::from(*more) + 1) & 0xfff => *more += 1,
            _ => runs.push((*number, 0)),
        }
    }
    runs
}

fn bitmap(dice: &mut Dice, writer: &mut StatusWriter) -> Option<Said> {
    let first = dice.number();
    let arrived: Vec<bool> = (0..dice.below(140)).map(|_| dice.flag()).collect();
    let reaches_back = dice.flag();
    let has = |number: u16| arrived[usize::from(number.wrapping_sub(first) & 0xfff)];
    let told = writer.push_bitmap(first, u16::try_from(arrived.len()).expect("few"), reaches_back, has);
    let back = (8 - told % 8) % 8;
    let before = (1..=back).rev().map(|behind| (first.wrapping_sub(behind) & 0xfff, true));
    let all = (0..told).map(|ahead| (first.wrapping_add(ahead) & 0xfff, arrived[usize::from(ahead)]));
    (told > 0).then(|| Said::Bitmap(before.chain(all).collect()))
}
