//! A paper that nobody wrote, so small that all of it runs within a second: a table, and a figure with statements.

use arqway_config::Source;
use arqway_lab::experiment::{Effort, Experiment};
use arqway_papers::claims::{self, Claim};
use std::path::Path;

const WORLD: &str = r#"
[scenario]
base = "monet08"
set = { "wireless.errors" = { kind = "uniform", loss = "0 %" }, "media.enabled" = true, "file-transfer.size" = "50 kB" }

[sweep]
"wireless.errors.loss" = ["1.5 %", "5.4 %"]

[[scheme]]
use = "sr:1.1"

[[scheme]]
use = "asr:2+4"

[[scheme]]
use = "asr:3+2"
"#;

/// A table, a figure of two quantities.
pub(crate) fn experiments() -> Vec<Experiment> {
    let table = "[[figure]]\nid = 'table1'\nx = 'wireless.errors.loss'\ny = 'file-transfer.throughput'\n";
    let figures = "[[figure]]\nid = 'fig1'\nx = 'wireless.errors.loss'\ny = 'file-transfer.timeouts'\n\
                   [[figure]]\nid = 'fig1-delay'\nx = 'wireless.errors.loss'\ny = 'media.delay'\n";
    [("table1", "Table I", table), ("fig1", "Fig. 1", figures)]
        .map(|(id, place, figures)| {
            let text = format!(
                "[experiment]\nid = 'small-{id}'\npaper = 'small'\nsource = 'small, {place}'\ntitle = 'A small world'\n\
                 replications = 3\n{WORLD}\n{figures}"
            );
            let read = Experiment::read(&Source::new("small.toml", text), Path::new(""), Effort::Full);
            read.unwrap_or_else(|mistakes| panic!("{mistakes}"))
        })
        .to_vec()
}

/// The cells of the table, and a statement on each of the two.
pub(crate) fn claims() -> Vec<Claim> {
    let about = |id: &str, app: &str, metric: &str, says: &str| {
        format!(
            "[[claim]]\nid = 'small.{id}'\nwhere = 'somewhere'\napp = '{app}'\nerrors = 'uniform'\nbeside = '{}'\n\
             metric = '{metric}'\n{says}\n",
            if app == "media" { "file-transfer" } else { "media" }
        )
    };
    let throughput = |id: &str, says: &str| about(id, "file-transfer", "throughput", says);
    let mut text = String::new();
    for (point, fixed, first, second) in [("1.5", 28.0, 4.3, 5.0), ("5.4", 20.0, 10.4, 13.2)] {
        let value = format!("kind = 'value'\nflr = {point}\nscheme = 'sr:1.1'\nvalue = {fixed}\nunit = 'kbit/s'");
        text += &throughput(&format!("table1.{point}.fixed"), &value);
        for (scheme, percent) in [("asr:2+4", first), ("asr:3+2", second)] {
            let gain = format!("kind = 'gain'\nflr = {point}\na = '{scheme}'\nb = 'sr:1.1'\npercent = {percent}");
            text += &throughput(&format!("table1.{point}.{scheme}"), &gain);
        }
    }
    text += &throughput("table1.best", "kind = 'top'\nbest = 'asr:3+2'\nschemes = ['sr:1.1', 'asr:2+4']\nat = [5.4]");
    let gap = "kind = 'best-worst'\nflr = 5.4\nschemes = ['sr:1.1', 'asr:2+4']\nbest = 'asr:2+4'\nworst = 'sr:1.1'\npercent = -7.1";
    text += &about("fig1.delay", "media", "delay", gap);
    claims::read(&Source::new("small.toml", text)).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}
