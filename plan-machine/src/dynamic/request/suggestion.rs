//! Suggestions for misspelled names.

use plan_machine_kernel::suggest::nearest;

/// Returns `; did you mean …?` if a candidate is similar, and an empty string otherwise.
pub(super) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    nearest(name, candidates).map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}
