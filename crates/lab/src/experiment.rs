//! An experiment: a world, what is swept in it, the schemes compared, the figures to draw.
//!
//! ```toml
//! [experiment]
//! id = "how-long-a-timeout"
//!
//! [scenario]
//! base = "monet08"                       # a scenario by name, or a file: "my-world.toml"
//! set = { "media.enabled" = true }
//!
//! [sweep]
//! "wireless.rate" = ["64 kbit/s", "128 kbit/s"]
//!
//! [[scheme]]
//! use = "sr:0.9"                         # a short form, or
//!
//! [[scheme]]
//! label = "Withdrawing"
//! service = { kind = "selective-repeat", drop-stale-copies = true }
//!
//! [[figure]]
//! id = "throughput"
//! x = "wireless.rate"
//! y = "file-transfer.throughput"
//! ```
//!
//! Reading finds every mistake before anything runs: in the file itself, in each scenario that the sweep makes of it,
//! in each scheme.

use crate::document::{Located, Mistake, Mistakes, Node, Source, Table, Value, did_you_mean, parse, read};
use crate::library;
use crate::present::Quantity;
use arqway_link::{ServiceConfig, ShortForm};
use arqway_sim::Scenario;
use arqway_units::{BitRate, Octets, Ratio, Span};
use serde::Deserialize;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

/// An experiment whose every setting is known to be right.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Names it, and its files: `monet08-fig3`.
    pub id: String,
    /// The first column of its rows: the paper, or the id.
    pub paper: String,
    /// Where it comes from, for the small print.
    pub source: String,
    /// What it is about.
    pub title: String,
    /// How many replications it asks for.
    pub replications: u32,
    /// Root of its random streams.
    pub seed: u64,
    /// What its cells change in the paper's plain world; empty in the plain one.
    pub variant: String,
    /// The world, one for each point of the sweep.
    pub points: Vec<Point>,
    /// The path of the setting that is swept, if one is.
    pub swept: Option<String>,
    /// What is compared.
    pub schemes: Vec<Scheme>,
    /// What is drawn.
    pub figures: Vec<FigurePlan>,
    /// The merged world as text, for the report.
    pub settings: String,
}

/// One setting of the swept parameter.
#[derive(Debug, Clone)]
pub struct Point {
    /// The value as rows and axes have it: percent, or SI units.
    pub value: f64,
    /// The world there.
    pub scenario: Scenario,
}

/// One of the configurations compared.
#[derive(Debug, Clone)]
pub struct Scheme {
    /// As rows name it: a short form, or the label.
    pub name: String,
    /// As legends name it.
    pub label: String,
    /// The service at each point of the sweep: its defaults are the world's there.
    pub services: Vec<ServiceConfig>,
}

/// A figure to draw.
#[derive(Debug, Clone)]
pub struct FigurePlan {
    /// Within its paper: `fig3`.
    pub id: String,
    /// What is on the vertical axis.
    pub quantity: Quantity,
    /// The text at the horizontal axis.
    pub x_label: String,
}

/// How much of an experiment to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Its world at full length.
    Full,
    /// As its world's `[quick]` says: fewer replications, shorter runs.
    Quick,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    experiment: Header,
    #[serde(default)]
    scenario: ScenarioSection,
    #[serde(default)]
    sweep: Option<Node>,
    scheme: Vec<SchemeSection>,
    #[serde(default)]
    figure: Vec<FigureSection>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Header {
    id: String,
    paper: Option<String>,
    source: Option<String>,
    title: Option<String>,
    replications: Option<NonZeroU32>,
    #[serde(default = "one")]
    seed: u64,
    #[serde(default)]
    variant: String,
}

fn one() -> u64 {
    1
}

#[derive(Debug, Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ScenarioSection {
    base: Option<Located<String>>,
    set: Option<Node>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SchemeSection {
    r#use: Option<Located<String>>,
    label: Option<String>,
    service: Option<Node>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FigureSection {
    id: String,
    x: Option<Located<String>>,
    y: Located<String>,
    x_label: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Quick {
    replications: Option<NonZeroU32>,
    set: Option<Node>,
}

/// How many replications there are where nobody says.
const REPLICATIONS: u32 = 30;

impl Experiment {
    /// Reads an experiment; a base that is a file is looked for beside `folder`.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn read(source: &Arc<Source>, folder: &Path, effort: Effort) -> Result<Self, Mistakes> {
        let mut mistakes = Mistakes::new();
        let Some(tree) = parse(source, &mut mistakes) else { return Err(mistakes) };
        let file = read::<File>(&tree).map_err(|found| mistakes.extend(found)).ok();
        // The world is checked even where the rest is wrong, so that all mistakes are told at once.
        let section = tree.get_path("scenario").and_then(|node| read::<ScenarioSection>(node).ok()).unwrap_or_default();
        let sweep = tree.get_path("sweep");
        let world = World::read(source, folder, &section, effort, &mut mistakes);
        let (swept, points) = world.points(sweep, &mut mistakes);
        let Some(file) = file else { return Err(mistakes) };
        let schemes =
            file.scheme.iter().filter_map(|scheme| world.scheme(scheme, &points, &tree, &mut mistakes)).collect();
        let figures =
            file.figure.into_iter().filter_map(|figure| figure_plan(figure, swept.as_deref(), &mut mistakes)).collect();
        let Header { id, paper, source, title, replications, seed, variant } = file.experiment;
        let replications = world.replications.or(replications).map_or(REPLICATIONS, NonZeroU32::get);
        let experiment = Self {
            paper: paper.unwrap_or_else(|| id.clone()),
            source: source.unwrap_or_else(|| id.clone()),
            title: title.unwrap_or_else(|| id.clone()),
            id,
            replications,
            seed,
            variant,
            points: points.into_iter().map(|point| point.point).collect(),
            swept,
            schemes,
            figures,
            settings: world.tree.to_toml_text(),
        };
        mistakes.into_result(experiment)
    }
}

/// The scenario as a tree, before it is read at each point.
struct World {
    tree: Node,
    /// What `[quick]` asks for, where that is asked for.
    replications: Option<NonZeroU32>,
}

/// A point, and the tree it was read from.
struct PointTree {
    point: Point,
    tree: Node,
}

impl World {
    fn read(
        source: &Arc<Source>,
        folder: &Path,
        section: &ScenarioSection,
        effort: Effort,
        mistakes: &mut Mistakes,
    ) -> Self {
        let mut tree = section
            .base
            .as_ref()
            .and_then(|base| base_tree(base, folder, mistakes))
            .unwrap_or_else(|| Node::new(Table::default(), crate::document::Origin::whole(source)));
        let quick =
            take(&mut tree, "quick").and_then(|node| read::<Quick>(&node).map_err(|found| mistakes.extend(found)).ok());
        let mut replications = None;
        if let (Effort::Quick, Some(quick)) = (effort, quick) {
            set_all(&mut tree, quick.set.as_ref(), mistakes);
            replications = quick.replications;
        }
        set_all(&mut tree, section.set.as_ref(), mistakes);
        Self { tree, replications }
    }

    /// The scenario at each point of the sweep; without a sweep there is one point.
    fn points(&self, sweep: Option<&Node>, mistakes: &mut Mistakes) -> (Option<String>, Vec<PointTree>) {
        let mut swept = sweep.and_then(Node::as_table).into_iter().flat_map(Table::iter);
        let Some((path, values)) = swept.next() else {
            return (None, self.point(0.0, self.tree.clone(), mistakes).into_iter().collect());
        };
        for (_, another) in swept {
            mistakes.push(
                Mistake::at_key(another, "a second setting to sweep")
                    .help("one setting is swept in an experiment; write another experiment for this one"),
            );
        }
        let Some(values) = values.as_array().filter(|values| !values.is_empty()) else {
            mistakes.push(
                Mistake::at_value(values, "a sweep without values").help(format!("for instance \"{path}\" = [1, 2]")),
            );
            return (Some(path.to_owned()), Vec::new());
        };
        let points = values.iter().filter_map(|node| {
            let Some(value) = number_of(node) else {
                mistakes.push(
                    Mistake::at_value(node, "a swept value is a number, with its unit where it has one")
                        .help("such as 0.5, \"5.4 %\", \"50 ms\" or \"64 kbit/s\""),
                );
                return None;
            };
            let mut tree = self.tree.clone();
            tree.set_path(path, node.clone());
            self.point(value, tree, mistakes)
        });
        let points = points.collect();
        (Some(path.to_owned()), points)
    }

    fn point(&self, value: f64, tree: Node, mistakes: &mut Mistakes) -> Option<PointTree> {
        match read::<Scenario>(&tree) {
            Ok(scenario) => Some(PointTree { point: Point { value, scenario }, tree }),
            Err(found) => {
                mistakes.extend(found);
                None
            }
        }
    }

    fn scheme(
        &self,
        section: &SchemeSection,
        points: &[PointTree],
        file: &Node,
        mistakes: &mut Mistakes,
    ) -> Option<Scheme> {
        match (&section.r#use, &section.service) {
            (Some(short), None) => {
                let form = short.value.parse::<ShortForm>().map_err(|error| {
                    mistakes.push(Mistake { origin: short.origin.clone(), message: error.to_string(), help: None });
                });
                let form = form.ok()?;
                let label = section.label.clone().unwrap_or_else(|| label_of(&form));
                let services = points.iter().map(|point| form.in_world(&point.point.scenario.services)).collect();
                Some(Scheme { name: short.value.clone(), label, services })
            }
            (None, Some(service)) => {
                let Some(label) = section.label.clone() else {
                    mistakes.push(
                        Mistake::at_value(service, "a scheme written out needs a `label`")
                            .help("rows and legends name it by that"),
                    );
                    return None;
                };
                let services: Option<Vec<_>> =
                    points.iter().map(|point| service_in_world(service, &point.tree, mistakes)).collect();
                Some(Scheme { name: label.clone(), label, services: services? })
            }
            (Some(short), Some(_)) => {
                mistakes.push(Mistake {
                    origin: short.origin.clone(),
                    message: "a scheme has either `use` or `service`".to_owned(),
                    help: None,
                });
                None
            }
            (None, None) => {
                let schemes = file.get_path("scheme").unwrap_or(file);
                mistakes.push(
                    Mistake::at_key(schemes, "a scheme has `use` or `service`").help("for instance use = \"sr:1.1\""),
                );
                None
            }
        }
    }
}

/// The service written out, over the world's defaults for its kind.
fn service_in_world(service: &Node, world: &Node, mistakes: &mut Mistakes) -> Option<ServiceConfig> {
    let kind = service.get_path("kind").or(Some(service)).and_then(Node::as_text);
    let defaults =
        kind.and_then(|kind| world.get_path(&format!("services.{kind}")).map(|defaults| (kind, defaults.clone())));
    let merged = match defaults {
        Some((kind, mut below)) if service.as_table().is_some() => {
            below.set_path("kind", Node::text(kind, service.origin.clone()));
            below.overlay(service.clone());
            below
        }
        Some((kind, mut below)) => {
            below.set_path("kind", Node::text(kind, service.origin.clone()));
            below
        }
        None => service.clone(),
    };
    read::<ServiceConfig>(&merged).map_err(|found| mistakes.extend(found)).ok()
}

fn base_tree(base: &Located<String>, folder: &Path, mistakes: &mut Mistakes) -> Option<Node> {
    let name = &base.value;
    let source = if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        std::fs::read_to_string(folder.join(name)).map(|text| Source::new(name.clone(), text)).map_err(|error| {
            mistakes.push(Mistake {
                origin: base.origin.clone(),
                message: format!("cannot read `{name}`: {error}"),
                help: None,
            });
        })
    } else {
        library::scenario(name).ok_or_else(|| {
            let names = library::scenario_names();
            let help = did_you_mean(name, &names.iter().map(String::as_str).collect::<Vec<_>>());
            mistakes.push(Mistake {
                origin: base.origin.clone(),
                message: format!("no scenario is called `{name}`"),
                help: Some(help),
            });
        })
    };
    parse(&source.ok()?, mistakes)
}

/// Sets every path of a table of paths; what it points at stays where it was written.
fn set_all(tree: &mut Node, set: Option<&Node>, mistakes: &mut Mistakes) {
    let Some(set) = set else { return };
    let Some(table) = set.as_table() else {
        mistakes
            .push(Mistake::at_value(set, "`set` is a table of settings").help("such as { \"media.enabled\" = true }"));
        return;
    };
    for (path, node) in table.iter() {
        tree.set_path(path, node.clone());
    }
}

/// Takes a key out of the table at the root.
fn take(tree: &mut Node, key: &str) -> Option<Node> {
    let Value::Table(table) = &mut tree.value else { return None };
    let taken = table.get(key).cloned();
    *table =
        table.iter().filter(|(other, _)| *other != key).map(|(other, node)| (other.to_owned(), node.clone())).collect();
    taken
}

fn figure_plan(figure: FigureSection, swept: Option<&str>, mistakes: &mut Mistakes) -> Option<FigurePlan> {
    if let Some(x) = &figure.x
        && Some(x.value.as_str()) != swept
    {
        let help = swept.map_or_else(
            || "nothing is swept here".to_owned(),
            |swept| format!("right would be \"{swept}\", which is swept"),
        );
        mistakes.push(Mistake {
            origin: x.origin.clone(),
            message: format!("`{}` is not swept", x.value),
            help: Some(help),
        });
        return None;
    }
    let Some(quantity) = Quantity::of(&figure.y.value) else {
        let help = did_you_mean(&figure.y.value, &Quantity::names());
        mistakes.push(Mistake {
            origin: figure.y.origin,
            message: format!("`{}` is not measured", figure.y.value),
            help: Some(help),
        });
        return None;
    };
    let x_label = figure.x_label.unwrap_or_else(|| crate::present::x_label(swept.unwrap_or_default()));
    Some(FigurePlan { id: figure.id, quantity, x_label })
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

/// How a legend names a short form.
fn label_of(form: &ShortForm) -> String {
    match form {
        ShortForm::Raw => "Raw Link".to_owned(),
        ShortForm::SelectiveRepeat { timeout: None } => "SR".to_owned(),
        ShortForm::SelectiveRepeat { timeout: Some(timeout) } => format!("SR {:?} s", timeout.as_seconds()),
    }
}
