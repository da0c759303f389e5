//! The schemes of an experiment: short forms, or services written out over the world's defaults.
//!
//! ```toml
//! [[scheme]]
//! use = "sr:1.1"
//!
//! [[scheme]]                             # the same with something changed: a variant
//! use = "sr:1.1"
//! variant = "nack=single"                # its name in the rows' column; legends say it in words
//! set = { rejects = "one-at-a-time" }    # over what the world says of services of its kind
//! world = { "tcp.on-hints" = "freeze" }   # and over the world itself
//! ```

use super::changed_world;
use super::classes::{ClassService, legend_of};
use super::layers::{over_defaults, set_all};
use super::legend::legend;
use super::parts::part;
use super::schema_types;
use super::wording::{changes_in_words, label_in_words};
use super::world::{Point, PointTree, World};
use arqway_config::schema::Later;
use arqway_config::{Located, Mistake, Mistakes, Node, Origin, Table};
use arqway_link::LinkLayer;
use arqway_link::{ServiceConfig, ShortForm, ShortFormError, WorldDefaults};
use arqway_sim::Scenario;
use schemars::JsonSchema;
use serde::Deserialize;

/// One of the configurations compared.
#[derive(Debug, Clone, Default)]
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
    /// Whether the experiment's file does not have it: somebody asked for it beside the others.
    pub is_added: bool,
    /// The services of classes, where it names some.
    pub(super) classes: Vec<ClassService>,
    /// The world at each point, where it changes more than services.
    pub(super) scenarios: Option<Vec<Scenario>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["use"], "not": { "required": ["service"] } }, { "required": ["label", "service"], "not": { "anyOf": [{ "required": ["use"] }, { "required": ["set"] }] } }]))]
pub(super) struct SchemeSection {
    /// The short form; it is also the name in the rows.
    #[schemars(with = "Option<Later<ShortForm>>")]
    r#use: Option<Located<String>>,
    /// The name in rows and legends.
    label: Option<String>,
    /// The service with its settings; other settings are the world's.
    #[schemars(with = "Option<Later<ServiceConfig>>")]
    service: Option<Node>,
    /// The name in rows for the changes by `set` and `world`, such as `nack=single`; legends say it in words.
    #[schemars(with = "Option<String>")]
    variant: Option<Located<String>>,
    /// Changes to the world's settings for services of its kind.
    #[schemars(with = "Option<Later<std::collections::BTreeMap<String, serde_json::Value>>>")]
    set: Option<Node>,
    /// Settings by their paths, which override the world at each point, only for this scheme.
    #[schemars(with = "Option<schema_types::Settings>")]
    world: Option<Node>,
    /// Short forms of the services for the world's classes, by the names of the classes.
    #[schemars(with = "Option<Later<std::collections::BTreeMap<String, ShortForm>>>")]
    classes: Option<Node>,
}

impl Scheme {
    pub(super) fn read(
        node: &Node,
        base: &World,
        swept: Option<&str>,
        points: &[PointTree],
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let SchemeSection { r#use, label, service, variant, set, world, classes } = part(Some(node), mistakes)?;
        let worlds = match &world {
            Some(set) => Some(changed_world::read(set, base, swept, points, mistakes)?),
            None => None,
        };
        let points = worlds.as_deref().unwrap_or(points);
        let carried = classes;
        let classes = ClassService::read_all(carried.as_ref(), points, mistakes);
        let is_labelled = label.is_some();
        let mut scheme = match (r#use, service) {
            (Some(short), None) => {
                let form = short.value.parse().map_err(|error| mistakes.push(refused(&short, &error))).ok()?;
                let variant = Variant::read(variant, set, world.as_ref(), carried.as_ref(), mistakes)?;
                Self::of_short_form(&short, &form, label, variant, points, mistakes)
            }
            (None, Some(service)) => {
                if let Some(set) = &set {
                    let mistake = Mistake::at_key(set, "`set` cannot stand beside `service`");
                    mistakes.push(mistake.help("write these settings into `service`; `set` goes with `use`"));
                }
                let variant = variant.map(|variant| variant.value).unwrap_or_default();
                Self::written_out(&service, label, variant, points, mistakes)
            }
            (Some(short), Some(_)) => {
                mistakes.push(short.mistake("expected either `use` or `service`, not both"));
                None
            }
            (None, None) => {
                let mistake = Mistake::at_value(node, "expected `use` or `service`");
                mistakes.push(mistake.help("for instance use = \"sr:1.1\""));
                None
            }
        }?;
        scheme.classes = classes?;
        scheme.scenarios = worlds.map(|worlds| worlds.into_iter().map(|world| world.point.scenario).collect());
        scheme.in_columns = world.as_ref().map(in_columns).unwrap_or_default();
        scheme.world_changes = world.map(|world| world.to_toml_text());
        if !is_labelled {
            let changes = if scheme.variant.is_empty() { &scheme.in_columns } else { &scheme.variant };
            let notes = [changes_in_words(changes), legend_of(&scheme.classes, &scheme.label)];
            let notes = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join(", ");
            if !notes.is_empty() {
                scheme.label.push_str(&format!(" ({notes})"));
            }
        }
        Some(scheme)
    }

    /// The world at one point of the sweep, with its services and what else it changes.
    #[must_use]
    pub fn scenario(&self, index: usize, point: &Point) -> Option<Scenario> {
        let world = self.world(index, point);
        let service = self.services.get(index)?.clone();
        let mut link_layer = LinkLayer { service, ..world.link_layer.clone() };
        self.classes.iter().for_each(|class| class.apply(index, &mut link_layer.classes));
        Some(Scenario { link_layer, ..world.clone() })
    }

    /// The world at one point of the sweep, as the scheme changes it, before it has the scheme's services.
    pub(super) fn world<'a>(&'a self, index: usize, point: &'a Point) -> &'a Scenario {
        self.scenarios.as_ref().and_then(|own| own.get(index)).unwrap_or(&point.scenario)
    }

    /// Whether rows tell what it changes in the world, by its variant alone or by columns: then another scheme can be there too.
    pub(super) fn says_its_world(&self) -> bool {
        let says_it = !self.variant.is_empty() && self.changes.is_none() || !self.in_columns.is_empty();
        self.world_changes.is_none() || says_it
    }

    /// What of its variant is its world's.
    pub(super) fn variant_of_world(&self) -> &str {
        if self.world_changes.is_some() { &self.variant } else { "" }
    }

    /// As rows tell it from all others: its name, and what it changes.
    #[must_use]
    pub fn full_name(&self) -> String {
        let words = [&self.name, &self.variant, &self.in_columns].map(String::as_str);
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// As figures call it, and how rows do: `SR 1.1 s (sr:1.1)`.
    #[must_use]
    pub fn both_names(&self) -> String {
        let in_rows = self.full_name();
        if in_rows == self.label { in_rows } else { format!("{} ({in_rows})", self.label) }
    }

    /// Whether it is asked for by this name: that of figures, or that of rows with what it changes, or without for all its
    /// variants.
    #[must_use]
    pub fn is_called(&self, asked: &str) -> bool {
        [&self.name, &self.label, &self.full_name()].into_iter().any(|name| name == asked)
    }

    fn of_short_form(
        short: &Located<String>,
        form: &ShortForm,
        label: Option<String>,
        variant: Variant,
        points: &[PointTree],
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let Variant { name, set } = variant;
        if let Some(set) = &set {
            refuse_what_the_form_says(form, &short.value, set, mistakes);
        }
        let services = points.iter().map(|point| match &set {
            Some(set) => in_changed_world(form, short, &point.tree, set, mistakes),
            None => in_world(form, short, &point.point.scenario.services, mistakes),
        });
        let services: Vec<_> = services.collect();
        Some(Self {
            name: short.value.clone(),
            label: label.unwrap_or_else(|| legend(form)),
            variant: name,
            changes: set.map(|set| set.to_toml_text()),
            services: services.into_iter().collect::<Option<_>>()?,
            ..Self::default()
        })
    }

    fn written_out(
        service: &Node,
        label: Option<String>,
        variant: String,
        points: &[PointTree],
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        // The service is read even where the label is missing, so that all mistakes are told at once.
        let mut services: Vec<_> =
            points.iter().map(|point| part(Some(&over_defaults(service, &point.tree)), mistakes)).collect();
        if points.is_empty() {
            services.push(part(Some(service), mistakes));
        }
        let Some(label) = label else {
            let mistake = Mistake::at_value(service, "a scheme written out needs a `label`");
            mistakes.push(mistake.help("rows and legends use it"));
            return None;
        };
        let services = services.into_iter().collect::<Option<_>>()?;
        Some(Self { label: label_in_words(&label), name: label, variant, services, ..Self::default() })
    }
}

/// Settings of the world that rows tell in columns of their own, and how names of schemes tell them.
const COLUMNS: [(&str, &str); 3] =
    [("tcp-bulk.connections", "connections"), ("file-transfer.connections", "connections"), ("wireless.rate", "rate")];

/// Whether rows tell everything that is set in the world in columns of their own.
fn is_told_by_columns(world: &Node) -> bool {
    let paths = world.as_table().into_iter().flat_map(Table::iter).map(|(path, _)| path);
    paths.into_iter().all(|path| COLUMNS.iter().any(|(known, _)| *known == path))
}

/// `connections=5`
fn in_columns(world: &Node) -> String {
    let set = world.as_table().into_iter().flat_map(Table::iter);
    let told = set.filter_map(|(path, node)| {
        let (_, name) = COLUMNS.iter().find(|(known, _)| *known == path)?;
        Some(format!("{name}={}", node.to_toml_text().trim().trim_matches('"')))
    });
    told.collect::<Vec<_>>().join(" ")
}

/// What a scheme changes, and how that is called; nothing in a plain one.
#[derive(Default)]
struct Variant {
    name: String,
    /// In its service.
    set: Option<Node>,
}

impl Variant {
    /// Both or neither: rows must not be told apart by name alone, nor be the same by name alone. Only who carries the
    /// classes may go without, where it belongs to the scheme itself, and what columns tell. `None` with a mistake in them.
    fn read(
        name: Option<Located<String>>,
        set: Option<Node>,
        world: Option<&Node>,
        classes: Option<&Node>,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let changes_something = set.as_ref().or(world).or(classes).is_some();
        let untold = world.filter(|world| !is_told_by_columns(world));
        match (name, set.as_ref().or(untold)) {
            (None, None) => Some(Self::default()),
            (Some(name), _) if changes_something && !name.value.trim().is_empty() => {
                Some(Self { name: name.value, set })
            }
            (Some(name), _) => {
                let mistake = name.mistake("a variant needs a name and a change");
                let example = "for instance variant = \"nack=single\", set = { rejects = \"one-at-a-time\" }";
                mistakes.push(mistake.help(example));
                None
            }
            (None, Some(changes)) => {
                let mistake = Mistake::at_key(changes, "a scheme that changes something needs a `variant`");
                mistakes.push(mistake.help("rows and legends use it to distinguish this scheme from the plain one"));
                None
            }
        }
    }
}

fn refused(short: &Located<String>, error: &ShortFormError) -> Mistake {
    short.mistake(error.to_string())
}

/// What a short form says cannot be set beside it: one of the two would be ignored.
fn refuse_what_the_form_says(form: &ShortForm, written: &str, set: &Node, mistakes: &mut Mistakes) {
    let Some(said) = form.key() else { return };
    for (path, node) in set.as_table().into_iter().flat_map(Table::iter) {
        if path.split('.').next() == Some(said) {
            let mistake = Mistake::at_key(node, format!("`{written}` already sets the {said}"));
            mistakes.push(mistake.help("write another short form, or the whole `service`"));
        }
    }
}

/// The service that a short form names where something is set over the world's defaults for its kind.
fn in_changed_world(
    form: &ShortForm,
    short: &Located<String>,
    world: &Node,
    set: &Node,
    mistakes: &mut Mistakes,
) -> Option<ServiceConfig> {
    let kind = form.kind();
    let path = format!("services.{kind}");
    let nothing = || Node::new(Table::default(), Origin::of_key(&set.origin));
    let mut defaults = world.get_path(&path).cloned().unwrap_or_else(nothing);
    set_all(&mut defaults, Some(set), mistakes);
    let mut services = world.get_path("services").cloned().unwrap_or_else(nothing);
    services.set_path(kind, defaults);
    let services: WorldDefaults = part(Some(&services), mistakes)?;
    in_world(form, short, &services, mistakes)
}

/// The service that a short form names in a world.
fn in_world(
    form: &ShortForm,
    short: &Located<String>,
    world: &WorldDefaults,
    mistakes: &mut Mistakes,
) -> Option<ServiceConfig> {
    let refused = |error: ShortFormError| mistakes.push(refused(short, &error));
    form.in_world(world).map_err(refused).ok()
}
