//! The links that are emulated at once, as files and built-in worlds say: each line of a link of several is one of them.

use crate::failure::Failure;
use crate::study::{file_name, read_world};
use arqway_emulate::LinkSettings;
use arqway_lab::experiment::described::Described;
use arqway_sim::Scenario;
use arqway_sim::channel::Direction;
use arqway_units::LineId;
use std::path::Path;

/// A link as it is emulated.
#[derive(Debug)]
pub(crate) struct NamedLink {
    /// What people call it.
    pub(crate) name: String,
    pub(crate) settings: LinkSettings,
    /// Directions whose queue is another one than the world's.
    pub(crate) changed: Vec<Direction>,
}

/// All of them, and the seed of their random numbers: one that is asked for, or that of the first file that has one.
#[derive(Debug)]
pub(crate) struct Links {
    pub(crate) links: Vec<NamedLink>,
    pub(crate) seed: u64,
}

impl Links {
    pub(crate) fn read<'p>(files: impl Iterator<Item = &'p Path>, seed: Option<u64>) -> Result<Self, Failure> {
        let (mut read, mut of_files) = (Self { links: Vec::new(), seed: 1 }, None);
        for file in files {
            let (scenario, of_file) = scenario(file)?;
            read.add(&file_name(file), &scenario)?;
            of_files = of_files.or(of_file);
        }
        read.seed = seed.or(of_files).unwrap_or(1);
        Ok(read)
    }

    /// Each line of a world's link.
    pub(crate) fn add(&mut self, name: &str, scenario: &Scenario) -> Result<(), Failure> {
        let lines = scenario.wireless.lines();
        let all = self.links.len() + lines;
        if all > LineId::COUNT {
            return Err(Failure::usage(format!("{all} links at once: expected at most {}", LineId::COUNT)));
        }
        let settings = LinkSettings::lines(&scenario.wireless, &scenario.mobility, self.links.len());
        for (number, settings) in settings.enumerate() {
            let (settings, changed) = settings.with_queues_of_a_device();
            let name = if lines == 1 { name.to_owned() } else { format!("{name}, line {number}") };
            let again = self
                .links
                .iter()
                .filter(|link| link.name == name || link.name.starts_with(&format!("{name} (")))
                .count();
            let name = if again == 0 { name } else { format!("{name} ({})", again + 1) };
            self.links.push(NamedLink { name, settings, changed });
        }
        Ok(())
    }
}

/// What a file or a built-in world says, and its seed.
pub(crate) fn scenario(file: &Path) -> Result<(Scenario, Option<u64>), Failure> {
    let (source, folder) = read_world(file)?;
    let Described { scenario, seed, .. } = Described::read(&source, &folder)?;
    Ok((scenario, seed))
}
