//! `rows.parquet`: the columns of `rows.csv`, typed and compressed, with the run's description as metadata.

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::io::Write;

use super::{Row, arrow};

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
    let mut writer = ArrowWriter::try_new(output, arrow::schema(), Some(properties))?;
    for batch in arrow::batches(rows) {
        writer.write(&batch?)?;
    }
    writer.close()?;
    Ok(())
}
