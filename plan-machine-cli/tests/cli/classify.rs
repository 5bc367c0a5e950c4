//! Tests of `plan-machine classify`, and of `check` for calls documents.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use super::{corpus, folder, transcript};

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/calls")
}

const CALLS: &str = r#"{"tool":"Bash","with":{"command":"git status"}}
{"tool":"Read","with":{"file_path":"a"}}
{"tool":"Bash","with":{"command":"git status && rm -rf x"}}
{"tool":"Bash","with":{"command":"git diff --output=x"}}
{"tool":"Write","with":{"file_path":"plans/a.md"}}
{"tool":"Write","with":{"file_path":"plans/../src/main.rs"}}
{"tool":"Write","with":{"file_path":".claude/settings.json"}}
{"tool":"TodoWrite"}

{"tool":"Bash","with":{"command":"echo x > claude_code.yaml"}}
"#;

#[test]
fn each_call_gets_a_line() {
    assert_snapshot!(transcript(&shipped(), "classify claude_code.yaml", CALLS));
}

#[test]
fn a_line_that_is_no_call_gets_an_error_with_its_number() {
    let lines = "{\"tool\":\"Read\"}\n\nls\n[]\n{\"with\":{}}\n{\"tool\":5}\n{\"tool\":\"a\",\"with\":[]}\n{\"tool\":\"a\",\"args\":{}}\n{\"tool\":\"Read\"}\n";
    assert_snapshot!(transcript(&shipped(), "classify claude_code.yaml", lines));
}

#[test]
fn bytes_that_are_not_utf_8_get_an_error_and_the_rest_is_answered() {
    let mut lines = b"\xff\n".to_vec();
    lines.extend(b"{\"tool\":\"Read\"}");
    let shown = transcript(&shipped(), "classify claude_code.yaml", lines);
    assert!(
        shown.contains("\"line\":1}") && shown.contains("{\"class\":\"reads\",\"rule\":1}"),
        "{shown}"
    );
    assert!(shown.ends_with("--- status 2\n"), "{shown}");
}

#[test]
fn paths_are_those_of_the_project() {
    let project = folder("classify_project");
    let line = format!("classify claude_code.yaml --project {}", project.display());
    let path = project.join("plans/a.md");
    let call = format!(
        "{{\"tool\":\"Write\",\"with\":{{\"file_path\":\"{}\"}}}}\n",
        path.display()
    );
    let shown = transcript(&shipped(), &line, call.as_str());
    assert!(
        shown.contains("{\"class\":\"plan_notes\",\"rule\":4}"),
        "{shown}"
    );
    let elsewhere = transcript(&shipped(), "classify claude_code.yaml", call.as_str());
    assert!(elsewhere.contains("is outside the project"), "{elsewhere}");
}

#[test]
fn other_documents_and_folders_that_are_not_there_are_wrong_usage() {
    let machine = transcript(&corpus("valid"), "classify work_by_plan.yaml", "");
    assert!(machine.contains("is not a calls document"), "{machine}");
    let missing = transcript(&shipped(), "classify codex.yaml --project nowhere", "");
    assert!(missing.contains("`nowhere` is not a folder"), "{missing}");
    for shown in [machine, missing] {
        assert!(shown.ends_with("--- status 2\n"), "{shown}");
    }
    let invalid = transcript(
        &corpus("calls/invalid"),
        "classify PM1001_unknown_class.yaml",
        "",
    );
    assert!(invalid.ends_with("--- status 1\n"), "{invalid}");
}

#[test]
fn calls_documents_are_checked_beside_specs() {
    assert_snapshot!(transcript(
        &shipped(),
        "check claude_code.yaml codex.yaml opencode.yaml ../memory.yaml",
        ""
    ));
}

#[test]
fn an_example_that_differs_is_an_error_with_its_place() {
    assert_snapshot!(transcript(
        &corpus("calls/invalid"),
        "check PM1007_other_class.yaml",
        ""
    ));
}

#[test]
fn a_warning_about_calls_is_fine_until_warnings_are_denied() {
    let folder = corpus("calls/invalid");
    let lenient = transcript(&folder, "check PM1004_unused_class.yaml", "");
    let strict = transcript(
        &folder,
        "check --deny-warnings PM1004_unused_class.yaml",
        "",
    );
    assert_snapshot!(format!("{lenient}\n{strict}"));
}

#[test]
fn json_of_calls_is_an_object_a_line() {
    let folder = corpus("calls/invalid");
    assert_snapshot!(transcript(
        &folder,
        "check --format json PM1004_unused_class.yaml",
        ""
    ));
}

#[test]
fn commands_about_machines_refuse_calls_documents() {
    for line in ["run", "table", "test", "prompt", "diagram"] {
        let shown = transcript(&shipped(), &format!("{line} codex.yaml"), "");
        assert!(
            shown.contains("`codex.yaml` is a calls document, not a machine"),
            "{shown}"
        );
    }
}
