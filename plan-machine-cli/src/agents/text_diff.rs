//! The lines that differ between two texts.

/// Returns the lines that were removed and added, with `-` and `+`. Lines that both texts share at their beginning or
/// end are omitted.
pub(super) fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let before = old
        .iter()
        .zip(&new)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = old.len().min(new.len()) - before;
    let ends = old.iter().rev().zip(new.iter().rev());
    let after = ends
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let removed = old[before..old.len() - after]
        .iter()
        .map(|line| format!("- {line}"));
    let added = new[before..new.len() - after]
        .iter()
        .map(|line| format!("+ {line}"));
    removed.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown() {
        assert_eq!(changed_lines("a\nb\nc", "a\nx\nc"), ["- b", "+ x"]);
        assert_eq!(changed_lines("a\na", "a\na\na"), ["+ a"]);
        assert_eq!(changed_lines("", "a"), ["+ a"]);
        assert!(changed_lines("a\nb", "a\nb").is_empty());
    }
}
