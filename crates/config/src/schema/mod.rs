//! JSON schemas (draft 2020-12) of settings, from the very types that read them.
//!
//! An editor that knows the schema offers keys and values while one types, shows what each means, and marks what is
//! wrong.
//!
//! ```text
//!     a type            derived: serde's representation     { "uniform": { "loss": "5.4 %" } }
//!         | written     the reader's                        { kind = "uniform", loss = "5.4 %" }
//!         v
//!     schema
//! ```

mod changes;
mod grammar;
mod tree;
mod written;

pub use changes::over;
pub use grammar::{Grammar, Later, generate};
pub(crate) use grammar::{UNITS, derive};
pub use tree::{DEFINITIONS, Document, alternatives, properties, reference, referred, table};
pub(crate) use tree::{READ_LATER, VALUE_UNDER_NAME};
