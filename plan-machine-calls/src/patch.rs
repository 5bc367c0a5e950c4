//! The files that a patch changes.

/// The lines of an `apply_patch` patch that name a file.
const NAMING: [&str; 4] = [
    "*** Add File:",
    "*** Update File:",
    "*** Delete File:",
    "*** Move to:",
];

/// The lines of a patch in the format of `diff` that name a file.
const COMPARED: [&str; 4] = ["--- ", "+++ ", "rename to ", "copy to "];

/// Returns the paths that a patch names; `None` if the patch names no file, or has lines that might name further files.
///
/// Only the format of `apply_patch` is known. A marker line counts wherever it appears, even inside a hunk, where it
/// would be content: an extra path only keeps a call out of a class, but a missing path could let the call in.
pub(crate) fn paths(patch: &str) -> Option<Vec<&str>> {
    let mut paths = Vec::new();
    for line in patch.lines() {
        if let Some(path) = path_of(line) {
            paths.push(path);
        } else if line.trim_start().starts_with("***") && !is_frame(line.trim()) {
            return None;
        }
    }
    (!paths.is_empty()).then_some(paths)
}

/// Returns the paths that a patch certainly names.
pub(crate) fn named(patch: &str) -> impl Iterator<Item = &str> {
    patch.lines().filter_map(path_of)
}

/// Returns the paths that a patch in the format of `diff` may name, with and without their first component, such as
/// `a/`.
pub(crate) fn compared(patch: &str) -> impl Iterator<Item = &str> {
    let paths = patch.lines().filter_map(|line| {
        let rest = COMPARED
            .iter()
            .find_map(|before| line.strip_prefix(before))?;
        rest.split('\t').next().map(str::trim)
    });
    paths.flat_map(|path| {
        let shorter = path.split_once('/').map(|(_, rest)| rest);
        std::iter::once(path).chain(shorter)
    })
}

fn path_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let path = NAMING.iter().find_map(|before| line.strip_prefix(before))?;
    // Other readers also drop a byte order mark.
    Some(path.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}'))
}

/// Returns whether a marker line names no file.
fn is_frame(line: &str) -> bool {
    matches!(
        line,
        "*** Begin Patch" | "*** End Patch" | "*** End of File"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_found() {
        let patch = "*** Begin Patch\n*** Add File: plans/a.md\n+# A\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: d \n*** End Patch\n";
        assert_eq!(paths(patch), Some(vec!["plans/a.md", "b", "c", "d"]));
    }

    #[test]
    fn a_patch_that_might_name_more_has_no_known_paths() {
        assert_eq!(paths("*** Rename File: a\n*** Add File: b"), None);
        assert_eq!(paths("--- a/x\n+++ b/x\n"), None);
        assert_eq!(paths(""), None);
    }

    #[test]
    fn the_files_of_a_diff_are_found_with_and_without_their_first_name() {
        let patch = "--- a/x\t2026\n+++ b/y/z\n@@ -1 +1 @@\n-a\n+b\nrename to c\n";
        let found: Vec<&str> = compared(patch).collect();
        assert_eq!(found, ["a/x", "x", "b/y/z", "y/z", "c"]);
    }

    #[test]
    fn a_marker_inside_a_hunk_counts() {
        let patch = "*** Update File: plans/a.md\n  *** Add File: /etc/x\n";
        assert_eq!(paths(patch), Some(vec!["plans/a.md", "/etc/x"]));
    }
}
