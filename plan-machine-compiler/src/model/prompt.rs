//! Determines which tools a prompt names.

/// Returns the names in backticks, with or without arguments after them: `` `plan_get` `` and `` `plan_get()` `` both
/// name `plan_get`. Every backtick may open a name, so that an unpaired backtick does not hide the names after it.
pub(crate) fn named(prompt: &str) -> impl Iterator<Item = &str> {
    let places = prompt.match_indices('`');
    places.filter_map(|(at, _)| name_at(&prompt[at + 1..]))
}

fn name_at(rest: &str) -> Option<&str> {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = rest.split_at(end);
    let rest = match rest.strip_prefix('(') {
        Some(arguments) => &arguments[arguments.find(')')? + 1..],
        None => rest,
    };
    let closed = rest.starts_with('`');
    (closed && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(prompt: &str) -> Vec<&str> {
        named(prompt).collect()
    }

    #[test]
    fn names_stand_in_backticks() {
        assert_eq!(all("Use `plan_get`, or `set(a=1)`."), ["plan_get", "set"]);
        assert_eq!(all("plan_get and `two words` and ``"), Vec::<&str>::new());
    }

    #[test]
    fn a_lone_backtick_hides_nothing() {
        assert_eq!(
            all("Type no lone ` here.\nThen call `plan_get`."),
            ["plan_get"]
        );
    }
}
