//! The JSON schema of session documents.

use std::fs;
use std::path::Path;

use plan_machine_tests::{Spec, root, specs};

use super::{Schema, yaml};

/// Returns the session documents in a folder of the crate `plan-specs`.
fn shipped(folder: &str) -> Vec<Spec> {
    let entries = fs::read_dir(root().join("specs").join(folder)).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let documents = paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let read = |path: &Path| Spec {
        name: path.display().to_string(),
        text: fs::read_to_string(path).expect("a document"),
        path: path.to_owned(),
    };
    documents.map(|path| read(&path)).collect()
}

fn complaints(text: &str) -> Vec<String> {
    Schema::Session.complaints(&yaml::value(text).expect("YAML"))
}

#[test]
fn it_is_valid_under_its_draft_of_json_schema() {
    assert!(jsonschema::meta::validate(&Schema::Session.json()).is_ok());
}

#[test]
fn it_accepts_the_sessions_of_the_corpus_and_the_shipped_ones() {
    let all = specs("session/valid").into_iter();
    let all = all
        .chain(shipped("sessions"))
        .chain(shipped("sessions/days"));
    let mut count = 0;
    for document in all {
        assert_eq!(
            complaints(&document.text),
            Vec::<String>::new(),
            "{}",
            document.name
        );
        count += 1;
    }
    assert!(count > 12, "only {count} documents");
}

/// The documents whose shape is right, although the rule that they break is mostly about shapes.
const RIGHT_SHAPE: [&str; 1] = ["PM0107_unread_actor"];

/// The documents whose shape is wrong, although the rule that they break is mostly about names.
const WRONG_SHAPE: [&str; 1] = ["PM0102_expectations"];

#[test]
fn it_accepts_invalid_documents_unless_they_break_a_rule_about_keys_and_shapes() {
    let mut refused = 0;
    for document in specs("session/invalid") {
        let name = document.name.as_str();
        let about_shape = name.starts_with("PM0103") || name.starts_with("PM0107");
        let is_wrong = WRONG_SHAPE.contains(&name) || about_shape && !RIGHT_SHAPE.contains(&name);
        let told = complaints(&document.text);
        assert_eq!(!told.is_empty(), is_wrong, "{name}: {told:?}");
        refused += usize::from(is_wrong);
    }
    assert!(refused > 6, "only {refused} documents are refused");
}

#[test]
fn it_refuses_the_payload_of_a_batch_or_a_wait() {
    for action in ["batch: [{ tool: t, class: reads, with: {} }]", "wait: 1h"] {
        let takes = |more: &str| {
            let step = format!("scenarios: {{ s: [{{ {action}{more} }}] }}");
            let document = format!("session: S\nmachines: {{ m: m.yaml }}\n{step}\n");
            complaints(&document).is_empty()
        };
        assert!(takes(""), "{action}");
        for more in [", class: reads", ", with: {}", ", plan_id: plan-1"] {
            assert!(!takes(more), "{action}{more}");
        }
    }
}
