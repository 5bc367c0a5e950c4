//! Specs in YAML and inline specs, scopes documents and calls documents.

use plan_machine_compiler::diagnostic::render::{Colour, human, json};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity, Sink};
use plan_machine_compiler::source::{FileId, SourceMap};
use plan_machine_compiler::syntax::ast::Spec;
use plan_machine_compiler::syntax::dsl::{self, TokenMap, print};
use plan_machine_compiler::syntax::yaml;
use plan_machine_compiler::{compile, compile_calls, compile_inline, compile_scopes};
use plan_machine_kernel::json::Json;
use plan_machine_tests::fuzz::{Target, signature};
use plan_machine_tests::{root, specs, valid};

use crate::text;

/// The maximum number of problems of one kind that are reported.
const MOST_OF_A_KIND: usize = 2_000;

const WORDS: &[&str] = &[
    "machine: ",
    "states:",
    "none",
    "final: true",
    "on: ",
    "to: ",
    "next: none",
    "{ fresh: ",
    "when: ",
    "require: ",
    "set: ",
    "clear: ",
    "append: ",
    "remove: ",
    "insert: ",
    "update: ",
    "where: ",
    "emit: ",
    "reply: ",
    "instances: many",
    "max_live: 1",
    "each: true",
    "other_tools: ",
    "run",
    "deny",
    "has: ",
    "invariants: ",
    "always ",
    "never ",
    "can always reach ",
    " only by ",
    " only in ",
    "after ",
    "event.",
    "context.",
    "plan.",
    "plans where ",
    "len(",
    "section(",
    "count ",
    "any ",
    "every ",
    "is set",
    "is empty",
    " ?? ",
    " in [",
    "string?",
    "int",
    "bool",
    "[string]",
    "default: ",
    "max: ",
    "nonblank: true",
    "&a ",
    "*a",
    "scenarios: ",
    "- do: ",
    "given: ",
    "repeat: ",
    "then: ",
    "types: ",
    "enum: ",
    "fields: ",
    "review: ",
];

/// Returns every spec up to this length.
fn documents(longest: usize) -> Vec<String> {
    let shipped = std::fs::read_dir(root().join("specs")).expect("the shipped specs");
    let shipped = shipped.map(|entry| entry.expect("a shipped spec").path());
    let yaml = shipped.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let shipped = yaml.map(|path| std::fs::read_to_string(path).expect("a shipped spec"));
    let corpus = valid()
        .into_iter()
        .chain(specs("invalid"))
        .chain(specs("violating"));
    let mut all: Vec<String> = corpus.map(|spec| spec.text).chain(shipped).collect();
    all.retain(|text| text.len() <= longest);
    all
}

/// Checks the diagnostics against the sources, and returns their codes.
fn reported(diagnostics: &[Diagnostic], sources: &SourceMap, file: FileId) -> Vec<&'static str> {
    let length = sources.file(file).text().len();
    let codes: Vec<&str> = diagnostics
        .iter()
        .map(|found| found.code.as_str())
        .collect();
    for found in diagnostics {
        let labels = std::iter::once(&found.primary).chain(&found.secondary);
        for label in labels {
            let (_, start, end) = label.span.order();
            assert!(start <= end && end as usize <= length, "{found:?}");
        }
        assert!(!found.message.is_empty(), "{found:?}");
        let same = codes.iter().filter(|code| **code == found.code.as_str());
        assert!(same.count() <= MOST_OF_A_KIND, "{}", codes.len());
    }
    for found in diagnostics.iter().take(20) {
        assert!(!human(found, sources, Colour::Never).is_empty());
        assert!(Json::parse(&json(found, sources).to_string()).is_ok());
    }
    codes
}

/// Returns the syntax tree of an inline spec if it can be read without errors.
fn inline_tree(text: &str) -> Option<Spec> {
    let mut sources = SourceMap::default();
    let file = sources.add("inline.rs", text);
    let mut sink = Sink::default();
    let map = TokenMap::of_text(&sources, file).ok()?;
    let spec = dsl::read(&map, &mut sink);
    let found = sink.into_sorted();
    spec.filter(|_| found.iter().all(|found| found.severity != Severity::Error))
}

/// Checks that a spec without errors can be printed inline and that the result reads back the same.
fn prints(spec: &Spec) {
    let printed = print(spec);
    let again = inline_tree(&printed);
    assert_eq!(again.as_ref(), Some(spec), "{printed}");
    assert_eq!(again.map(|spec| print(&spec)), Some(printed));
}

fn sources(name: &str, text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    (sources, file)
}

#[test]
fn a_yaml_spec_is_read_or_rejected_with_positions() {
    let target = Target {
        name: "yaml",
        documents: documents(usize::MAX),
        words: WORDS,
        longest: 40_000,
    };
    target.run(|input| {
        let (sources, file) = sources("spec.yaml", &text(input));
        let mut sink = Sink::default();
        yaml::read(&sources, file, &mut sink);
        signature(&reported(&sink.into_sorted(), &sources, file))
    });
}

#[test]
fn a_spec_in_yaml_is_checked_and_proved_or_refused() {
    let target = Target {
        name: "spec",
        documents: documents(1_500),
        words: WORDS,
        longest: 3_000,
    };
    target.run(|input| {
        let (sources, file) = sources("spec.yaml", &text(input));
        let found = compile(&sources, file);
        if let Some(spec) = found.spec.as_ref().filter(|_| found.is_ok()) {
            prints(spec);
        }
        signature(&reported(&found.diagnostics, &sources, file))
    });
}

#[test]
fn an_inline_spec_is_read_or_rejected_with_positions() {
    let printed = documents(1_500).into_iter().filter_map(|text| {
        let (sources, file) = sources("spec.yaml", &text);
        yaml::read(&sources, file, &mut Sink::default()).map(|spec| print(&spec))
    });
    let target = Target {
        name: "inline",
        documents: printed.collect(),
        words: &[
            "machine ",
            "state ",
            "on ",
            "=> ",
            "when ",
            "require ",
            "set ",
            "emit ",
            "reply ",
            "final ",
            "data ",
            "command ",
            "tool ",
            "signal ",
            "effect ",
            "invariant ",
            "scenario ",
            "{",
            "}",
            ";",
            ",",
            "\"",
            "r#\"",
            "'a",
            "/*",
            "//",
            "#[doc]",
            "!",
            "..",
            "::",
            "->",
            "0x7f",
            "1_000",
            "b'x'",
        ],
        longest: 3_000,
    };
    target.run(|input| {
        let (sources, file) = sources("inline.rs", &text(input));
        let found = compile_inline(&sources, file);
        if let Some(spec) = found.spec.as_ref().filter(|_| found.is_ok()) {
            prints(spec);
        }
        signature(&reported(&found.diagnostics, &sources, file))
    });
}

#[test]
fn a_scopes_document_is_read_or_rejected_with_positions() {
    let shipped = root().join("specs/memory.yaml");
    let shipped = std::fs::read_to_string(shipped).expect("the shipped scopes");
    let documents = ["scopes/valid", "scopes/invalid"].map(specs).into_iter();
    let documents = documents.flatten().map(|spec| spec.text);
    let target = Target {
        name: "scopes",
        documents: documents.chain([shipped]).collect(),
        words: &[
            "scopes: ",
            "identity: ",
            "legacy: ",
            "levels:",
            "runs:",
            "key: ",
            "write: promoted",
            "ids: ",
            "reads: ",
            "writes: ",
            "invariants:",
            " never reads ",
            " never writes ",
            "{task}",
            "global",
        ],
        longest: 4_000,
    };
    target.run(|input| {
        let (sources, file) = sources("scopes.yaml", &text(input));
        let found = compile_scopes(&sources, file);
        signature(&reported(&found.diagnostics, &sources, file))
    });
}

#[test]
fn a_calls_document_is_read_or_rejected_with_positions() {
    let documents = ["calls/valid", "calls/invalid"].map(specs).into_iter();
    let target = Target {
        name: "calls_document",
        documents: documents.flatten().map(|spec| spec.text).collect(),
        words: &[
            "calls: ",
            "tools:",
            "classes: ",
            "rules:",
            "- { tool: ",
            "command: ",
            "only: ",
            "path: ",
            "under: ",
            "patch: ",
            "reads: true",
            "class: ",
            "otherwise: ",
            "examples:",
            "with: ",
            "guard",
            "../",
        ],
        longest: 4_000,
    };
    target.run(|input| {
        let (sources, file) = sources("calls.yaml", &text(input));
        let found = compile_calls(&sources, file);
        signature(&reported(&found.diagnostics, &sources, file))
    });
}
