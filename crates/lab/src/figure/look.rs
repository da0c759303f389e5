//! What tells curves apart: marker, dash and colour. Each suffices alone for eight curves, so that a figure can be read in
//! black and white, and by readers who see colours differently.

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

const DASHES: [&str; 8] = ["", "8 3", "2 2.5", "9 3 2 3", "15 4", "9 3 2 3 2 3", "4.5 2", "1 4"];

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

impl Look {
    /// The look of the curve with this index: different for the first 64.
    pub(crate) fn of(index: usize) -> Self {
        let (marker, filled) = MARKERS[index % MARKERS.len()];
        // Curves that share a marker get another dash.
        let dash = DASHES[(index + index / DASHES.len()) % DASHES.len()];
        Self { marker, filled, dash, colour: index % COLOURS.len() }
    }
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
    use super::*;

    #[test]
    fn eight_curves_differ_in_each_of_marker_dash_and_colour() {
        let looks: Vec<_> = (0..8).map(Look::of).collect();
        for (index, one) in looks.iter().enumerate() {
            for other in &looks[..index] {
                assert_ne!(one.marker, other.marker);
                assert_ne!(one.dash, other.dash);
                assert_ne!(COLOURS[one.colour].light, COLOURS[other.colour].light);
                assert_ne!(COLOURS[one.colour].dark, COLOURS[other.colour].dark);
            }
        }
    }

    #[test]
    fn sixty_four_curves_differ_without_colour() {
        let looks: Vec<_> = (0..64).map(Look::of).collect();
        for (index, one) in looks.iter().enumerate() {
            for other in &looks[..index] {
                assert_ne!((one.marker, one.filled, one.dash), (other.marker, other.filled, other.dash));
            }
        }
    }
}
