//! The rest of a path below a folder.

use std::path::Path;

/// Returns the rest of a path that is in a folder, or that is the folder itself; `None` if the path is elsewhere. Like
/// [`Path::strip_prefix`], but faster if the path begins with exactly the same text as the folder.
pub(crate) fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    let texts = path.to_str().zip(folder.to_str());
    let rest = texts.and_then(|(path, folder)| path.strip_prefix(folder));
    if rest == Some("") {
        return Some(Path::new(""));
    }
    let rest = rest.and_then(|rest| rest.strip_prefix('/'));
    match rest.map(|rest| rest.trim_start_matches('/')) {
        // `.` in the middle of a path has no effect.
        Some(rest) if rest != "." && !rest.starts_with("./") => Some(Path::new(rest)),
        _ => path.strip_prefix(folder).ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_rest_of_a_path_is_that_of_its_components() {
        for path in [
            "/a/b",
            "/a/b/",
            "/a/b/c",
            "/a/b//c",
            "/a/b/./c",
            "/a/b/.",
            "/a/b/.c",
            "/a/./b/c",
            "/a//b/c",
            "/a/bc",
            "/a",
            "/a/b/../c",
            "a/b/c",
        ] {
            let (path, folder) = (Path::new(path), Path::new("/a/b"));
            let expected = path.strip_prefix(folder).ok();
            let found = below(path, folder);
            let names = |rest: Option<&Path>| rest.map(|rest| rest.iter().collect::<PathBuf>());
            assert_eq!(names(found), names(expected), "{}", path.display());
        }
        assert_eq!(below(Path::new("/x"), Path::new("/")), Some(Path::new("x")));
    }
}
