//! What a PDU says, in terms that both its maker and its readers know.

use super::capture::{Mode, Shown};
use super::said::{self, Said};
use arqway_link::rlc::pdu::{self, AmOptions, AmPdu, LengthIndicator, LengthIndicatorSize, Reset};
use arqway_link::{Frame, Tag};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    Amd { number: u16, poll: bool, ends_here: bool, contents: Contents },
    Umd { number: u8, contents: Contents },
    Tmd(Vec<u8>),
    Status(Vec<Said>),
    Reset { acknowledges: bool, reset: Reset },
}

/// What stands behind the first one or two octets of a data PDU.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    /// But for that of what stands behind the data.
    pub(crate) indicators: Vec<LengthIndicator>,
    pub(crate) data: Vec<u8>,
    pub(crate) behind: Behind,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    Nothing,
    /// An octet of padding that has no room for an indicator.
    Octet(u8),
    Padding(Vec<u8>),
    Status(Vec<Said>),
}

impl Meant {
    /// What our reader reads.
    pub(crate) fn read(shown: &Shown) -> Option<Self> {
        let octets = &shown.octets;
        let frame = Frame::from_wire(Tag::of_kind(pdu::KIND), octets.clone().into());
        match shown.mode {
            Mode::Transparent => Some(Self::Tmd(octets.clone())),
            Mode::Unacknowledged => {
                let pdu = pdu::parse_um(frame, shown.size, false)?;
                Some(Self::Umd {
                    number: pdu.number,
                    contents: Contents::of(&pdu.contents, None, &octets[1..], shown.size),
                })
            }
            Mode::Acknowledged => {
                let options = AmOptions { ends_here: true, at_most_fifteen_ends: true };
                Some(match pdu::parse_am(frame, shown.size, options)? {
                    AmPdu::Status(status) => Self::Status(said::all(&status)),
                    AmPdu::Reset(reset) => Self::Reset { acknowledges: false, reset },
                    AmPdu::ResetAck(reset) => Self::Reset { acknowledges: true, reset },
                    AmPdu::Data(pdu) => Self::Amd {
                        number: pdu.number,
                        poll: pdu.poll,
                        ends_here: pdu.contents.ends_here(),
                        contents: Contents::of(&pdu.contents, pdu.status.as_ref(), &octets[2..], shown.size),
                    },
                })
            }
        }
    }
}

impl Contents {
    /// What our reader reads: what it leaves out stands at the end of the octets.
    fn of(read: &pdu::Contents, status: Option<&pdu::Status>, octets: &[u8], size: LengthIndicatorSize) -> Self {
        let indicators: Vec<_> = read.indicators().collect();
        let behind = &octets[indicators.len() * size.octets() + read.data.len()..];
        let behind = match (status, behind) {
            (Some(status), _) => Behind::Status(said::all(status)),
            (None, []) => Behind::Nothing,
            // An indicator would take two octets.
            (None, [octet]) if size == LengthIndicatorSize::Fifteen => Behind::Octet(*octet),
            (None, padding) => Behind::Padding(padding[size.octets()..].to_vec()),
        };
        Self { indicators, data: read.data.to_vec(), behind }
    }
}

/// Every form of anything that is in a PDU.
pub(crate) fn forms(shown: &Shown, meant: &Meant) -> Vec<String> {
    let (kind, contents, said) = match meant {
        Meant::Amd { ends_here: true, .. } => ("AMD that ends an SDU by HE", None, None),
        Meant::Amd { contents, .. } => ("AMD", Some(contents), None),
        Meant::Umd { contents, .. } => ("UMD", Some(contents), None),
        Meant::Tmd(_) => ("TMD", None, None),
        Meant::Status(said) => ("STATUS", None, Some(said)),
        Meant::Reset { acknowledges: false, .. } => ("RESET", None, None),
        Meant::Reset { acknowledges: true, .. } => ("RESET ACK", None, None),
    };
    let mut forms = vec![kind.to_owned()];
    forms.extend(said.into_iter().flatten().map(|said| said::name(said).to_owned()));
    let Some(contents) = contents else { return forms };
    let bits = 8 * shown.size.octets() - 1;
    for indicator in &contents.indicators {
        let name = match indicator {
            LengthIndicator::End(_) => "End".to_owned(),
            other => format!("{other:?}"),
        };
        forms.push(format!("{kind} {bits} {name}"));
    }
    match &contents.behind {
        Behind::Status(said) => {
            forms.extend(["piggybacked STATUS".to_owned(), format!("{kind} {bits} Status")]);
            forms.extend(said.iter().map(|said| said::name(said).to_owned()));
        }
        Behind::Padding(_) => forms.push(format!("{kind} {bits} Padding")),
        Behind::Octet(_) if contents.indicators != [LengthIndicator::WholeOneShort] => {
            forms.push(format!("{kind} {bits} without room"));
        }
        Behind::Octet(_) | Behind::Nothing => {}
    }
    forms
}
