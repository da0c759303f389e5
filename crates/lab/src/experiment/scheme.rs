//! The schemes of an experiment: short forms, or services written out over the world's defaults.

use super::world::PointTree;
use super::{Scheme, part};
use crate::document::{Located, Mistake, Mistakes, Node};
use arqway_link::{ServiceConfig, ShortForm};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["use"], "not": { "required": ["service"] } }, { "required": ["label", "service"], "not": { "required": ["use"] } }]))]
pub(super) struct SchemeSection {
    /// The short form; it also names the rows.
    #[schemars(with = "Option<ShortForm>")]
    r#use: Option<Located<String>>,
    /// How rows and legends name it.
    label: Option<String>,
    /// The service written out; what it does not say is the world's.
    #[schemars(with = "Option<ServiceConfig>")]
    service: Option<Node>,
}

impl Scheme {
    pub(super) fn read(node: &Node, points: &[PointTree], mistakes: &mut Mistakes) -> Option<Self> {
        let section: SchemeSection = part(Some(node), mistakes)?;
        match (section.r#use, section.service) {
            (Some(short), None) => Self::of_short_form(&short, section.label, points, mistakes),
            (None, Some(service)) => Self::written_out(&service, section.label, points, mistakes),
            (Some(short), Some(_)) => {
                let message = "a scheme has either `use` or `service`".to_owned();
                mistakes.push(Mistake { origin: short.origin, message, help: None });
                None
            }
            (None, None) => {
                let mistake = Mistake::at_value(node, "a scheme has `use` or `service`");
                mistakes.push(mistake.help("for instance use = \"sr:1.1\""));
                None
            }
        }
    }

    fn of_short_form(
        short: &Located<String>,
        label: Option<String>,
        points: &[PointTree],
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let form = short.value.parse::<ShortForm>().map_err(|error| {
            mistakes.push(Mistake { origin: short.origin.clone(), message: error.to_string(), help: None });
        });
        let form = form.ok()?;
        let services = points.iter().map(|point| form.in_world(&point.point.scenario.services)).collect();
        Some(Self { name: short.value.clone(), label: label.unwrap_or_else(|| label_of(&form)), services })
    }

    fn written_out(
        service: &Node,
        label: Option<String>,
        points: &[PointTree],
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        // The service is read even where the label is missing, so that all mistakes are told at once.
        let mut services: Vec<_> =
            points.iter().map(|point| service_in_world(service, &point.tree, mistakes)).collect();
        if points.is_empty() {
            services.push(part(Some(service), mistakes));
        }
        let Some(label) = label else {
            let mistake = Mistake::at_value(service, "a scheme written out needs a `label`");
            mistakes.push(mistake.help("rows and legends name it by that"));
            return None;
        };
        let services: Option<Vec<_>> = services.into_iter().collect();
        Some(Self { name: label.clone(), label, services: services? })
    }
}

/// The service written out, over the world's defaults for its kind.
fn service_in_world(service: &Node, world: &Node, mistakes: &mut Mistakes) -> Option<ServiceConfig> {
    part(Some(&over_defaults(service, world)), mistakes)
}

/// A service as it is written, laid over what the world says of services of its kind.
pub(super) fn over_defaults(service: &Node, world: &Node) -> Node {
    let kind = service.get_path("kind").unwrap_or(service).as_text();
    let defaults = kind.and_then(|kind| Some((kind, world.get_path(&format!("services.{kind}"))?.clone())));
    let Some((kind, mut merged)) = defaults else { return service.clone() };
    merged.set_path("kind", Node::text(kind, service.origin.clone()));
    if service.as_table().is_some() {
        merged.overlay(service.clone());
    }
    merged
}

/// How a legend names a short form.
fn label_of(form: &ShortForm) -> String {
    match form {
        ShortForm::Raw => "Raw Link".to_owned(),
        ShortForm::AdaptiveSelectiveRepeat(policy) => format!("ASR {}+{}", policy.srtt, policy.srttvar),
        ShortForm::SelectiveRepeat { timeout: None } => "SR".to_owned(),
        ShortForm::SelectiveRepeat { timeout: Some(timeout) } => format!("SR {:?} s", timeout.as_seconds()),
    }
}
