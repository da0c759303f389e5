//! What tells curves apart: marker, dash and colour. Each suffices alone for eight curves, so that a figure can be read in
//! black and white, and by readers who see colours differently.
//!
//! A scheme has the same look in every figure of every paper. What changes something in a scheme has its colour, or where a
//! figure is mostly about the changes, one of its own.

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) marker: Marker,
    /// Whether the marker is filled with the curve's colour, or hollow.
    pub(crate) filled: bool,
    /// Value of `stroke-dasharray`; empty for a solid line.
    pub(crate) dash: &'static str,
    /// Index into [`COLOURS`].
    pub(crate) colour: usize,
}

/// A shape around a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    TriangleUp,
    Diamond,
    TriangleDown,
    /// Strokes only.
    Cross,
    Star,
    Hexagon,
    /// Strokes only.
    Plus,
}

/// A colour on white paper, and on a dark screen.
#[derive(Debug)]
pub struct Colour {
    /// On white paper.
    pub light: &'static str,
    /// On a dark screen.
    pub dark: &'static str,
}

/// The palette of Okabe and Ito, with a grey in place of its yellow, which is too faint for lines on white.
pub const COLOURS: [Colour; 8] = [
    Colour { light: "#000000", dark: "#f2f2f2" },
    Colour { light: "#0072b2", dark: "#3d9be0" },
    Colour { light: "#d55e00", dark: "#f07a2a" },
    Colour { light: "#009e73", dark: "#1fbf92" },
    Colour { light: "#cc79a7", dark: "#e094be" },
    Colour { light: "#56b4e9", dark: "#9bd7f8" },
    Colour { light: "#e69f00", dark: "#f0b52e" },
    Colour { light: "#7f7f7f", dark: "#a0a0a0" },
];

/// The attributes of what is painted in `currentColor`, in a colour of the palette.
pub fn curve_colour(colour: usize) -> String {
    format!("class=\"arqway-curve-{colour}\" color=\"{}\"", COLOURS[colour].light)
}

const DASHES: [&str; 8] = ["", "8 3", "2 2.5", "9 3 2 3", "15 4", "9 3 2 3 2 3", "4.5 2", "3 5"];

/// The second eight are the first with the fill exchanged.
const MARKERS: [(Marker, bool); 16] = [
    (Marker::Circle, true),
    (Marker::Square, false),
    (Marker::TriangleUp, true),
    (Marker::Diamond, false),
    (Marker::TriangleDown, true),
    (Marker::Cross, false),
    (Marker::Star, true),
    (Marker::Hexagon, false),
    (Marker::Circle, false),
    (Marker::Square, true),
    (Marker::TriangleUp, false),
    (Marker::Diamond, true),
    (Marker::TriangleDown, false),
    (Marker::Plus, false),
    (Marker::Star, false),
    (Marker::Hexagon, true),
];

/// The looks of the schemes that papers compare, and of what is compared with them, by their numbers; the number modulo eight is the colour. Schemes that share
/// a figure differ in marker, in dash and in colour.
const SCHEMES: [(&str, usize); 36] = [
    ("raw", 0),
    ("sr", 9),
    ("sr:0.1", 38),
    ("sr:0.2", 50),
    ("sr:0.25", 39),
    ("sr:0.3", 44),
    ("sr:0.7", 5),
    ("sr:0.8", 7),
    ("sr:0.9", 6),
    ("sr:1.0", 2),
    ("sr:1.1", 1),
    ("sr:1.2", 3),
    ("sr:1.3", 4),
    ("asr:1+4", 12),
    ("asr:2+4", 14),
    ("asr:3+2", 10),
    ("asr:4+0", 11),
    ("asr:4+2", 13),
    ("asr:4+4", 15),
    ("rlc:1", 21),
    ("rlc:2", 20),
    ("rlc:3", 22),
    ("rlc:4", 19),
    ("rlc:5", 23),
    ("go-back-n", 30),
    ("rlp:1", 35),
    ("rlp:3", 27),
    ("oos-rlp:1", 53),
    ("xor-fec:12", 26),
    ("snoop", 28),
    ("sscop-full", 37),
    ("sscop-pfrs", 17),
    ("sscop-none", 18),
    ("dda:1.0", 43),
    ("dda:2.0", 62),
    ("tally", 31),
];

/// How many looks there are that differ without colour.
const LOOKS: usize = 64;

impl Look {
    /// A look by its number: the first 64 differ, without colour too.
    fn of(number: usize) -> Self {
        let (marker, filled) = MARKERS[number % MARKERS.len()];
        // Looks that share a marker have another dash.
        let dash = DASHES[(number + number / DASHES.len()) % DASHES.len()];
        Self { marker, filled, dash, colour: number % COLOURS.len() }
    }
}

/// The number of the scheme that a curve shows, whatever it changes in it: `sr:1.1 nack=single` is like `sr:1.1`.
fn number_of(scheme: &str) -> Option<usize> {
    let name = scheme.split(' ').next().unwrap_or_default();
    SCHEMES.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// The looks of a figure's curves, whose schemes are called so in rows.
///
/// Plain schemes have theirs; whatever else there is takes what is left: a scheme's own marker with the fill exchanged, if
/// that is free. Where several schemes come with changes, the colour tells the scheme, and marker and dash the change.
pub(crate) fn looks(schemes: &[&str]) -> Vec<Look> {
    if schemes.iter().all(|scheme| number_of(scheme).is_none()) {
        return (0..schemes.len()).map(Look::of).collect();
    }
    let is_plain = |scheme: &str| !scheme.contains(' ');
    let with_changes =
        SCHEMES.iter().filter(|(_, number)| schemes.iter().filter(|one| number_of(one) == Some(*number)).count() > 1);
    let keeps_colour = with_changes.count() > 1;
    let mut numbers: Vec<Option<usize>> =
        schemes.iter().map(|scheme| number_of(scheme).filter(|_| is_plain(scheme))).collect();
    let mut colours: Vec<Option<usize>> =
        numbers.iter().map(|number| number.map(|number| number % COLOURS.len())).collect();
    let exchange = |number: usize| (number + DASHES.len()) % MARKERS.len();
    let kept_free: Vec<usize> = schemes.iter().filter_map(|scheme| number_of(scheme)).map(exchange).collect();
    for index in 0..schemes.len() {
        if numbers[index].is_some() {
            continue;
        }
        let own = number_of(schemes[index]);
        let colour = own.filter(|_| keeps_colour).map(|number| number % COLOURS.len());
        let is_free = |number: &usize| !numbers.contains(&Some(*number));
        let of_no_scheme = |number: &usize| SCHEMES.iter().all(|(_, other)| other != number);
        let is_unlike = |number: &usize| {
            let (look, mut taken) = (Look::of(*number), numbers.iter().flatten().map(|taken| Look::of(*taken)));
            taken.all(|other| other.marker != look.marker && other.dash != look.dash)
        };
        let is_new = |number: &usize| !colours.contains(&Some(Look::of(*number).colour)) && is_unlike(number);
        let others = || (0..LOOKS).filter(|number| !kept_free.contains(number)).chain(0..LOOKS);
        let candidates = || others().filter(is_free);
        let number = match (own, colour) {
            (Some(own), Some(_)) => Some(exchange(own)).filter(is_free).or_else(|| candidates().find(is_unlike)),
            _ => candidates().filter(of_no_scheme).find(is_new).or_else(|| candidates().find(is_new)),
        };
        let number = number.or_else(|| candidates().next());
        let number = number.unwrap_or(index);
        (numbers[index], colours[index]) = (Some(number), Some(colour.unwrap_or(number % COLOURS.len())));
    }
    let look = |(number, colour): (Option<usize>, Option<usize>)| {
        let look = Look::of(number.unwrap_or_default());
        Look { colour: colour.unwrap_or(look.colour), ..look }
    };
    numbers.into_iter().zip(colours).map(look).collect()
}

impl Marker {
    /// Corners on a circle of radius 1, to be joined in this order; none for shapes that are no polygon.
    pub(crate) fn corners(self) -> &'static [(f64, f64)] {
        match self {
            Self::Circle | Self::Cross | Self::Plus => &[],
            Self::Square => &[(-0.84, -0.84), (0.84, -0.84), (0.84, 0.84), (-0.84, 0.84)],
            Self::TriangleUp => &[(0.0, -1.12), (1.06, 0.76), (-1.06, 0.76)],
            Self::TriangleDown => &[(0.0, 1.12), (-1.06, -0.76), (1.06, -0.76)],
            Self::Diamond => &[(0.0, -1.2), (1.0, 0.0), (0.0, 1.2), (-1.0, 0.0)],
            Self::Hexagon => &[(0.0, -1.1), (0.95, -0.55), (0.95, 0.55), (0.0, 1.1), (-0.95, 0.55), (-0.95, -0.55)],
            Self::Star => &[
                (0.0, -1.3),
                (0.34, -0.46),
                (1.24, -0.40),
                (0.54, 0.18),
                (0.76, 1.05),
                (0.0, 0.57),
                (-0.76, 1.05),
                (-0.54, 0.18),
                (-1.24, -0.40),
                (-0.34, -0.46),
            ],
        }
    }

    /// Strokes through the centre, as pairs of ends; none for shapes with an area.
    pub(crate) fn strokes(self) -> &'static [[(f64, f64); 2]] {
        match self {
            Self::Cross => &[[(-0.9, -0.9), (0.9, 0.9)], [(-0.9, 0.9), (0.9, -0.9)]],
            Self::Plus => &[[(-1.2, 0.0), (1.2, 0.0)], [(0.0, -1.2), (0.0, 1.2)]],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::canvas::Canvas;
    use super::super::marker::draw_marker;
    use super::*;

    fn differ<T: PartialEq + std::fmt::Debug>(of: &[T]) -> bool {
        of.iter().enumerate().all(|(index, one)| !of[..index].contains(one))
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|index| format!("of one's own {index}")).collect()
    }

    fn looks_of(names: &[String]) -> Vec<Look> {
        looks(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn eight_curves_differ_in_each_of_marker_dash_and_colour() {
        let looks = looks_of(&names(8));
        assert!(differ(&looks.iter().map(|look| look.marker).collect::<Vec<_>>()));
        assert!(differ(&looks.iter().map(|look| look.dash).collect::<Vec<_>>()));
        assert!(differ(&looks.iter().map(|look| look.colour).collect::<Vec<_>>()));
        assert!(differ(&COLOURS.map(|colour| colour.light)) && differ(&COLOURS.map(|colour| colour.dark)));
    }

    #[test]
    fn sixty_four_curves_differ_without_colour() {
        let looks = looks_of(&names(64));
        assert!(differ(&looks.iter().map(|look| (look.marker, look.filled, look.dash)).collect::<Vec<_>>()));
        assert_eq!(looks_of(&names(100)).len(), 100, "more have looks too");
    }

    #[test]
    fn a_scheme_has_one_look_whatever_stands_beside_it_and_no_other_has_it() {
        let all: Vec<&str> = SCHEMES.iter().map(|(name, _)| *name).collect();
        let together = looks(&all);
        assert!(differ(&all) && differ(&together), "{together:?}");
        for (name, look) in all.iter().zip(&together) {
            assert_eq!(looks(&["of one's own", name])[1], *look, "{name}");
            assert_eq!(looks(&["sr:1.1 nack=single", "asr:3+2 float", name])[2], *look, "{name}");
        }
    }

    #[test]
    fn where_several_schemes_come_with_changes_the_colour_tells_the_scheme() {
        let [plain, other, changed, other_changed] = looks(&["sr:1.1", "asr:3+2", "sr:1.1 slow", "asr:3+2 slow"])[..]
        else {
            panic!("four looks")
        };
        assert_eq!((plain.colour, other.colour), (changed.colour, other_changed.colour));
        assert!(plain.filled != changed.filled && plain.marker == changed.marker, "the fill is exchanged");
        let six = looks(&["raw", "raw hints", "raw freeze", "sr", "sr hints", "sr freeze"]);
        assert_eq!((six[0].marker, six[3].marker), (six[1].marker, six[4].marker), "no other change takes it");
        for three in six.chunks(3) {
            assert!(differ(&three.iter().map(|look| look.dash).collect::<Vec<_>>()), "{three:?}");
        }
        // Of a single scheme, the changes are what matters.
        let changes = looks(&["sr:1.1", "sr:1.1 one", "sr:1.1 two", "sr:1.1 three"]);
        assert!(differ(&changes.iter().map(|look| look.colour).collect::<Vec<_>>()));
    }

    #[test]
    fn every_marker_has_a_shape() {
        let shape = |look: &Look| {
            let mut canvas = Canvas::new("id", "", "", (10.0, 10.0));
            draw_marker(&mut canvas, *look, (5.0, 5.0));
            canvas.finish()
        };
        assert!(differ(&looks_of(&names(16)).iter().map(shape).collect::<Vec<_>>()));
    }
}
