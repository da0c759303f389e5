//! A link that goes between states as the likelihood sees it: a continuous-time chain, with a rate of errors in each state.
//!
//! Let Q be the generator, pi the equilibrium and L the errors a bit. A frame of n bits that takes T arrives with
//! exp(Q T - L n), is lost with exp(Q T) - exp(Q T - L n), and the time g behind it is exp(Q g): each entry a probability to
//! go from a state to another while that happens. The chains here go back as often as forth between any two states, so
//! with D = diag(sqrt(pi)), S = D Q D^-1 is symmetric, and all exponentials come from two decompositions. The likelihood
//! of a whole trace is then sqrt(pi) A1 A2 ... An sqrt(pi), A being these matrices in turn.
//!
//! The linear algebra is written here: matrices of two or four states on the stack are 60 lines, and the last bits of a fit
//! (so the files that `arqway fit` writes) would change with the version of a crate for it.

pub(super) type Matrix<const N: usize> = [[f64; N]; N];

/// A chain, in its symmetric form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain<const N: usize> {
    /// S, a second.
    pub(super) rates: Matrix<N>,
    /// Minus the logarithm of the probability that a bit is right, in each state.
    pub(super) errors: [f64; N],
    /// The square roots of the equilibrium.
    pub(super) root: [f64; N],
}

impl<const N: usize> Chain<N> {
    /// A chain of states that are good or bad, each with its mean length in seconds and the share of the good (or bad)
    /// periods that are of its kind. A period is followed by one of the other side.
    pub(super) fn alternating(states: [State; N]) -> Self {
        let mut rates = [[0.0; N]; N];
        for (from, left) in states.iter().enumerate() {
            for (to, entered) in states.iter().enumerate() {
                rates[from][to] = match (from == to, left.is_bad == entered.is_bad) {
                    (true, _) => -1.0 / left.mean,
                    (_, true) => 0.0,
                    (_, false) => ((left.share / left.mean) * (entered.share / entered.mean)).sqrt(),
                };
            }
        }
        let all: f64 = states.iter().map(|state| state.share * state.mean).sum();
        let root = states.map(|state| (state.share * state.mean / all).sqrt());
        Self { rates, errors: states.map(|state| state.errors), root }
    }
}

/// One state of an alternating chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) is_bad: bool,
    pub(super) mean: f64,
    pub(super) share: f64,
    pub(super) errors: f64,
}

/// A symmetric matrix as V diag(w) V^T.
pub(super) struct Decomposed<const N: usize> {
    values: [f64; N],
    vectors: Matrix<N>,
}

impl<const N: usize> Decomposed<N> {
    /// Jacobi's rotations, until nothing is left beside the diagonal.
    pub(super) fn new(mut matrix: Matrix<N>) -> Self {
        const SWEEPS: usize = 30;
        let mut vectors = [[0.0; N]; N];
        for (index, row) in vectors.iter_mut().enumerate() {
            row[index] = 1.0;
        }
        for _ in 0..SWEEPS {
            let beside: f64 = (0..N)
                .flat_map(|row| (0..row).map(move |column| (row, column)))
                .map(|(row, column)| matrix[row][column].abs())
                .sum();
            let largest = (0..N).map(|index| matrix[index][index].abs()).fold(0.0, f64::max);
            if beside <= 1e-17 * largest {
                break;
            }
            for row in 1..N {
                for column in 0..row {
                    rotate(&mut matrix, &mut vectors, column, row);
                }
            }
        }
        Self { values: std::array::from_fn(|index| matrix[index][index]), vectors }
    }

    /// exp(A t)
    pub(super) fn exponential(&self, t: f64) -> Matrix<N> {
        let grown = self.values.map(|value| libm::exp(value * t));
        let entry =
            |row: usize, column: usize| (0..N).map(|k| self.vectors[row][k] * grown[k] * self.vectors[column][k]).sum();
        std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
    }
}

/// Turns the plane of two axes so that the entry between them vanishes.
fn rotate<const N: usize>(matrix: &mut Matrix<N>, vectors: &mut Matrix<N>, p: usize, q: usize) {
    if matrix[p][q] == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |row: &mut [f64; N]| {
        let (a, b) = (row[p], row[q]);
        (row[p], row[q]) = (cosine * a - sine * b, sine * a + cosine * b);
    };
    matrix.iter_mut().for_each(turn);
    let (above, below) = (matrix[p], matrix[q]);
    matrix[p] = std::array::from_fn(|k| cosine * above[k] - sine * below[k]);
    matrix[q] = std::array::from_fn(|k| sine * above[k] + cosine * below[k]);
    vectors.iter_mut().for_each(turn);
}

/// The product of two matrices.
pub(super) fn product<const N: usize>(a: &Matrix<N>, b: &Matrix<N>) -> Matrix<N> {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..N).map(|k| a[row][k] * b[k][column]).sum()))
}
