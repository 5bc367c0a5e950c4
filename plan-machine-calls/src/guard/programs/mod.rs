//! The programs that the guard recognizes: which of them run other programs, and which of their arguments name folders
//! to work in, commands to run, or files to write or remove.

mod archives;
mod copies;
mod find;
mod flags;
mod git;
mod known;

pub(super) use find::find;
pub(super) use git::{git, git_runs};
pub(super) use known::{
    applies_patches, base, is_copier, is_known, is_prefix, is_shell, is_wrapper, without_prefix,
};

use flags::{attached, files, is_long, values};
use known::{is_remover, is_writer};

/// Flags that name the folder in which a program works.
const FOLDERS: [&str; 6] = [
    "-C",
    "--chdir",
    "--cwd",
    "--directory",
    "--prefix",
    "--work-tree",
];

/// Returns the folders in which a program may work, because a flag names them.
pub(super) fn folders<'w>(words: &[&'w str]) -> Vec<&'w str> {
    values(words, &FOLDERS)
}

/// Returns the texts that a program runs because a flag names them.
pub(super) fn texts<'w>(words: &[&'w str]) -> Vec<&'w str> {
    values(
        words,
        &["-c", "-S", "--command", "--call", "--split-string"],
    )
}

/// Returns the words that name files to write.
pub(super) fn written<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    if archives::only_prints(program, words) {
        return Vec::new();
    }
    if is_writer(program) {
        return files(words).into_iter().chain(attached(words)).collect();
    }
    if is_copier(program) {
        let target = copies::target(program, words);
        return target
            .into_iter()
            .chain(copies::operands(program, words).pop())
            .collect();
    }
    match program {
        "dd" => words
            .iter()
            .filter_map(|word| word.strip_prefix("of="))
            .collect(),
        "sed" | "perl" | "ruby" | "yq" if words.iter().any(|word| is_in_place(word)) => {
            after_script(program, words)
        }
        "awk" | "gawk" if words.contains(&"inplace") => after_script(program, words),
        "sort" => values(words, &["-o", "--output"]),
        "curl" => values(words, &["-o", "--output", "--output-dir"]),
        "wget" => values(
            words,
            &["-O", "--output-document", "-P", "--directory-prefix"],
        ),
        "bsdtar" | "gtar" | "tar" => archives::written(words),
        "unzip" => archives::unzipped(words),
        "git" => git::written(words),
        "find" if words.iter().any(|word| is_action(word)) => files(words),
        _ => Vec::new(),
    }
}

/// Returns the files that a program creates under the names of other files.
pub(super) fn created(program: &str, words: &[&str]) -> Vec<String> {
    match (program, words) {
        ("curl" | "wget", _) => copies::downloaded(program, words),
        ("git", ["mv", rest @ ..]) => copies::copied("mv", rest),
        ("mv", _) => copies::copied(program, words),
        _ if is_copier(program) => copies::copied(program, words),
        _ => Vec::new(),
    }
}

/// Returns the words that name files or folders to remove or to move away. A folder is removed with its content.
pub(super) fn removed<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    match (program, words) {
        ("mv", _) => copies::moved(words),
        ("rsync", _) => copies::synced(words),
        ("bsdtar" | "gtar" | "tar", _) => archives::packed(words),
        ("zip", _) => archives::zipped(words),
        ("git", ["mv", rest @ ..]) => copies::moved(rest),
        ("git", _) => git::removed(words),
        ("find", _) => {
            let found = find(words);
            if found.removes_everything {
                found.folders
            } else {
                Vec::new()
            }
        }
        _ if is_remover(program) => files(words),
        _ => Vec::new(),
    }
}

/// Returns the files of a program that gets a script: the first word that is not a flag, unless flags name scripts.
fn after_script<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    let flags: &[&str] = match program {
        "perl" | "ruby" => &["-e", "-E"],
        "yq" => &["--from-file"],
        _ => &["-e", "-f", "--expression", "--file", "--source"],
    };
    let scripts = values(words, flags);
    let mut left = files(words);
    if program.ends_with("awk") {
        left.retain(|word| *word != "inplace");
    }
    if program == "yq" {
        left.retain(|word| !matches!(*word, "e" | "ea" | "eval" | "eval-all"));
    }
    for script in &scripts {
        if let Some(at) = left.iter().position(|word| word == script) {
            left.remove(at);
        }
    }
    if scripts.is_empty() && left.len() > 1 {
        left.remove(0);
    }
    left
}

/// Returns whether a flag, such as `-i`, `-i.bak`, `-pi` or `--in-place=.bak`, changes files in place.
fn is_in_place(word: &str) -> bool {
    let letters = word.strip_prefix('-');
    is_long(word, "--in-place")
        || is_long(word, "--inplace")
        || letters.is_some_and(|letters| !letters.starts_with('-') && letters.contains('i'))
}

/// Returns whether a word makes `find` remove files, write files or run a command.
fn is_action(word: &str) -> bool {
    matches!(
        word,
        "-delete"
            | "-exec"
            | "-execdir"
            | "-ok"
            | "-okdir"
            | "-fls"
            | "-fprint"
            | "-fprint0"
            | "-fprintf"
    )
}
