//! How verdicts are shown, and counted: by a sign and by words; colour only repeats them.

/// How many claims got each verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The claim holds in our results.
    pub reproduced: usize,
    /// The direction is the paper's, the amount is not.
    pub direction: usize,
    /// Our results contradict the claim.
    pub not_reproduced: usize,
    /// Our results do not decide it.
    pub cannot_tell: usize,
}

impl Tally {
    /// How many claims there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts().iter().map(|(_, count)| count).sum()
    }

    /// The verdicts, best first, with their counts.
    pub(super) fn counts(&self) -> [(Badge, usize); 4] {
        [
            (Badge::REPRODUCED, self.reproduced),
            (Badge::DIRECTION, self.direction),
            (Badge::NOT_REPRODUCED, self.not_reproduced),
            (Badge::CANNOT_TELL, self.cannot_tell),
        ]
    }

    /// The verdicts that occur, best first.
    pub(super) fn occurring(&self) -> impl Iterator<Item = (Badge, usize)> {
        self.counts().into_iter().filter(|&(_, count)| count > 0)
    }

    /// `21 reproduced, 3 direction only`
    pub(super) fn in_words(&self) -> String {
        let words: Vec<String> = self.occurring().map(|(badge, count)| format!("{count} {}", badge.words)).collect();
        words.join(", ")
    }

    /// The pieces of a bar that is as long as all of them together.
    ///
    /// The better a verdict the higher its piece: so the bar can be read in black and white.
    pub(super) fn bar(&self) -> Vec<Piece> {
        let percent = |count: usize| 100.0 * count as f64 / self.total() as f64;
        let heights = [("reproduced", 100), ("direction", 74), ("not-reproduced", 50), ("cannot-tell", 28)];
        let mut before = 0;
        let piece = |(badge, count): (Badge, usize)| {
            let height = heights.iter().find(|(name, _)| *name == badge.name).map_or(100, |(_, height)| *height);
            let (left, width) = (percent(before), percent(count));
            before += count;
            Piece { name: badge.name, left: rounded(left), width: rounded(width), top: 100 - height, height }
        };
        self.occurring().map(piece).collect()
    }
}

/// Part of a bar; all lengths in percent of it.
pub(super) struct Piece {
    pub(super) name: &'static str,
    pub(super) left: String,
    pub(super) width: String,
    pub(super) top: u32,
    pub(super) height: u32,
}

fn rounded(percent: f64) -> String {
    format!("{percent:.2}")
}

/// How a verdict is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Badge {
    /// As in `claims.csv`, and a class of the style sheet.
    pub(super) name: &'static str,
    pub(super) sign: &'static str,
    pub(super) words: &'static str,
}

impl Badge {
    pub(super) const REPRODUCED: Self = Self { name: "reproduced", sign: "✓", words: "reproduced" };
    pub(super) const DIRECTION: Self = Self { name: "direction", sign: "≈", words: "direction only" };
    pub(super) const NOT_REPRODUCED: Self = Self { name: "not-reproduced", sign: "✗", words: "not reproduced" };
    pub(super) const CANNOT_TELL: Self = Self { name: "cannot-tell", sign: "?", words: "cannot tell" };
    pub(super) const ALL: [Self; 4] = [Self::REPRODUCED, Self::DIRECTION, Self::NOT_REPRODUCED, Self::CANNOT_TELL];

    /// How a verdict is shown, by its name in `claims.csv`.
    pub(super) fn of(verdict: &str) -> Self {
        Self::ALL.into_iter().find(|badge| badge.name == verdict).unwrap_or(Self::CANNOT_TELL)
    }
}
