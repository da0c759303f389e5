//! Tables, as Arrow's C stream: pyarrow, polars and pandas take them without a copy, and it needs none of them.

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::DataType;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::fmt::Write;

/// A table of columns.
///
/// Any library with the Arrow PyCapsule interface takes it without a copy: ``pyarrow.table(t)``,
/// ``polars.DataFrame(t)``, ``pandas.DataFrame.from_arrow(t)``. Without any of them, ``t["value"]`` is a column as a
/// list, ``t.to_pylist()`` the rows as dictionaries.
#[pyclass(frozen, module = "arqway")]
pub(crate) struct Table {
    columns: RecordBatch,
}

impl Table {
    pub(crate) fn new(columns: RecordBatch) -> Self {
        Self { columns }
    }

    /// A cell as text, for `repr`.
    fn text(column: &ArrayRef, row: usize) -> String {
        match cell(column, row) {
            Cell::Null => "null".to_owned(),
            Cell::Text(text) => text.to_owned(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number) => number.to_string(),
        }
    }
}

/// One value.
enum Cell<'a> {
    Null,
    Text(&'a str),
    Count(u64),
    Number(f64),
}

fn cell(column: &ArrayRef, row: usize) -> Cell<'_> {
    if column.is_null(row) {
        return Cell::Null;
    }
    match column.data_type() {
        DataType::Utf8 => Cell::Text(column.as_string::<i32>().value(row)),
        DataType::UInt32 => Cell::Count(column.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => Cell::Count(column.as_primitive::<UInt64Type>().value(row)),
        DataType::Float64 => Cell::Number(column.as_primitive::<Float64Type>().value(row)),
        // No other type is made here.
        _ => Cell::Null,
    }
}

fn object<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    Ok(match cell(column, row) {
        Cell::Null => py.None().into_bound(py),
        Cell::Text(text) => text.into_pyobject(py)?.into_any(),
        Cell::Count(count) => count.into_pyobject(py)?.into_any(),
        Cell::Number(number) => number.into_pyobject(py)?.into_any(),
    })
}

/// How many rows are shown.
const SHOWN: usize = 8;

#[pymethods]
impl Table {
    /// The names of its columns.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.columns.schema_ref().fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.columns.num_rows()
    }

    /// A column as a list.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let column = self.columns.column_by_name(name).ok_or_else(|| {
            PyKeyError::new_err(format!(
                "there is no column `{name}`; expected one of {}",
                self.column_names().join(", ")
            ))
        })?;
        let values = PyList::empty(py);
        for row in 0..column.len() {
            values.append(object(py, column, row)?)?;
        }
        Ok(values)
    }

    /// The columns as lists, by their names.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for name in self.column_names() {
            columns.set_item(name, self.__getitem__(py, name)?)?;
        }
        Ok(columns)
    }

    /// The rows as dictionaries.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for index in 0..self.columns.num_rows() {
            let row = PyDict::new(py);
            for (field, column) in self.columns.schema_ref().fields().iter().zip(self.columns.columns()) {
                row.set_item(field.name(), object(py, column, index)?)?;
            }
            rows.append(row)?;
        }
        Ok(rows)
    }

    /// The table as a capsule with Arrow's C stream. A requested schema is ignored: the consumer converts.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        // The columns are shared: this copies pointers.
        let batches = RecordBatchIterator::new([Ok(self.columns.clone())], self.columns.schema());
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(batches);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "an arqway table cannot be pickled; pyarrow.table(table) can, and so can table.to_pydict()",
        ))
    }

    fn __repr__(&self) -> String {
        let mut lines = vec![self.column_names().into_iter().map(str::to_owned).collect::<Vec<_>>()];
        let shown = 0..self.columns.num_rows().min(SHOWN);
        lines.extend(shown.map(|row| self.columns.columns().iter().map(|column| Self::text(column, row)).collect()));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        let mut text = format!("arqway.Table, {} rows\n", self.columns.num_rows());
        for line in &lines {
            let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
            // Writing into a text does not fail.
            let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        if self.columns.num_rows() > SHOWN {
            text.push_str("...\n");
        }
        text
    }
}
