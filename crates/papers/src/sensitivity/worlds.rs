//! The plain world and the changed ones in one plan: every cell that decides a claim, and each once.
//!
//! ```text
//!     cell            plain   window 8   timeout 0.7 s
//!     raw at 5.4 %      0        3            0            a cell that an alternative leaves as it is
//!     sr at 5.4 %       1        4            5            shares its setting, and so its runs
//! ```

use crate::cells_of_claims::CellsOfClaims;
use crate::claims::{Claim, Evidence, Judgement};
use arqway_lab::experiment::Experiment;
use arqway_lab::results::rows::Row;
use arqway_lab::run::Results;
use arqway_lab::run::plan::{Plan, Request, RequestError, Run, Setting, Use};
use std::collections::BTreeMap;

/// Worlds in which the same claims are judged; the first is the plain one.
#[derive(Debug)]
pub struct Worlds {
    /// The experiments of the plain world, and the settings of all.
    plan: Plan,
    /// The claims that each cell decides.
    deciding: BTreeMap<Use, Vec<usize>>,
    /// How many of the settings are the plain world's.
    plain: usize,
    worlds: Vec<World>,
    results: Results,
    claims: Vec<Claim>,
}

#[derive(Debug)]
struct World {
    /// Where each cell that decides a claim is run.
    cells: BTreeMap<Use, usize>,
    /// The settings that no world before it has.
    own: Vec<usize>,
}

impl Worlds {
    /// The plain world.
    ///
    /// # Errors
    /// What a request asks for that is not there.
    pub fn new(plain: Vec<Experiment>, claims: Vec<Claim>, request: &Request) -> Result<Self, RequestError> {
        let whole = Plan::new(plain, request)?;
        let decided = CellsOfClaims::of(&claims);
        let mut deciding = BTreeMap::new();
        for (index, setting) in whole.settings.iter().enumerate() {
            for shown in &setting.uses {
                let claims = decided.claims(&whole, index, *shown);
                if !claims.is_empty() {
                    deciding.insert(*shown, claims);
                }
            }
        }
        let Plan { experiments, settings, .. } = whole;
        let plan = Plan { experiments, settings: Vec::new(), runs: Vec::new() };
        let mut worlds = Self { plan, deciding, plain: 0, worlds: Vec::new(), results: Results::none(), claims };
        worlds.add_settings(settings);
        worlds.plain = worlds.plan.settings.len();
        Ok(worlds)
    }

    /// Adds a world: the same experiments, changed.
    ///
    /// # Errors
    /// What a request asks for that is not there.
    pub fn add(&mut self, changed: Vec<Experiment>, request: &Request) -> Result<(), RequestError> {
        let Plan { settings, .. } = Plan::new(changed, request)?;
        self.add_settings(settings);
        Ok(())
    }

    /// Adds the plain world from another root of random streams, so many after its own: what turns there turns by chance.
    /// Returns the root.
    pub fn add_another_seed(&mut self, after: u64) -> u64 {
        let other = |setting: &Setting| Setting { seed: setting.seed.wrapping_add(after), ..setting.clone() };
        let settings: Vec<Setting> = self.plan.settings[..self.plain].iter().map(other).collect();
        let seed = settings.first().map_or(after, |setting| setting.seed);
        self.add_settings(settings);
        seed
    }

    fn add_settings(&mut self, settings: Vec<Setting>) {
        let mut world = World { cells: BTreeMap::new(), own: Vec::new() };
        for mut setting in settings {
            setting.uses.retain(|shown| self.deciding.contains_key(shown));
            if setting.uses.is_empty() {
                continue;
            }
            let mut plain = self.plan.settings.iter().take(self.plain);
            let same = plain.position(|known| {
                known.seed == setting.seed
                    && known.replications == setting.replications
                    && known.scenario == setting.scenario
            });
            let index = same.unwrap_or(self.plan.settings.len());
            world.cells.extend(setting.uses.iter().map(|shown| (*shown, index)));
            if same.is_none() {
                world.own.push(index);
                self.plan.settings.push(setting);
            }
        }
        self.plan.runs.extend(self.runs_of(&world));
        self.worlds.push(world);
    }

    /// A world's own runs, replication by replication.
    fn runs_of(&self, world: &World) -> Vec<Run> {
        let runs = |setting: &usize| {
            let (setting, replications) = (*setting, self.plan.settings[*setting].replications);
            (0..replications).map(move |replication| Run { replication, setting })
        };
        let mut runs: Vec<Run> = world.own.iter().flat_map(runs).collect();
        runs.sort_unstable();
        runs
    }

    /// How many worlds there are, with the plain one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.worlds.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.worlds.is_empty()
    }

    /// The runs of all worlds, one world after the other: a stop leaves whole worlds.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes what came out of the plan's runs.
    pub fn finish(&mut self, results: Results) {
        self.results = results;
    }

    /// Whether no run is missing of the cells that decide a world's verdicts.
    #[must_use]
    pub fn is_whole(&self, world: usize) -> bool {
        let is_whole = |setting: &usize| {
            let mut replications = 0..self.plan.settings[*setting].replications;
            replications.all(|replication| self.results.has(Run { replication, setting: *setting }))
        };
        self.worlds[world].cells.values().all(is_whole)
    }

    /// Judges all claims by a world's rows.
    #[must_use]
    pub fn judge(&self, world: usize) -> Vec<Judgement> {
        let cells = self.worlds[world].cells.iter();
        let rows: Vec<Row> =
            cells.flat_map(|(shown, setting)| self.results.rows_of_setting(&self.plan, *setting, *shown)).collect();
        let evidence = Evidence::of(&rows);
        self.claims.iter().map(|claim| claim.judge(&evidence)).collect()
    }

    /// For each claim, whether any cell that decides it is another in this world than in the plain one.
    #[must_use]
    pub fn touched(&self, world: usize) -> Vec<bool> {
        let mut touched = vec![false; self.claims.len()];
        let plain = &self.worlds[0].cells;
        // Another cell than in the plain world, even where another figure of the plain world shows that one.
        let changed = self.worlds[world].cells.iter().filter(|(shown, setting)| plain.get(shown) != Some(setting));
        for claim in changed.filter_map(|(shown, _)| self.deciding.get(shown)).flatten() {
            touched[*claim] = true;
        }
        touched
    }
}
