//! The world as settings: the classes in it, and services written into it.

use super::length::Length;
use super::question::text_node;
use arqway_config::{Mistakes, Node, Source, Table, parse};

/// What is to carry a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Carrier {
    /// There is to be no such class.
    Default,
    /// A service of its own, as files have it.
    Service(String),
    /// In place of the class the ready-made table, which knows its packets by what they do: this service for them, and that for the rest.
    Table { low_delay: String, reliable: String },
}

/// A class that is decided about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) index: usize,
    pub(super) name: String,
    /// The world has none yet: whether it should is decided, too.
    pub(super) is_new: bool,
}

impl Carrier {
    /// The service or the table, as files have it.
    pub(super) fn to_toml(&self) -> String {
        match self {
            Self::Default => String::new(),
            Self::Service(service) => service.clone(),
            Self::Table { low_delay, reliable } => {
                format!("{{ kind = \"best-effort\", watch = true, reliable = {reliable}, low-delay = {low_delay} }}")
            }
        }
    }
}

impl Class {
    /// Media apart from TCP.
    fn of_media() -> Self {
        Self { index: 0, name: "media".to_owned(), is_new: true }
    }

    pub(super) fn service_path(&self) -> String {
        format!("link-layer.classes.{}.service", self.index)
    }

    /// What a world is set to so that it is carried that way: paths and values.
    pub(super) fn settings(&self, carrier: &Carrier) -> Vec<(String, String)> {
        // All have their shares of the line: nobody waits for all that another has.
        let shares = || ("link-layer.scheduler".to_owned(), "\"scfq\"".to_owned());
        let classes = |classes: String| ("link-layer.classes".to_owned(), classes);
        match carrier {
            Carrier::Service(service) if self.is_new => {
                let class = format!("[{{ name = \"{}\", protocol = \"udp\", service = {service} }}]", self.name);
                vec![classes(class), shares()]
            }
            Carrier::Service(service) => vec![(self.service_path(), service.to_owned())],
            Carrier::Table { .. } => {
                vec![classes("[]".to_owned()), ("link-layer.table".to_owned(), carrier.to_toml()), shares()]
            }
            Carrier::Default => vec![classes("[]".to_owned())],
        }
    }

    /// The world with it.
    pub(super) fn set(&self, carrier: &Carrier, world: &mut Node) {
        for (path, setting) in self.settings(carrier) {
            world.set_path(&path, value(&setting).unwrap_or_else(|| text_node("raw")));
        }
    }
}

/// What is decided, in that order: the service of the packets of no class, then that of each class that has its own; where there are none,
/// and media go beside TCP, whether these should have a class.
pub(super) fn stages(world: &Node, has_media_beside_tcp: bool) -> Vec<Option<Class>> {
    if has_media_beside_tcp && !has_classes(world) {
        return vec![None, Some(Class::of_media())];
    }
    let classes = world.get_path("link-layer.classes").and_then(Node::as_array).unwrap_or_default();
    let of_class = |(index, class): (usize, &Node)| {
        class.get_path("service")?;
        let name = class.get_path("name").and_then(Node::as_text);
        let name = name.map_or_else(|| format!("class {}", index + 1), str::to_owned);
        Some(Some(Class { index, name, is_new: false }))
    };
    std::iter::once(None).chain(classes.iter().enumerate().filter_map(of_class)).collect()
}

/// Whether the world tells packets apart.
fn has_classes(world: &Node) -> bool {
    let classes = world.get_path("link-layer.classes").and_then(Node::as_array).unwrap_or_default();
    let table = world.get_path("link-layer.table");
    !classes.is_empty() || table.is_some_and(|table| table.as_text() != Some("none"))
}

/// The link layer of a world, as files have it, below `[link-layer]`.
pub(super) fn link_layer_text(world: &Node) -> String {
    let Some(layer) = world.get_path("link-layer") else { return String::new() };
    let section = Table::from_iter([("link-layer".to_owned(), layer.clone())]);
    Node::new(section, layer.origin.clone()).to_toml_text()
}

/// The service that the world has for the packets of no class.
pub(super) fn written_service(world: &Node) -> String {
    world.get_path("link-layer.service").map_or_else(|| "\"raw\"".to_owned(), inline)
}

/// A value as it stands behind a key.
pub(super) fn inline(node: &Node) -> String {
    let wrapped = Table::from_iter([("x".to_owned(), node.clone())]);
    let section = Table::from_iter([("x".to_owned(), Node::new(wrapped, node.origin.clone()))]);
    let text = Node::new(section, node.origin.clone()).to_toml_text();
    text.lines().nth(1).and_then(|line| line.strip_prefix("x = ")).unwrap_or_default().to_owned()
}

/// A value that was written in code.
pub(super) fn value(text: &str) -> Option<Node> {
    let source = Source::new("advise", format!("x = {text}"));
    parse(&source, &mut Mistakes::new())?.get_path("x").cloned()
}

pub(super) fn shortened(world: &Node, length: &Length) -> Node {
    let mut world = world.clone();
    for (path, text) in &length.settings {
        world.set_path(path, text_node(text));
    }
    world
}
