//! `plan-machine --help` is enough to get started.

use super::{folder, transcript, valid};

/// Returns the spec that the help shows, without its indentation.
fn first_spec() -> String {
    let help = valid("--help", "");
    let lines = help
        .lines()
        .skip_while(|line| !line.contains("machine: Note"));
    let spec = lines.take_while(|line| !line.is_empty());
    let spec = spec.map(|line| line.strip_prefix("       ").unwrap_or(line));
    spec.collect::<Vec<&str>>().join("\n")
}

#[test]
fn the_first_steps_work() {
    let folder = folder("first_steps");
    std::fs::write(folder.join("note.yaml"), first_spec()).expect("written");
    let check = transcript(&folder, "check --deny-warnings note.yaml", "");
    assert!(check.contains("note.yaml: ok, 3 states, "), "{check}");
    let run = transcript(&folder, "run note.yaml", "{\"do\":\"/note\"}\n");
    assert!(run.contains("\"state\":\"OPEN\""), "{run}");
    let table = transcript(&folder, "table note.yaml", "");
    assert!(table.ends_with("--- status 0\n"), "{table}");
}

/// Returns the names of the commands that the help lists.
fn commands() -> Vec<String> {
    let help = valid("--help", "");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    // A description that is continued on the next line has a larger indentation.
    let listed = listed.filter_map(|line| line.strip_prefix("  "));
    let names = listed.filter(|line| !line.starts_with(' '));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let commands = commands();
    for command in [
        "check", "classify", "run", "log", "test", "mutate", "diagram", "table", "tools", "prompt",
        "expand", "explain", "schema", "new", "hook", "status", "approve", "reject", "command",
        "trust", "serve", "diff", "generate", "init", "doctor", "mcp",
    ] {
        let is_listed = commands.iter().any(|name| name == command);
        assert!(is_listed, "{command}: {commands:?}");
    }
    for command in commands {
        let help = valid(&format!("{command} --help"), "");
        assert!(help.contains("Example"), "{help}");
        assert!(help.ends_with("--- status 0\n"), "{help}");
        assert!(valid("--help", "").contains(&format!("\n  {command}")));
    }
}

#[test]
#[cfg(feature = "server")]
fn the_help_of_serve_says_who_has_tokens_and_what_needs_a_feature() {
    let help = valid("serve --help", "");
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    for part in [
        "tokens of programs, and of people",
        "needs the feature `memory`",
        "--host https://inbox.example",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
}
