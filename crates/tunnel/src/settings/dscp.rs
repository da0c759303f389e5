//! Which datagrams the path treats how, where it heeds that: by the service of their first frame.

use super::Settings;
use arqway_config::{Mistakes, did_you_mean};
use arqway_link::LinkLayer;
use arqway_link::mux::{Ds, service_names};

/// Where nothing is said: calls, as RFC 4594, section 4.1 has it for telephony.
const LOW_DELAY: (&str, Ds) = ("low-delay", Ds::EF);

impl Settings {
    /// The codepoint of each service, by its number.
    pub(super) fn dscp_of(&self, link_layer: &LinkLayer, mistakes: &mut Mistakes) -> Vec<Ds> {
        let names = service_names(&link_layer.classes, &link_layer.table);
        // Frames of a serial line have none.
        if self.serial().is_some() {
            return vec![Ds::default(); names.len()];
        }
        let Some(given) = &self.dscp else {
            let of = |name: &String| if name == LOW_DELAY.0 { LOW_DELAY.1 } else { Ds::default() };
            return names.iter().map(of).collect();
        };
        for (name, place) in given.iter().filter(|(name, _)| !names.contains(name)) {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let mistake = place.mistake(format!("`{name}` is not a service of this link layer"));
            mistakes.push(mistake.help(did_you_mean(name, &known)));
        }
        names.iter().map(|name| given.get(name).map_or(Ds::default(), |ds| ds.value)).collect()
    }
}
