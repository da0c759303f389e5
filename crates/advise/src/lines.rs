//! What a second line would bring: the world's link alone, another one alone, and both as lines of one link.
//!
//! ```text
//!     lte          [=======>             ]
//!     satellite    [====>                ]
//!     both         [===========>         ]    +52 % on the better of the two
//! ```
//!
//! All three have the link layer of the tunnel: `tally` over a bearer that finds the rate of each line, calls in a class of their own. So it tells of
//! lines, not of services.

use super::advice::AdviseError;
use super::criterion::{Application, Values};
use super::length::{Length, Losses};
use super::link::Link;
use super::question::Question;
use super::second::{Second, SecondLine};
use super::trial::{quoted, settings_text};
use super::watcher::Watcher;
use super::world::{shortened, value};
use arqway_config::{Node, Source};
use arqway_lab::experiment::{Effort, Experiment};
use arqway_lab::results::rows::Row;
use arqway_lab::results::stats::{Comparison, compare, summarise};
use arqway_lab::run::plan::{Plan, Request};
use arqway_lab::run::{Results, run};
use std::path::Path;

/// What the link layer of the tunnel has.
const LINK_LAYER: &str = "{ scheduler = \"scfq\", service = \"tally\", bearer = { mtu-least = \"1500 octets\", rate = \"automatic\" }, \
     queue = { half-round-trips = 2, drop-from-front = true, fair = {} } }";
/// A class for media, as the tunnel's table has it: what is lost is asked for once, and nothing waits for it.
const FOR_MEDIA: &str = "[{ name = \"media\", protocol = \"udp\", service = { kind = \"rlp\", retransmissions = 1, \
     resequencing = { kind = \"none\", tcp-filter = false, others = \"none\" } } }]";

/// How many replications are run at most.
const REPLICATIONS: u32 = 10;

/// Tries it: what was found, and all runs.
///
/// # Errors
/// What keeps it from a comparison.
pub(super) fn try_second(
    question: &Question,
    link: &Link,
    losses: Option<Losses>,
    second: &SecondLine,
    watcher: &Watcher<'_>,
) -> Result<(Second, Vec<Row>, Results), AdviseError> {
    let Question { name, applications, seed, scenario, .. } = question;
    let other = if second.name == *name { format!("{name} again") } else { second.name.clone() };
    let labels = [format!("{name} alone"), format!("{other} alone"), "both".to_owned()];
    let has_media_beside_tcp = scenario.media.enabled && link.has_tcp;
    let world =
        world_of_lines(&shortened(&question.world, &Length::of(question, link, losses, 1)), has_media_beside_tcp);
    let lines = [
        "\"wireless.line\" = []".to_owned(),
        format!("\"wireless.line\" = [{}]", second.line),
        format!("\"wireless.line\" = [{{}}, {}], \"link-layer.bearer.line\" = [{{}}, {{}}]", second.line),
    ];
    let schemes = labels.iter().zip(&lines).map(|(label, lines)| {
        let label = quoted(label);
        format!("\n[[scheme]]\nuse = \"tally\"\nvariant = {label}\nlabel = {label}\nworld = {{ {lines} }}\n")
    });
    let figures = applications.iter().map(|application| {
        let quantity = application.quantity_name();
        format!("\n[[figure]]\nid = \"{}\"\ny = \"{quantity}\"\n", quantity.replace('.', "-"))
    });
    let (id, title) = (quoted(&format!("{name}-and-{}", second.name)), quoted(&format!("{name}, {other}, and both")));
    let experiment = format!(
        "[experiment]\nid = {id}\ntitle = {title}\nreplications = {REPLICATIONS}\nseed = {seed}\n\n[scenario.set]\n{}{}{}",
        settings_text(&world),
        schemes.collect::<String>(),
        figures.collect::<String>(),
    );
    let source = Source::new("second-line.toml", experiment.clone());
    let read = Experiment::read(&source, Path::new(""), Effort::Full).map_err(AdviseError::Candidates)?;
    let names: Vec<String> = read.schemes.iter().map(|scheme| scheme.variant.to_string()).collect();
    let plan = Plan::new(vec![read], &Request::default())?;
    (watcher.planned)(labels.len() * REPLICATIONS as usize);
    let results = run(&plan, watcher.jobs, watcher.stop, watcher.finished)?;
    let rows = results.rows(&plan, 0);
    let values: Vec<Values> = names
        .iter()
        .map(|variant| {
            let own: Vec<Row> = rows.iter().filter(|row| *row.variant == **variant).cloned().collect();
            Values::of(&own, applications)
        })
        .collect();
    let shown = |(application, values): (&Application, &Vec<Option<f64>>)| {
        let factor = application.quantity().map_or(1.0, |quantity| quantity.factor);
        summarise(&values.iter().flatten().map(|value| value * factor).collect::<Vec<_>>())
    };
    let summaries = values.iter().map(|values| applications.iter().zip(&values.measured).map(shown).collect());
    let gains = (0..applications.len()).map(|index| gain(applications[index], index, &values)).collect();
    let second = Second {
        tried: labels.into_iter().zip(summaries).collect(),
        gains,
        replications: values.iter().map(Values::replications).min().unwrap_or(0),
        experiment,
    };
    Ok((second, rows, results))
}

/// The world with the link layer of the tunnel.
fn world_of_lines(world: &Node, has_media_beside_tcp: bool) -> Node {
    let mut world = world.clone();
    let mut set = |path: &str, text: &str| {
        if let Some(value) = value(text) {
            world.set_path(path, value);
        }
    };
    set("link-layer", LINK_LAYER);
    if has_media_beside_tcp {
        set("link-layer.classes", FOR_MEDIA);
    }
    world
}

/// How much more both give an application than the better one alone, if that is significant.
fn gain(application: Application, index: usize, values: &[Values]) -> Option<f64> {
    let merits: Vec<Vec<f64>> = values
        .iter()
        .map(|values| values.measured[index].iter().map(|value| application.merit(*value)).collect())
        .collect();
    let mean = |merits: &Vec<f64>| merits.iter().sum::<f64>() / merits.len().max(1) as f64;
    let [alone @ .., both] = &merits[..] else { return None };
    let better = alone.iter().max_by(|one, other| mean(one).total_cmp(&mean(other)))?;
    let is_told = compare(both, better) != Comparison::Open && mean(better) > 0.0;
    is_told.then(|| mean(both) / mean(better) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_is_against_the_better_line_and_told_only_where_it_is_significant() {
        let values = |measured: [f64; 4]| Values { measured: vec![measured.map(Some).to_vec()] };
        let [worse, better] = [values([1.0, 1.1, 0.9, 1.0]), values([2.0, 2.1, 1.9, 2.0])];
        let gain = |both| gain(Application::FileTransfer, 0, &[worse.clone(), better.clone(), values(both)]);
        let told = |both| gain(both).map(|share| (share * 100.0).round());
        assert_eq!(told([3.0, 3.1, 2.9, 3.0]), Some(50.0));
        assert_eq!(told([1.5, 1.6, 1.4, 1.5]), Some(-25.0));
        assert_eq!(told([1.8, 2.3, 2.1, 1.9]), None);
    }
}
