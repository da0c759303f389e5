//! The world of an experiment: a base scenario, what is set in it, and one scenario for each point of the sweep.

use super::files::Files;
use super::layers::{give_defaults_to_services, set_all, take};
use super::overlay::Overlay;
use super::parts::part;
use super::recordings;
use super::scenarios;
use super::sections::{Quick, ScenarioSection, Today};
use arqway_config::{
    LONGEST_SETTINGS, Located, Mistake, Mistakes, Node, Origin, Source, Table, Value, did_you_mean, parse,
};
use arqway_link::Mux;
use arqway_link::mux::ConfigError;
use arqway_sim::Scenario;
use arqway_sim::channel::Direction;
use arqway_units::{BitRate, Octets, Ratio, Span};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

/// One setting of the swept parameter.
#[derive(Debug, Clone)]
pub struct Point {
    /// The value as rows and axes have it: percent, or SI units.
    pub value: f64,
    /// The world there.
    pub scenario: Scenario,
}

/// How much of an experiment to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Its world at full length.
    Full,
    /// As its world's `[quick]` says: fewer replications, shorter runs.
    Quick,
}

/// The scenario as a tree, before it is read at each point.
pub(super) struct World {
    pub(super) tree: Node,
    /// What `[quick]` asks for, where that is asked for.
    pub(super) replications: Option<NonZeroU32>,
    /// The files that it names.
    pub(super) files: Files,
}

/// A point, and the tree it was read from.
pub(super) struct PointTree {
    pub(super) point: Point,
    pub(super) tree: Node,
    /// The same before services had their defaults: what a scheme's world is made from.
    pub(super) bare: Node,
}

impl World {
    pub(super) fn read(
        source: &Arc<Source>,
        files: &Files,
        section: &ScenarioSection,
        (effort, overlay): (Effort, &Overlay),
        mistakes: &mut Mistakes,
    ) -> Self {
        let nothing = || Node::new(Table::default(), Origin::whole(source));
        let base = section.base.as_ref().map(|base| base_tree(base, files, mistakes));
        let is_read = base.as_ref().is_none_or(Option::is_some);
        let mut tree = base.flatten().unwrap_or_else(nothing);
        let quick: Option<Quick> = part(take(&mut tree, "quick").as_ref(), mistakes);
        // Only checked here: `Base::today` reads it.
        part::<Today>(take(&mut tree, "today").as_ref(), mistakes);
        if effort == Effort::Quick && quick.is_none() && is_read {
            mistakes.push(not_quick(section.base.as_ref(), &nothing()));
        }
        let mut replications = None;
        if let (Effort::Quick, Some(quick)) = (effort, quick) {
            set_all(&mut tree, quick.set.as_ref(), mistakes);
            replications = quick.replications;
        }
        overlay.lay_over(&mut tree, mistakes);
        let replications = overlay.replications.or(replications);
        let mut world = Self { tree, replications, files: files.clone() };
        let set = section.set.as_ref().and_then(Node::as_table).into_iter().flat_map(Table::iter);
        world.check_replaced(set.map(|(path, _)| path.as_str()), mistakes);
        set_all(&mut world.tree, section.set.as_ref(), mistakes);
        world
    }

    /// Tells what is wrong with values that others replace: a slip in them would wait for the day on which nothing does.
    fn check_replaced<'a>(&self, paths: impl Iterator<Item = &'a str>, mistakes: &mut Mistakes) {
        let replaced: Vec<&Origin> = paths.filter_map(|path| Some(&self.tree.get_path(path)?.origin)).collect();
        if replaced.is_empty() {
            return;
        }
        let is_within = |mistake: &Mistake| {
            let place = &mistake.origin;
            replaced.iter().any(|replaced| {
                let (span, whole) = (&place.span, &replaced.span);
                Arc::ptr_eq(&place.source, &replaced.source) && whole.start <= span.start && span.end <= whole.end
            })
        };
        let mut found = Mistakes::new();
        self.point(0.0, self.tree.clone(), &mut found);
        mistakes.extend(found.into_iter().filter(is_within));
    }

    /// The scenario at each point of the sweep; without a sweep there is one point.
    pub(super) fn points(&self, sweep: Option<&Node>, mistakes: &mut Mistakes) -> (Option<String>, Vec<PointTree>) {
        let mut swept = sweep.and_then(Node::as_table).into_iter().flat_map(Table::iter);
        let Some((path, values)) = swept.next() else {
            return (None, self.point(0.0, self.tree.clone(), mistakes).into_iter().collect());
        };
        for (_, another) in swept {
            mistakes.push(
                Mistake::at_key(another, "a second swept setting")
                    .help("an experiment sweeps one setting; write a second experiment for this one"),
            );
        }
        let Some(values) = values.as_array().filter(|values| !values.is_empty()) else {
            // A path without quotes is a table in a table to TOML.
            mistakes.push(match whole_path(path, values) {
                Some(whole) => Mistake::at_key(values, "expected the swept path as one key, in quotes")
                    .help(format!("expected \"{whole}\" = [...]")),
                None => Mistake::at_value(values, "a sweep without values")
                    .help(format!("list its values: \"{path}\" = [...]")),
            });
            return (Some(path.to_owned()), Vec::new());
        };
        self.check_replaced(std::iter::once(path.as_str()), mistakes);
        let mut known = BTreeSet::new();
        let points = values.iter().filter_map(|node| {
            let Some((value, set)) = swept_value(node, mistakes)? else {
                self.refuse_value(path, node, mistakes);
                return None;
            };
            // Both zeros are one point.
            if !known.insert((value + 0.0).to_bits()) {
                mistakes.push(Mistake::at_value(node, format!("a second point at {value}")).help("remove one of them"));
                return None;
            }
            let mut tree = self.tree.clone();
            tree.set_path(path, set);
            self.point(value, tree, mistakes)
        });
        let points = points.collect();
        (Some(path.to_owned()), points)
    }

    /// Tells why a value cannot be swept: for the reason that it cannot be set at all, or else because rows have numbers.
    fn refuse_value(&self, path: &str, node: &Node, mistakes: &mut Mistakes) {
        let told_before = mistakes.len();
        if node.as_text().is_some() {
            let mut tree = self.tree.clone();
            tree.set_path(path, node.clone());
            self.point(0.0, tree, mistakes);
        }
        if mistakes.len() == told_before {
            let mistake = Mistake::at_value(node, "expected a number, with its unit if it has one");
            let help = "such as 0.5, \"5.4 %\" or \"50 ms\"; anything else as { point = 1, value = ... }";
            mistakes.push(mistake.help(help));
        }
    }

    /// The world that a tree says.
    pub(super) fn point(&self, value: f64, mut tree: Node, mistakes: &mut Mistakes) -> Option<PointTree> {
        let bare = tree.clone();
        recordings::insert(&mut tree, &self.files, mistakes);
        give_defaults_to_services(&mut tree);
        let scenario: Scenario = part(Some(&tree), mistakes)?;
        if let Some((setting, why)) = scenario.misplaced() {
            mistakes.push(Mistake::at_value(tree.get_path(setting).unwrap_or(&tree), why));
            return None;
        }
        let ends = [Direction::Down, Direction::Up].map(|way| Mux::new(&scenario.mux(way), &way.sender().into()));
        if let Err(error) = ends.into_iter().collect::<Result<Vec<_>, _>>() {
            let class = error.class().map(|class| format!("link-layer.classes.{class}"));
            let places = class.as_deref().into_iter().chain(["link-layer.classes", "link-layer.table", "link-layer"]);
            let place = places.into_iter().find_map(|path| tree.get_path(path)).unwrap_or(&tree);
            let place = rate_to_look_at(&error, &tree).unwrap_or(place);
            mistakes.push(Mistake::at_value(place, error.to_string()));
            return None;
        }
        Some(PointTree { point: Point { value, scenario }, tree, bare })
    }
}

/// The full path of the setting below a table at `path`.
fn whole_path(path: &str, node: &Node) -> Option<String> {
    let (key, inner) = node.as_table()?.iter().next()?;
    let path = format!("{path}.{key}");
    Some(whole_path(&path, inner).unwrap_or(path))
}

/// The setting that a mistake in rates is about: that of a class, or the table's rates where no class has one.
fn rate_to_look_at<'tree>(error: &ConfigError, tree: &'tree Node) -> Option<&'tree Node> {
    let classes = tree.get_path("link-layer.classes").and_then(Node::as_array).unwrap_or_default();
    let first = |key| classes.iter().find_map(|class| class.get_path(key));
    if matches!(error, ConfigError::CarriesWithMeasuredShares) {
        return first("carries");
    }
    let of_class = first("rate").or_else(|| first("carries"));
    let of_table = || tree.get_path("link-layer.table.allocations");
    match (error, of_class) {
        (ConfigError::RatesWithoutShares, _) => of_class.or_else(of_table),
        (ConfigError::Rates(_), None) => of_table(),
        _ => None,
    }
}

/// The mistake of a quick run in a world that does not say what that is.
fn not_quick(base: Option<&Located<String>>, file: &Node) -> Mistake {
    let message = "a quick run needs `[quick]` in the scenario, which says what is shortened";
    let help = "run it in full, with --replications N for fewer runs; or write a base of your own with `[quick]`";
    base.map_or_else(|| Mistake::at_value(file, message), |base| base.mistake(message)).help(help)
}

fn base_tree(base: &Located<String>, files: &Files, mistakes: &mut Mistakes) -> Option<Node> {
    let name = &base.value;
    let source = if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        files.read(name, LONGEST_SETTINGS).map(|text| Source::new(name.clone(), text)).map_err(|error| {
            mistakes.push(base.mistake(format!("cannot read `{name}`: {error}")));
        })
    } else {
        scenarios::scenario(name).ok_or_else(|| {
            let names = scenarios::names();
            let help = did_you_mean(name, &names.iter().map(String::as_str).collect::<Vec<_>>());
            mistakes.push(base.mistake(format!("no scenario is called `{name}`")).help(help));
        })
    };
    parse(&source.ok()?, mistakes)
}

/// A swept value with the number that rows and axes have for it.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct NamedPoint {
    point: f64,
    value: Node,
}

/// The number that rows have for a swept value, and the value; `None` within if it has no number, or altogether if what
/// is wrong is told already.
fn swept_value(node: &Node, mistakes: &mut Mistakes) -> Option<Option<(f64, Node)>> {
    if node.as_table().is_some_and(|table| table.get("point").is_some()) {
        let NamedPoint { point, value } = part(Some(node), mistakes)?;
        return Some(Some((point, value)));
    }
    Some(number_of(node).map(|number| (number, node.clone())))
}

/// The unit that rows and axes have a sweep's values in, going by the first; empty for bare numbers.
pub(super) fn unit_of(sweep: Option<&Node>) -> &'static str {
    let values = sweep.and_then(Node::as_table).and_then(|table| table.iter().next()).map(|(_, values)| values);
    let Some(text) = values.and_then(Node::as_array).and_then(|values| values.first()?.as_text()) else { return "" };
    match text {
        share if share.contains('%') => "%",
        length if length.parse::<Span>().is_ok() => "s",
        rate if rate.parse::<BitRate>().is_ok() => "bit/s",
        size if size.parse::<Octets>().is_ok() => "octets",
        _ => "",
    }
}

/// The number that rows have for a swept value: percent for a share with its sign, SI units else.
fn number_of(node: &Node) -> Option<f64> {
    match &node.value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Text(text) => {
            let share = text.contains('%').then(|| text.parse::<Ratio>().ok().map(Ratio::as_percent)).flatten();
            share
                .or_else(|| text.parse::<Span>().ok().map(Span::as_seconds))
                .or_else(|| text.parse::<BitRate>().ok().map(|rate| rate.as_bits_per_second() as f64))
                .or_else(|| text.parse::<Octets>().ok().map(|size| size.as_u64() as f64))
        }
        Value::Boolean(_) | Value::DateTime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}
