//! Data PDUs of any make read back as they were written.

use super::*;
use LengthIndicator::{End, First, Middle, Padding, PreviousFilled, PreviousOneShort, Whole, WholeOneShort};
use LengthIndicatorSize::{Fifteen, Seven};
use proptest::prelude::*;

/// What lies behind the end of the last SDU that ends in a PDU.
#[derive(Debug, Clone)]
enum Tail {
    /// The beginning of another, perhaps of none.
    Data(usize),
    /// Padding, and an indicator of it.
    Padding(usize),
    /// A STATUS, and padding behind it.
    Status(usize),
}

/// A PDU that the standard allows: how it begins, how long its SDUs are, what is behind them.
#[derive(Debug, Clone)]
struct Made {
    size: LengthIndicatorSize,
    first: Option<LengthIndicator>,
    sdus: Vec<usize>,
    tail: Tail,
}

impl Made {
    /// The octets behind the first one or two, and what is to be read of them: indicators and data.
    fn write(&self) -> (Vec<u8>, Vec<LengthIndicator>, Vec<u8>) {
        let mut indicators = Vec::from_iter(self.first);
        let mut end = 0;
        for sdu in &self.sdus {
            end += sdu;
            indicators.push(End(u16::try_from(end).expect("short SDUs")));
        }
        let (last, more, behind) = match self.tail {
            Tail::Data(more) => (None, more, Vec::new()),
            Tail::Padding(octets) => (Some(Padding), 0, std::vec![0xee; octets]),
            Tail::Status(padding) => {
                (Some(LengthIndicator::Status), 0, [&STATUS[..], &std::vec![0xee; padding]].concat())
            }
        };
        let mut data: Vec<u8> = (0..=255).cycle().take(end + more).collect();
        let all: Vec<_> = indicators.iter().copied().chain(last).collect();
        let mut octets = Vec::new();
        for (place, indicator) in all.iter().enumerate() {
            indicator.write(self.size, place + 1 < all.len(), &mut octets);
        }
        octets.extend(data.iter().copied().chain(behind));
        // The single octet that is no data though nothing says so.
        if matches!(self.tail, Tail::Data(1)) && end > 0 && self.size == Fifteen {
            data.truncate(end);
        }
        (octets, indicators, data)
    }

    fn has_indicators(&self) -> bool {
        self.first.is_some() || !self.sdus.is_empty() || !matches!(self.tail, Tail::Data(_))
    }
}

const STATUS: [u8; 3] = [0x02, 0x12, 0x30];

fn made(firsts: Vec<LengthIndicator>, has_status: bool) -> impl Strategy<Value = Made> {
    let size = prop_oneof![Just(Seven), Just(Fifteen)];
    let first = proptest::option::of(proptest::sample::select(firsts));
    let tail = prop_oneof![
        (0usize..12).prop_map(Tail::Data),
        (0usize..12).prop_map(Tail::Padding),
        (0usize..12).prop_map(Tail::Status)
    ];
    let of_seven = |indicator: &LengthIndicator| !matches!(indicator, PreviousOneShort | WholeOneShort);
    (size, first, proptest::collection::vec(1usize..6, 0..14), tail)
        .prop_map(|(size, first, sdus, tail)| Made { size, first, sdus, tail })
        .prop_filter("an indicator of fifteen bits", move |made| {
            made.size == Fifteen || made.first.as_ref().is_none_or(of_seven)
        })
        .prop_filter("some octet", |made| made.has_indicators() || matches!(made.tail, Tail::Data(1..)))
        .prop_filter("no STATUS", move |made| has_status || !matches!(made.tail, Tail::Status(_)))
        .prop_filter("data that it speaks of", |made| {
            made.first != Some(First) || !made.sdus.is_empty() || matches!(made.tail, Tail::Data(1..))
        })
}

fn head(made: &Made, number: u16, poll: bool) -> [u8; 2] {
    let extension = if made.has_indicators() { HeaderExtension::Indicator } else { HeaderExtension::Data };
    amd_head(number, poll, extension)
}

proptest! {
    #[test]
    fn an_amd_pdu_reads_as_it_was_made(
        made in made([PreviousFilled, PreviousOneShort].to_vec(), true),
        number in 0u16..4096,
        poll: bool,
    ) {
        let (octets, indicators, data) = made.write();
        let octets = [&head(&made, number, poll)[..], &octets].concat();
        let Some(AmPdu::Data(pdu)) = parse_am(frame(&octets), made.size, ALL) else { panic!("{octets:x?} does not read") };
        prop_assert_eq!((pdu.number, pdu.poll), (number, poll));
        prop_assert_eq!(pdu.contents.indicators().collect::<Vec<_>>(), indicators);
        prop_assert_eq!(&pdu.contents.data[..], &data[..]);
        let has_status = matches!(made.tail, Tail::Status(_));
        prop_assert_eq!(pdu.status.as_ref().map(said), has_status.then(|| [Said::Ack(0x123)].to_vec()));
    }

    #[test]
    fn a_umd_pdu_reads_as_it_was_made(
        made in made([PreviousFilled, PreviousOneShort, First].to_vec(), false),
        number in 0u8..128,
    ) {
        let (octets, indicators, data) = made.write();
        let octets = [&umd_head(number, made.has_indicators())[..], &octets].concat();
        let pdu = parse_um(frame(&octets), made.size, false).expect("a UMD PDU");
        prop_assert_eq!(pdu.number, number);
        prop_assert_eq!(pdu.contents.indicators().collect::<Vec<_>>(), indicators);
        prop_assert_eq!(&pdu.contents.data[..], &data[..]);
    }

    #[test]
    fn what_speaks_of_all_the_data_reads_as_it_was_made(
        which in proptest::sample::select([Whole, WholeOneShort, Middle].to_vec()),
        is_long: bool,
        data in proptest::collection::vec(any::<u8>(), 1..100),
    ) {
        let size = if is_long || which == WholeOneShort { Fifteen } else { Seven };
        let mut octets = umd_head(77, true).to_vec();
        which.write(size, false, &mut octets);
        octets.extend(&data);
        if which == WholeOneShort {
            octets.push(0xee);
        }
        let pdu = parse_um(frame(&octets), size, true).expect("a UMD PDU");
        prop_assert_eq!(pdu.contents.indicators().collect::<Vec<_>>(), [which]);
        prop_assert_eq!(&pdu.contents.data[..], &data[..]);
    }

    /// Cut short, a PDU tells of its data what it told before, or nothing: it has no length of its own, so that a cut in its
    /// data or in its padding cannot be seen.
    #[test]
    fn a_data_pdu_that_is_cut_short_is_refused_unless_the_cut_is_behind_all_that_its_indicators_tell_of(
        made in made([PreviousFilled, PreviousOneShort].to_vec(), true),
    ) {
        let (octets, indicators, data) = made.write();
        let octets = [&head(&made, 5, false)[..], &octets].concat();
        let header = octets.len() - made.write().0.len() + made.size.octets() * indicators.len()
            + if matches!(made.tail, Tail::Data(_)) { 0 } else { made.size.octets() };
        let needed = match made.tail {
            _ if !made.has_indicators() => header + 1,
            Tail::Data(_) | Tail::Padding(_) => header + made.sdus.iter().sum::<usize>(),
            Tail::Status(_) => header + made.sdus.iter().sum::<usize>() + STATUS.len(),
        };
        for length in 0..octets.len() {
            match parse_am(frame(&octets[..length]), made.size, ALL) {
                Some(AmPdu::Data(pdu)) => {
                    prop_assert!(length >= needed, "{} of {} octets, of which {} are needed", length, octets.len(), needed);
                    prop_assert_eq!(pdu.contents.indicators().collect::<Vec<_>>(), indicators.clone());
                    prop_assert!(data.starts_with(&pdu.contents.data));
                }
                Some(other) => panic!("{other:?}"),
                None => prop_assert!(length < needed),
            }
        }
    }

    #[test]
    fn any_pdu_reads_the_same_wherever_its_head_ends(
        octets in proptest::collection::vec(any::<u8>(), 0..40),
        is_long: bool,
        flag: bool,
        split in 0usize..20,
    ) {
        let size = if is_long { Fifteen } else { Seven };
        let split = split.min(octets.len());
        let (whole, halves) = (frame(&octets), Frame::new(KIND, &octets[..split], octets[split..].to_vec().into()));
        prop_assert_eq!(parse_am(whole.clone(), size, ALL), parse_am(halves.clone(), size, ALL));
        prop_assert_eq!(parse_um(whole, size, flag), parse_um(halves, size, flag));
    }
}

#[test]
fn the_size_of_indicators_follows_the_size_of_pdus() {
    assert_eq!([126, 127].map(LengthIndicatorSize::for_amd), [Seven, Fifteen]);
    assert_eq!([125, 126].map(LengthIndicatorSize::for_umd), [Seven, Fifteen]);
}
