//! Every calls document of the corpus behaves as its location implies, and the examples of the
//! shipped documents pass.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use plan_machine_calls::{Class, Classifier, FlagsTable, Project};
use plan_machine_compiler::calls::{
    Calls, ExampleResult, diff_calls, differing_example, json_schema,
};
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diagnostic::{Code, Severity};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{CallsCompilation, DocumentKind, compile_calls, document_kind};
use plan_machine_kernel::json::Json;
use plan_machine_tests::{Spec, root, specs};

#[path = "schema/yaml.rs"]
#[allow(
    dead_code,
    reason = "the tests of the schema for machines use the other functions"
)]
mod yaml;

fn valid() -> Vec<Spec> {
    specs("calls/valid")
}

fn invalid() -> Vec<Spec> {
    specs("calls/invalid")
}

/// Returns the documents that are shipped with the lifecycles.
fn shipped() -> Vec<Spec> {
    let names = [
        "claude_code",
        "codex",
        "opencode",
        "gemini",
        "goose",
        "cursor",
    ];
    let read = |name: &str| {
        let path = root().join("specs/calls").join(format!("{name}.yaml"));
        Spec {
            name: name.to_owned(),
            text: std::fs::read_to_string(&path).expect("a shipped document"),
            path,
        }
    };
    names.map(read).into()
}

fn code_of(spec: &Spec) -> &str {
    spec.name.split('_').next().unwrap_or_default()
}

fn classifier(calls: &Calls) -> Classifier {
    // The project folder does not exist, so symbolic links on this computer have no influence.
    let project = Project::new("/nonexistent/project");
    Classifier::new(calls.document.clone(), FlagsTable::built_in(), project)
}

/// Compiles a calls document, runs its examples, and returns the result with its diagnostics.
fn compiled(name: &str, text: &str) -> (CallsCompilation, String) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let mut compilation = compile_calls(&sources, file);
    if let Some(calls) = &compilation.calls {
        let classifier = classifier(calls);
        let differing: Vec<_> = calls
            .examples
            .iter()
            .filter_map(|example| {
                let found = classifier.classify(&example.tool, &example.arguments);
                let result = ExampleResult {
                    class: classifier.name(found.class),
                    rule: found.rule,
                    why: found.why.as_deref(),
                };
                differing_example(example, result)
            })
            .collect();
        compilation.diagnostics.extend(differing);
    }
    let told = compilation.diagnostics.iter();
    let told: Vec<String> = told
        .map(|found| human(found, &sources, Colour::Never))
        .collect();
    (compilation, told.join("\n\n"))
}

mod corpus {
    use super::*;

    #[test]
    fn valid_and_shipped_documents_are_clean_and_their_examples_pass() {
        for spec in valid().into_iter().chain(shipped()) {
            let (compilation, told) = compiled(&spec.name, &spec.text);
            assert!(compilation.is_ok() && told.is_empty(), "{told}");
        }
    }

    #[test]
    fn an_invalid_document_breaks_just_the_rule_it_is_named_after() {
        for spec in invalid() {
            let (compilation, told) = compiled(&spec.name, &spec.text);
            let found = compilation.diagnostics.iter();
            let codes: BTreeSet<&str> = found.clone().map(|found| found.code.as_str()).collect();
            assert_eq!(codes, BTreeSet::from([code_of(&spec)]), "{told}");
            let warnings = found
                .clone()
                .all(|found| found.severity == Severity::Warning);
            assert_eq!(compilation.is_ok(), warnings, "{told}");
        }
    }

    #[test]
    fn every_rule_of_calls_has_a_bad_document_and_a_page() {
        let codes = Code::ALL.iter().map(|code| code.as_str());
        let codes: Vec<&str> = codes.filter(|code| code.starts_with("PM10")).collect();
        assert_eq!(codes.len(), 7);
        for code in codes {
            assert!(invalid().iter().any(|spec| code_of(spec) == code), "{code}");
            let page = root().join("docs/rules").join(format!("{code}.md"));
            assert!(page.is_file(), "no page for {code}");
        }
    }

    #[test]
    fn the_report_of_each_invalid_document_is_a_snapshot() {
        insta::glob!("../corpus/calls/invalid", "*.yaml", |path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(path).expect("a document of the corpus");
            insta::with_settings!({
                snapshot_path => "../corpus/calls/invalid",
                prepend_module_to_snapshot => false,
                snapshot_suffix => "",
                omit_expression => true,
            }, {
                insta::assert_snapshot!(stem.as_ref(), compiled(&name, &text).1);
            });
        });
    }

    #[test]
    fn the_key_at_the_top_tells_calls_from_other_documents() {
        let kind = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("document.yaml", text);
            document_kind(&sources, file)
        };
        for spec in valid().into_iter().chain(shipped()) {
            assert_eq!(kind(&spec.text), DocumentKind::Calls, "{}", spec.name);
        }
        assert_eq!(kind("scopes: M"), DocumentKind::Scopes);
        assert_eq!(kind("machine: M"), DocumentKind::Machine);
    }

    #[test]
    fn a_damaged_document_is_reported_and_never_accepted() {
        let answered = |name: &str, text: &str| {
            let (compilation, told) = compiled(name, text);
            assert!(compilation.calls.is_some() || !told.is_empty(), "{text}");
        };
        let all = valid();
        let whole = &all[0].text;
        for (at, letter) in whole.char_indices() {
            answered("cut.yaml", &whole[..at]);
            let without = format!("{}{}", &whole[..at], &whole[at + letter.len_utf8()..]);
            answered("damaged.yaml", &without);
        }
        for text in ["", "[]", "calls:", "calls: M\nrules: 3", "- calls: M"] {
            let (compilation, told) = compiled("small.yaml", text);
            assert!(!compilation.is_ok() && !told.is_empty(), "{text}");
        }
    }

    #[test]
    fn too_many_rules_are_refused_with_one_error() {
        let mut text = "calls: M\nclasses: [reads]\notherwise: reads\nrules:\n".to_owned();
        for at in 0..10_000 {
            let _ = writeln!(text, "  - {{ tool: T{at}, class: reads }}");
        }
        let (compilation, told) = compiled("rules.yaml", &text);
        assert!(compilation.calls.is_none());
        assert!(
            told.contains("10000 rules exceed the limit of 2000"),
            "{told}"
        );
        assert_eq!(compilation.diagnostics.len(), 1, "{told}");
    }

    /// Returns a document whose rules list the given numbers of tools, commands, folders and arguments. The rules also
    /// name the tool `B` three times.
    fn with_uses([tools, commands, folders, arguments]: [usize; 4]) -> String {
        let list = |many: usize| {
            let names: Vec<String> = (0..many).map(|at| format!("name{at}")).collect();
            names.join(", ")
        };
        let mut text = "calls: M\ntools: { B: { command: c, path: p } }\nclasses: [reads, writes]\notherwise: writes\nrules:\n"
            .to_owned();
        let _ = writeln!(text, "  - {{ tool: [{}], class: reads }}", list(tools));
        for (condition, key, many) in [
            ("command", "only", commands),
            ("path", "under", folders),
            ("arguments", "only", arguments),
        ] {
            let _ = writeln!(
                text,
                "  - {{ tool: B, {condition}: {{ {key}: [{}] }}, class: reads }}",
                list(many)
            );
        }
        text
    }

    #[test]
    fn rules_have_at_most_twenty_thousand_tools_commands_folders_and_arguments_in_total() {
        let most = [5_000 - 3, 5_000, 5_000, 5_000];
        let (compilation, told) = compiled("most.yaml", &with_uses(most));
        assert!(compilation.is_ok() && told.is_empty(), "{told}");
        for kind in 0..most.len() {
            let mut more = most;
            more[kind] += 1;
            let (compilation, told) = compiled("more.yaml", &with_uses(more));
            assert!(compilation.calls.is_none(), "{kind}");
            let message =
                "20001 tools, commands, folders and arguments of rules exceed the limit of 20000";
            assert!(told.contains(message), "{kind}: {told}");
            assert_eq!(compilation.diagnostics.len(), 1, "{kind}: {told}");
        }
    }

    #[test]
    fn examples_that_take_too_much_work_together_are_refused_with_one_error() {
        let mut text = "calls: M\ntools: { B: { command: c } }\nclasses: [reads, writes]\notherwise: writes\nrules:\n"
            .to_owned();
        for at in 0..1_000 {
            let _ = writeln!(
                text,
                "  - {{ tool: B, command: {{ only: [a, z{at}] }}, class: reads }}"
            );
        }
        let command = "a && ".repeat(400);
        let _ = writeln!(
            text,
            "examples:\n  - {{ tool: B, with: &c {{ c: '{command}q' }}, class: writes }}"
        );
        for _ in 0..20 {
            let _ = writeln!(text, "  - {{ tool: B, with: *c, class: writes }}");
        }
        let (compilation, told) = compiled("examples.yaml", &text);
        assert!(compilation.calls.is_none());
        let message = "the examples exceed the limit of 20000000 comparisons";
        assert!(told.contains(message), "{told}");
        assert_eq!(compilation.diagnostics.len(), 1, "{told}");
    }
}

mod rules {
    use super::*;

    fn with_rules(rules: &str) -> Calls {
        let text = format!(
            "calls: M\ntools: {{ B: {{ command: c, path: p }} }}\nclasses: [reads, writes]\nrules: [{rules}]\notherwise: writes\n"
        );
        let (compilation, told) = compiled("rules.yaml", &text);
        let calls = compilation.calls.filter(|_| told.is_empty());
        calls.unwrap_or_else(|| panic!("{told}")).into_inner()
    }

    fn changes(old: &str, new: &str) -> Vec<String> {
        let found = diff_calls(&with_rules(old), &with_rules(new)).changes;
        found.into_iter().map(|change| change.detail).collect()
    }

    #[test]
    fn a_rule_that_is_split_into_its_two_conditions_is_a_change() {
        let both =
            "{ tool: B, command: { only: [ls, cat] }, path: { under: [docs, src] }, class: reads }";
        let command = "{ tool: B, command: { only: [ls, cat] }, class: reads }";
        let path = "{ tool: B, path: { under: [docs, src] }, class: reads }";
        assert_eq!(
            changes(both, &format!("{command}, {path}")),
            [
                "`ls` under `docs` or `src` (class reads); `cat` under `docs` or `src` (class reads) → \
              `ls` (class reads); `cat` (class reads); under `docs` (class reads); under `src` (class reads)"
            ]
        );
        assert_eq!(changes(both, both), [""; 0]);
        let more = both.replace("cat", "cat, rg");
        assert_eq!(
            changes(both, &more),
            ["now also `rg` under `docs` or `src` (class reads)"]
        );
    }

    #[test]
    fn a_longer_command_can_match_a_call_that_a_shorter_one_before_it_does_not() {
        let calls = with_rules(
            "{ tool: B, command: { only: [git remote] }, class: writes }, \
             { tool: B, command: { only: [git remote get-url] }, class: reads }",
        );
        let arguments = Json::parse(r#"{"c":"git remote get-url origin"}"#).expect("JSON");
        let found = classifier(&calls).classify("B", &arguments);
        assert_eq!(found.rule, Some(2), "{:?}", found.why);
    }
}

mod shipped_documents {
    use super::*;

    fn class(spec: &Spec, tool: &str, arguments: &str) -> String {
        let (compilation, told) = compiled(&spec.name, &spec.text);
        let calls = compilation.calls.unwrap_or_else(|| panic!("{told}"));
        let classifier = classifier(&calls);
        let arguments = Json::parse(arguments).expect("JSON");
        let found = classifier.classify(tool, &arguments);
        if found.class == Class::Guard {
            assert!(found.rule.is_none());
        }
        classifier.name(found.class).to_owned()
    }

    #[test]
    fn they_have_the_same_classes() {
        for spec in shipped() {
            let (compilation, _) = compiled(&spec.name, &spec.text);
            let calls = compilation.calls.expect("a valid document");
            let classes = ["reads", "plan_notes", "inner", "shell_commands", "writes"];
            assert_eq!(calls.document.classes, classes, "{}", spec.name);
            assert_eq!(calls.document.class(calls.document.otherwise), "writes");
            assert!(calls.examples.len() >= 20, "{}", spec.name);
        }
    }

    #[test]
    fn every_listed_command_has_an_entry_in_the_table_of_flags() {
        let table = FlagsTable::built_in();
        let entries: BTreeSet<&str> = table.entries().collect();
        for spec in shipped() {
            let (compilation, _) = compiled(&spec.name, &spec.text);
            let calls = compilation.calls.expect("a valid document");
            let rules = calls.document.rules.iter();
            for words in rules.flat_map(|rule| rule.command.iter().flat_map(|rule| &rule.only)) {
                assert!(entries.contains(words.join(" ").as_str()), "{words:?}");
            }
        }
    }

    #[test]
    fn an_unknown_tool_is_a_write() {
        for spec in shipped() {
            assert_eq!(class(&spec, "brand_new_tool", "{}"), "writes");
            assert_eq!(class(&spec, "mcp__x__read", r#"{"path":"a"}"#), "writes");
        }
    }
}

mod schema {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let schema = serde_json::from_str(&json_schema().to_string()).expect("JSON");
        assert!(jsonschema::meta::validate(&schema).is_ok());
        let validator = jsonschema::draft202012::new(&schema).expect("a schema");
        let value = yaml::value(text).expect("YAML");
        let errors = validator.iter_errors(&value);
        errors.map(|error| error.to_string()).collect()
    }

    #[test]
    fn it_accepts_documents_unless_they_break_a_rule_about_keys_and_shapes() {
        let all = valid().into_iter().chain(shipped()).chain(invalid());
        // A file with two documents does not have a single value.
        for spec in all.filter(|spec| code_of(spec) != "PM0101") {
            let told = complaints(&spec.text);
            let refused = ["PM0103", "PM0107"].contains(&code_of(&spec));
            assert_eq!(told.is_empty(), !refused, "{}: {told:?}", spec.name);
        }
    }

    #[test]
    fn it_accepts_no_shape_that_the_compiler_rejects() {
        let small = "calls: M\ntools: { B: { command: c } }\nclasses: [a]\nrules:\n  - { tool: B, command: { only: [ls] }, class: a }\notherwise: a\n";
        assert_eq!(complaints(small), Vec::<String>::new());
        for (from, to) in [
            ("calls: M", "calls: 1st"),
            ("calls: M", "call: M"),
            ("classes: [a]", "classes: []"),
            ("classes: [a]", "classes: a"),
            ("classes: [a]", "classes: { a: b }"),
            ("otherwise: a", ""),
            ("otherwise: a", "otherwise: [a]"),
            ("{ command: c }", "{ command: [c] }"),
            ("{ command: c }", "{ command: 'a b' }"),
            ("{ command: c }", "{ shell: c }"),
            ("{ command: c }", "{ command: c, reads: maybe }"),
            ("tool: B, ", ""),
            (", class: a }", " }"),
            ("{ only: [ls] }", "{}"),
            ("{ only: [ls] }", "{ all: [ls] }"),
            ("{ only: [ls] }", "[ls]"),
            ("otherwise", "examples: { tool: B }\notherwise"),
            ("otherwise", "examples: [{ tool: B }]\notherwise"),
            (
                "otherwise",
                "examples: [{ tool: B, with: 5, class: a }]\notherwise",
            ),
        ] {
            let text = small.replacen(from, to, 1);
            let (compilation, told) = compiled("changed.yaml", &text);
            let shape = |code: Code| matches!(code, Code::PM0103 | Code::PM0107);
            let mut found = compilation.diagnostics.iter();
            assert!(found.any(|found| shape(found.code)), "{text}\n{told}");
            assert!(!complaints(&text).is_empty(), "{text}");
        }
    }
}
