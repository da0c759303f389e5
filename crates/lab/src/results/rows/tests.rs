use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::RowAccessor;
use bytes::Bytes;
use proptest::prelude::*;

use super::*;

fn row(scheme: &str, variant: &str, point: f64, value: f64) -> Row {
    Row {
        paper: "monet08".into(),
        app: "file-transfer".into(),
        errors: "uniform".into(),
        beside: "media".into(),
        rate_bps: 64_000,
        connections: 1,
        point,
        scheme: scheme.into(),
        variant: variant.into(),
        replication: 7,
        metric: "throughput".into(),
        value,
    }
}

fn csv(rows: &[Row]) -> String {
    let mut output = Vec::new();
    write_csv(rows, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// The rows of a text, as any reader of CSV has them.
fn read(text: &str) -> Vec<Row> {
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap(), &column::names()[..]);
    let row = |record: ::csv::StringRecord| Row {
        paper: record[0].into(),
        app: record[1].into(),
        errors: record[2].into(),
        beside: record[3].into(),
        rate_bps: record[4].parse().unwrap(),
        connections: record[5].parse().unwrap(),
        point: record[6].parse().unwrap(),
        scheme: record[7].into(),
        variant: record[8].into(),
        replication: record[9].parse().unwrap(),
        metric: record[10].into(),
        value: record[11].parse().unwrap(),
    };
    reader.into_records().map(|record| row(record.unwrap())).collect()
}

fn parquet(rows: &[Row]) -> Vec<u8> {
    let mut output = Vec::new();
    let metadata = [("seed".to_owned(), "1".to_owned()), ("version".to_owned(), "0".to_owned())];
    write_parquet(rows, &metadata, &mut output).unwrap();
    output
}

#[test]
fn the_header_and_the_numbers_are_as_promised() {
    let text = csv(&[row("sr:1.1", "", 5.4, 31_250.0), row("raw", "wired=2M/50ms", 0.0, 1e-7)]);
    assert_eq!(
        text,
        "paper,app,errors,beside,rate_bps,connections,point,scheme,variant,replication,metric,value\n\
         monet08,file-transfer,uniform,media,64000,1,5.4,sr:1.1,,7,throughput,31250\n\
         monet08,file-transfer,uniform,media,64000,1,0,raw,wired=2M/50ms,7,throughput,0.0000001\n"
    );
}

#[test]
fn quoting_hides_commas_quotes_and_line_ends() {
    let rows = [row("a,b", "say \"so\"", 1.0, 2.0), row("two\nlines", "\"", 1.0, 2.0), row("\r\n", ",", 0.5, -1.0)];
    let text = csv(&rows);
    assert!(text.contains(r#""a,b","say ""so""","#), "{text}");
    assert_eq!(read(&text), rows);
}

#[test]
fn parquet_reads_back_what_was_written() {
    let mut rows = vec![row("sr:1.1", "", 5.4, 31_250.0), row("raw", "buffer=10", 0.0, 0.1)];
    // Above what a signed integer holds.
    (rows[1].rate_bps, rows[1].replication) = (u64::MAX, u32::MAX);
    let reader = SerializedFileReader::new(Bytes::from(parquet(&rows))).unwrap();
    let file = reader.metadata().file_metadata();
    assert_eq!(file.created_by(), Some(concat!("arqway ", env!("CARGO_PKG_VERSION"))));
    let pairs = file.key_value_metadata().unwrap();
    assert!(pairs.iter().any(|pair| pair.key == "seed" && pair.value.as_deref() == Some("1")));
    let columns = file.schema_descr().columns();
    assert_eq!(columns.iter().map(|column| column.name()).collect::<Vec<_>>(), column::names());
    let read = |row: ::parquet::record::Row| {
        let word = |column| -> Arc<str> { row.get_string(column).unwrap().as_str().into() };
        Row {
            paper: word(0),
            app: word(1),
            errors: word(2),
            beside: word(3),
            rate_bps: row.get_ulong(4).unwrap(),
            connections: row.get_uint(5).unwrap(),
            point: row.get_double(6).unwrap(),
            scheme: word(7),
            variant: word(8),
            replication: row.get_uint(9).unwrap(),
            metric: word(10),
            value: row.get_double(11).unwrap(),
        }
    };
    let found: Vec<Row> = reader.get_row_iter(None).unwrap().map(|row| read(row.unwrap())).collect();
    assert_eq!(found, rows);
}

#[test]
fn equal_rows_give_equal_bytes() {
    let rows: Vec<_> = (0..1000u32).map(|index| row("raw", "", f64::from(index % 5), f64::from(index))).collect();
    assert_eq!(parquet(&rows), parquet(&rows.clone()));
    assert_eq!(csv(&rows), csv(&rows.clone()));
}

#[test]
fn no_rows_are_a_table_too() {
    assert_eq!(read(&csv(&[])), []);
    let reader = SerializedFileReader::new(Bytes::from(parquet(&[]))).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
}

proptest! {
    #[test]
    fn csv_comes_back_as_it_went(
        words in prop::collection::vec("[a-z,\"\r\n =:.]{0,8}", 7),
        counts in prop::array::uniform2(any::<u32>()),
        rate_bps: u64,
        point in prop::num::f64::NORMAL | prop::num::f64::ZERO,
        value in prop::num::f64::NORMAL | prop::num::f64::ZERO,
    ) {
        let word = |index: usize| -> Arc<str> { words[index].as_str().into() };
        let row = Row {
            paper: word(0),
            app: word(1),
            errors: word(2),
            beside: word(3),
            rate_bps,
            connections: counts[0],
            point,
            scheme: word(4),
            variant: word(5),
            replication: counts[1],
            metric: word(6),
            value,
        };
        let rows = [row.clone(), row];
        prop_assert_eq!(read(&csv(&rows)), rows);
    }
}
