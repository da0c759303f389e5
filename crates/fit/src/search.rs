//! The highest point of a smooth function: BFGS with a backtracking line search.
//!
//! Written here because its bounds on steps and its end are those of log-likelihoods, and eight parameters need no matrix crate.

/// Where a search ended.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) at: Vec<f64>,
    pub(super) value: f64,
}

/// More iterations than this have never been needed.
const MOST_ITERATIONS: usize = 300;
/// The search ends where the next step promises less, of the logarithm of a likelihood: a hundredth of a standard error.
const LEAST_GAIN: f64 = 1e-4;
/// No parameter moves further in a step.
const LONGEST_STEP: f64 = 1.5;

/// Climbs from `start`. The function gives its value, minus infinity where it has none, and its gradient.
pub(super) fn climb(start: &[f64], function: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Found {
    let count = start.len();
    let mut at = start.to_vec();
    let (mut value, mut gradient) = function(&at);
    let mut inverse = scaled_identity(count, 0.3 / norm(&gradient).max(1.0));
    let mut is_first = true;
    for _ in 0..MOST_ITERATIONS {
        let mut direction = times(&inverse, &gradient);
        let mut slope = dot(&direction, &gradient);
        if slope <= 0.0 || slope.is_nan() {
            inverse = scaled_identity(count, 0.3 / norm(&gradient).max(1.0));
            direction = times(&inverse, &gradient);
            slope = dot(&direction, &gradient);
        }
        if slope < LEAST_GAIN && !is_first || slope.is_nan() || slope == 0.0 {
            break;
        }
        let longest = direction.iter().fold(0.0f64, |longest, step| longest.max(step.abs()));
        let mut length = (LONGEST_STEP / longest).min(1.0);
        let stepped = loop {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(at, step)| at + length * step).collect();
            let (reached, slopes) = function(&next);
            if reached >= value + 1e-4 * length * slope {
                break Some((next, reached, slopes));
            }
            length *= 0.4;
            if length * longest < 1e-9 {
                break None;
            }
        };
        let Some((next, reached, slopes)) = stepped else { break };
        let moved: Vec<f64> = next.iter().zip(&at).map(|(next, at)| next - at).collect();
        // Of the function upside down, which is convex near its lowest point.
        let bent: Vec<f64> = gradient.iter().zip(&slopes).map(|(before, after)| before - after).collect();
        let curvature = dot(&moved, &bent);
        if curvature > 1e-12 {
            if is_first {
                inverse = scaled_identity(count, curvature / dot(&bent, &bent));
            }
            update(&mut inverse, &moved, &bent, curvature);
        }
        is_first = false;
        (at, value, gradient) = (next, reached, slopes);
    }
    Found { at, value }
}

/// The formula of Broyden, Fletcher, Goldfarb and Shanno for the inverse.
fn update(inverse: &mut [Vec<f64>], moved: &[f64], bent: &[f64], curvature: f64) {
    let turned = times(inverse, bent);
    let factor = (1.0 + dot(bent, &turned) / curvature) / curvature;
    for (row, entries) in inverse.iter_mut().enumerate() {
        for (column, entry) in entries.iter_mut().enumerate() {
            *entry += factor * moved[row] * moved[column]
                - (turned[row] * moved[column] + moved[row] * turned[column]) / curvature;
        }
    }
}

/// The inverse of a symmetric positive definite matrix, by Cholesky's factor; `None` if it is not one.
pub(super) fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    let mut factor = vec![vec![0.0; count]; count];
    for row in 0..count {
        for column in 0..=row {
            let sum: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
            let rest = matrix[row][column] - sum;
            if row == column {
                if rest <= 0.0 || rest.is_nan() {
                    return None;
                }
                factor[row][row] = rest.sqrt();
            } else {
                factor[row][column] = rest / factor[column][column];
            }
        }
    }
    let column_of = |unit: usize| {
        let mut solved = vec![0.0; count];
        for row in 0..count {
            let sum: f64 = (0..row).map(|k| factor[row][k] * solved[k]).sum();
            solved[row] = (f64::from(u8::from(row == unit)) - sum) / factor[row][row];
        }
        for row in (0..count).rev() {
            let sum: f64 = (row + 1..count).map(|k| factor[k][row] * solved[k]).sum();
            solved[row] = (solved[row] - sum) / factor[row][row];
        }
        solved
    };
    Some((0..count).map(column_of).collect())
}

fn scaled_identity(count: usize, scale: f64) -> Vec<Vec<f64>> {
    (0..count).map(|row| (0..count).map(|column| if row == column { scale } else { 0.0 }).collect()).collect()
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}
