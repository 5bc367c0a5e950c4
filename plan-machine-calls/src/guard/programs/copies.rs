//! Programs that copy, move or download files.

use super::flags::{files, has_letter, is_group, is_long, values, without};

/// Flags of `rsync` with values that are neither a source nor the target.
const OTHER_VALUES: [&str; 9] = [
    "--exclude",
    "--exclude-from",
    "--files-from",
    "--filter",
    "--include",
    "--include-from",
    "--rsh",
    "-e",
    "-f",
];

/// Returns the sources and the target.
pub(super) fn operands<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    match program {
        "rsync" => files(&without(words, &OTHER_VALUES)),
        _ => files(words),
    }
}

/// Returns the folder to copy or move to, if a flag names it. For `rsync` and `scp`, `-t` has another meaning.
pub(super) fn target<'w>(program: &str, words: &[&'w str]) -> Option<&'w str> {
    if matches!(program, "rsync" | "scp") {
        return None;
    }
    values(words, &["-t", "--target-directory"]).pop()
}

/// Returns what `mv` moves: all words but the last one, unless a flag names the target.
pub(super) fn moved<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut all = files(words);
    if target("mv", words).is_none() {
        all.pop();
    }
    all
}

/// Returns the files that a program creates in a folder under the names of the copied or moved files, as `cp a/x b`
/// creates `b/x`.
pub(super) fn copied(program: &str, words: &[&str]) -> Vec<String> {
    let sources = operands(program, words);
    let last = match sources[..] {
        // `ln a/x` creates `x`.
        [_] => matches!(program, "link" | "ln").then_some("."),
        _ => sources.last().copied(),
    };
    let Some(target) = target(program, words).or(last) else {
        return Vec::new();
    };
    let keeps_folders = |word: &&str| {
        is_long(word, "--parents")
            || (program == "rsync"
                && (is_long(word, "--relative") || (is_group(word) && word.contains('R'))))
    };
    if words.iter().any(keeps_folders) {
        return below(target, sources.into_iter());
    }
    below(target, sources.into_iter().filter_map(name))
}

/// Returns the files that a download creates under the names in its addresses.
pub(super) fn downloaded(program: &str, words: &[&str]) -> Vec<String> {
    let valued: &[char] = match program {
        "curl" => &['H', 'X', 'd', 'o', 'u'],
        _ => &['P', 'a', 'o'],
    };
    let has = |long: &str| {
        let is_named = |word: &&str| is_long(word, long) || has_letter(word, &['O'], valued);
        words.iter().any(is_named)
    };
    // For `wget`, `-O` names the file.
    let keeps_names = match program {
        "curl" => has("--remote-name-all"),
        _ => !has("--output-document"),
    };
    if !keeps_names {
        return Vec::new();
    }
    let folder = values(words, &["-P", "--directory-prefix", "--output-dir"]);
    let addresses = files(words).into_iter().filter_map(|address| {
        let end = address.find(['?', '#']).unwrap_or(address.len());
        name(&address[..end])
    });
    below(folder.last().unwrap_or(&"."), addresses)
}

/// Returns paths of files in a folder.
fn below<'n>(folder: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    names.map(|name| format!("{folder}/{name}")).collect()
}

/// Returns the files and folders in which `rsync` removes files: the target with `--delete`, and the sources with
/// `--remove-source-files`.
pub(super) fn synced<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut sources = operands("rsync", words);
    let target = sources.pop();
    let mut removed = Vec::new();
    if words.iter().any(|word| word.starts_with("--del")) {
        removed.extend(target);
    }
    if words.iter().any(|word| word.starts_with("--remove-s")) {
        removed.extend(sources);
    }
    removed
}

/// Returns the last name in a path, which may be on another host; `None` if the name is not certain.
fn name(path: &str) -> Option<&str> {
    let path = path.trim_end_matches('/');
    let name = path.rsplit(['/', ':']).next().unwrap_or(path);
    (!matches!(name, "" | "." | "..")).then_some(name)
}
