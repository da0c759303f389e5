//! Settings that would have no effect in a tunnel, since it has its own way with what they are about. Whoever writes one of them expects
//! something, so it is a mistake.

use super::Settings;
use arqway_config::{Mistake, Mistakes, Node, Source, Value, parse};
use std::sync::Arc;

impl Settings {
    /// What was written, as these settings have what was not written too.
    pub(super) fn check_unused(&self, source: &Arc<Source>, mistakes: &mut Mistakes) {
        // What is wrong with it was told when it was read.
        let Some(tree) = parse(source, &mut Mistakes::new()) else { return };
        let mut refuse = |node: Option<&Node>, message: &str, help: &str| {
            node.into_iter().for_each(|node| mistakes.push(Mistake::at_value(node, message).help(help)));
        };
        let of_bearer = |key: &str| tree.get_path("link-layer.bearer")?.get_path(key);
        for rate in ["rate", "rate-up"] {
            let help = format!("`rate` says how fast this end sends; remove `{rate}`");
            refuse(of_bearer(rate), "the rate of a tunnel's link is its `rate`", &help);
        }
        let help = "`[[line]]` of the tunnel has the lines; remove `line` of the bearer";
        refuse(of_bearer("line"), "the lines of a tunnel's link are its `line`s", help);
        let hellos = of_bearer("hellos").filter(|hellos| hellos.value == Value::Boolean(true));
        refuse(hellos, "a tunnel has no hellos: its handshakes say who the peer is", "remove `hellos`");
        if self.serial().is_none() {
            return;
        }
        let nothing = |key: &str| format!("`{key}` has no meaning on a serial line");
        refuse(tree.get_path("dscp"), &nothing("dscp"), "remove it; or remove `line`, to use UDP");
        refuse(of_bearer("overhead"), &nothing("overhead"), "remove it: what a frame adds is known");
        for key in ["mtu-least", "mtu-most"] {
            refuse(of_bearer(key), &nothing(key), "remove it; `frame` of `line` says how large frames are");
        }
    }
}
