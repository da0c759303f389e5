//! Every kind's rule, on rows made for it; and every claim that is shipped, on rows that agree with it and on doctored
//! ones that do not.

use super::*;
use crate::library;
use arqway_config::Source;
use arqway_lab::results::rows::Row;

mod kinds;
mod record;
mod shapes;
mod shipped;
mod tables;

/// A file with one claim of this kind, on throughput at uniform errors.
fn file(kind: &str) -> String {
    file_on("throughput", kind)
}

fn file_on(metric: &str, kind: &str) -> String {
    let about =
        "id = \"paper.fig1\"\nwhere = \"Fig. 1\"\napp = \"file-transfer\"\nerrors = \"uniform\"\nbeside = \"none\"";
    format!("[[claim]]\n{about}\nmetric = \"{metric}\"\n{kind}\n")
}

fn claim(text: &str) -> Claim {
    let claims = read(&Source::new("claims.toml", text)).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    claims.into_iter().next().expect("a claim")
}

/// The rows of a cell of a claim's world, a replication a value.
fn cell(about: &Subject, cell: Cell<'_>, values: &[f64]) -> Vec<Row> {
    let row = |(replication, value): (usize, &f64)| Row {
        paper: about.paper().into(),
        app: cell.place.app.as_deref().unwrap_or(&about.app).into(),
        errors: cell.place.errors.as_deref().unwrap_or(&about.errors).into(),
        beside: cell.place.beside.as_deref().unwrap_or(&about.beside).into(),
        rate_bps: about.rate.map_or(64_000, BitRate::as_bits_per_second),
        connections: cell.place.connections.unwrap_or(about.connections),
        point: cell.point,
        scheme: cell.scheme.into(),
        variant: cell.place.variant.as_str().into(),
        replication: replication as u32,
        metric: cell.place.metric.as_deref().unwrap_or(&about.metric).into(),
        value: *value,
    };
    values.iter().enumerate().map(row).collect()
}

/// Three replications around a mean, a hundredth of it apart from each other; in each the noise is the same for all.
fn around(mean: f64) -> [f64; 3] {
    [0.99 * mean, mean, 1.01 * mean]
}
