//! The JSON schemas of specs and session documents, checked with a real validator: a schema accepts every document that
//! the reader accepts, and rejects keys that the reader does not accept.

mod agreement;
mod sessions;
mod yaml;

use std::sync::OnceLock;

use jsonschema::Validator;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::syntax::yaml::json_schema;
use plan_machine_compiler::{DocumentKind, calls, document_kind, session};
use plan_machine_tests::{compiled, root, specs, valid};
use serde_json::Value;

/// The schemas, by the kind of document.
#[derive(Clone, Copy)]
enum Schema {
    Machine,
    Session,
    Calls,
}

impl Schema {
    /// Returns the schema for a document.
    fn of(text: &str) -> Self {
        let mut sources = SourceMap::default();
        let file = sources.add("document.yaml", text);
        match document_kind(&sources, file) {
            DocumentKind::Session => Self::Session,
            DocumentKind::Calls => Self::Calls,
            DocumentKind::Machine | DocumentKind::Scopes => Self::Machine,
        }
    }

    fn json(self) -> Value {
        let schema = match self {
            Self::Machine => json_schema(),
            Self::Session => session::json_schema(),
            Self::Calls => calls::json_schema(),
        };
        serde_json::from_str(&schema.to_string()).expect("JSON")
    }

    fn validator(self) -> &'static Validator {
        static VALIDATORS: [OnceLock<Validator>; 3] = [const { OnceLock::new() }; 3];
        VALIDATORS[self as usize]
            .get_or_init(|| jsonschema::draft202012::new(&self.json()).expect("a schema"))
    }

    /// Returns the validator's errors for a value.
    fn complaints(self, value: &Value) -> Vec<String> {
        let errors = self.validator().iter_errors(value);
        errors
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }
}

/// Returns the errors for a spec.
fn complaints(value: &Value) -> Vec<String> {
    Schema::Machine.complaints(value)
}

/// Returns whether the schema accepts a spec in the form in which an editor sees it.
fn takes(text: &str) -> bool {
    Schema::Machine
        .validator()
        .is_valid(&yaml::value(text).expect("YAML"))
}

/// Returns a small spec with additional keys.
fn with(more: &str) -> String {
    format!("machine: M\nstates: {{ none: }}\n{more}\n")
}

#[test]
fn it_is_valid_under_its_draft_of_json_schema() {
    assert!(jsonschema::meta::validate(&Schema::Machine.json()).is_ok());
}

#[test]
fn it_accepts_every_valid_spec_of_the_corpus() {
    for spec in valid() {
        let value = yaml::value(&spec.text).expect("YAML");
        assert_eq!(complaints(&value), Vec::<String>::new(), "{}", spec.name);
    }
}

#[test]
fn every_document_on_these_pages_is_accepted_by_its_schema() {
    for page in ["README.md", "docs/language.md", "docs/guide.md"] {
        let page = std::fs::read_to_string(root().join(page)).expect("a document");
        let blocks = page.split("\n```yaml").skip(1);
        let blocks: Vec<&str> = blocks
            .filter_map(|rest| rest.split("\n```").next())
            .collect();
        assert!(!blocks.is_empty());
        for block in blocks {
            let (_, text) = block.split_once('\n').expect("a block has lines");
            let value = yaml::value(text).expect("YAML");
            let told = Schema::of(text).complaints(&value);
            assert_eq!(told, Vec::<String>::new(), "{text}");
        }
    }
}

#[test]
fn it_refuses_every_spec_of_the_corpus_with_an_unknown_key() {
    let unknown = specs("invalid").into_iter();
    let unknown: Vec<_> = unknown
        .filter(|spec| spec.name.starts_with("PM0103"))
        .collect();
    assert!(!unknown.is_empty());
    for spec in unknown {
        assert!(!takes(&spec.text), "{}", spec.name);
    }
}

#[test]
fn an_empty_value_is_an_empty_map_for_the_schema_and_the_compiler() {
    for more in [
        "data:",
        "tools: { t: }",
        "signals: { s: }",
        "effects: { e: }",
        "other_tools:",
        "scenarios: { s: [{ tool: a, with: }] }",
    ] {
        assert!(takes(&with(more)), "{more}");
        let compiled = compiled("nothing.yaml", &with(more));
        assert!(
            !compiled.codes().contains(&"PM0107"),
            "{}",
            compiled.rendered()
        );
    }
}

#[test]
fn it_accepts_numbers_and_booleans_in_place_of_expressions_and_literals() {
    for more in [
        "version: 2",
        "version: \"2\"",
        "doc: 42",
        "data: { a: { type: bool, default: false }, b: { type: string, max: 5, nonblank: \"true\" } }",
        "data: { a: [string], b: \"[Step]?\", c: { type: json, default: { deep: [1, null, x] } } }",
        "other_tools: { when: true, set: { a: 3, b: [1, { c: 2.5 }] }, reply: false }",
        "other_tools: { remove: { steps: { at: 0 } }, next: none }",
        "scenarios: { s: [{ do: a, with: { n: 1, b: null }, then: none, reply: null, runs: true }] }",
        "scenarios: { s: [{ batch: [{ tool: t }], runs: [t], messages: [1] }] }",
        "invariants: { i: true }",
    ] {
        assert!(takes(&with(more)), "{more}");
    }
}

#[test]
fn it_refuses_the_payload_of_a_batch_or_a_wait_as_the_compiler_does() {
    for action in ["batch: [{ tool: t, with: {} }]", "wait: 1h"] {
        let step = |more: &str| with(&format!("scenarios: {{ s: [{{ {action}{more} }}] }}"));
        assert!(takes(&step("")), "{action}");
        for more in [", with: {}", ", plan_id: plan-1", ", expect_revision: 1"] {
            let spec = step(more);
            assert!(!takes(&spec), "{spec}");
            let compiled = compiled("payload.yaml", &spec);
            assert!(compiled.codes().contains(&"PM0107"), "{spec}");
        }
    }
}

#[test]
fn it_refuses_values_of_the_wrong_shape() {
    for more in [
        "doc: [a text]",
        "doc:",
        "version: 0",
        "version: two",
        "deny: errors",
        "instances: three",
        "review: markdown",
        "review: [steps..tool]",
        "data: { 1st: string }",
        "data: { a: }",
        "data: { a: { max: 5 } }",
        "data: { a: { type: string, max: 0 } }",
        "data: { a: { type: string, nonblank: maybe } }",
        "data: { a: [string, int] }",
        "types: { T: { enum: [a], fields: {} } }",
        "types: { T: { doc: neither } }",
        "commands: { c: plan on }",
        "commands: { c: { doc: no text } }",
        "tools: { t: { input: [a, b] } }",
        "tools: { t: a text }",
        "other_tools: []",
        "other_tools: { to: [A] }",
        "other_tools: { next: { frsh: A } }",
        "other_tools: { require: { that: x, else: y } }",
        "other_tools: { require: [{ that: x }] }",
        "other_tools: { update: { l: { at: 0, where: x } } }",
        "other_tools: { insert: { l: { at: 0 } } }",
        "other_tools: { set: { a: } }",
        "other_tools: { emit: an_effect }",
        "scenarios: { s: { do: a } }",
        "scenarios: { s: [{ then: A }] }",
        "scenarios: { s: [{ do: a, tool: b }] }",
        "scenarios: { s: [{ do: a, denied: forbidden }] }",
        "scenarios: { s: [{ do: a, with: [1] }] }",
        "scenarios: { s: [{ batch: [] }] }",
    ] {
        assert!(!takes(&with(more)), "{more}");
    }
    assert!(!takes("machine: M"), "no states");
    assert!(!takes("[machine, states]"));
}
