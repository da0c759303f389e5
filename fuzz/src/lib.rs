//! What is done with the octets that a fuzzer invents. There is one driver for each target, and the same drivers replay
//! the committed corpora in `cargo test` (`crates/link/tests/corpora.rs`), where neither nightly nor libFuzzer is needed.
//!
//! ```text
//!     octets --> Input --> a configuration, then operations --> a service inside Checked, inside pump
//!                                                               what it did  ==  what it counted, what a model says
//! ```
//!
//! What there is to know of a service stands in its folder, `crates/{schemes/src/*,tally/src}/fuzz.rs`. The targets of the session and
//! of the serial line are in crates of their own: `crates/session/src/fuzz/`, `crates/hdlc/src/fuzz.rs`.
//!
//! | file | concept |
//! | --- | --- |
//! | `contents.rs` | packets: arbitrary octets, or UDP and TCP that a service reads further; which of them are still kept |
//! | `configs.rs` | any configuration of any service |
//! | `line.rs` | the queue and the line below a service |
//! | `harness.rs` | one end, its line and its books: what it did must be what it counted |
//! | `headers.rs`, `classifier.rs`, `heads.rs` | readers, each held to a second opinion |
//! | `tcp_filter.rs` | the filter that knows TCP, told of any packets |
//! | `templates.rs` | shortened headers: what comes out is what went in |
//! | `rlc_pdus.rs` | the PDUs of RLC, read bit by bit |
//! | `sscop_pdus.rs` | the PDUs of SSCOP, read from the front |
//! | `demultiplexer.rs` | frames that were cut, joined or re-tagged on their way |
//! | `operations.rs` | any operations on one end of a service, with a peer that sends anything |
//! | `bearer.rs` | two bearers over a path on which anything happens to datagrams |
//! | `pair.rs` | two ends over a line that loses, doubles and delays: their promises |

mod bearer;
mod classifier;
mod configs;
mod contents;
mod demultiplexer;
mod harness;
mod headers;
mod heads;
mod line;
mod operations;
mod pair;
mod rlc_pdus;
mod sscop_pdus;
mod tcp_filter;
mod templates;

/// Any operations on one end of a service of this kind.
pub use operations::service;

/// What a target does with an input; it panics on a finding.
pub type Driver = fn(&[u8]);

/// Every target by its name, which is that of its file in `fuzz_targets` and of its folder in `corpus`.
pub const TARGETS: [(&str, Driver); 23] = [
    ("headers", headers::drive),
    ("classifier", classifier::drive),
    ("heads", heads::drive),
    ("rlc_am_pdu", rlc_pdus::am),
    ("rlc_um_pdu", rlc_pdus::um),
    ("sscop_pdu", sscop_pdus::drive),
    ("demultiplexer", demultiplexer::drive),
    ("raw", |octets| service("raw", octets)),
    ("selective_repeat", |octets| service("selective-repeat", octets)),
    ("go_back_n", |octets| service("go-back-n", octets)),
    ("rlp", |octets| service("rlp", octets)),
    ("xor_fec", |octets| service("xor-fec", octets)),
    ("deadline", |octets| service("deadline", octets)),
    ("rlc_um", |octets| service("rlc-um", octets)),
    ("rlc_tm", |octets| service("rlc-tm", octets)),
    ("sscop", |octets| service("sscop", octets)),
    ("snoop", |octets| service("snoop", octets)),
    ("tally", |octets| service("tally", octets)),
    ("tcp_filter", tcp_filter::drive),
    ("templates", templates::drive),
    ("mux", operations::mux),
    ("bearer", bearer::drive),
    ("pair", pair::drive),
];

/// Drives the target of this name with an input.
///
/// # Panics
/// On a finding, or if there is no such target.
pub fn run(target: &str, octets: &[u8]) {
    let driver = TARGETS.iter().find(|(name, _)| *name == target).map(|(_, driver)| driver);
    driver.expect("a target has an entry in TARGETS")(octets);
}
