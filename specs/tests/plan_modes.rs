//! The plan modes for coding agents: each is proved with the calls document of every agent.

use std::fs;
use std::path::PathBuf;

use plan_machine_compiler::diagnostic::Severity;
use plan_machine_compiler::session::Files;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{compile, compile_session};

const AGENTS: [&str; 6] = [
    "claude_code",
    "codex",
    "opencode",
    "gemini",
    "goose",
    "cursor",
];

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compiles a session document with the calls document of an agent, and returns its problems.
fn problems(folder: PathBuf, text: String) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("session.yaml", text);
    let compilation = compile_session(&mut sources, file, &mut Files::new(folder));
    assert!(!compilation.report.invariants.is_empty() || !compilation.report.scenarios.is_empty());
    let found = compilation.diagnostics.into_iter();
    let found = found.filter(|found| found.severity != Severity::Note);
    found.map(|found| found.message).collect()
}

fn is_proved_for_every_agent(session: &str) {
    let path = folder("sessions").join(format!("{session}.yaml"));
    let text = fs::read_to_string(path).expect("a session of the crate");
    for agent in AGENTS {
        let calls = format!("calls: ../calls/{agent}.yaml");
        let text = text.replace("calls: ../calls/claude_code.yaml", &calls);
        assert!(text.contains(&calls));
        let problems = problems(folder("sessions"), text);
        assert_eq!(problems, Vec::<String>::new(), "{session} with {agent}");
    }
}

#[test]
fn look_then_act_is_proved_for_every_agent() {
    is_proved_for_every_agent("look_then_act");
}

#[test]
fn budgeted_is_proved_for_every_agent() {
    is_proved_for_every_agent("budgeted");
}

#[test]
fn record_then_replay_is_proved_for_every_agent() {
    is_proved_for_every_agent("record_then_replay");
}

#[test]
fn work_by_plan_is_proved_for_every_agent() {
    is_proved_for_every_agent("work_by_plan");
}

#[test]
fn the_budgets_are_two_numbers_that_a_user_can_change() {
    let path = folder("agents").join("budgeted.yaml");
    let shipped = fs::read_to_string(path).expect("a machine of the crate");
    let (writes, shell_commands) = ("default: &writes 20\n", "default: &shell_commands 10\n");
    assert!(shipped.contains(writes) && shipped.contains(shell_commands));
    for (one, other) in [(1, 1), (5, 50), (50, 5), (400, 400)] {
        let text = shipped
            .replace(writes, &format!("default: &writes {one}\n"))
            .replace(
                shell_commands,
                &format!("default: &shell_commands {other}\n"),
            );
        let mut sources = SourceMap::default();
        let file = sources.add("budgeted.yaml", text);
        let mut compilation = compile(&sources, file);
        compilation.deny_warnings();
        assert!(
            compilation.is_ok(),
            "{one} writes and {other} shell commands: {:#?}",
            compilation.diagnostics
        );
    }
}

#[test]
fn every_invariant_of_the_plan_modes_is_named_on_their_page() {
    let page = fs::read_to_string(folder("../docs/plan_modes.md")).expect("the page");
    for session in [
        "look_then_act",
        "budgeted",
        "record_then_replay",
        "work_by_plan",
    ] {
        let path = folder("sessions").join(format!("{session}.yaml"));
        let text = fs::read_to_string(path).expect("a session of the crate");
        let mut sources = SourceMap::default();
        let file = sources.add("session.yaml", text);
        let files = &mut Files::new(folder("sessions"));
        let compilation = compile_session(&mut sources, file, files);
        let checked = compilation.session.expect("a checked session");
        let members = checked.members.iter();
        let machines = members.flat_map(|member| &member.machine.invariants);
        let machines = machines.map(|invariant| &invariant.name);
        let own = compilation.report.invariants.iter();
        let own = own.map(|invariant| &invariant.name);
        let names: Vec<&String> = machines.chain(own).collect();
        assert!(names.len() > 20, "{session}: {names:?}");
        let missing: Vec<&&String> = names
            .iter()
            .filter(|name| !page.contains(&format!("`{name}`")))
            .collect();
        assert!(missing.is_empty(), "{session}: not named: {missing:#?}");
    }
}

#[test]
fn a_day_with_codex_goes_as_written() {
    let days = fs::read_dir(folder("sessions/days")).expect("the days");
    let mut count = 0;
    for day in days {
        let path = day.expect("a readable folder").path();
        let text = fs::read_to_string(&path).expect("a document");
        let problems = problems(folder("sessions/days"), text);
        assert_eq!(problems, Vec::<String>::new(), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 4);
}
