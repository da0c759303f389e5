//! What a fit leaves behind: its parameters as a table, an experiment of the best channel, the two figures. Same trace,
//! same bytes.

use super::{Fit, WanderingFit};
use arqway_lab::output::{OutputError, make, save, save_drawing};
use arqway_units::{Octets, Span};
use std::path::Path;

impl Fit {
    /// What [`write`](Self::write) writes into its folder.
    pub const FILES: [&str; 7] =
        ["fit.csv", "fit.toml", "fit.losses", "fit-runs.svg", "fit-runs.png", "fit-gaps.svg", "fit-gaps.png"];

    /// Writes `fit.csv`, `fit.toml`, `fit.losses`, `fit-runs.svg`, `fit-gaps.svg` and their PNG into a folder.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub fn write(&self, folder: &Path) -> Result<(), OutputError> {
        make(folder)?;
        save(&folder.join("fit.csv"), self.to_csv().as_bytes())?;
        save(&folder.join("fit.toml"), self.to_experiment().as_bytes())?;
        save(&folder.join("fit.losses"), self.to_losses().as_bytes())?;
        for figure in self.figures() {
            save_drawing(folder, &figure.id, &figure.to_svg())?;
        }
        Ok(())
    }

    /// A row a parameter of a family: lengths in seconds, all else shares. What the trace does not tell is empty.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut text = "family,parameter,value,low,high,loglik,bic\n".to_owned();
        let end =
            |value: Option<f64>| value.map_or_else(String::new, |value| super::estimate::rounded(value).to_string());
        for fitted in &self.families {
            let estimate = &fitted.estimate;
            for (parameter, estimated) in estimate.family.parameters().iter().zip(&estimate.parameters) {
                text.push_str(&format!(
                    "{},{},{},{},{},{:.3},{:.3}\n",
                    estimate.family.name(),
                    parameter.path,
                    estimated.value,
                    end(estimated.low),
                    end(estimated.high),
                    estimate.log_likelihood,
                    estimate.bic
                ));
            }
        }
        text
    }

    /// What was lost, frame by frame, as errors of kind `trace` take it.
    #[must_use]
    pub fn to_losses(&self) -> String {
        let mut text = format!("# What {} says of each frame: 0 arrived, 1 was lost. By `arqway fit`.\n", self.name);
        for (number, run) in self.fates.chunk_by(|a, b| a == b).enumerate() {
            text.push_str(match number {
                0 => "",
                _ if number % 10 == 0 => "\n",
                _ => " ",
            });
            text.push_str(&format!("{}*{}", u8::from(run[0]), run.len()));
        }
        text + "\n"
    }

    /// An experiment that measures the best channel with frames like those of the trace.
    #[must_use]
    pub fn to_experiment(&self) -> String {
        // The tag of a frame is charged too, and a packet holds at least its headers.
        let packet = Octets::new(self.octets.as_u64().clamp(48, 65_000));
        let length = Span::from_seconds(self.length.as_seconds().clamp(10.0, 10_000.0).round());
        format!(
            "# The channel behind {}, by `arqway fit`. Put your own users and schemes in place of `channel` and `raw`.\n\
             \n\
             [experiment]\n\
             id = \"fit\"\n\
             replications = 10\n\
             \n\
             [scenario.set]\n\
             \"wireless.rate\" = \"{}\"\n\
             \"wireless.errors\" = {}\n\
             \"wireless.charge-tag\" = false\n\
             \"file-transfer.enabled\" = false\n\
             \"channel.enabled\" = true\n\
             \"channel.packet\" = \"{packet}\"\n\
             \"channel.duration\" = \"{length}\"\n\
             \n\
             [[scheme]]\n\
             use = \"raw\"\n\
             \n\
             [[figure]]\n\
             id = \"loss\"\n\
             y = \"channel.loss\"\n\
             \n\
             [[figure]]\n\
             id = \"burst\"\n\
             y = \"channel.burst\"\n",
            self.name.replace(char::is_control, " "),
            self.rate,
            self.errors(),
        )
    }
}

impl WanderingFit {
    /// Writes `fit.toml` into a folder.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub fn write(&self, folder: &Path) -> Result<(), OutputError> {
        make(folder)?;
        save(&folder.join("fit.toml"), self.to_experiment().as_bytes())
    }
}
