//! Tests of `plan-machine check`.

use insta::assert_snapshot;

use super::{corpus, folder, invalid, transcript, valid};

#[test]
fn good_specs_get_a_line_each() {
    assert_snapshot!(valid("check work_by_plan.yaml many_reviews.yaml", ""));
}

#[test]
fn errors_are_shown_with_their_places_and_counted() {
    assert_snapshot!(invalid(
        "check PM0102_unknown_event.yaml PM0104_state_twice.yaml"
    ));
}

#[test]
fn a_warning_is_fine_until_warnings_are_denied() {
    let lenient = invalid("check PM0301_unhandled_command.yaml");
    let strict = invalid("check --deny-warnings PM0301_unhandled_command.yaml");
    assert_snapshot!(format!("{lenient}\n{strict}"));
}

#[test]
fn what_no_scenario_covers_is_one_line() {
    assert_snapshot!(invalid("check PM0702_transition_never_tried.yaml"));
}

#[test]
fn json_is_an_object_a_line() {
    assert_snapshot!(valid(
        "check --format json work_by_plan.yaml batches.yaml",
        ""
    ));
}

#[test]
fn json_tells_errors_with_their_places() {
    let line = "check --format json PM0102_unknown_event.yaml PM0101_not_yaml.yaml";
    assert_snapshot!(invalid(line));
}

#[test]
fn a_scenario_that_differs_is_an_error() {
    assert_snapshot!(invalid("check PM0701_state_differs.yaml"));
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    assert_snapshot!(valid("check missing.yaml work_by_plan.yaml", ""));
}

#[test]
fn bytes_that_are_not_utf_8_are_reported_with_their_place() {
    let folder = folder("not_utf_8");
    std::fs::write(folder.join("bad.yaml"), b"machine: Bad\ndoc: \xff\n").expect("written");
    assert_snapshot!(transcript(&folder, "check bad.yaml", ""));
}

#[test]
fn an_empty_file_is_an_error_of_the_spec() {
    let folder = folder("empty");
    std::fs::write(folder.join("empty.yaml"), "").expect("written");
    assert_snapshot!(transcript(&folder, "check empty.yaml", ""));
}

#[test]
fn documents_of_scopes_are_checked_beside_specs() {
    let line = "check scopes/valid/memory.yaml scopes/valid/sessions_only.yaml valid/batches.yaml";
    assert_snapshot!(transcript(&corpus(""), line, ""));
}

#[test]
fn errors_of_scopes_are_shown_with_their_places_and_counted() {
    let line = "check memory.yaml ../invalid/PM0902_run_without_the_id.yaml";
    assert_snapshot!(transcript(&corpus("scopes/valid"), line, ""));
}

#[test]
fn json_of_scopes_is_an_object_a_line() {
    let line = "check --format json memory.yaml ../invalid/PM0901_unknown_run.yaml";
    assert_snapshot!(transcript(&corpus("scopes/valid"), line, ""));
}

#[test]
fn commands_that_want_a_machine_say_what_a_document_of_scopes_is() {
    let memory = "../tests/corpus/scopes/valid/memory.yaml";
    for command in ["mutate", "test", "table", "run"] {
        let told = super::transcript(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")),
            &format!("{command} {memory}"),
            "",
        );
        assert!(
            told.contains("is a scopes document, not a machine"),
            "{command}: {told}"
        );
        assert!(told.contains("--- status 2"), "{command}: {told}");
    }
}

/// A Rust file with two inline specs, the second of which has an error. It also mentions `machine!`
/// twice without an inline spec.
const RUST: &str = "\
//! machine! { in a comment }
plan_machine::machine!(\"plan.yaml\");

plan_machine::machine! {
    machine Note;
    command begin = \"/note\";
    command end = \"/done\";
    state none { on begin => OPEN; }
    state OPEN { on end => CLOSED next none; }
    final state CLOSED;
}

mod inner {
    use plan_machine::machine;

    machine!(
        crate = ::renamed;
        machine Task;
        command begin = \"/task\";
        state none { on begin => OPNE; }
        state OPEN { on begin => DONE next none; }
        final state DONE;
    );
}
";

#[test]
fn inline_specs_of_a_rust_file_are_checked_at_their_places() {
    let folder = folder("check_rust");
    std::fs::write(folder.join("lib.rs"), RUST).expect("written");
    let human = transcript(&folder, "check lib.rs", "");
    let json = transcript(&folder, "check --format json lib.rs", "");
    assert_snapshot!(format!("{human}\n{json}"));
}

#[test]
fn a_rust_file_without_inline_specs_and_one_that_is_not_rust_are_reported() {
    let folder = folder("check_no_rust");
    std::fs::write(folder.join("plain.rs"), "fn main() {}\n").expect("written");
    std::fs::write(folder.join("open.rs"), "fn main() {\n").expect("written");
    assert_snapshot!(transcript(&folder, "check plain.rs open.rs", ""));
}
