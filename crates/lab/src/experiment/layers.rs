//! How settings are laid over a world's tree: by their paths, and services over the world's defaults for their kinds.

use arqway_config::{Mistake, Mistakes, Node, Value};

/// Sets every path of a table of paths; what it points at stays where it was written. A table is laid over what is
/// there: `wireless.rate = ...`, dots unquoted, is a table to TOML, and must not undo the rest of `wireless`.
pub(super) fn set_all(tree: &mut Node, set: Option<&Node>, mistakes: &mut Mistakes) {
    let Some(set) = set else { return };
    let Some(table) = set.as_table() else {
        mistakes
            .push(Mistake::at_value(set, "expected a table of settings").help("such as { \"media.enabled\" = true }"));
        return;
    };
    for (path, node) in table.iter() {
        let mut set = tree.get_path(path).cloned().unwrap_or_else(|| node.clone());
        set.overlay(node.clone());
        tree.set_path(path, set);
    }
}

/// Lays the services of the link layer over the world's defaults for their kinds.
pub(super) fn give_defaults_to_services(tree: &mut Node) {
    let classes = tree.get_path("link-layer.classes").and_then(Node::as_array).map_or(0, <[Node]>::len);
    let of_classes = (0..classes).map(|index| format!("link-layer.classes.{index}.service"));
    let others = ["link-layer.service", "link-layer.table.reliable", "link-layer.table.low-delay"].map(str::to_owned);
    for path in of_classes.chain(others) {
        if let Some(service) = tree.get_path(&path) {
            let service = over_defaults(service, tree);
            tree.set_path(&path, service);
        }
    }
}

/// Takes a key out of the table at the root.
pub(super) fn take(tree: &mut Node, key: &str) -> Option<Node> {
    let Value::Table(table) = &mut tree.value else { return None };
    table.shift_remove(key)
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
