//! "Did you mean …?": the known name that is most similar to a misspelled one.

/// The maximum length of names that are compared: the cost is the product of both lengths, and a
/// name of more than fifty characters is rarely a misspelling.
const LONGEST: usize = 50;

/// Returns the candidate most similar to `name`, ignoring case, if it is similar enough: up to one third of the name's
/// characters, but at least one, may differ. If several candidates are equally similar, the first of them is returned.
///
/// ```
/// use plan_machine_kernel::suggest::nearest;
///
/// assert_eq!(nearest("REDAY", ["COLLECTING", "READY"]), Some("READY"));
/// assert_eq!(nearest("ARCHIVED", ["COLLECTING", "READY"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(name, candidate)?, candidate)));
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns `; did you mean …?` if a candidate is similar to `name`, and an empty string otherwise.
///
/// ```
/// use plan_machine_kernel::suggest::did_you_mean;
///
/// assert_eq!(did_you_mean("REDAY", ["READY"]), "; did you mean `READY`?");
/// assert_eq!(did_you_mean("ARCHIVED", ["READY"]), "");
/// ```
#[must_use]
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// Returns the number of edits between `name` and `candidate`, or `None` if they are too different.
pub(crate) fn distance(name: &str, candidate: &str) -> Option<usize> {
    // A character has at most four bytes, so names with too many bytes are rejected without counting their characters.
    if name.len() > 4 * LONGEST || candidate.len() > 4 * LONGEST {
        return None;
    }
    let (length, other) = (name.chars().count(), candidate.chars().count());
    let allowed = length.max(3) / 3;
    if length > LONGEST || other > LONGEST || length.abs_diff(other) > allowed {
        return None;
    }
    let distance = strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase());
    (distance <= allowed).then_some(distance)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_swap_a_slip_and_the_wrong_case_are_near() {
        let names = ["plan_get", "plan_set_content", "plan_done"];
        assert_eq!(nearest("plna_get", names), Some("plan_get"));
        assert_eq!(nearest("PLAN_GET", names), Some("plan_get"));
        assert_eq!(nearest("plan_setcontent", names), Some("plan_set_content"));
    }

    #[test]
    fn of_equally_near_names_the_first_is_taken() {
        assert_eq!(nearest("bat", ["cat", "hat"]), Some("cat"));
        assert_eq!(nearest("bat", ["hat", "cat"]), Some("hat"));
    }

    #[test]
    fn a_short_name_allows_one_difference() {
        assert_eq!(nearest("a", ["b"]), Some("b"));
        assert_eq!(nearest("ab", ["cd"]), None);
        assert_eq!(nearest("", ["ab"]), None);
    }

    #[test]
    fn absurdly_long_names_are_not_compared() {
        let long = "a".repeat(LONGEST + 1);
        assert_eq!(nearest(&long, [long.as_str()]), None);
        assert_eq!(nearest(&"é".repeat(1_000_000), ["e"]), None);
    }

    proptest! {
        #[test]
        fn a_known_name_is_nearest_to_itself(names in prop::collection::vec("[a-z_]{1,20}", 1..9)) {
            for name in &names {
                prop_assert_eq!(nearest(name, names.iter().map(String::as_str)), Some(name.as_str()));
            }
        }
    }
}
