//! What runs came to: rows, statistics on them, tables of means, and the figures drawn from those.

pub mod cell_rows;
pub mod findings;
pub mod means_table;
pub mod rows;
pub mod stats;
