//! What the guard knows about programs: which of their arguments name files that they write.

use super::names::folded;

/// Words before the name of a program.
const PREFIXES: [&str; 9] = [
    "!", "do", "elif", "else", "if", "in", "then", "until", "while",
];

/// Programs that run another program, which their arguments name.
const WRAPPERS: [&str; 37] = [
    "coproc",
    "nocorrect",
    "noglob",
    "time",
    "bun",
    "bunx",
    "builtin",
    "busybox",
    "caffeinate",
    "chroot",
    "command",
    "corepack",
    "doas",
    "entr",
    "env",
    "exec",
    "flock",
    "gtimeout",
    "ionice",
    "nice",
    "nohup",
    "npm",
    "npx",
    "parallel",
    "pnpm",
    "pnpx",
    "script",
    "setsid",
    "ssh",
    "stdbuf",
    "strace",
    "sudo",
    "timeout",
    "watch",
    "xargs",
    "yarn",
    "yes",
];

/// Programs that run text as commands.
const SHELLS: [&str; 10] = [
    "ash", "bash", "csh", "dash", "eval", "fish", "ksh", "sh", "source", "zsh",
];

/// Programs that write or remove every file in their arguments.
const WRITERS: [&str; 24] = [
    "chattr", "chflags", "chgrp", "chmod", "chown", "ed", "emacs", "ex", "mv", "nano", "nvim",
    "patch", "rm", "rmdir", "setfacl", "shred", "sponge", "tee", "touch", "trash", "truncate",
    "unlink", "vi", "vim",
];

/// Programs that write only the last file in their arguments, and the folder after `-t`.
const COPIERS: [&str; 5] = ["cp", "install", "ln", "rsync", "scp"];

/// Git commands that write the files in their arguments.
const GIT_WRITERS: [&str; 7] = ["apply", "checkout", "clean", "mv", "reset", "restore", "rm"];

/// Returns the name of a program without its folder and without `.exe`, in lower case, because some file systems ignore
/// case.
pub(super) fn base(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = folded(name);
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

/// Returns the words, starting with the name of the program.
pub(super) fn without_prefix(words: &[String]) -> Vec<&str> {
    let words = words.iter().map(String::as_str);
    let is_assignment = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    words
        .skip_while(|word| PREFIXES.contains(word) || is_assignment(word))
        .collect()
}

/// Returns whether a program runs text as commands.
pub(super) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Returns whether a program runs another program, which its arguments name.
pub(super) fn is_wrapper(program: &str) -> bool {
    WRAPPERS.contains(&program)
}

/// Returns whether a program changes files that are named in a patch, which it reads from its input.
pub(super) fn applies_patches(words: &[&str]) -> bool {
    match words.split_first() {
        Some((first, rest)) => match base(first).as_str() {
            "patch" => true,
            "git" => rest.iter().any(|word| matches!(*word, "apply" | "am")),
            _ => false,
        },
        None => false,
    }
}

/// Returns whether a word after a wrapper is a known program, with which the wrapped command begins.
pub(super) fn is_known(program: &str) -> bool {
    is_shell(program)
        || is_wrapper(program)
        || WRITERS.contains(&program)
        || COPIERS.contains(&program)
        || matches!(
            program,
            "curl" | "dd" | "find" | "git" | "perl" | "sed" | "sort" | "tar" | "wget"
        )
}

/// Returns the words that name something to write.
pub(super) fn written<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    if WRITERS.contains(&program) {
        return files(words);
    }
    if COPIERS.contains(&program) {
        let mut written = values(words, &["-t", "--target-directory"]);
        written.extend(files(words).last());
        return written;
    }
    match program {
        "dd" => words
            .iter()
            .filter_map(|word| word.strip_prefix("of="))
            .collect(),
        "sed" | "perl" | "ruby" if words.iter().any(|word| is_in_place(word)) => files(words),
        "sort" | "curl" => values(words, &["-o", "--output"]),
        "wget" => values(words, &["-O", "--output-document"]),
        "tar" => values(words, &["-C", "--directory"]),
        "unzip" => values(words, &["-d"]),
        "git" => git(words),
        "find" if words.iter().any(|word| is_action(word)) => files(words),
        _ => Vec::new(),
    }
}

/// Returns the words that name something to remove or to move away, with everything in it.
pub(super) fn removed<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    match program {
        "rm" | "rmdir" | "shred" | "trash" | "unlink" => files(words),
        "mv" => moved(words),
        "git" => git_removed(words),
        "find" if is_removal_of_everything(words) => files(words),
        _ => Vec::new(),
    }
}

/// Returns what `mv` moves: all words but the last one, unless a flag names the target.
fn moved<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut all = files(words);
    if values(words, &["-t", "--target-directory"]).is_empty() {
        all.pop();
    }
    all
}

/// Returns what a git command removes or moves. Without a path, `git clean` removes files of the whole folder, and
/// `git stash` moves untracked files away if a flag includes them.
fn git_removed<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let Some(at) = words.iter().position(|word| !word.starts_with('-')) else {
        return Vec::new();
    };
    let (command, rest) = (words[at], &words[at + 1..]);
    let has = |letters: &[char], long: &[&str]| {
        let is_group = |word: &&str| word.starts_with('-') && !word.starts_with("--");
        let mut rest = rest.iter();
        rest.any(|word| (is_group(word) && word.contains(letters)) || long.contains(word))
    };
    match command {
        "clean" if has(&['n'], &["--dry-run"]) => Vec::new(),
        "clean" => match files(rest) {
            all if all.is_empty() => vec!["."],
            all => all,
        },
        "stash" if has(&['a', 'u'], &["--all", "--include-untracked"]) => vec!["."],
        "rm" => files(rest),
        "mv" => moved(rest),
        _ => Vec::new(),
    }
}

/// Returns whether `find` removes everything that it finds, without a condition.
fn is_removal_of_everything(words: &[&str]) -> bool {
    let mut flags = words.iter().filter(|word| word.starts_with('-')).peekable();
    flags.peek().is_some() && flags.all(|flag| matches!(*flag, "-delete" | "-depth"))
}

/// Returns the words that are not flags, and the values of flags such as `--x=y`.
fn files<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let files = words.iter().filter_map(|word| match word.split_once('=') {
        Some((_, value)) if word.starts_with("--") => Some(value),
        _ => (!word.starts_with('-')).then_some(*word),
    });
    files.collect()
}

/// Returns the values of these flags.
fn values<'w>(words: &[&'w str], flags: &[&str]) -> Vec<&'w str> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for flag in flags {
            match word.strip_prefix(flag) {
                Some("") => found.extend(words.get(at + 1)),
                Some(rest) => found.push(rest.strip_prefix('=').unwrap_or(rest)),
                None if ends_a_group(word, flag) => found.extend(words.get(at + 1)),
                None => {}
            }
        }
    }
    found
}

/// Returns whether a letter is the last one of a group, such as `o` in `-so`.
fn ends_a_group(word: &str, flag: &str) -> bool {
    let is_letter = flag.len() == 2 && !flag.starts_with("--");
    is_letter && word.starts_with('-') && !word.starts_with("--") && word.ends_with(&flag[1..])
}

/// Returns the files that a git command writes.
fn git<'w>(words: &[&'w str]) -> Vec<&'w str> {
    match words.iter().position(|word| GIT_WRITERS.contains(word)) {
        Some(at) => files(&words[at + 1..]),
        None => values(words, &["--output"]),
    }
}

/// Returns whether a flag, such as `-i`, `-i.bak` or `-pi`, changes files in place.
fn is_in_place(word: &str) -> bool {
    let letters = word.strip_prefix('-');
    word.starts_with("--in-place")
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
