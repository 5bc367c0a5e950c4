//! Words with a special meaning: shell words, programs, tools, and arguments.

/// Words that the shell itself interprets. They define names, run their arguments or change what the rest of a command
/// means, so no rule can list one of them as a command.
const SHELL_WORDS: [&str; 76] = [
    "!",
    ".",
    ":",
    "[[",
    "]]",
    "alias",
    "autoload",
    "bg",
    "bind",
    "break",
    "builtin",
    "case",
    "chdir",
    "command",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disable",
    "disown",
    "do",
    "done",
    "elif",
    "else",
    "emulate",
    "enable",
    "end",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "fi",
    "float",
    "for",
    "foreach",
    "function",
    "getopts",
    "hash",
    "if",
    "in",
    "integer",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "nocorrect",
    "noglob",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "repeat",
    "return",
    "select",
    "set",
    "setopt",
    "shift",
    "shopt",
    "source",
    "suspend",
    "then",
    "time",
    "times",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "until",
    "while",
];

/// Programs that run programs or scripts that they get as arguments.
const RUNNERS: [&str; 51] = [
    "ash", "awk", "bash", "bunx", "busybox", "chroot", "csh", "dash", "deno", "doas", "ed",
    "emacs", "entr", "env", "ex", "expect", "fish", "flock", "gawk", "ionice", "ksh", "less",
    "lua", "make", "man", "mawk", "more", "nice", "node", "nohup", "npx", "parallel", "perl",
    "php", "pnpx", "python", "python3", "ruby", "script", "setsid", "sh", "ssh", "stdbuf",
    "strace", "su", "sudo", "timeout", "vim", "watch", "xargs", "zsh",
];

/// Programs whose first argument decides whether they read or write.
const FAMILIES: [&str; 14] = [
    "brew",
    "bun",
    "cargo",
    "docker",
    "gh",
    "git",
    "go",
    "jj",
    "kubectl",
    "npm",
    "pip",
    "pnpm",
    "systemctl",
    "yarn",
];

/// Agent tools that are known to write. The guard checks the paths in their arguments, whatever a
/// document declares.
pub const WRITING_TOOLS: [&str; 18] = [
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Write",
    "apply_patch",
    "create_file",
    "delete_file",
    "edit",
    "edit_file",
    "insert",
    "multiedit",
    "patch",
    "replace",
    "str_replace",
    "str_replace_editor",
    "text_editor",
    "write",
    "write_file",
];

/// Agent tools that are known to be read-only, even if a document does not mention them. The guard does not stop a call
/// to one of them because of a path, unless the path names a file with secrets.
pub const READING_TOOLS: [&str; 18] = [
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Read",
    "glob",
    "grep",
    "list",
    "list_dir",
    "list_directory",
    "ls",
    "read",
    "read_file",
    "read_many_files",
    "search_file_content",
    "view",
    "view_file",
    "view_image",
];

/// Arguments of command tools that never change what the command does.
pub const INERT_ARGUMENTS: [&str; 8] = [
    "description",
    "justification",
    "max_output_tokens",
    "run_in_background",
    "timeout",
    "timeout_ms",
    "title",
    "yield_time_ms",
];

/// Returns whether the shell itself interprets this word, so that no rule may list it as a command.
///
/// ```
/// use plan_machine_kernel::calls::is_shell_word;
///
/// assert!(is_shell_word("eval"));
/// assert!(!is_shell_word("ls"));
/// ```
#[must_use]
pub fn is_shell_word(word: &str) -> bool {
    SHELL_WORDS.binary_search(&word).is_ok()
}

/// Returns whether this program runs its arguments, so that listing it would allow every command.
#[must_use]
pub fn runs_arguments(program: &str) -> bool {
    RUNNERS.binary_search(&program).is_ok()
}

/// Returns whether the name of a program, such as `git`, does not say what a command does, so that a rule must also
/// list the word after the name.
#[must_use]
pub fn needs_more_words(program: &str) -> bool {
    FAMILIES.binary_search(&program).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_for_the_search() {
        for table in [
            &SHELL_WORDS[..],
            &RUNNERS,
            &FAMILIES,
            &WRITING_TOOLS,
            &READING_TOOLS,
            &INERT_ARGUMENTS,
        ] {
            assert!(table.is_sorted(), "{table:?}");
        }
    }

    #[test]
    fn words_of_the_shell_and_runners_are_known() {
        assert!(SHELL_WORDS.iter().all(|word| is_shell_word(word)));
        assert!(runs_arguments("xargs") && runs_arguments("sh") && !runs_arguments("ls"));
        assert!(needs_more_words("git") && !needs_more_words("rg"));
    }
}
