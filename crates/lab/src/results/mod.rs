//! What runs came to: rows, and statistics on them.

pub mod rows;
pub mod stats;
pub mod text_table;
