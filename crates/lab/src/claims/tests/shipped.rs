//! Every claim under `claims/`: reproduced by rows that agree with it, and no longer once the rows are doctored. So none is
//! true of everything.

use super::*;

/// The means of a claim's cells, in the order of `Claim::cells`, made to agree with it.
type Means = Vec<f64>;

fn shipped() -> Vec<Claim> {
    let papers = library::papers().expect("a list");
    let sources = papers.iter().filter_map(|paper| library::claims(&paper.id));
    sources.flat_map(|source| read(&source).expect("no mistakes")).collect()
}

fn judged(claim: &Claim, means: &Means) -> Verdict {
    let cells = claim.cells();
    assert_eq!(cells.len(), means.len(), "{}", claim.about.id);
    let rows = cells.iter().zip(means).flat_map(|(cell, mean)| super::cell(&claim.about, *cell, &around(*mean)));
    claim.judge(&Evidence::of(&rows.collect::<Vec<_>>())).verdict()
}

/// Means that agree with a claim: what it says, taken literally.
fn agreeing(claim: &Claim) -> Means {
    let cells = claim.cells();
    let by_place = |place: &dyn Fn(&Cell<'_>) -> f64| cells.iter().map(place).collect();
    match &claim.statement {
        Statement::BestWorst(_) => {
            // Of its cells, the best is named next to last and the worst last.
            let (best, worst) = (cells[cells.len() - 2].scheme, cells[cells.len() - 1].scheme);
            by_place(&|cell| {
                if cell.scheme == best {
                    300.0
                } else if cell.scheme == worst {
                    100.0
                } else {
                    200.0
                }
            })
        }
        Statement::Gain(_) => vec![176.0, 100.0],
        Statement::Value(_) => vec![cells[0].point / 100.0],
        Statement::Order(_) => {
            let first: Vec<&str> =
                cells.iter().take_while(|cell| cell.point == cells[0].point).map(|cell| cell.scheme).collect();
            by_place(&|cell| {
                100.0 * (first.len() - first.iter().position(|one| *one == cell.scheme).unwrap_or(0)) as f64
            })
        }
        Statement::Shape(_) => by_place(&|cell| agreeing_with_shape(&claim.about.id, cell)),
        Statement::Top(_) | Statement::NotAbove(_) | Statement::Cross(_) => {
            panic!("{}: say here which means agree with it", claim.about.id)
        }
    }
}

/// Rows that agree with each shape, by hand: a new shape needs its line.
fn agreeing_with_shape(id: &str, cell: &Cell<'_>) -> f64 {
    match (id, cell.scheme, cell.variant, cell.metric) {
        ("monet08.fig10.tcp-policy-times-out-without-errors", _, _, Some("link-timeouts")) => 0.05,
        ("monet08.fig10.tcp-policy-times-out-without-errors", "asr:1+4", _, _) => 50.0,
        ("monet08.fig10.tcp-policy-times-out-without-errors", ..) => 60.0,
        ("monet08.secV.integer-arithmetic", "asr:1+4", "", _) => 51.0,
        ("monet08.secV.integer-arithmetic", "asr:1+4", ..) => 50.0,
        ("monet08.secV.integer-arithmetic", ..) => 60.0,
        ("monet08.secIV.simple-nacks-are-slower", _, "", _) => 60.0,
        ("monet08.secIV.simple-nacks-are-slower", ..) => 50.0,
        _ => panic!("{id}: say here which means agree with it"),
    }
}

#[test]
fn each_is_reproduced_by_rows_that_agree_with_it() {
    for claim in shipped() {
        let verdict = judged(&claim, &agreeing(&claim));
        // A number of its own is judged elsewhere; here the means are three to one.
        let number_only = matches!(claim.statement, Statement::Gain(_));
        assert!(verdict == Verdict::Reproduced || (number_only && verdict == Verdict::Direction), "{}", claim.about.id);
    }
}

#[test]
fn none_is_reproduced_once_its_cells_have_changed_places() {
    for claim in shipped() {
        let means = agreeing(&claim);
        let (least, most) = (means.iter().copied().fold(f64::MAX, f64::min), means.iter().copied().fold(0.0, f64::max));
        // Upside down: what was highest is lowest.
        let swapped: Means = match &claim.statement {
            Statement::Value(_) => means.iter().map(|mean| 3.0 * mean).collect(),
            _ => means.iter().map(|mean| least + most - mean).collect(),
        };
        assert_ne!(judged(&claim, &swapped), Verdict::Reproduced, "{} of swapped schemes", claim.about.id);
    }
}

#[test]
fn no_shape_and_no_statement_is_reproduced_by_flat_curves() {
    for claim in shipped().into_iter().filter(|claim| !matches!(claim.statement, Statement::Value(_))) {
        let flat = vec![50.0; claim.cells().len()];
        assert_ne!(judged(&claim, &flat), Verdict::Reproduced, "{}", claim.about.id);
    }
}

#[test]
fn each_condition_of_a_shape_can_fail_by_itself() {
    for claim in shipped() {
        let Statement::Shape(_) = &claim.statement else { continue };
        let means = agreeing(&claim);
        let cells = claim.cells();
        // Every cell in turn, far off: some condition notices, or the cell would be read for nothing.
        for cell in 0..cells.len() {
            let noticed = [0.001, 1000.0].into_iter().any(|factor| {
                let same = |other: usize| cells[other] == cells[cell];
                let doctored: Means =
                    (0..cells.len()).map(|at| if same(at) { factor * means[at] } else { means[at] }).collect();
                judged(&claim, &doctored) != Verdict::Reproduced
            });
            assert!(noticed, "{} does not notice {:?}", claim.about.id, cells[cell]);
        }
    }
}
