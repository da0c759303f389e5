//! The world of a scheme that changes more than its service.
//!
//! ```toml
//! [[scheme]]
//! use = "sr"
//! variant = "tcp=freeze"                           # its name in the rows' column; legends say it in words
//! world = { "tcp.on-hints" = "freeze" }            # over the world at each point
//! ```

use super::layers::set_all;
use super::world::{Point, PointTree, World};
use arqway_config::{Mistake, Mistakes, Node, Table};

/// The world at each point with what a scheme sets in it; none if something in that is wrong.
pub(super) fn read(
    set: &Node,
    world: &World,
    swept: Option<&str>,
    points: &[PointTree],
    mistakes: &mut Mistakes,
) -> Option<Vec<PointTree>> {
    let paths = || set.as_table().into_iter().flat_map(Table::iter);
    let told_before = mistakes.len();
    for (path, node) in paths() {
        if swept.is_some_and(|swept| overlap(path, swept)) {
            mistakes.push(
                Mistake::at_key(node, format!("`{path}` is swept, or part of the swept setting")).help("remove it"),
            );
        } else if overlap(path, "link-layer.service") {
            mistakes
                .push(Mistake::at_key(node, "a scheme sets its service by `use` or `service`").help("leave it out"));
        }
    }
    if mistakes.len() > told_before {
        return None;
    }
    let changed = |point: &PointTree| {
        let mut tree = point.bare.clone();
        set_all(&mut tree, Some(set), mistakes);
        let Point { value, .. } = point.point;
        // A mistake is reported once, not once a point.
        if mistakes.len() > told_before { None } else { world.point(value, tree, mistakes) }
    };
    points.iter().map(changed).collect()
}

/// Whether one path is the other, or leads to it.
fn overlap(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.split('.'), other.split('.'));
    loop {
        match (one.next(), other.next()) {
            (Some(one), Some(other)) if one != other => return false,
            (Some(_), Some(_)) => {}
            _ => return true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Effort, Experiment};
    use crate::run::plan::{Plan, Request};
    use arqway_config::Source;
    use arqway_sim::tcp::OnHints;
    use std::path::Path;

    fn experiment(scheme: &str) -> Result<Experiment, Mistakes> {
        let text = format!(
            "[experiment]\nid = \"moving\"\n[scenario]\nbase = \"monet08\"\n\
             set = {{ \"mobility.when\" = {{ kind = \"periodic\", stay = \"9 s\" }} }}\n\
             [sweep]\n\"mobility.outage\" = [\"1 s\", \"2 s\"]\n[[scheme]]\nuse = \"sr\"\n[[scheme]]\n{scheme}\n"
        );
        Experiment::read(&Source::new("moving.toml", text), Path::new(""), Effort::Full)
    }

    #[test]
    fn overlap_is_being_the_same_or_leading_there() {
        assert!(overlap("a.b", "a.b") && overlap("a", "a.b") && overlap("a.b.c", "a.b"));
        assert!(!overlap("a.b", "a.c") && !overlap("a.bc", "a.b"));
    }

    #[test]
    fn a_scheme_changes_the_world_for_itself_alone_at_every_point() {
        let scheme = "use = \"sr\"\nvariant = \"freeze\"\nset = { window = 5 }\n\
                      world = { \"tcp.on-hints\" = \"freeze\", \"services.selective-repeat.timeout\" = \"2 s\" }";
        let study = experiment(scheme).unwrap_or_else(|told| panic!("{told}"));
        let plan = Plan::new(vec![study], &Request::default()).expect("all cells");
        let worlds: Vec<_> = plan.settings.iter().map(|setting| &setting.scenario).collect();
        let hints: Vec<_> = worlds.iter().map(|world| world.tcp.on_hints).collect();
        assert_eq!(hints, [OnHints::Ignore, OnHints::Freeze, OnHints::Ignore, OnHints::Freeze]);
        let outages: Vec<f64> = worlds.iter().map(|world| world.mobility.outage.as_seconds()).collect();
        assert_eq!(outages, [1.0, 1.0, 2.0, 2.0]);
        let services = worlds.iter().map(|world| format!("{:?}", world.link_layer.service));
        let slow: Vec<bool> = services.map(|service| service.contains("2000000000")).collect();
        assert_eq!(slow, [false, true, false, true], "the scheme's service is that of its world");
        let variants: Vec<_> = plan.experiments[0].schemes.iter().map(|scheme| scheme.full_name()).collect();
        assert_eq!(variants, ["sr", "sr freeze"]);
    }

    #[test]
    fn a_mistake_in_a_schemes_world_is_told_once_with_its_place() {
        let told = |world: &str| {
            let error = experiment(&format!("use = \"sr\"\nvariant = \"x\"\nworld = {{ {world} }}")).expect_err(world);
            assert_eq!(error.len(), 1, "{error}");
            error.to_string()
        };
        let unknown = told("\"tcp.on-hint\" = \"freeze\"");
        assert!(unknown.starts_with("moving.toml:13:") && unknown.contains("did you mean `on-hints`?"), "{unknown}");
        assert!(told("\"mobility.outage\" = \"3 s\"").contains("is swept"));
        assert!(told("mobility = { outage = \"3 s\" }").contains("is swept"));
        assert!(told("\"link-layer.service\" = \"raw\"").contains("by `use` or `service`"));
        let nameless = experiment("use = \"sr\"\nworld = { \"tcp.on-hints\" = \"freeze\" }").expect_err("no variant");
        assert!(nameless.to_string().contains("needs a `variant`"), "{nameless}");
    }
}
