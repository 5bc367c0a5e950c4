//! Guesses what an argument holds from its name, for arguments that no document describes.

/// Words in the name of an argument that holds a folder.
const FOLDERS: [&str; 9] = [
    "cwd",
    "dir",
    "directories",
    "directory",
    "dirs",
    "folder",
    "folders",
    "workdir",
    "workspace",
];

/// Words in the name of an argument that holds a path or an address.
const PATHS: [&str; 17] = [
    "dest",
    "destination",
    "file",
    "filename",
    "filenames",
    "filepath",
    "files",
    "output",
    "path",
    "paths",
    "root",
    "target",
    "targets",
    "uri",
    "uris",
    "url",
    "urls",
];

/// Returns whether an argument with this name holds a folder, such as `workdir` or `working_directory`.
pub(crate) fn names_a_folder(key: &str) -> bool {
    has_word(key, &FOLDERS)
}

/// Returns whether an argument with this name holds a path or a folder, such as `file_path` or `targetFile`.
pub(crate) fn names_a_path(key: &str) -> bool {
    has_word(key, &PATHS) || has_word(key, &FOLDERS)
}

/// Returns whether a name has one of these words: `file_path`, `filePath` and `file-path` have the words `file` and
/// `path`.
fn has_word(key: &str, words: &[&str]) -> bool {
    let mut start = 0;
    let bytes = key.as_bytes();
    for end in 1..=bytes.len() {
        let is_end = bytes.get(end).is_none_or(|next| {
            let begins = next.is_ascii_uppercase() && bytes[end - 1].is_ascii_lowercase();
            begins || !next.is_ascii_alphanumeric()
        });
        if is_end {
            let word = key.get(start..end).unwrap_or_default();
            let word = word.trim_start_matches(|letter: char| !letter.is_ascii_alphanumeric());
            if words.iter().any(|known| known.eq_ignore_ascii_case(word)) {
                return true;
            }
            start = end;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_that_an_argument_holds_a_path_by_one_of_its_words() {
        for key in [
            "path",
            "file_path",
            "filePath",
            "target-file",
            "relativeWorkspacePath",
            "PATHS",
            "workdir",
            "working_directory",
            "uri",
            "_path",
        ] {
            assert!(names_a_path(key), "{key}");
        }
        for key in [
            "",
            "old_string",
            "new_source",
            "content",
            "profile",
            "pathology",
            "é",
            "_",
        ] {
            assert!(!names_a_path(key), "{key}");
        }
        assert!(names_a_folder("workingDirectory") && !names_a_folder("file_path"));
    }
}
