//! Git commands that write, remove or move files.

use super::flags::{files, is_group, is_long, values, without};

/// Commands that write the files in their arguments.
const WRITERS: [&str; 13] = [
    "apply",
    "checkout",
    "checkout-index",
    "clean",
    "clone",
    "init",
    "mv",
    "reset",
    "restore",
    "rm",
    "stash",
    "submodule",
    "worktree",
];
/// Flags before the command whose values are separate words.
const VALUED: [&str; 7] = [
    "--attr-source",
    "--config-env",
    "--git-dir",
    "--namespace",
    "--shallow-file",
    "--super-prefix",
    "-c",
];
/// Subcommands of `git stash` that do not move files away.
const OTHER_STASHES: [&str; 11] = [
    "apply", "branch", "clear", "create", "drop", "export", "import", "list", "pop", "show",
    "store",
];

/// A git command, with the flags before it.
#[derive(Debug)]
pub(in crate::guard) struct Git<'a, 'w> {
    /// The values of `-C`: git enters these folders, one after another.
    pub(in crate::guard) folders: Vec<&'w str>,
    /// The values of `--work-tree`. Git may run in this folder, too.
    pub(in crate::guard) trees: Vec<&'w str>,
    /// Whether the command may affect files anywhere in the repository, whatever its folder.
    pub(in crate::guard) is_whole: bool,
    /// The name of the git command and its arguments.
    pub(in crate::guard) words: &'a [&'w str],
}

/// Reads the words after `git`.
pub(in crate::guard) fn git<'a, 'w>(words: &'a [&'w str]) -> Git<'a, 'w> {
    let (mut folders, mut trees) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        let value = words.get(at + 1);
        match *word {
            "-C" => folders.extend(value),
            "--work-tree" => trees.extend(value),
            word => trees.extend(word.strip_prefix("--work-tree=")),
        }
        let is_valued = matches!(*word, "-C" | "--work-tree") || VALUED.contains(word);
        at += if is_valued { 2 } else { 1 };
    }
    let words = words.get(at..).unwrap_or_default();
    let is_stash = words.first() == Some(&"stash");
    Git {
        folders,
        trees,
        is_whole: is_stash || words.iter().any(|word| word.starts_with(':')),
        words,
    }
}

/// Returns the commands that a git command runs. The first word is the name of the git command.
pub(in crate::guard) fn git_runs(words: &[&str]) -> Vec<String> {
    match words {
        ["bisect", "run", rest @ ..] => vec![rest.join(" ")],
        ["rebase", rest @ ..] => {
            let commands = values(rest, &["-x", "--exec"]).into_iter();
            commands.map(str::to_owned).collect()
        }
        ["submodule", rest @ ..] => {
            let rest = rest.iter().copied().skip_while(|word| *word != "foreach");
            let words = rest.skip(1).skip_while(|word| word.starts_with('-'));
            vec![words.collect::<Vec<_>>().join(" ")]
        }
        _ => Vec::new(),
    }
}

/// Returns the files that a git command writes. The first word is the name of the git command.
pub(super) fn written<'w>(words: &[&'w str]) -> Vec<&'w str> {
    match words.split_first() {
        Some((command, rest)) if only_shows(command, rest) => values(rest, &["--output"]),
        Some((&"stash", rest)) => paths(&files(&without(rest, &["-m", "--message"]))),
        Some((command, rest)) if WRITERS.contains(command) => paths(&files(rest)),
        Some((&"config", rest)) => values(rest, &["-f", "--file"]),
        Some((&("archive" | "format-patch"), rest)) => {
            values(rest, &["-o", "--output", "--output-directory"])
        }
        _ => values(words, &["--output"]),
    }
}

/// Returns whether a git command that can write files only shows something when it has these arguments.
fn only_shows(command: &str, words: &[&str]) -> bool {
    let first = words.iter().find(|word| !word.starts_with('-'));
    matches!(
        (command, first),
        ("stash", Some(&("list" | "show"))) | ("submodule", Some(&("status" | "summary")))
    )
}

/// Returns the files and folders that a git command removes or moves away. The first word is the name of the git
/// command.
pub(super) fn removed<'w>(words: &[&'w str]) -> Vec<&'w str> {
    match words {
        ["clean", rest @ ..] => cleaned(rest),
        ["stash", rest @ ..] if stashes_all(rest) => vec!["."],
        ["rm", rest @ ..] | ["worktree", "move" | "remove", rest @ ..] => paths(&files(rest)),
        _ => Vec::new(),
    }
}

/// Returns what `git clean` removes: without a path, files of the whole folder.
fn cleaned<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut all = Vec::new();
    let mut is_dry = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" | "--end-of-options" => all.extend(words.by_ref()),
            word if word.starts_with("--no-") => is_dry = false,
            word if is_long(word, "--dry-run") => is_dry = true,
            word if is_long(word, "--exclude") => {
                if !word.contains('=') {
                    words.next();
                }
            }
            word if is_group(word) => {
                // The rest of the word after `e`, or the next word, is a pattern.
                let (letters, pattern) = match word.split_once('e') {
                    Some((letters, pattern)) => (letters, Some(pattern)),
                    None => (word, None),
                };
                is_dry |= letters.contains('n');
                if pattern == Some("") {
                    words.next();
                }
            }
            word if word.starts_with("--") => {}
            word => all.push(word),
        }
    }
    match all {
        _ if is_dry => Vec::new(),
        all if all.is_empty() => vec!["."],
        all => paths(&all),
    }
}

/// Returns whether `git stash` moves untracked files away, wherever they are in the repository.
fn stashes_all(words: &[&str]) -> bool {
    if words
        .first()
        .is_some_and(|word| OTHER_STASHES.contains(word))
    {
        return false;
    }
    words.iter().any(|word| {
        // After `m`, the rest of the word is a message.
        let letters = word.split('m').next().unwrap_or_default();
        (is_group(word) && letters.contains(['a', 'u']))
            || is_long(word, "--all")
            || is_long(word, "--include-untracked")
    })
}

/// Returns paths without the words that only git understands, such as `:/` and `:(top)`. A path that excludes files
/// becomes `.`, because it means all other files, and so does `*`, which git itself expands.
fn paths<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let paths = words.iter().map(|word| {
        let Some(magic) = word.strip_prefix(':') else {
            return if *word == "*" { "." } else { word };
        };
        let path = match magic.split_once(')') {
            Some((words, _)) if words.contains("exclude") => "",
            Some((_, path)) if magic.starts_with('(') => path,
            _ if magic.starts_with(['!', '^']) => "",
            _ => magic.trim_start_matches('/'),
        };
        if path.is_empty() || path == "*" {
            "."
        } else {
            path
        }
    });
    paths.collect()
}
