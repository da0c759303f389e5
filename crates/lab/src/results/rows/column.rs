//! The columns of the rows: their names, their order and their types. Both files, and what Python gets, follow this one list.

use super::Row;

/// One column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name in the header.
    pub name: &'static str,
    /// Its type, and how a row's value is read.
    pub values: Values,
}

/// The type of a column, with the function that takes its value from a row.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// Text.
    Text(fn(&Row) -> &str),
    /// Unsigned integers of 32 bits.
    U32(fn(&Row) -> u32),
    /// Unsigned integers of 64 bits.
    U64(fn(&Row) -> u64),
    /// Floating-point numbers of 64 bits.
    F64(fn(&Row) -> f64),
}

use Values::{F64, Text, U32, U64};

/// The columns, in the order in which both files have them.
pub const COLUMNS: [Column; 12] = [
    Column { name: "paper", values: Text(|row| &row.paper) },
    Column { name: "app", values: Text(|row| &row.app) },
    Column { name: "errors", values: Text(|row| &row.errors) },
    Column { name: "beside", values: Text(|row| &row.beside) },
    Column { name: "rate_bps", values: U64(|row| row.rate_bps) },
    Column { name: "connections", values: U32(|row| row.connections) },
    Column { name: "point", values: F64(|row| row.point) },
    Column { name: "scheme", values: Text(|row| &row.scheme) },
    Column { name: "variant", values: Text(|row| &row.variant) },
    Column { name: "replication", values: U32(|row| row.replication) },
    Column { name: "metric", values: Text(|row| &row.metric) },
    Column { name: "value", values: F64(|row| row.value) },
];

/// The names of the columns.
pub(super) fn names() -> [&'static str; COLUMNS.len()] {
    COLUMNS.map(|column| column.name)
}
