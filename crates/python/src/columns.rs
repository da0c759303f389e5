//! Rows, means and verdicts as Arrow's columns, for [`Table`]. Arrow is known to this crate alone: the command is built without it.

use crate::table::Table;
use arqway_lab::results::rows::{COLUMNS, Column, Mean, Row, Values};
use arqway_papers::claims::{Judgement, Line};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A column's name, its values, and whether some of them may be missing.
type Named = (&'static str, ArrayRef, bool);

/// The columns of `rows.csv`.
pub(crate) fn of_rows(rows: &[Row]) -> PyResult<Table> {
    table(COLUMNS.iter().map(|column| of_column(column, rows.iter())))
}

/// The columns of rows without `replication` and `value`, then `mean`, `low` and `high` (the 95 % interval; null for a single
/// replication) and `replications`.
pub(crate) fn of_means(means: &[Mean]) -> PyResult<Table> {
    let cells = COLUMNS.iter().filter(|column| !["replication", "value"].contains(&column.name));
    let cells = cells.map(|column| of_column(column, means.iter().map(|mean| &mean.of)));
    let end = |of: fn((f64, f64)) -> f64| move |mean: &Mean| mean.summary.interval().map(of);
    let count = |mean: &Mean| u32::try_from(mean.summary.n).unwrap_or(u32::MAX);
    table(cells.chain([
        (
            "mean",
            Arc::new(Float64Array::from_iter_values(means.iter().map(|mean| mean.summary.mean))) as ArrayRef,
            false,
        ),
        ("low", Arc::new(Float64Array::from_iter(means.iter().map(end(|(low, _)| low)))), true),
        ("high", Arc::new(Float64Array::from_iter(means.iter().map(end(|(_, high)| high)))), true),
        ("replications", Arc::new(UInt32Array::from_iter_values(means.iter().map(count))), false),
    ]))
}

/// The columns of `claims.csv`; what is empty there is null.
pub(crate) fn of_verdicts(judgements: &[Judgement]) -> PyResult<Table> {
    let lines: Vec<Line> = judgements.iter().map(Line::of).collect();
    let words = |name, of: fn(&Line) -> &str| -> Named {
        (name, Arc::new(StringArray::from_iter_values(lines.iter().map(of))), false)
    };
    let numbers = |name, of: fn(&Line) -> Option<f64>| -> Named {
        (name, Arc::new(Float64Array::from_iter(lines.iter().map(of))), true)
    };
    table([
        words("id", |line| &line.id),
        words("kind", |line| line.kind),
        words("verdict", |line| &line.verdict),
        numbers("paper", |line| line.paper),
        numbers("ours", |line| line.ours),
        numbers("low", |line| line.low),
        numbers("high", |line| line.high),
        words("inferred", |line| &line.inferred),
        words("note", |line| &line.note),
    ])
}

fn of_column<'a>(column: &Column, rows: impl Iterator<Item = &'a Row>) -> Named {
    let values: ArrayRef = match column.values {
        Values::Text(of) => Arc::new(StringArray::from_iter_values(rows.map(of))),
        Values::U32(of) => Arc::new(UInt32Array::from_iter_values(rows.map(of))),
        Values::U64(of) => Arc::new(UInt64Array::from_iter_values(rows.map(of))),
        Values::F64(of) => Arc::new(Float64Array::from_iter_values(rows.map(of))),
    };
    (column.name, values, false)
}

fn table(columns: impl IntoIterator<Item = Named>) -> PyResult<Table> {
    let columns = RecordBatch::try_from_iter_with_nullable(columns);
    columns.map(Table::new).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
