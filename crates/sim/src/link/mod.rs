//! The link under study, from its settings to an end with a service on it. Seven words, each for one thing:
//!
//! | word | file | what | carries |
//! | --- | --- | --- | --- |
//! | wireless | `../wireless.rs` | the link as settings, both directions | |
//! | line | `../line.rs` | a queue, a transmitter and the way behind it: of any hop, wired ones too | anything with a size |
//! | medium | `medium.rs` | one direction: a line, its channel, its outages | the same |
//! | pipe | `pipe.rs` | a medium with a clock of its own, for an emulator or a test | packets of whoever offers them |
//! | layer | `layer.rs` | the services of an end, alone or under a bearer | packets to frames |
//! | end | `end.rs` | a layer on the medium that it sends by: the simulator's [`Port`](arqway_link::Port) | frames |
//! | bare | `bare.rs` | two ends and nothing else, every event reported | frames |
//!
//! ```text
//!     world      host -- [ layer | end ]==medium==>            <==medium==[ end | layer ] -- host
//!     bare link          [ service | end ]==medium==>    <==medium==[ end | service ]
//!     pipe       offer ----------------->  medium  -----------------> poll
//! ```

mod bare;
mod end;
mod layer;
mod medium;
mod pipe;

pub use bare::{BareLink, LinkEvent, LinkEventKind};
pub(crate) use end::{Charge, LinkEnd};
pub(crate) use layer::Layer;
pub use medium::Cause;
pub(crate) use medium::Medium;
pub use pipe::{Pipe, PipeEvent, Start};
