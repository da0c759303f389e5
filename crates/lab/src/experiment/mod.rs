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

mod changed_world;
mod classes;
pub mod described;
mod files;
pub mod overlay;
mod recordings;
pub mod scenarios;
mod scheme;
pub mod world;

use crate::figure::{Mark, Scale};
use crate::quantity::{Quantity, x_label};
use crate::schema;
use arqway_config::{Located, Mistake, Mistakes, Node, Source, did_you_mean, parse, read};
use arqway_link::ServiceConfig;
use arqway_sim::Scenario;
use arqway_sim::channel::ErrorModel;
use classes::ClassService;
pub use files::Files;
use overlay::Overlay;
use schemars::JsonSchema;
use scheme::SchemeSection;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use world::{Quick, ScenarioSection, World};

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
    /// Figures of the same paper that its claims read too.
    pub reads: Vec<String>,
    /// The world, one for each point of the sweep.
    pub points: Vec<Point>,
    /// The error model of its curves. A point without errors belongs to the same curve.
    pub errors: &'static str,
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
    /// What it changes in the paper's plain scheme, as rows name it; empty in the plain one.
    pub variant: String,
    /// What it changes that rows tell in columns of its own: `connections=5`.
    pub in_columns: String,
    /// What it sets in its service for that, as TOML.
    pub changes: Option<String>,
    /// What it sets in the world, as TOML.
    pub world_changes: Option<String>,
    /// As legends name it.
    pub label: String,
    /// The service at each point of the sweep: its defaults are the world's there.
    pub services: Vec<ServiceConfig>,
    /// The services of classes, where it names some.
    classes: Vec<ClassService>,
    /// The world at each point, where it changes more than services.
    scenarios: Option<Vec<Scenario>>,
}

/// A figure to draw.
#[derive(Debug, Clone)]
pub struct FigurePlan {
    /// Within its paper: `fig3`.
    pub id: String,
    /// What is on the vertical axis.
    pub quantity: Quantity,
    /// Only this replication: what happened once, and no means.
    pub replication: Option<u32>,
    /// The text at the horizontal axis.
    pub x_label: String,
    /// How values are laid along it.
    pub x_scale: Scale,
    /// How values are laid along the vertical axis.
    pub y_scale: Scale,
    /// What error bars show.
    pub bars: Bars,
    /// Places on it that mean something.
    pub marks: Vec<Mark>,
}

/// What the error bars of a figure show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bars {
    /// The 95 % confidence interval of the mean.
    #[default]
    Interval,
    /// One standard deviation of the replications, and the interval beside it.
    Deviation,
}

/// How much of an experiment to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Its world at full length.
    Full,
    /// As its world's `[quick]` says: fewer replications, shorter runs.
    Quick,
}

/// The parts of a file: only to refuse what is none of them, and to tell editors what each is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "each part is read by itself, so that a mistake in one hides none in another")]
pub(crate) struct Shape {
    /// What the experiment is called, and how much of it is run.
    #[schemars(with = "Header")]
    experiment: Option<Section<1>>,
    /// The world: a base, and what is set in it.
    #[schemars(with = "Option<ScenarioSection>")]
    scenario: Option<Section<1>>,
    /// The setting that is swept: its path, and its values.
    #[schemars(with = "Option<schema::Sweep>")]
    sweep: Option<Section<1>>,
    /// The configurations compared: short forms, or services written out.
    #[schemars(with = "Vec<SchemeSection>", length(min = 1))]
    scheme: Option<Section<2>>,
    /// The figures to draw.
    #[schemars(with = "Option<Vec<FigureSection>>")]
    figure: Option<Section<2>>,
}

/// A part that is only known to be there: a table under one bracket, or a list of tables under two.
#[derive(Debug)]
struct Section<const BRACKETS: usize>;

impl<'de, const BRACKETS: usize> Deserialize<'de> for Section<BRACKETS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de, const BRACKETS: usize> Visitor<'de> for Section<BRACKETS> {
    type Value = Self;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if BRACKETS == 1 { "a table of its own: [name]" } else { "a list of tables: [[name]]" })
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self, M::Error> {
        if BRACKETS != 1 {
            return Err(M::Error::invalid_type(Unexpected::Map, &self));
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut tables: S) -> Result<Self, S::Error> {
        if BRACKETS != 2 {
            return Err(S::Error::invalid_type(Unexpected::Seq, &self));
        }
        while tables.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Header {
    /// Names the experiment and its files.
    #[schemars(regex(pattern = schema::FILE_NAME))]
    id: String,
    /// The first column of its rows, instead of the id.
    #[schemars(regex(pattern = schema::FILE_NAME))]
    paper: Option<String>,
    /// Where the experiment comes from, for the small print.
    source: Option<String>,
    /// What it is about, for the report and the figures.
    title: Option<String>,
    /// How many runs each cell gets; 30 unless given.
    replications: Option<NonZeroU32>,
    /// Root of all random streams.
    #[serde(default = "one")]
    seed: u64,
    /// What its world changes in the paper's plain one.
    #[serde(default)]
    variant: String,
    /// Figures of the same paper that its claims read too: `arqway reproduce` runs them with it.
    #[serde(default)]
    reads: Vec<String>,
}

fn one() -> u64 {
    1
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FigureSection {
    /// Names the figure's files.
    #[schemars(regex(pattern = schema::FILE_NAME))]
    id: String,
    /// What is on the horizontal axis: the swept path.
    #[schemars(with = "Option<schema::Path>")]
    x: Option<Located<String>>,
    /// What is on the vertical axis.
    #[schemars(with = "Quantity")]
    y: Located<String>,
    /// The text at the horizontal axis, instead of the path and its unit.
    x_label: Option<String>,
    /// How values are laid along the horizontal axis.
    #[serde(default)]
    x_scale: Scale,
    /// How values are laid along the vertical axis.
    #[serde(default)]
    y_scale: Scale,
    /// Shows this replication alone, counted from 0: what happened once, and no means.
    replication: Option<u32>,
    /// What error bars show.
    #[serde(default)]
    bars: Bars,
    /// Places on the horizontal axis that mean something: a bound, say.
    #[serde(default)]
    marks: Vec<MarkSection>,
}

/// A place on the horizontal axis, in the units of the points.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MarkSection {
    /// Where, as the points are counted.
    x: f64,
    /// What it means.
    label: String,
    /// The scheme that it speaks of, whose colour it takes.
    #[schemars(with = "Option<String>")]
    scheme: Option<Located<String>>,
}

/// How many replications there are where nobody says.
const REPLICATIONS: u32 = 30;

impl Experiment {
    /// Reads an experiment; a base that is a file is looked for beside `folder`.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn read(source: &Arc<Source>, folder: &Path, effort: Effort) -> Result<Self, Mistakes> {
        Self::read_over(source, &Files::beside(folder), effort, &Overlay::default())
    }

    /// Reads an experiment whose base is another: with an overlay over it, before the experiment sets anything itself.
    ///
    /// # Errors
    /// Every mistake in it.
    pub fn read_over(source: &Arc<Source>, files: &Files, effort: Effort, overlay: &Overlay) -> Result<Self, Mistakes> {
        let mut mistakes = Mistakes::new();
        let Some(tree) = parse(source, &mut mistakes) else { return Err(mistakes) };
        part::<Shape>(Some(&tree), &mut mistakes);
        for (name, example) in
            [("experiment", "[experiment] with an id"), ("scheme", "[[scheme]] with use = \"sr:1.1\"")]
        {
            if tree.get_path(name).is_none() {
                let mistake = Mistake::at_value(&tree, format!("missing `{name}`"));
                mistakes.push(mistake.help(format!("for instance {example}")));
            }
        }
        let header = part::<Header>(tree.get_path("experiment"), &mut mistakes);
        let section = part(tree.get_path("scenario"), &mut mistakes).unwrap_or_default();
        let world = World::read(source, files, &section, (effort, overlay), &mut mistakes);
        let (swept, points) = world.points(tree.get_path("sweep"), &mut mistakes);
        let schemes = each(&tree, "scheme")
            .filter_map(|node| Some((node, Scheme::read(node, &world, swept.as_deref(), &points, &mut mistakes)?)));
        let schemes: Vec<_> = schemes.collect();
        let names = schemes.iter().map(|(node, scheme)| (*node, scheme.full_name()));
        no_name_twice(names, "a scheme", &mut mistakes);
        let known: Vec<&Scheme> = schemes.iter().map(|(_, scheme)| scheme).collect();
        let unit = world::unit_of(tree.get_path("sweep"));
        let figures = each(&tree, "figure");
        let figures = figures.filter_map(|node| {
            Some((node, FigurePlan::read(node, swept.as_deref(), unit, points.len(), &known, &mut mistakes)?))
        });
        let figures: Vec<_> = figures.collect();
        no_name_twice(figures.iter().map(|(node, figure)| (*node, figure.id.clone())), "a figure", &mut mistakes);
        for path in ["experiment.id", "experiment.paper"] {
            tree.get_path(path).into_iter().for_each(|node| names_files(node, &mut mistakes));
        }
        let Some(header) = header else { return Err(mistakes) };
        let Header { id, paper, source, title, replications, seed, variant, reads } = header;
        let replications = world.replications.or(replications).map_or(REPLICATIONS, NonZeroU32::get);
        let experiment = Self {
            paper: paper.unwrap_or_else(|| id.clone()),
            source: source.unwrap_or_else(|| id.clone()),
            title: title.unwrap_or_else(|| id.clone()),
            id,
            replications,
            seed,
            variant,
            reads,
            errors: errors_of(&points),
            points: points.into_iter().map(|point| point.point).collect(),
            swept,
            schemes: schemes.into_iter().map(|(_, scheme)| scheme).collect(),
            figures: figures.into_iter().map(|(_, figure)| figure).collect(),
            settings: world.tree.to_toml_text(),
        };
        mistakes.into_result(experiment)
    }

    /// What rows have in their column `variant`: what this world changes, then what the scheme does.
    #[must_use]
    pub fn variant_of(&self, scheme: &Scheme) -> String {
        [self.variant.as_str(), &scheme.variant].join(" ").trim().to_owned()
    }
}

/// Reads experiments, or tells every mistake in all of them.
///
/// # Errors
/// Every mistake in all of them.
pub fn read_all(
    sources: &[Arc<Source>],
    files: &Files,
    effort: Effort,
    overlay: &Overlay,
) -> Result<Vec<Experiment>, Mistakes> {
    let mut mistakes = Mistakes::new();
    let mut experiments = Vec::new();
    for source in sources {
        match Experiment::read_over(source, files, effort, overlay) {
            Ok(experiment) => experiments.push(experiment),
            Err(found) => mistakes.extend(found),
        }
    }
    mistakes.into_result(experiments)
}

/// The error model of a curve: that of its points with errors, if any has some.
fn errors_of(points: &[world::PointTree]) -> &'static str {
    let models = || points.iter().map(|point| point.point.scenario.wireless.named_errors());
    let model = models().find(|model| !model.is_free_of_errors()).or_else(|| models().next());
    model.map_or("none", ErrorModel::name)
}

/// Reads a part if it is there, and notes what is wrong with it.
fn part<T: DeserializeOwned>(node: Option<&Node>, mistakes: &mut Mistakes) -> Option<T> {
    read(node?).map_err(|found| mistakes.extend(found)).ok()
}

/// The tables of an array of tables.
fn each<'tree>(tree: &'tree Node, key: &str) -> impl Iterator<Item = &'tree Node> {
    tree.get_path(key).and_then(Node::as_array).unwrap_or_default().iter()
}

/// Rows, curves and files are told apart by name: a second one of the same name would be taken for the first.
fn no_name_twice<'tree>(names: impl Iterator<Item = (&'tree Node, String)>, what: &str, mistakes: &mut Mistakes) {
    let mut known = BTreeSet::new();
    for (node, name) in names {
        if known.contains(&name) {
            let message = format!("{what} is called `{name}` already");
            mistakes.push(Mistake::at_value(node, message).help("rows and files are told apart by it"));
        }
        known.insert(name);
    }
}

/// A part of a file's name is no path.
fn names_files(node: &Node, mistakes: &mut Mistakes) {
    let plain = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    if node.as_text().is_some_and(|text| text.is_empty() || text.starts_with('.') || !text.chars().all(plain)) {
        let help = "files are called by it: letters, digits, `-` and `_`";
        mistakes.push(Mistake::at_value(node, "this cannot be part of a file's name").help(help));
    }
}

impl FigurePlan {
    fn read(
        node: &Node,
        swept: Option<&str>,
        unit: &str,
        points: usize,
        schemes: &[&Scheme],
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let section: FigureSection = part(Some(node), mistakes)?;
        node.get_path("id").into_iter().for_each(|id| names_files(id, mistakes));
        let mut x_is_wrong = false;
        if let Some(x) = section.x.filter(|x| Some(x.value.as_str()) != swept) {
            let right = swept.map(|swept| format!("right would be \"{swept}\", which is swept"));
            let message = format!("`{}` is not swept", x.value);
            let help = right.unwrap_or_else(|| "nothing is swept here".to_owned());
            mistakes.push(Mistake { origin: x.origin, message, help: Some(help) });
            x_is_wrong = true;
        }
        let Some(quantity) = Quantity::of(&section.y.value) else {
            let message = format!("`{}` is not measured", section.y.value);
            let help = did_you_mean(&section.y.value, &Quantity::names());
            mistakes.push(Mistake { origin: section.y.origin, message, help: Some(help) });
            return None;
        };
        if quantity.along.is_some() && points > 1 {
            let message = format!("`{}` is a series of its own, here of {points} points at once", section.y.value);
            let help = Some("sweep a single value: the series of one world is drawn".to_owned());
            mistakes.push(Mistake { origin: section.y.origin, message, help });
            return None;
        }
        let along = quantity.along.map(str::to_owned);
        let label = section.x_label.or(along).unwrap_or_else(|| x_label(swept.unwrap_or_default(), unit));
        let marks = section.marks.into_iter().map(|mark| mark.read(schemes, mistakes)).collect();
        let FigureSection { id, x_scale, y_scale, bars, replication, .. } = section;
        (!x_is_wrong).then_some(Self { id, quantity, replication, x_label: label, x_scale, y_scale, bars, marks })
    }
}

impl MarkSection {
    fn read(self, schemes: &[&Scheme], mistakes: &mut Mistakes) -> Mark {
        let curve = self.scheme.and_then(|scheme| {
            // A name alone is the plain scheme's; the first variant's where there is no plain one.
            let plain = schemes.iter().position(|known| known.full_name() == scheme.value);
            let found = plain.or_else(|| schemes.iter().position(|known| known.is_called(&scheme.value)));
            if found.is_none() {
                let message = format!("no scheme is called `{}`", scheme.value);
                let names: Vec<String> = schemes.iter().map(|known| known.full_name()).collect();
                let help = did_you_mean(&scheme.value, &names.iter().map(String::as_str).collect::<Vec<_>>());
                mistakes.push(Mistake { origin: scheme.origin, message, help: Some(help) });
            }
            found
        });
        Mark { x: self.x, label: self.label, curve }
    }
}

#[cfg(test)]
mod tests;
