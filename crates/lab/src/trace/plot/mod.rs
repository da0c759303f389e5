//! What plots over time have in common: a heading, panels over one axis of time, small print.
//!
//! | file | concept |
//! | --- | --- |
//! | `page.rs` | what stands around the panels |
//! | `panel.rs` | one of the panels: axes, grid, key |
//! | `marks.rs` | dots, crosses, steps, areas |

pub(super) mod marks;
pub(super) mod page;
pub(super) mod panel;
