//! `rows.parquet`: the columns of `rows.csv`, typed and compressed, with the run's description as metadata.
//!
//! Parquet stores a table in groups of rows, and in each group one column after the other:
//!
//! ```text
//!     | paper ... | app ... | ... | value ... || paper ... | app ... | ...     | schema, metadata, where each column is |
//!      `---------- first million rows -------'  `---- the next million ----'    `--------------- footer --------------'
//! ```
//!
//! Written with the format's own column writers: Arrow's crates, which could do it too, take five times as long to compile.

use super::Row;
use super::column::{COLUMNS, Column, Values};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Stored};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::io::Write;
use std::sync::Arc;

/// Rows in a group: readers work on one group at a time.
const GROUP: usize = 1024 * 1024;
/// Values that are handed to a column's writer at a time: bounds the memory beside the rows themselves.
const BATCH: usize = 16 * 1024;

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
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(pairs))
        .build();
    let mut writer = SerializedFileWriter::new(output, schema()?, Arc::new(properties))?;
    for rows in rows.chunks(GROUP) {
        let mut group = writer.next_row_group()?;
        for column in COLUMNS {
            let Some(mut writer) = group.next_column()? else { break };
            write_column(&mut writer, column.values, rows)?;
            writer.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

fn schema() -> Result<TypePtr, ParquetError> {
    let fields = COLUMNS.iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("rows").with_fields(fields).build()?))
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    // Parquet stores an unsigned integer as the signed one with the same bits, and says beside it what it means.
    let (stored, meaning) = match column.values {
        Values::Text(_) => (Stored::BYTE_ARRAY, Some(LogicalType::String)),
        Values::U32(_) => (Stored::INT32, Some(LogicalType::integer(32, false))),
        Values::U64(_) => (Stored::INT64, Some(LogicalType::integer(64, false))),
        Values::F64(_) => (Stored::DOUBLE, None),
    };
    let field = Type::primitive_type_builder(column.name, stored);
    field.with_repetition(Repetition::REQUIRED).with_logical_type(meaning).build()
}

fn write_column(writer: &mut SerializedColumnWriter<'_>, values: Values, rows: &[Row]) -> Result<(), ParquetError> {
    match values {
        Values::Text(of) => write_values::<ByteArrayType>(writer, rows, |row| ByteArray::from(of(row))),
        Values::U32(of) => write_values::<Int32Type>(writer, rows, |row| of(row).cast_signed()),
        Values::U64(of) => write_values::<Int64Type>(writer, rows, |row| of(row).cast_signed()),
        Values::F64(of) => write_values::<DoubleType>(writer, rows, of),
    }
}

fn write_values<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    rows: &[Row],
    value: impl Fn(&Row) -> T::T,
) -> Result<(), ParquetError> {
    for rows in rows.chunks(BATCH) {
        let values: Vec<T::T> = rows.iter().map(&value).collect();
        writer.typed::<T>().write_batch(&values, None, None)?;
    }
    Ok(())
}
