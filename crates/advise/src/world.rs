//! The world as settings: the classes in it, and services written into it.

use super::length::Length;
use super::question::text_node;
use arqway_config::{Mistakes, Node, Source, Table, parse};

/// A class that is decided about.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub(super) index: usize,
    pub(super) name: String,
}

impl Class {
    pub(super) fn service_path(&self) -> String {
        format!("link-layer.classes.{}.service", self.index)
    }
}

/// What is decided, in that order: the service of the packets of no class, then that of each class that has its own.
pub(super) fn stages(world: &Node) -> Vec<Option<Class>> {
    let classes = world.get_path("link-layer.classes").and_then(Node::as_array).unwrap_or_default();
    let of_class = |(index, class): (usize, &Node)| {
        class.get_path("service")?;
        let name = class.get_path("name").and_then(Node::as_text);
        let name = name.map_or_else(|| format!("class {}", index + 1), str::to_owned);
        Some(Some(Class { index, name }))
    };
    std::iter::once(None).chain(classes.iter().enumerate().filter_map(of_class)).collect()
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
