//! Programs, grouped by what they do with their arguments.

use std::borrow::Cow;

use crate::guard::names::folded;

/// Words that may appear before the name of a program.
const PREFIXES: [&str; 9] = [
    "!", "do", "elif", "else", "if", "in", "then", "until", "while",
];

/// Programs that run another program, which their arguments name.
const WRAPPERS: [&str; 46] = [
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
    "chrt",
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
    "pipx",
    "pnpm",
    "pnpx",
    "runuser",
    "script",
    "setsid",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "timeout",
    "trap",
    "unbuffer",
    "uvx",
    "watch",
    "xargs",
    "yarn",
    "yes",
];

/// Programs that run text as commands.
const SHELLS: [&str; 10] = [
    "ash", "bash", "csh", "dash", "eval", "fish", "ksh", "sh", "source", "zsh",
];

/// Programs that remove every file in their arguments.
const REMOVERS: [&str; 9] = [
    "rimraf",
    "rm",
    "rmdir",
    "shred",
    "srm",
    "trash",
    "trash-put",
    "unlink",
    "wipe",
];

/// Programs that write or replace every file in their arguments.
const WRITERS: [&str; 26] = [
    "bunzip2", "bzip2", "chattr", "chflags", "chgrp", "chmod", "chown", "ed", "emacs", "ex",
    "gunzip", "gzip", "mv", "nano", "nvim", "patch", "rename", "setfacl", "sponge", "tee", "touch",
    "truncate", "unxz", "vi", "vim", "xz",
];

/// Programs that write only the last file in their arguments, and the folder after `-t`.
const COPIERS: [&str; 6] = ["cp", "install", "link", "ln", "rsync", "scp"];

/// Other programs that the guard recognizes.
const OTHERS: [&str; 17] = [
    "awk", "bsdtar", "curl", "dd", "find", "gawk", "git", "gtar", "perl", "ruby", "sed", "sort",
    "tar", "unzip", "wget", "yq", "zip",
];

/// Returns the name of a program without its folder and without `.exe`, in lower case, because some file systems ignore
/// case.
pub(in crate::guard) fn base(word: &str) -> Cow<'_, str> {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    match folded(name) {
        Cow::Borrowed(name) => name.strip_suffix(".exe").unwrap_or(name).into(),
        Cow::Owned(mut name) => {
            let end = name.strip_suffix(".exe").map_or(name.len(), str::len);
            name.truncate(end);
            name.into()
        }
    }
}

/// Returns the words, starting with the name of the program.
pub(in crate::guard) fn without_prefix(words: &[String]) -> Vec<&str> {
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

/// Returns whether a word before the name of a program belongs to the shell, such as `do`.
pub(in crate::guard) fn is_prefix(word: &str) -> bool {
    PREFIXES.contains(&word)
}

/// Returns whether a program runs text as commands.
pub(in crate::guard) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Returns whether a program runs another program, which its arguments name.
pub(in crate::guard) fn is_wrapper(program: &str) -> bool {
    WRAPPERS.contains(&program)
}

/// Returns whether a program removes every file in its arguments.
pub(in crate::guard) fn is_remover(program: &str) -> bool {
    REMOVERS.contains(&program)
}

/// Returns whether a program writes or removes every file in its arguments.
pub(in crate::guard) fn is_writer(program: &str) -> bool {
    WRITERS.contains(&program) || is_remover(program)
}

/// Returns whether a program writes only the last file in its arguments.
pub(in crate::guard) fn is_copier(program: &str) -> bool {
    COPIERS.contains(&program)
}

/// Returns whether a program changes files that are named in a patch, which it reads from its input.
pub(in crate::guard) fn applies_patches(words: &[&str]) -> bool {
    match words.split_first() {
        Some((first, rest)) => match &*base(first) {
            "patch" => true,
            "git" => rest.iter().any(|word| matches!(*word, "apply" | "am")),
            _ => false,
        },
        None => false,
    }
}

/// Returns whether a word after a wrapper is a known program, with which the wrapped command begins.
pub(in crate::guard) fn is_known(program: &str) -> bool {
    is_shell(program)
        || is_wrapper(program)
        || is_writer(program)
        || is_copier(program)
        || OTHERS.contains(&program)
}
