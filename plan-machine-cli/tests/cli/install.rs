//! `plan-machine init` and `plan-machine doctor`.

use std::fs;
use std::path::Path;

use plan_machine_kernel::json::Json;

use super::gated::{Gated, refuses_an_agent, shown};

/// The configuration of a user who has used Claude Code before.
const SETTINGS: &str = "{\n  \"model\": \"some-model\"\n}\n";

/// Returns a project without documents, in which Claude Code has a configuration; `None` if an agent runs the tests.
fn with_settings(name: &str) -> Option<Gated> {
    let gated = Gated::bare(name);
    fs::create_dir_all(gated.project().join(".claude")).expect("a folder");
    fs::write(gated.project().join(".claude/settings.json"), SETTINGS).expect("settings");
    (!refuses_an_agent(&gated)).then_some(gated)
}

fn settings(gated: &Gated) -> String {
    fs::read_to_string(gated.project().join(".claude/settings.json")).expect("settings")
}

#[test]
fn a_dry_run_of_init_shows_the_changes_and_makes_none() {
    let Some(gated) = with_settings("init_dry_run") else {
        return;
    };
    let dry = "init --agent claude-code --dry-run";
    // A dry run changes nothing, so an agent may run it as well.
    for (status, text) in [gated.run(dry, ""), gated.by_agent(dry, "")] {
        assert_eq!(status, 0, "{text}");
        assert!(text.contains("/.plan-machine/session.yaml ("), "{text}");
        assert!(
            text.contains("\n+") && text.contains("PreToolUse"),
            "{text}"
        );
        assert_eq!(settings(&gated), SETTINGS);
        for made in [".plan-machine", ".mcp.json"] {
            assert!(!gated.project().join(made).exists(), "{made} was made");
        }
        assert!(!gated.folder.join("state").exists(), "a state was made");
    }
}

#[test]
fn init_asks_before_it_changes_an_existing_file() {
    let Some(gated) = with_settings("init_asks") else {
        return;
    };
    let init = "init --agent claude-code";
    let (status, text) = gated.run(init, "");
    let refused = "changing existing files needs an answer from a person";
    assert!(status == 2 && text.contains(refused), "{text}");
    let text = gated.answered_on_terminal(init, "n\n");
    assert!(text.contains("Change these files? [y/N]"), "{text}");
    assert!(text.contains("nothing was changed"), "{text}");
    assert_eq!(settings(&gated), SETTINGS);
    assert!(!gated.project().join(".plan-machine").exists(), "{text}");
    let text = gated.answered_on_terminal(init, "y\n");
    assert!(
        text.contains("installed the gate for claude-code"),
        "{text}"
    );
    let changed = settings(&gated);
    assert!(
        changed.contains("PreToolUse") && changed.contains("some-model"),
        "{changed}"
    );
    // The second run changes nothing, so it asks nothing.
    let (status, text) = gated.run(init, "");
    assert!(status == 0 && text.contains("nothing to change"), "{text}");
}

#[test]
fn the_documents_of_a_user_decide_in_every_project_without_its_own() {
    let gated = Gated::bare("init_user");
    if refuses_an_agent(&gated) {
        return;
    }
    let home = gated.folder.join("home");
    fs::create_dir_all(&home).expect("a folder");
    let own = Gated::new("init_user_own");
    let run = |line: &str, input: &str| gated.run_at_home(&home, line, input);
    let call = |folder: &Path, talk: &str, id: &str, tool: &str| {
        let event = format!(
            r#"{{"session_id":"{talk}","cwd":"{}","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{{"file_path":"a.txt"}},"tool_use_id":"{id}"}}"#,
            folder.display()
        );
        run("hook --agent claude-code", &event)
    };
    let project = gated.project();
    assert_eq!(call(&project, "talk-0001", "c1", "Write").0, 0, "not gated");
    let (status, text) = run("init --agent claude-code --user --yes", "");
    assert_eq!(status, 0, "{text}");
    assert!(home.join(".claude/settings.json").exists(), "{text}");
    let (status, text) = call(&project, "talk-0001", "c2", "Write");
    assert!(
        status == 2 && text.contains("Only reads are allowed"),
        "{text}"
    );
    assert_eq!(call(&project, "talk-0001", "c3", "Read").0, 0);
    // A person allows all tools in one conversation; other conversations stay restricted.
    let (status, text) = run("command --session claude-code:talk-0001 .plan off", "");
    assert_eq!(status, 0, "{text}");
    assert_eq!(call(&project, "talk-0001", "c4", "Write").0, 0);
    assert_eq!(call(&project, "talk-0002", "c1", "Write").0, 2);
    // A project with its own documents is gated by these documents, which nobody has trusted.
    let (status, text) = call(&own.project(), "talk-0003", "c1", "Read");
    assert!(status == 2 && text.contains("not trusted"), "{text}");
}

#[test]
fn init_in_a_project_that_the_user_gates_says_so_and_installs_no_second_hooks() {
    let gated = Gated::bare("init_user_first");
    if refuses_an_agent(&gated) {
        return;
    }
    let home = gated.folder.join("home");
    fs::create_dir_all(&home).expect("a folder");
    let run = |line: &str| gated.run_at_home(&home, line, "");
    assert_eq!(run("init --agent claude-code --user --yes").0, 0);
    for line in [
        "init --agent claude-code --dry-run",
        "init --agent claude-code --yes",
    ] {
        let (status, text) = run(line);
        assert_eq!(status, 0, "{text}");
        let words = "/.claude/settings.json` already gate this project";
        assert!(text.contains(words), "{text}");
    }
    let project = gated.project();
    assert!(project.join(".plan-machine/session.yaml").exists());
    assert!(!project.join(".claude/settings.json").exists());
}

/// Returns the line that these settings of Claude Code run before each call to a tool.
fn line_before_tools(settings: &str) -> String {
    let settings = Json::parse(settings).expect("JSON");
    let hooks = settings.as_object().and_then(|all| all.get("hooks"));
    let hooks = hooks.and_then(Json::as_object).expect("hooks");
    let entries = hooks.get("PreToolUse").and_then(Json::as_list);
    let entry = entries.and_then(<[Json]>::first).and_then(Json::as_object);
    let lines = entry.and_then(|entry| entry.get("hooks")?.as_list());
    let line = lines.and_then(<[Json]>::first).and_then(Json::as_object);
    let line = line.and_then(|line| line.get("command")?.as_text());
    line.expect("a command").to_owned()
}

#[test]
fn hooks_run_the_small_program_beside_this_one() {
    let gated = Gated::new("agents_small_hook");
    if refuses_an_agent(&gated) {
        return;
    }
    let bin = gated.folder.join("bin");
    fs::create_dir(&bin).expect("a folder");
    // `plan-machine` answers events as well, so it can be used as the small program.
    for name in ["plan-machine", "plan-machine-hook"] {
        fs::hard_link(env!("CARGO_BIN_EXE_plan-machine"), bin.join(name)).expect("a program");
    }
    let run = |line: &str| shown(&mut gated.command(&bin.join("plan-machine"), line), "");
    let read = |file: &str| fs::read_to_string(gated.project().join(file)).expect("a file");
    let (status, text) = run("init --agent claude-code --yes");
    assert_eq!(status, 0, "{text}");
    let hooks = read(".claude/settings.json");
    assert!(
        hooks.contains(r#"/bin/plan-machine-hook\" hook --agent claude-code"#),
        "{hooks}"
    );
    let servers = read(".mcp.json");
    assert!(servers.contains(r#"/bin/plan-machine""#), "{servers}");
    let (status, text) = run("doctor --agent claude-code");
    assert!(status == 0 && text.contains("; hooks run `"), "{text}");

    // An agent runs the configured line. Without the small program, the line denies every call.
    let line = format!("{} < ../event.json", line_before_tools(&hooks));
    fs::write(gated.folder.join("event.json"), gated.call("c1", "Read")).expect("an event");
    let asked = || shown(gated.command(Path::new("/bin/sh"), "-c").arg(&line), "");
    let (status, text) = asked();
    assert_eq!(status, 0, "{text}");
    let hook = bin.join("plan-machine-hook");
    fs::remove_file(&hook).expect("removed");
    let (status, text) = asked();
    assert!(
        status == 2 && text.contains("the gate is closed because its program failed"),
        "{text}"
    );

    // A file that is not the program of this version is not used.
    fs::write(&hook, "").expect("another file");
    let (status, text) = run("doctor --agent claude-code");
    assert!(
        status == 1 && text.contains("WRONG claude-code configuration"),
        "{text}"
    );
    run("init --agent claude-code --yes");
    let hooks = read(".claude/settings.json");
    assert!(
        hooks.contains(r#"/bin/plan-machine\" hook --agent claude-code"#)
            && !hooks.contains("plan-machine-hook"),
        "{hooks}"
    );
}

#[test]
fn an_agent_that_was_not_started_yet_is_a_next_step_and_no_problem() {
    let gated = Gated::new("agents_doctor");
    if refuses_an_agent(&gated) {
        return;
    }
    let (status, text) = gated.run("init --agent claude-code --yes", "");
    assert!(
        status == 0 && text.contains("allow the MCP server"),
        "{text}"
    );
    let (status, text) = gated.run("doctor --agent claude-code", "");
    assert!(text.contains("next  claude-code heartbeat"), "{text}");
    assert!(!text.contains("WRONG") && status == 0, "{text}");
    gated.prompt("p1", "hello");
    let (status, text) = gated.run("doctor --agent claude-code", "");
    assert!(
        status == 0 && text.contains("no problems found\n"),
        "{text}"
    );
}

/// Returns a project in which `doctor` finds no problem; `None` if an agent runs the tests.
fn sound(name: &str) -> Option<Gated> {
    let gated = Gated::new(name);
    if refuses_an_agent(&gated) {
        return None;
    }
    gated.run("init --agent claude-code --yes", "");
    gated.prompt("p1", "hello");
    let (status, text) = gated.run("doctor", "");
    assert!(
        status == 0 && text.contains("no problems found\n"),
        "{text}"
    );
    Some(gated)
}

/// Asserts that `doctor` finds this problem and says how to fix it.
fn finds(gated: &Gated, check: &str, found: &str, fix: &str) {
    let (status, text) = gated.run("doctor", "");
    assert_eq!(status, 1, "{text}");
    let start = format!("WRONG claude-code {check}: ");
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(&start));
    let line = lines.next().unwrap_or_else(|| panic!("{start}{text}"));
    assert!(line.contains(found) && line.contains(fix), "{line}");
    assert!(!text.contains("no problems found"), "{text}");
}

#[test]
fn the_doctor_finds_a_damaged_store() {
    let Some(gated) = sound("doctor_store") else {
        return;
    };
    let store = gated.store();
    fs::write(&store, "This is plain text, not a store.\n".repeat(300)).expect("written");
    finds(&gated, "store", "cannot use this store", ".damaged && mv ");
}

#[test]
fn the_doctor_names_the_cure_for_a_damaged_record_and_the_cure_helps() {
    let Some(gated) = sound("doctor_records") else {
        return;
    };
    let state = gated.store().with_file_name("");
    for name in ["trust.json", "proved.json"] {
        fs::write(state.join(name), b"\xffgarbage").expect("written");
        let found = format!("{name}` is damaged");
        finds(
            &gated,
            "documents",
            &found,
            "; fix: run `plan-machine trust`",
        );
        let (_, text) = gated.run("doctor", "");
        assert_eq!(
            text.matches("WRONG claude-code configuration").count(),
            0,
            "{text}"
        );
        let (status, text) = gated.run("trust --yes", "");
        assert_eq!(status, 0, "{text}");
        let (status, text) = gated.run("doctor", "");
        assert_eq!(status, 0, "{text}");
    }
    let record = state.join("installed.json");
    fs::write(&record, b"\xffgarbage").expect("written");
    for line in ["doctor", "init --agent claude-code --yes"] {
        let (status, text) = gated.run(line, "");
        assert_eq!(status, 2, "{text}");
        assert!(
            text.contains("delete it and run `plan-machine init --agent NAME`"),
            "{text}"
        );
    }
    fs::remove_file(record).expect("removed");
    let (status, text) = gated.run("init --agent claude-code --yes", "");
    assert_eq!(status, 0, "{text}");
    let (status, text) = gated.run("doctor", "");
    assert_eq!(status, 0, "{text}");
}

#[test]
fn the_doctor_finds_documents_that_have_changed() {
    let Some(gated) = sound("doctor_documents") else {
        return;
    };
    let document = gated.project().join(".plan-machine/work.yaml");
    let text = fs::read_to_string(&document).expect("a document");
    fs::write(
        &document,
        text.replace("inner: run }", "inner: run, writes: run }"),
    )
    .expect("written");
    let fix = "; fix: run `plan-machine trust` in a terminal";
    finds(&gated, "documents", "changed", fix);
    let (_, text) = gated.run("doctor", "");
    let documents = text.lines().filter(|line| line.contains(" documents: "));
    let advice: usize = documents
        .map(|line| line.matches("plan-machine trust").count())
        .sum();
    assert_eq!(advice, 1, "{text}");
}

#[test]
fn the_doctor_finds_a_configuration_that_is_missing_or_has_changed() {
    let Some(gated) = sound("doctor_configuration") else {
        return;
    };
    let fix = "run `plan-machine init --agent claude-code`";
    let hooks = gated.project().join(".claude/settings.json");
    let text = settings(&gated);
    fs::remove_file(&hooks).expect("removed");
    finds(&gated, "configuration", "settings.json` is missing", fix);
    fs::write(&hooks, text.replace("PreToolUse", "Stop")).expect("written");
    finds(
        &gated,
        "configuration",
        "does not have the current entries",
        fix,
    );
}

#[test]
fn the_doctor_finds_hooks_that_run_another_program() {
    let Some(gated) = sound("doctor_program") else {
        return;
    };
    let text = settings(&gated);
    let program = env!("CARGO_BIN_EXE_plan-machine");
    assert!(text.contains(program), "{text}");
    let hooks = gated.project().join(".claude/settings.json");
    fs::write(hooks, text.replace(program, "/bin/true")).expect("written");
    let fix = "run `plan-machine init --agent claude-code`";
    finds(
        &gated,
        "configuration",
        "does not have the current entries",
        fix,
    );
}

#[test]
fn a_gate_with_an_edited_session_document_is_removed_and_installed_again() {
    let gated = Gated::bare("init_edited");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("init --agent codex", "");
    let document = gated.project().join(".plan-machine/session.yaml");
    let text = fs::read_to_string(&document).expect("a document");
    fs::write(&document, format!("{text}# changed\n")).expect("written");
    gated.run("trust --yes", "");
    let (status, text) = gated.run("init --agent codex --remove --yes", "");
    assert_eq!(status, 0, "{text}");
    for part in [
        "removed the gate from codex",
        "was edited and is therefore kept",
        "these documents are kept",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (status, text) = gated.run("check .plan-machine/session.yaml", "");
    assert_eq!(status, 0, "{text}");
    let (status, text) = gated.run("init --agent codex", "");
    assert!(
        status == 0 && text.contains("installed the gate for codex"),
        "{text}"
    );

    // A document that somebody has deleted is written again.
    fs::remove_file(document.with_file_name("look_then_act.yaml")).expect("removed");
    let (status, text) = gated.run("init --agent codex --yes", "");
    assert!(status == 0 && text.contains("look_then_act.yaml"), "{text}");
    let (status, text) = gated.run("check .plan-machine/session.yaml", "");
    assert_eq!(status, 0, "{text}");
}

#[test]
fn nothing_is_installed_with_documents_that_have_errors() {
    let gated = Gated::new("init_invalid");
    if refuses_an_agent(&gated) {
        return;
    }
    fs::remove_file(gated.project().join(".plan-machine/work.yaml")).expect("removed");
    for line in ["init --agent codex --yes", "init --agent codex --dry-run"] {
        let (status, text) = gated.run(line, "");
        assert!(
            status == 2 && text.contains("there is no file `work.yaml`"),
            "{text}"
        );
        assert!(
            text.contains("nothing was changed") && text.contains("--session plan-specs:"),
            "{text}"
        );
        assert!(!gated.project().join(".codex").exists(), "a file was made");
    }
    let (status, text) = gated.run("init --agent codex --session plan-specs:budgeted --yes", "");
    assert_eq!(status, 0, "{text}");
}

#[test]
fn a_removal_without_an_answer_says_that_nothing_was_removed() {
    let gated = Gated::bare("init_remove_asks");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("init --agent codex", "");
    let (status, text) = gated.run("init --agent codex --remove", "");
    assert!(
        status == 2 && text.contains("so nothing was changed"),
        "{text}"
    );
    assert!(text.contains("to remove: "), "{text}");
    assert!(!text.contains("removed"), "{text}");
    assert!(gated.project().join(".codex/hooks.json").exists(), "{text}");
}

#[test]
fn a_dry_run_without_changes_says_so() {
    let gated = Gated::bare("init_dry_run_done");
    if refuses_an_agent(&gated) {
        return;
    }
    let dry = "init --agent codex --remove --dry-run";
    assert_eq!(gated.run(dry, ""), (0, "nothing to change\n".to_owned()));
    gated.run("init --agent codex", "");
    let dry = "init --agent codex --dry-run";
    assert_eq!(gated.run(dry, ""), (0, "nothing to change\n".to_owned()));
}
