//! `rows.parquet`: the columns of `rows.csv`, typed and compressed, with the run's description as metadata.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::{COLUMNS, Row};

/// Rows that are turned into columns at a time: bounds the memory beside the rows themselves.
const BATCH: usize = 64 * 1024;

/// Writes the rows, with `metadata` as key-value pairs of the file (seed, version, settings).
///
/// # Errors
///
/// Those of `output`, as [`ParquetError`].
pub fn write_parquet(
    rows: &[Row],
    metadata: &[(String, String)],
    output: impl Write + Send,
) -> Result<(), ParquetError> {
    let pairs = metadata.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    let properties = WriterProperties::builder()
        .set_created_by(concat!("arqway ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(pairs))
        .build();
    let schema = Arc::new(schema());
    let mut writer = ArrowWriter::try_new(output, Arc::clone(&schema), Some(properties))?;
    for batch in rows.chunks(BATCH) {
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns(batch))?)?;
    }
    writer.close()?;
    Ok(())
}

fn schema() -> Schema {
    let field = |name: &'static str| {
        let kind = match name {
            "rate_bps" => DataType::UInt64,
            "connections" | "replication" => DataType::UInt32,
            "point" | "value" => DataType::Float64,
            _ => DataType::Utf8,
        };
        Field::new(name, kind, false)
    };
    Schema::new(COLUMNS.map(field).to_vec())
}

/// One array a column, in the order of `COLUMNS`.
fn columns(rows: &[Row]) -> Vec<ArrayRef> {
    let words = |of: fn(&Row) -> &Arc<str>| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(|row| of(row).as_ref())))
    };
    let counts = |of: fn(&Row) -> u32| -> ArrayRef { Arc::new(UInt32Array::from_iter_values(rows.iter().map(of))) };
    let numbers = |of: fn(&Row) -> f64| -> ArrayRef { Arc::new(Float64Array::from_iter_values(rows.iter().map(of))) };
    vec![
        words(|row| &row.paper),
        words(|row| &row.app),
        words(|row| &row.errors),
        words(|row| &row.beside),
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.rate_bps))),
        counts(|row| row.connections),
        numbers(|row| row.point),
        words(|row| &row.scheme),
        words(|row| &row.variant),
        counts(|row| row.replication),
        words(|row| &row.metric),
        numbers(|row| row.value),
    ]
}
