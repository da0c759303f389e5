//! A scheme beside those that an experiment's file compares: `arqway reproduce monet08 --with tally`.
//!
//! It gets what the file's schemes have: the same world at each point, with that world's settings for services of its kind; each
//! further world that a scheme of the file describes by a `variant` or by a column (a slower wire, five connections); and the
//! services that most of them give to classes. So it carries what their services carry, and nothing else differs.

use super::classes::legend_of;
use super::legend::legend;
use super::scheme::Scheme;
use super::wording::changes_in_words;
use super::{Experiment, Point};
use arqway_link::{ServiceConfig, ShortForm, ShortFormError};

impl Experiment {
    /// Adds a scheme to each world of the experiment that does not have it yet. `remark` is what legends say of it beside its
    /// name. Returns in how many worlds it was added.
    ///
    /// # Errors
    /// The service cannot have its parameter there.
    pub fn add_scheme(&mut self, form: &ShortForm, remark: &str) -> Result<usize, ShortFormError> {
        let mut added: Vec<Scheme> = Vec::new();
        for model in self.schemes.iter().filter(|scheme| scheme.says_its_world()) {
            let scheme = self.like(model, form, remark)?;
            let has_same_name = |other: &Scheme| other.full_name() == scheme.full_name();
            if !self.schemes.iter().chain(&added).any(has_same_name) {
                added.push(scheme);
            }
        }
        let count = added.len();
        self.schemes.extend(added);
        Ok(count)
    }

    /// The scheme of this short form in the world of one that the file has.
    fn like(&self, model: &Scheme, form: &ShortForm, remark: &str) -> Result<Scheme, ShortFormError> {
        let service = |(index, point): (usize, &Point)| -> Result<ServiceConfig, ShortFormError> {
            form.in_world(&model.world(index, point).services)
        };
        let services = self.points.iter().enumerate().map(service).collect::<Result<_, _>>()?;
        let variant = model.variant_of_world().to_owned();
        let label = legend(form);
        let classes = self.classes_in_the_world_of(model);
        let changes = if variant.is_empty() { &model.in_columns } else { &variant };
        let notes = [changes_in_words(changes), legend_of(&classes, &label), remark.to_owned()];
        let notes = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join(", ");
        Ok(Scheme {
            name: form.to_string(),
            label: format!("{label} ({notes})"),
            variant,
            in_columns: model.in_columns.clone(),
            world_changes: model.world_changes.clone(),
            scenarios: model.scenarios.clone(),
            services,
            classes,
            is_added: true,
            changes: None,
        })
    }

    /// The services of classes that most schemes in the world of one have.
    fn classes_in_the_world_of(&self, model: &Scheme) -> Vec<super::classes::ClassService> {
        let alike = || self.schemes.iter().filter(|other| other.scenarios == model.scenarios);
        let share = |scheme: &&Scheme| alike().filter(|other| other.classes == scheme.classes).count();
        alike().max_by_key(share).unwrap_or(model).classes.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Effort;
    use crate::run::plan::{Plan, Request};
    use arqway_config::Source;
    use arqway_link::mux::Carrier;
    use std::path::Path;

    const REMARK: &str = "not the paper's";

    /// An experiment in the world of a paper, with another scheme in it.
    fn with(base: &str, schemes: &str, short: &str) -> (Experiment, usize) {
        let text = format!("[experiment]\nid = 'study'\n[scenario]\nbase = '{base}'\n{schemes}");
        let read = Experiment::read(&Source::new("study.toml", text), Path::new(""), Effort::Full);
        let mut experiment = read.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let form = short.parse().expect("a short form");
        let added = experiment.add_scheme(&form, REMARK).expect("a service in this world");
        (experiment, added)
    }

    fn names(experiment: &Experiment) -> Vec<String> {
        experiment.schemes.iter().map(Scheme::both_names).collect()
    }

    #[test]
    fn an_added_scheme_stands_behind_those_of_the_file_and_says_that_it_was_added() {
        let (study, added) = with("monet08", "[[scheme]]\nuse = 'raw'\n[[scheme]]\nuse = 'sr:0.9'\n", "asr:3+2");
        assert_eq!(names(&study), ["Raw Link (raw)", "SR 0.9 s (sr:0.9)", "ASR 3+2 (not the paper's) (asr:3+2)"]);
        assert_eq!(
            (added, study.schemes.iter().map(|scheme| scheme.is_added).collect::<Vec<_>>()),
            (1, vec![false, false, true])
        );
    }

    #[test]
    fn it_has_the_settings_of_its_world_and_carries_what_the_files_services_carry() {
        let file = "[[scheme]]\nuse = 'raw'\n[[scheme]]\nuse = 'asr:3+2'\n";
        let (study, _) = with("monet08", file, "sr:1.3");
        let (own, _) = with("monet08", "[[scheme]]\nuse = 'raw'\n[[scheme]]\nuse = 'sr:1.3'\n", "asr:3+2");
        let scenario = |study: &Experiment, index: usize| study.schemes[index].scenario(0, &study.points[0]);
        assert_eq!(scenario(&study, 2), scenario(&own, 1), "as if the file had it");
        assert!(scenario(&study, 2).is_some());
    }

    #[test]
    fn it_is_in_each_world_that_rows_tell_apart_and_once_in_each() {
        let file = "[[scheme]]\nuse = 'raw'\n[[scheme]]\nuse = 'sr'\n\
                    [[scheme]]\nuse = 'sr'\nvariant = 'nack=single'\nset = { rejects = 'one-at-a-time' }\n\
                    [[scheme]]\nuse = 'raw'\nvariant = 'wired=2M/50ms'\nworld = { 'wired.rate' = '2 Mbit/s' }\n\
                    [[scheme]]\nlabel = 'freezing'\nservice = 'raw'\nworld = { 'tcp.on-hints' = 'freeze' }\n\
                    [[scheme]]\nuse = 'raw'\nworld = { 'file-transfer.connections' = 5 }\n";
        let (study, added) = with("monet08", file, "snoop");
        let expected = ["snoop", "snoop wired=2M/50ms", "snoop connections=5"];
        assert_eq!(study.schemes.iter().skip(6).map(Scheme::full_name).collect::<Vec<_>>(), expected);
        assert_eq!(added, 3);
        let plan = Plan::new(vec![study], &Request::default()).expect("all cells");
        let rates = plan.settings.iter().skip(6).map(|setting| setting.scenario.wired.rate.as_bits_per_second());
        assert_eq!(rates.collect::<Vec<_>>(), [10_000_000, 2_000_000, 10_000_000]);
    }

    #[test]
    fn classes_are_carried_as_by_most_schemes_of_the_file() {
        let file = "[[scheme]]\nuse = 'raw'\nclasses = { media = 'raw' }\n\
                    [[scheme]]\nuse = 'sr'\nclasses = { media = 'oos-rlp:1' }\n\
                    [[scheme]]\nuse = 'snoop'\nclasses = { media = 'oos-rlp:1' }\n";
        let (study, _) = with("multiservice", file, "rlp:3");
        let carrier = |index: usize| -> Carrier {
            let world = study.schemes[index].scenario(0, &study.points[0]).expect("a world");
            world.link_layer.classes[0].carrier.clone()
        };
        assert_eq!(carrier(3), carrier(1));
        assert_eq!(study.schemes[3].label, "RLP 3 (media: OOS RLP 1, not the paper's)");
    }

    #[test]
    fn a_scheme_that_is_there_already_is_not_added_again() {
        let (study, added) = with("monet08", "[[scheme]]\nuse = 'raw'\n[[scheme]]\nuse = 'sr:0.9'\n", "sr:0.9");
        assert_eq!((study.schemes.len(), added), (2, 0));
    }
}
