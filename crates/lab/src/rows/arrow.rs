//! Rows, and their means, as columns in memory: what Parquet is written from, and what notebooks get.

use super::means::Mean;
use super::{COLUMNS, Row};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// Rows that are turned into columns at a time: bounds the memory beside the rows themselves.
const BATCH: usize = 64 * 1024;

/// The columns of `rows.csv`, typed.
#[must_use]
pub fn schema() -> SchemaRef {
    let field = |name: &'static str| {
        let kind = match name {
            "rate_bps" => DataType::UInt64,
            "connections" | "replication" => DataType::UInt32,
            "point" | "value" => DataType::Float64,
            _ => DataType::Utf8,
        };
        Field::new(name, kind, false)
    };
    Arc::new(Schema::new(COLUMNS.map(field).to_vec()))
}

/// The rows, some at a time.
///
/// # Errors
/// None that rows could cause.
pub fn batches(rows: &[Row]) -> impl Iterator<Item = Result<RecordBatch, ArrowError>> + '_ {
    let schema = schema();
    rows.chunks(BATCH).map(move |rows| RecordBatch::try_new(Arc::clone(&schema), columns(rows)))
}

/// One array a column, in the order of `COLUMNS`.
fn columns(rows: &[Row]) -> Vec<ArrayRef> {
    let mut columns = columns_of_cells(rows.iter());
    columns.insert(9, Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.replication))));
    columns.push(Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.value))));
    columns
}

/// The columns that tell cells and their metrics apart.
fn columns_of_cells<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<ArrayRef> {
    let words = |of: fn(&Row) -> &Arc<str>| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.clone().map(|row| of(row).as_ref())))
    };
    vec![
        words(|row| &row.paper),
        words(|row| &row.app),
        words(|row| &row.errors),
        words(|row| &row.beside),
        Arc::new(UInt64Array::from_iter_values(rows.clone().map(|row| row.rate_bps))),
        Arc::new(UInt32Array::from_iter_values(rows.clone().map(|row| row.connections))),
        Arc::new(Float64Array::from_iter_values(rows.clone().map(|row| row.point))),
        words(|row| &row.scheme),
        words(|row| &row.variant),
        words(|row| &row.metric),
    ]
}

/// Means as one batch: the columns of rows without `replication` and `value`, then `mean`, `low` and `high` (the 95 %
/// interval; null for a single replication) and `replications`.
///
/// # Errors
/// None that means could cause.
pub fn batch_of_means(means: &[Mean]) -> Result<RecordBatch, ArrowError> {
    let cells = schema();
    let cells = cells.fields().iter().filter(|field| !["replication", "value"].contains(&field.name().as_str()));
    let mut fields: Vec<Field> = cells.map(|field| field.as_ref().clone()).collect();
    fields.extend([
        Field::new("mean", DataType::Float64, false),
        Field::new("low", DataType::Float64, true),
        Field::new("high", DataType::Float64, true),
        Field::new("replications", DataType::UInt32, false),
    ]);
    let mut columns = columns_of_cells(means.iter().map(|mean| &mean.of));
    let interval = |mean: &Mean| mean.summary.interval();
    columns.push(Arc::new(Float64Array::from_iter_values(means.iter().map(|mean| mean.summary.mean))));
    columns.push(Arc::new(Float64Array::from_iter(means.iter().map(|mean| Some(interval(mean)?.0)))));
    columns.push(Arc::new(Float64Array::from_iter(means.iter().map(|mean| Some(interval(mean)?.1)))));
    let counts = means.iter().map(|mean| u32::try_from(mean.summary.n).unwrap_or(u32::MAX));
    columns.push(Arc::new(UInt32Array::from_iter_values(counts)));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}
