//! "Did you mean": the known name that a misspelt one most resembles.

/// The known name nearest to `found`, if one is near enough to have been meant.
///
/// ```
/// use arqway_config::suggest;
/// assert_eq!(suggest("replicatoins", ["id", "source", "replications", "seed"]), Some("replications"));
/// assert_eq!(suggest("colour", ["id", "source"]), None);
/// ```
#[must_use]
pub fn suggest<'known>(found: &str, known: impl IntoIterator<Item = &'known str>) -> Option<&'known str> {
    /// Jaro-Winkler favours a common beginning: this near, a long name was cut short rather than misspelt.
    const CUT_SHORT: f64 = 0.88;
    let found = spelling(found);
    // One wrong letter in three, a transposition being one: more would suggest names that nobody meant.
    let tolerated = (found.chars().count() + 1) / 3;
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&found, &spelling(name)), name))
        .filter(|(distance, name)| *distance <= tolerated || strsim::jaro_winkler(&found, &spelling(name)) >= CUT_SHORT)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// What is compared: neither case nor the choice between `-` and `_` matters.
fn spelling(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Names in a row, as many as somebody reads.
#[must_use]
pub fn listed(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 60;
    let mut list = names.iter().take(MOST).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if let Some(others @ 1..) = names.len().checked_sub(MOST) {
        list.push_str(&format!(", and {others} more"));
    }
    list
}

/// A line of help for a name that is not known: the nearest known one, and all of them.
#[must_use]
pub fn did_you_mean(found: &str, known: &[&str]) -> String {
    let list = if known.is_empty() { "nothing more".to_owned() } else { listed(known) };
    match suggest(found, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?  (known here: {list})"),
        None => format!("known here: {list}"),
    }
}
