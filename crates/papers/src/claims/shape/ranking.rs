//! Several schemes come in the same order in two worlds: what contention, or another wire, leaves as it is.
//!
//! ```toml
//! { rank = ["rlc:1", "rlc:3", "rlc:5"], as-in = { app = "web", beside = "none" }, in = { beside = "media" }, at = [5.4, 9.8] }
//! ```
//!
//! The second world says only how it differs from the first. The condition holds at a point if no two of the schemes change places, and if highest and lowest of the first world, by the means,
//! are apart the same way in both. "Apart" is said of a pair as in an order: the 95 % interval of the mean paired
//! difference lies on one side of zero. Two schemes change places if they are apart in both worlds, one way and the other.

use super::super::evidence::{About, Cell, Place};
use super::super::verdict::Missing;
use super::super::{Several, listed};
use arqway_lab::results::stats::Comparison;

/// Several schemes come in the same order in two worlds.
#[derive(Debug, Clone)]
pub(super) struct Ranking {
    /// The schemes, in any order.
    rank: Several<String, 2>,
    /// One world.
    as_in: Place,
    /// The other.
    r#in: Place,
    pub(super) at: Several<f64, 1>,
}

impl Ranking {
    /// The ranking in one world and in another that differs from it in this.
    pub(super) fn new(rank: Several<String, 2>, as_in: Place, differs: Place, at: Several<f64, 1>) -> Self {
        let r#in = differs.over(&as_in);
        Self { rank, as_in, r#in, at }
    }

    pub(super) fn holds(&self, about: &About<'_>, point: f64) -> Result<bool, Missing> {
        let apart =
            |place: &Place, a: &str, b: &str| Ok(about.pair(place.cell(a, point), place.cell(b, point))?.compare());
        for (index, a) in self.rank.iter().enumerate() {
            for b in &self.rank[index + 1..] {
                let both = (apart(&self.r#in, a, b)?, apart(&self.as_in, a, b)?);
                if let (Comparison::Above, Comparison::Below) | (Comparison::Below, Comparison::Above) = both {
                    return Ok(false);
                }
            }
        }
        let mut means = Vec::new();
        for scheme in self.rank.iter() {
            means.push((about.mean(self.as_in.cell(scheme, point))?.mean, scheme));
        }
        means.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some((_, lowest)), Some((_, highest))) = (means.first(), means.last()) else { return Ok(false) };
        let both = (apart(&self.r#in, highest, lowest)?, apart(&self.as_in, highest, lowest)?);
        Ok(both == (Comparison::Above, Comparison::Above))
    }

    pub(super) fn cells(&self, point: f64) -> impl Iterator<Item = Cell<'_>> {
        let places = [&self.as_in, &self.r#in].into_iter();
        places.flat_map(move |place| self.rank.iter().map(move |scheme| place.cell(scheme, point)))
    }

    pub(super) fn in_words(&self) -> String {
        let place = |place: &Place| match place.in_words() {
            none if none.is_empty() => "in the plain world".to_owned(),
            words => words,
        };
        format!("{} rank {} as {}", listed(&self.rank), place(&self.r#in), place(&self.as_in))
    }
}
