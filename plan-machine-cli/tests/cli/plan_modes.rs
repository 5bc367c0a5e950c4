//! Tests that the days with Codex in `docs/plan_modes.md` show the answers of `plan-machine run`.

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine_kernel::json::{Json, Object};

use super::{fresh, plan_machine};

/// The keys that the page leaves out of the answers.
const LEFT_OUT: [&str; 8] = [
    "counted_by",
    "data",
    "effects",
    "ended",
    "open",
    "plan",
    "state",
    "turn",
];

/// Returns the days on the page, each with the name of its session and its block.
fn days() -> Vec<(String, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/plan_modes.md");
    let page = fs::read_to_string(page).expect("the page");
    let days = page
        .split("(`specs/sessions/days/codex_")
        .skip(1)
        .map(|rest| {
            let (name, rest) = rest.split_once(".yaml`").expect("a session");
            let block = rest.split("```text\n").nth(1).expect("a block");
            let block = block.split("\n```").next().unwrap_or_default();
            (name.to_owned(), block.to_owned())
        });
    days.collect()
}

/// Creates a folder with the session for Codex. Both budgets of `budgeted` are 2, as the page says.
fn session(name: &str) -> PathBuf {
    let (folder, specs) = (
        fresh(&format!("day_{name}")),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs"),
    );
    for part in ["sessions", "agents", "calls"] {
        fs::create_dir(folder.join(part)).expect("a folder");
        for entry in fs::read_dir(specs.join(part)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a document");
            let text = text
                .replace(
                    "calls: ../calls/claude_code.yaml",
                    "calls: ../calls/codex.yaml",
                )
                .replace("default: &writes 20\n", "default: &writes 2\n")
                .replace(
                    "default: &shell_commands 10\n",
                    "default: &shell_commands 2\n",
                );
            let file = path.file_name().expect("a name");
            fs::write(folder.join(part).join(file), text).expect("written");
        }
    }
    folder.join("sessions")
}

/// Returns an answer as the page shows it.
fn shortened(answer: &str) -> Json {
    let Ok(Json::Object(answer)) = Json::parse(answer) else {
        panic!("expected an object: {answer}");
    };
    let kept = answer.into_iter();
    let kept = kept.filter(|(key, _)| !LEFT_OUT.contains(&key.as_ref()));
    kept.collect::<Object>().into()
}

#[test]
fn the_days_on_the_page_are_what_the_command_answers() {
    let days = days();
    assert_eq!(days.len(), 4);
    for (name, block) in days {
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        let (input, shown): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('>'));
        let input: Vec<&str> = input
            .iter()
            .map(|line| line.trim_start_matches("> "))
            .collect();
        let mut command = plan_machine(&session(&name), &format!("run {name}.yaml"));
        let output = command.write_stdin(input.join("\n")).output();
        let output = output.expect("the command starts");
        assert_eq!(output.status.code(), Some(0), "{name}");
        let answers = String::from_utf8(output.stdout).expect("it prints UTF-8");
        let answers: Vec<Json> = answers.lines().map(shortened).collect();
        let shown = shown.iter().map(|line| Json::parse(line).expect("JSON"));
        assert_eq!(shown.collect::<Vec<_>>(), answers, "{name}");
    }
}
