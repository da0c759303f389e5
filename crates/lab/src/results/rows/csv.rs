//! `rows.csv`: RFC 4180 with line feeds, a header line, numbers as the shortest decimal that reads back the same.

use super::Row;
use super::column::{COLUMNS, Values, names};
use std::fmt::Write as _;
use std::io;

/// Writes the header and the rows.
///
/// # Errors
///
/// Those of `output`.
pub fn write_csv<'a>(rows: impl IntoIterator<Item = &'a Row>, output: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(names())?;
    let mut number = String::new();
    for row in rows {
        for column in COLUMNS {
            number.clear();
            // Writing into a string does not fail.
            let _ = match column.values {
                Values::Text(text) => {
                    writer.write_field(text(row))?;
                    continue;
                }
                Values::U32(value) => write!(number, "{}", value(row)),
                Values::U64(value) => write!(number, "{}", value(row)),
                Values::F64(value) => write!(number, "{}", value(row)),
            };
            writer.write_field(&number)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}
