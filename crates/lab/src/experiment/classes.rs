//! What a scheme says of the classes of its world: which service carries which.
//!
//! ```toml
//! [[scheme]]
//! use = "sr"                             # the packets of no class
//! classes = { media = "oos-rlp:1" }      # those of the class that the world calls `media`
//! ```

use super::legend::legend;
use super::parts::part;
use super::world::PointTree;
use arqway_config::{Located, Mistake, Mistakes, Node, did_you_mean};
use arqway_link::mux::{Carrier, Class};
use arqway_link::{ServiceConfig, ShortForm, ShortFormError};

/// The service of one class.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClassService {
    /// As the world calls the class.
    name: String,
    /// As legends call the service.
    legend: String,
    /// At each point of the sweep.
    services: Vec<ServiceConfig>,
}

impl ClassService {
    /// Those that a scheme names; `None` where one is wrong.
    pub(super) fn read_all(node: Option<&Node>, points: &[PointTree], mistakes: &mut Mistakes) -> Option<Vec<Self>> {
        let Some(node) = node else { return Some(Vec::new()) };
        let Some(table) = node.as_table() else {
            let mistake = Mistake::at_value(node, "`classes` must be a table of class names and their services");
            mistakes.push(mistake.help("such as { media = \"oos-rlp:1\" }"));
            return None;
        };
        let read: Vec<_> = table.iter().map(|(name, node)| Self::read(name, node, points, mistakes)).collect();
        read.into_iter().collect()
    }

    fn read(name: &str, node: &Node, points: &[PointTree], mistakes: &mut Mistakes) -> Option<Self> {
        let known: Vec<&str> =
            points.first().map(|point| names(&point.point.scenario.link_layer.classes)).unwrap_or_default();
        if !points.is_empty() && !known.contains(&name) {
            let mistake = Mistake::at_key(node, format!("`{name}` is not a class of this scenario"));
            mistakes.push(mistake.help(did_you_mean(name, &known)));
            return None;
        }
        let short: Located<String> = part(Some(node), mistakes)?;
        let form: ShortForm = short
            .value
            .parse()
            .map_err(|error: ShortFormError| mistakes.push(short.mistake(error.to_string())))
            .ok()?;
        let services = points.iter().map(|point| form.in_world(&point.point.scenario.services));
        let services = services
            .collect::<Result<_, _>>()
            .map_err(|error: ShortFormError| mistakes.push(short.mistake(error.to_string())))
            .ok()?;
        Some(Self { name: name.to_owned(), legend: legend(&form), services })
    }

    /// Gives the class its service at one point.
    pub(super) fn apply(&self, point: usize, classes: &mut [Class]) {
        let class = classes.iter_mut().find(|class| class.name.as_deref() == Some(&self.name));
        if let (Some(class), Some(service)) = (class, self.services.get(point)) {
            class.carrier = Carrier::Service(service.clone());
        }
    }
}

/// What legends say of those that another service carries than the rest: `media: OOS RLP 1`.
pub(super) fn legend_of(classes: &[ClassService], rest: &str) -> String {
    let others = classes.iter().filter(|class| class.legend != rest);
    others.map(|class| format!("{}: {}", class.name, class.legend)).collect::<Vec<_>>().join(", ")
}

fn names(classes: &[Class]) -> Vec<&str> {
    classes.iter().filter_map(|class| class.name.as_deref()).collect()
}
