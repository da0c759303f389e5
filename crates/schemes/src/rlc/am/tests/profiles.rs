//! What a profile has is what the table in `rlc/am/profiles.md` says that it has.

use super::*;

/// Several settings of one cell may have a value each, or one for all.
fn each<'cell>(keys: &[&'cell str], cell: &'cell str) -> Vec<(&'cell str, &'cell str)> {
    let values: Vec<&str> = cell.split(", ").collect();
    keys.iter().enumerate().map(|(index, key)| (*key, *values.get(index).unwrap_or(&values[0]))).collect()
}

/// A profile with this setting given as well: `poll.timer` is one of the table `poll`.
fn with(profile: &str, key: &str, value: &str) -> Config {
    let value = value.trim_matches('`').trim_end_matches(" at most").trim_end_matches(" packets");
    let value = value.parse::<serde_json::Value>().unwrap_or_else(|_| value.into());
    let mut all = serde_json::json!({ "profile": profile });
    match key.split_once('.') {
        Some((table, key)) => all[table] = serde_json::json!({ key: value }),
        None => all[key] = value,
    }
    serde_json::from_value(all).unwrap_or_else(|error| panic!("{profile}, {key}: {error}"))
}

#[test]
fn each_profile_has_the_settings_that_its_page_says() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/rlc/am/profiles.md"));
    let page = page.expect("the page");
    let table =
        page.split("| key | standard | `robust` | `umts-uniform` | `umts-two-state` |").nth(1).expect("a table");
    let mut compared = 0;
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let [_, keys, _, of_profiles @ .., _] = &row.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let keys: Vec<&str> = keys.split('`').skip(1).step_by(2).collect();
        let mut last = "";
        for (profile, cell) in ["robust", "umts-uniform", "umts-two-state"].into_iter().zip(of_profiles) {
            last = if *cell == "the same" { last } else { cell };
            // Without effect in this profile.
            if last.starts_with('(') {
                continue;
            }
            for (key, value) in each(&keys, last) {
                for side in [Side::AccessPoint, Side::Client] {
                    let [plain, given] = [with(profile, "profile", profile), with(profile, key, value)]
                        .map(|config| format!("{:?}", config.settings(side)));
                    assert_eq!(plain, given, "{profile}: {key} = {value}");
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 3 * 39 - 2, "settings of three profiles, but two without effect in one");
}
