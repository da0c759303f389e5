//! Settings: TOML text read into plain `Deserialize` types, with every mistake told at once.
//!
//! A study has dozens of settings, and a misspelt one that goes unnoticed gives a wrong figure. So a key that is not
//! known is refused, and so that nobody has to run a file ten times to find ten slips, all of them are told together,
//! each with its file, line and column and what was expected.
//!
//! ```text
//!     text --parse--> tree --overlay, set_path--> tree --check--> tree without its mistakes --serde--> your type
//!                     (every node knows            with the schema
//!                      where it was written)       of your type
//! ```
//!
//! The schema is derived from the type itself ([`schema`]), so there is one grammar: the one that editors get.
//!
//! ```
//! use arqway_config::{Source, read_source};
//!
//! #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
//! struct Settings {
//!     frames: u32,
//!     queue: Queue,
//! }
//!
//! #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
//! #[serde(rename_all = "kebab-case")]
//! enum Queue {
//!     Unbounded,
//!     DropTail { limit: u32 },
//! }
//!
//! let source = Source::new("good.toml", r#"
//! frames = 20
//! queue = { kind = "drop-tail", limit = 50 }
//! "#);
//! assert!(read_source::<Settings>(&source, &[]).is_ok());
//!
//! let source = Source::new("bad.toml", r#"framse = 20
//! queue = "droptail"
//! "#);
//! assert_eq!(read_source::<Settings>(&source, &[]).unwrap_err().to_string(), r#"bad.toml:1:1: unknown key `framse`
//!     framse = 20
//!     ^^^^^^
//!   did you mean `frames`?  (known here: frames, queue)
//!
//! bad.toml:2:9: `droptail` is not a kind of queue
//!     queue = "droptail"
//!             ^^^^^^^^^^
//!   did you mean `drop-tail`?  (known here: unbounded, drop-tail)
//!
//! 2 mistakes; nothing was run"#);
//! ```
//!
//! | a type | is written |
//! | --- | --- |
//! | struct | as a table; the keys it does not know are refused whether or not it says `deny_unknown_fields` |
//! | enum, derived without `tag` | `"unbounded"`, `{ kind = "drop-tail", limit = 50 }` or `{ drop-tail = { limit = 50 } }` |
//! | [`Node`] | as anything: kept to be read later |
//! | [`Located<T>`] | as a `T`, and keeps its place for mistakes that show only later |
//!
//! `#[serde(flatten)]` is for maps at most: serde copies such tables aside, and positions are lost.

mod check;
mod deserialize;
mod files;
pub mod grammars;
mod located;
mod mistakes;
mod node;
mod parse;
mod paths;
mod print;
mod read;
pub mod schema;
mod shown;
mod source;
mod suggest;

#[cfg(test)]
mod tests;

pub use files::{LONGEST_RECORDING, LONGEST_SETTINGS, read_octets, read_text};
pub use located::Located;
pub use mistakes::{Mistake, Mistakes};
pub use node::{Node, Table, Value};
pub use parse::parse;
pub use paths::{path_of_item, path_of_key};
pub use read::{read, read_source};
pub use shown::{is_obeyed, one_line, printable};
pub use source::{Origin, Position, Source};
pub use suggest::{did_you_mean, listed, suggest};
