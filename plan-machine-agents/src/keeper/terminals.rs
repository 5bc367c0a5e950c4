//! Commands that only open a shell or an interpreter. No hook sees what is typed into the shell later, so machines that
//! record calls refuse a call with such a command. The machines recognize the call by its arguments, so every spelling
//! of such a command is replaced with the shortest one.

use plan_machine_kernel::json::{Json, Object};

/// Programs that wait for input if they get no script.
const PROGRAMS: [&str; 26] = [
    "R",
    "bash",
    "cmd",
    "dash",
    "deno",
    "fish",
    "ghci",
    "ipython",
    "irb",
    "julia",
    "ksh",
    "lua",
    "mysql",
    "node",
    "perl",
    "php",
    "powershell",
    "psql",
    "pwsh",
    "python",
    "python3",
    "ruby",
    "screen",
    "sh",
    "sqlite3",
    "tmux",
];

/// Words that may precede the name of a program and do not change what the program reads.
const WRAPPERS: [&str; 9] = [
    "builtin", "command", "env", "exec", "nice", "nohup", "setsid", "sudo", "time",
];

/// Flags with which a program still waits for input.
const FLAGS: [&str; 14] = [
    "-",
    "--interactive",
    "--login",
    "--noprofile",
    "--norc",
    "-a",
    "-i",
    "-il",
    "-l",
    "-li",
    "-q",
    "-s",
    "-u",
    "-x",
];

/// Returns the arguments that machines use to decide about a call. If the command only opens a shell or an interpreter,
/// they are reduced to the shortest spelling of the command. `command` is the name of the argument with the command.
pub(super) fn plain(args: &Object, command: Option<&str>) -> Object {
    let name = command.unwrap_or_default();
    let Some(program) = args.get(name).and_then(Json::as_text).and_then(opened) else {
        return args.clone();
    };
    let mut plain = Object::new();
    plain.push(name.to_owned(), program);
    plain
}

/// Returns the shortest command that opens the same shell or interpreter; `None` if the command does something else.
fn opened(command: &str) -> Option<String> {
    let command = command.replace(['"', '\'', '\\'], "");
    let command = command.trim_end_matches(|letter: char| letter.is_whitespace() || letter == ';');
    let mut words = command.split_whitespace().map(base);
    let is_before =
        |word: &&str| WRAPPERS.contains(word) || word.contains('=') || word.starts_with('-');
    let program = words.by_ref().find(|word| !is_before(word))?;
    let program = if program.starts_with("python3.") {
        "python3"
    } else {
        program
    };
    let is_waiting = PROGRAMS.contains(&program) && words.all(|word| FLAGS.contains(&word));
    is_waiting.then(|| match program {
        // Without this flag, it reads a script.
        "php" => "php -a".to_owned(),
        program => program.to_owned(),
    })
}

/// Returns the name of a program without its folder.
fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_without_a_script_is_found_in_every_spelling() {
        for command in [
            "bash",
            " bash ",
            "bash -i",
            "/bin/bash",
            "/usr/bin/env bash",
            "env X=1 bash",
            "exec bash -l",
            "command 'bash'",
            "b\\ash;",
            "sudo -E bash",
        ] {
            assert_eq!(opened(command).as_deref(), Some("bash"), "{command}");
        }
        assert_eq!(opened("python3.12 -i").as_deref(), Some("python3"));
    }

    #[test]
    fn a_command_with_a_script_stays_as_it_is() {
        for command in [
            "bash x.sh",
            "bash -c ls",
            "python3 --version",
            "ls",
            "",
            "env",
            "bash && ls",
            "echo bash",
        ] {
            assert_eq!(opened(command), None, "{command}");
        }
        let mut args = Object::new();
        args.push("command", "/usr/bin/make");
        args.push("timeout", 5_i64);
        assert_eq!(plain(&args, Some("command")), args);
        args.insert("command", Json::from("/bin/sh"));
        let found = Json::from(plain(&args, Some("command")));
        assert_eq!(found.to_string(), r#"{"command":"sh"}"#);
        assert_eq!(plain(&args, None), args);
    }
}
