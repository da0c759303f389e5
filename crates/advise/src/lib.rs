//! Which service suits a link and its traffic: all of them are tried on it, and the best is told with its settings.
//!
//! ```text
//!     scenario.toml --> facts of the link --> candidates --> race ---------> ranking, cautions, the block to use
//!                       round trip, packets,  each service   replications in
//!                       frames in flight      with settings  batches; who is
//!                                             for that link  behind drops out
//! ```
//!
//! | file | concept |
//! | --- | --- |
//! | `question.rs` | what is asked: a world, what its applications are judged by |
//! | `link.rs` | what the rules need to know of a link |
//! | `candidates/` | the services that are tried, and the rules by which each is set up |
//! | `length.rs` | how long a run has to be to tell candidates apart |
//! | `criterion.rs` | what each application wants, and the one number that candidates are ranked by |
//! | `opinion.rs` | what people think of a call, by ITU-T G.107 |
//! | `trial.rs` | candidates in a world, as an ordinary experiment |
//! | `race.rs` | replications in batches, until the best is known |
//! | `advisor.rs` | the whole: the default service first, then that of each class |
//! | `second.rs`, `lines.rs` | a second line, and what it would bring |
//! | `advice.rs`, `watcher.rs` | what is advised, and how the runs go |
//! | `world.rs` | the classes of a world, and services written into it |
//! | `text.rs`, `draw.rs` | the ranking for a terminal, and as a plot |
//!
//! Each candidate is a scheme of an experiment, so plans, runs and rows are those of `arqway run`, and `advise.toml` is an
//! experiment that anybody can run again.

mod advice;
mod advisor;
mod candidates;
mod criterion;
mod draw;
mod length;
mod lines;
mod link;
mod opinion;
mod output;
mod question;
mod race;
mod second;
mod text;
mod trial;
mod watcher;
mod world;

pub use advice::{Advice, AdviseError, Caution, Stage};
pub use advisor::advise;
pub use criterion::Application;
pub use length::Losses;
pub use link::Link;
pub use question::{AdviceOptions, Question, QuestionError};
pub use race::{Ended, MAX_REPLICATIONS, Standing, Verdict};
pub use second::{Second, SecondLine};
pub use watcher::Watcher;

#[cfg(test)]
mod tests;
