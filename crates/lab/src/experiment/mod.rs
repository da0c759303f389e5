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

mod added;
mod base;
mod changed_world;
mod classes;
pub mod described;
mod figure_plan;
mod files;
mod grammars;
mod header;
mod layers;
mod legend;
pub mod overlay;
mod parts;
mod recordings;
pub mod scenarios;
pub(crate) mod schema_types;
mod scheme;
pub mod sections;
mod wording;
mod world;

pub use base::Base;
pub use figure_plan::{Bars, FigurePlan};
pub use files::Files;
pub use grammars::GRAMMARS;
pub(crate) use header::Shape;
pub(crate) use legend::legend;
pub use recordings::mahimahi_moments;
pub use scheme::Scheme;
pub use world::{Effort, Point};

use arqway_config::{Mistake, Mistakes, Node, Source, did_you_mean, parse};
use arqway_sim::Scenario;
use arqway_sim::channel::ErrorModel;
use header::{Header, Parts};
use overlay::Overlay;
use parts::{each, has_too_many_cells, names_files, no_name_twice, part};
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use world::World;

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

/// How many replications there are unless a file says.
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
        part::<Parts>(Some(&tree), &mut mistakes);
        for (name, example) in
            [("experiment", "[experiment] with an id"), ("scheme", "[[scheme]] with use = \"sr:1.1\"")]
        {
            if tree.get_path(name).is_none() {
                let mistake = Mistake::at_value(&tree, format!("missing `{name}`"));
                mistakes.push(mistake.help(format!("for instance {example}")));
            }
        }
        let header = part::<Header>(tree.get_path("experiment"), &mut mistakes);
        if has_too_many_cells(&tree, &mut mistakes) {
            return Err(mistakes);
        }
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
        refuse_unmeasured(&figures, &points, &known, &mut mistakes);
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

/// Refuses figures of what no cell measures, because its application does not run there, a setting of it is missing, or
/// there is no service of that name.
fn refuse_unmeasured(
    figures: &[(&Node, FigurePlan)],
    points: &[world::PointTree],
    schemes: &[&Scheme],
    mistakes: &mut Mistakes,
) {
    let Some(first) = points.first() else { return };
    let of_schemes = points
        .iter()
        .enumerate()
        .flat_map(|(index, point)| schemes.iter().filter_map(move |scheme| scheme.scenario(index, &point.point)));
    let of_schemes: Vec<Scenario> = if figures.is_empty() { Vec::new() } else { of_schemes.collect() };
    let is_anywhere = |measured: &dyn Fn(&Scenario) -> bool| {
        points.iter().map(|point| &point.point.scenario).chain(&of_schemes).any(measured)
    };
    for (node, figure) in figures {
        let FigurePlan { quantity, against, service, .. } = figure;
        let missing =
            [("y", Some(quantity)), ("against", against.as_ref())].into_iter().find_map(|(axis, quantity)| {
                let quantity = quantity?;
                let missing = first.point.scenario.missing_for(quantity)?;
                let is_measured = is_anywhere(&|scenario| scenario.missing_for(quantity).is_none());
                (!is_measured).then_some((axis, quantity, missing))
            });
        if let Some((axis, quantity, missing)) = missing {
            let y = node.get_path(axis).unwrap_or(node);
            let mistake = Mistake::at_value(y, format!("this world does not measure `{}`", quantity.name));
            mistakes.push(mistake.help(format!("it needs {missing} in the scenario")));
        } else if let Some(service) = service
            && !is_anywhere(&|scenario| scenario.link_layer.service_names().contains(&service.value))
        {
            let names: BTreeSet<String> =
                of_schemes.iter().flat_map(|scenario| scenario.link_layer.service_names()).collect();
            let help = did_you_mean(&service.value, &names.iter().map(String::as_str).collect::<Vec<_>>());
            mistakes.push(service.mistake(format!("no service is called `{}`", service.value)).help(help));
        }
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

#[cfg(test)]
mod tests;
