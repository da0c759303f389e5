//! The figures of an experiment: what is on their axes, and how values are laid along them.

use super::parts::{names_files, part};
use super::schema_types;
use super::scheme::Scheme;
use crate::figure::{Mark, Scale};
use crate::quantity::{Quantity, x_label};
use arqway_config::schema::Later;
use arqway_config::{Located, Mistakes, Node, did_you_mean};
use arqway_link::mux::DEFAULT;
use arqway_units::Ratio;
use schemars::JsonSchema;
use serde::Deserialize;

/// The share of packets that come in time, and the octets that it takes.
const IN_TIME: [&str; 2] = ["media.in-time", "media.played"];
const OVERHEAD: &str = "media.overhead";

/// A figure to draw.
#[derive(Debug, Clone)]
pub struct FigurePlan {
    /// Within its paper: `fig3`.
    pub id: String,
    /// The vertical axis.
    pub quantity: Quantity,
    /// Of which service of the link, where each has its own.
    pub service: Option<Located<String>>,
    /// Only this replication: what happened once, and no means.
    pub replication: Option<Located<u32>>,
    /// The horizontal axis, where that is not the swept setting.
    pub against: Option<Quantity>,
    /// The share of frames that the line loses, where what at most arrives is drawn.
    pub erasures: Option<Ratio>,
    /// What the swept setting is called.
    pub x_label: String,
    /// How values are laid along it.
    pub x_scale: Scale,
    /// The scale of the vertical axis.
    pub y_scale: Scale,
    /// The meaning of error bars.
    pub bars: Bars,
    /// Places on it that mean something.
    pub marks: Vec<Mark>,
}

/// The meaning of error bars in a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bars {
    /// The 95 % confidence interval of the mean.
    #[default]
    Interval,
    /// One standard deviation of the replications, together with the interval.
    Deviation,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FigureSection {
    /// The name of the figure's files.
    #[schemars(regex(pattern = schema_types::FILE_NAME))]
    id: String,
    /// The horizontal axis: the swept path.
    #[schemars(with = "Option<schema_types::Path>")]
    x: Option<Located<String>>,
    /// The vertical axis.
    #[schemars(with = "Later<schema_types::QuantityName>")]
    y: Located<String>,
    /// Another quantity for the horizontal axis, in place of the swept setting: each point of the sweep lies at its mean.
    #[schemars(with = "Option<Later<schema_types::QuantityName>>")]
    against: Option<Located<String>>,
    /// The share of frames that the line loses. Draws what at most arrives, over the octets that are spent on it: with
    /// `y = "media.in-time"` or `"media.played"`, and `against = "media.overhead"`.
    #[schemars(with = "Option<Ratio>")]
    erasures: Option<Located<Ratio>>,
    /// Of `service.` quantities: the service, by the name of its class; `default` unless set.
    #[schemars(with = "Option<String>")]
    service: Option<Located<String>>,
    /// The label of the horizontal axis, instead of the path and its unit.
    x_label: Option<String>,
    /// The scale of the horizontal axis.
    #[serde(default)]
    x_scale: Scale,
    /// The scale of the vertical axis.
    #[serde(default)]
    y_scale: Scale,
    /// Shows only this replication, counted from 0, instead of means.
    #[schemars(with = "Option<u32>")]
    replication: Option<Located<u32>>,
    /// The meaning of error bars.
    #[serde(default)]
    bars: Bars,
    /// Marks on the horizontal axis, such as a bound.
    #[serde(default)]
    marks: Vec<MarkSection>,
}

/// A mark on the horizontal axis, in the units of the points.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MarkSection {
    /// Its position, in the units of the points.
    x: f64,
    /// Its meaning.
    label: String,
    /// The scheme to which it refers, which gives it its colour.
    #[schemars(with = "Option<String>")]
    scheme: Option<Located<String>>,
}

impl FigurePlan {
    pub(super) fn read(
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
            let right = swept.map(|swept| format!("expected \"{swept}\", the swept path"));
            let help = right.unwrap_or_else(|| "this experiment has no [sweep]".to_owned());
            mistakes.push(x.mistake(format!("`{}` is not swept", x.value)).help(help));
            x_is_wrong = true;
        }
        let quantity = measured(&section.y, mistakes)?;
        let against = match &section.against {
            Some(name) => Some(measured(name, mistakes).filter(|against| once(name, *against, mistakes))?),
            None => None,
        };
        let on_its_axes = IN_TIME.contains(&quantity.name) && against.is_some_and(|against| against.name == OVERHEAD);
        if let Some(erasures) = section.erasures.as_ref().filter(|_| !on_its_axes) {
            let mistake = erasures.mistake("what at most arrives is a share of packets over octets");
            let help = format!("expected `against = \"{OVERHEAD}\"` beside it, and `y` one of {}", IN_TIME.join(", "));
            mistakes.push(mistake.help(help));
            return None;
        }
        if quantity.along.is_some() && points > 1 {
            let message =
                format!("`{}` is a time series, and cannot be drawn over a sweep of {points} points", section.y.value);
            mistakes.push(section.y.mistake(message).help("sweep a single value"));
            return None;
        }
        if let Some(service) = section.service.as_ref().filter(|_| !quantity.is_of_service()) {
            let mistake = service.mistake(format!("`{}` is not measured of each service", section.y.value));
            mistakes.push(mistake.help("leave `service` out; it goes with the quantities that begin with `service.`"));
            return None;
        }
        let service = section.service;
        let service =
            service.unwrap_or_else(|| Located { value: DEFAULT.to_owned(), origin: section.y.origin.clone() });
        let service = quantity.is_of_service().then_some(service);
        let along = quantity.along.map(str::to_owned);
        let label = section.x_label.or(along).unwrap_or_else(|| x_label(swept.unwrap_or_default(), unit));
        let marks = section.marks.into_iter().map(|mark| mark.read(schemes, mistakes)).collect();
        let erasures = section.erasures.map(|erasures| erasures.value);
        let FigureSection { id, x_scale, y_scale, bars, replication, .. } = section;
        (!x_is_wrong).then_some(Self {
            id,
            quantity,
            service,
            replication,
            against,
            erasures,
            x_label: label,
            x_scale,
            y_scale,
            bars,
            marks,
        })
    }
}

/// The quantity of this name.
fn measured(name: &Located<String>, mistakes: &mut Mistakes) -> Option<Quantity> {
    let quantity = Quantity::of(&name.value);
    if quantity.is_none() {
        let mistake = name.mistake(format!("`{}` is not measured", name.value));
        mistakes.push(mistake.help(did_you_mean(&name.value, &Quantity::names())));
    }
    quantity
}

/// Whether a quantity has one value a run, so that points can lie there.
fn once(name: &Located<String>, quantity: Quantity, mistakes: &mut Mistakes) -> bool {
    let is_once = quantity.along.is_none() && !quantity.is_of_service();
    if !is_once {
        let mistake = name.mistake(format!("`{}` has more than one value a run", name.value));
        mistakes.push(mistake.help("expected a quantity such as `media.overhead`, which has one"));
    }
    is_once
}

impl FigurePlan {
    /// The metric that it shows, as rows name it; `window` of a series, whose places come behind it.
    #[must_use]
    pub fn metric(&self) -> String {
        let of_service = |service: &Located<String>| self.quantity.metric_of(&service.value);
        self.service.as_ref().map_or_else(|| self.quantity.metric().to_owned(), of_service)
    }

    /// The text at the vertical axis.
    #[must_use]
    pub fn y_label(&self) -> String {
        let label = self.quantity.label;
        let Some(service) = &self.service else { return label.to_owned() };
        let mut letters = label.chars();
        let first = letters.next().into_iter().flat_map(char::to_lowercase);
        format!("Service {}: {}", service.value, first.chain(letters).collect::<String>())
    }
}

impl MarkSection {
    fn read(self, schemes: &[&Scheme], mistakes: &mut Mistakes) -> Mark {
        let curve = self.scheme.and_then(|scheme| {
            // A name alone is the plain scheme's; the first variant's where there is no plain one.
            let plain = schemes.iter().position(|known| known.full_name() == scheme.value);
            let found = plain.or_else(|| schemes.iter().position(|known| known.is_called(&scheme.value)));
            if found.is_none() {
                let names: Vec<String> = schemes.iter().map(|known| known.full_name()).collect();
                let help = did_you_mean(&scheme.value, &names.iter().map(String::as_str).collect::<Vec<_>>());
                mistakes.push(scheme.mistake(format!("no scheme is called `{}`", scheme.value)).help(help));
            }
            found
        });
        Mark { x: self.x, label: self.label, curve }
    }
}
