//! Commands that only open a shell or an interpreter. No hook sees what is typed into the shell later, so machines that
//! record calls refuse a call with such a command. The machines recognize the call by its arguments, so every spelling
//! of such a command is replaced with the shortest one.

use plan_machine_kernel::json::{Json, Object};

/// Programs that wait for input if they get no script.
const PROGRAMS: [&str; 27] = [
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
    "zsh",
];

/// Programs that may precede the name of a program and do not change what it reads, each with its options that take a
/// value.
const WRAPPERS: [(&str, &[&str]); 9] = [
    ("builtin", &[]),
    ("command", &[]),
    ("env", &["-C", "-u", "--chdir", "--unset"]),
    ("exec", &["-a"]),
    ("nice", &["-n", "--adjustment"]),
    ("nohup", &[]),
    ("setsid", &[]),
    (
        "sudo",
        &[
            "-C", "-D", "-R", "-T", "-g", "-h", "-p", "-r", "-t", "-u", "--chdir", "--group",
            "--host", "--prompt", "--role", "--type", "--user",
        ],
    ),
    ("time", &["-f", "-o", "--format", "--output"]),
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
    let program = program(&mut words)?;
    let is_waiting = PROGRAMS.contains(&program) && words.clone().all(|word| FLAGS.contains(&word));
    match program {
        "bun" => words.eq(["repl"]).then(|| "bun repl".to_owned()),
        _ if !is_waiting => None,
        // Without this flag, `php` reads a script.
        "php" => Some("php -a".to_owned()),
        program => Some(program.to_owned()),
    }
}

/// Returns the first program of a command that is not a wrapper; `words` then begins after it.
fn program<'c>(words: &mut impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let mut wrapper = "";
    let mut with_values: &[&str] = &[];
    while let Some(word) = words.next() {
        if wrapper == "command" && matches!(word, "-v" | "-V") {
            // `command -v` only prints the location of a program.
            return None;
        } else if takes_value(word, with_values) {
            words.next();
        } else if let Some((name, options)) = WRAPPERS.iter().find(|(name, _)| *name == word) {
            (wrapper, with_values) = (name, options);
        } else if word.starts_with("python3.") {
            return Some("python3");
        } else if !word.contains('=') && !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// Returns whether an option takes the next word as its value. Of several short options in one word, such as `-Hu`, only
/// the last one can.
fn takes_value(word: &str, with_values: &[&str]) -> bool {
    let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let last = short.and_then(|rest| rest.chars().last());
    with_values.contains(&word)
        || last.is_some_and(|last| with_values.contains(&&*format!("-{last}")))
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
            "sudo -n bash",
            "sudo -u root bash -l",
            "sudo -Hu root bash",
            "sudo --user root bash",
            "nice -n 5 /bin/bash",
        ] {
            assert_eq!(opened(command).as_deref(), Some("bash"), "{command}");
        }
        assert_eq!(opened("python3.12 -i").as_deref(), Some("python3"));
    }

    #[test]
    fn every_terminal_of_the_shipped_machine_is_found_in_other_spellings() {
        let machine = include_str!("../../shipped/agents/record_then_replay.yaml");
        let entries = machine.lines().filter_map(|line| {
            let entry = line.trim().strip_prefix("- { command: \"")?;
            entry.strip_suffix("\" }")
        });
        let entries: Vec<&str> = entries.collect();
        assert!(entries.len() > 30, "{entries:?}");
        for entry in &entries {
            let found = opened(&format!("exec /usr/bin/{entry};"));
            let found = found.unwrap_or_else(|| panic!("{entry} is not found"));
            assert!(entries.contains(&found.as_str()), "{entry}: {found}");
        }
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
            "sudo apt install bash",
            "command -v bash",
            "bun run repl",
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
