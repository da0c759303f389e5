//! A paper's table, put together from its claims: those of the kinds `value` and `gain` are its cells.
//!
//! ```text
//!                throughput (kbit/s)   over sr:1.1 (%)        <- groups of columns that measure the same
//!                       sr:1.1         asr:2+4  asr:3+2       <- a scheme each
//!     1.5                41.1            3.2      3.9         <- a point each; cells are claims
//! ```

use super::{Judgement, Statement, Subject};
use arqway_lab::figure::number::typed;
use arqway_lab::quantity::Quantity;

/// Which claim stands where.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimsTable {
    /// The columns, those that measure the same side by side.
    pub groups: Vec<Vec<Column>>,
    /// In the order in which the claims name their points.
    pub rows: Vec<TableRow>,
}

/// What a column shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    app: String,
    metric: String,
    unit: &'static str,
    /// The scheme measured, as claims name it.
    pub scheme: String,
    /// The scheme it is compared with, where the column shows improvements.
    over: Option<String>,
    less_is_more: bool,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// The point, and what else tells the row from others.
    pub head: String,
    /// For each column, which of the claims stands there.
    pub cells: Vec<Option<usize>>,
}

impl Column {
    /// A claim's column, and its point; none where it is no single number.
    fn of(about: &Subject, statement: &Statement) -> Option<(Self, f64)> {
        let column = |unit, scheme: &str, over: Option<&str>| Self {
            app: about.app.clone(),
            metric: about.metric.clone(),
            unit,
            scheme: scheme.to_owned(),
            over: over.map(str::to_owned),
            less_is_more: about.less_is_more(),
        };
        match statement {
            Statement::Value(value) => {
                let (scheme, point, unit) = value.place();
                Some((column(unit, scheme, None), point))
            }
            Statement::Gain(gain) => {
                let (a, b, point) = gain.place();
                Some((column(" %", a, Some(b)), point))
            }
            _ => None,
        }
    }

    /// Whether two columns measure the same, of two schemes.
    fn is_like(&self, other: &Self) -> bool {
        Self { scheme: other.scheme.clone(), ..self.clone() } == *other
    }

    /// What it measures: `Web Browsing throughput (kbit/s)`, `Web Browsing throughput, above SR 1.1 (%)`.
    #[must_use]
    pub fn title(&self, label: impl Fn(&str) -> String) -> String {
        let quantity = Quantity::of(&format!("{}.{}", self.app, self.metric));
        let name = quantity.map_or(self.metric.as_str(), |quantity| quantity.label);
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        let side = if self.less_is_more { "below" } else { "above" };
        let over = self.over.as_ref().map_or_else(String::new, |over| format!(", {side} {}", label(over)));
        let unit = self.unit.trim();
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        format!("{name}{over}{unit}")
    }
}

impl ClaimsTable {
    /// The table of these claims; none where none of them is a single number.
    #[must_use]
    pub fn of(judgements: &[&Judgement]) -> Option<Self> {
        let numbers = judgements.iter().enumerate();
        let numbers: Vec<(usize, Column, String)> = numbers
            .filter_map(|(index, judgement)| {
                let about = &judgement.claim.about;
                let (column, point) = Column::of(about, &judgement.claim.statement)?;
                Some((index, column, row_head(about, point, judgements)))
            })
            .collect();
        let mut groups: Vec<Vec<Column>> = Vec::new();
        let mut rows: Vec<String> = Vec::new();
        for (_, column, row) in &numbers {
            match groups.iter_mut().find(|group| group.first().is_some_and(|first| first.is_like(column))) {
                Some(group) if group.contains(column) => {}
                Some(group) => group.push(column.clone()),
                None => groups.push(vec![column.clone()]),
            }
            if !rows.contains(row) {
                rows.push(row.clone());
            }
        }
        let cell = |wanted: &Column, head: &String| {
            numbers.iter().find(|(_, column, row)| column == wanted && row == head).map(|(index, ..)| *index)
        };
        let row = |head: &String| TableRow {
            head: head.clone(),
            cells: groups.iter().flatten().map(|column| cell(column, head)).collect(),
        };
        let rows: Vec<TableRow> = rows.iter().map(row).collect();
        (!rows.is_empty()).then_some(Self { groups, rows })
    }
}

/// A row's point, and whatever else of its world is not the same in the whole table.
fn row_head(about: &Subject, point: f64, judgements: &[&Judgement]) -> String {
    let own = facets(about);
    let differs = |index: usize| judgements.iter().any(|other| facets(&other.claim.about).get(index) != own.get(index));
    let differing = own.iter().enumerate().filter(|(index, _)| differs(*index)).map(|(_, words)| words.clone());
    std::iter::once(typed(point)).chain(differing).collect()
}

/// What else tells one world from another, in words that follow a point.
fn facets(about: &Subject) -> [String; 4] {
    let connections = match about.connections {
        1 => ", 1 connection".to_owned(),
        count => format!(", {count} connections"),
    };
    [
        format!(", {} errors", about.errors),
        format!(", beside {}", about.beside),
        connections,
        about.rate.map_or_else(String::new, |rate| format!(", {rate}")),
    ]
}
