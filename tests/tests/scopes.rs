//! Every scopes document of the corpus behaves as its location implies, and the generated Rust code
//! keeps the memories of sessions and tasks separate.

use std::collections::BTreeSet;

use plan_machine_compiler::diagnostic::Code;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::scopes::{emit, json_schema};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{DocumentKind, ScopesCompilation, compile_scopes, document_kind};
use plan_machine_tests::{Spec, root, specs};
use quote::quote;

#[path = "scopes/at_work.rs"]
mod at_work;
#[path = "schema/yaml.rs"]
#[allow(
    dead_code,
    reason = "the tests of the schema for machines use the other functions"
)]
mod yaml;

fn valid() -> Vec<Spec> {
    specs("scopes/valid")
}

fn invalid() -> Vec<Spec> {
    specs("scopes/invalid")
}

fn code_of(spec: &Spec) -> &str {
    spec.name.split('_').next().unwrap_or_default()
}

/// Compiles a scopes document and returns the result with its diagnostics.
fn compiled(name: &str, text: &str) -> (ScopesCompilation, String) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    let compilation = compile_scopes(&sources, file);
    let told = compilation.diagnostics.iter();
    let told: Vec<String> = told
        .map(|found| human(found, &sources, Colour::Never))
        .collect();
    (compilation, told.join("\n\n"))
}

/// Returns the generated Rust code, formatted.
fn generated(spec: &Spec) -> String {
    let (compilation, told) = compiled(&spec.name, &spec.text);
    let scopes = compilation.scopes.unwrap_or_else(|| panic!("{told}"));
    let tokens = emit::rust(&scopes, &quote!(::plan_machine));
    prettyplease::unparse(&syn::parse2(tokens).expect("Rust"))
}

mod corpus {
    use super::*;

    #[test]
    fn valid_documents_are_clean() {
        for spec in valid() {
            let (compilation, told) = compiled(&spec.name, &spec.text);
            assert!(compilation.is_ok() && told.is_empty(), "{told}");
        }
    }

    #[test]
    fn an_invalid_document_breaks_just_the_rule_it_is_named_after() {
        for spec in invalid() {
            let (compilation, told) = compiled(&spec.name, &spec.text);
            let found = compilation.diagnostics.iter();
            let found: BTreeSet<&str> = found.map(|found| found.code.as_str()).collect();
            assert_eq!(found, BTreeSet::from([code_of(&spec)]), "{told}");
            assert!(!compilation.is_ok() && compilation.scopes.is_none());
        }
    }

    #[test]
    fn every_rule_of_scopes_has_a_bad_document_and_a_page() {
        let codes = Code::ALL.iter().map(|code| code.as_str());
        let codes: Vec<&str> = codes.filter(|code| code.starts_with("PM09")).collect();
        assert_eq!(codes, ["PM0901", "PM0902", "PM0903"]);
        for code in codes {
            assert!(invalid().iter().any(|spec| code_of(spec) == code), "{code}");
            let page = root().join("docs/rules").join(format!("{code}.md"));
            assert!(page.is_file(), "no page for {code}");
        }
    }

    #[test]
    fn the_report_of_each_invalid_document_is_a_snapshot() {
        insta::glob!("../corpus/scopes/invalid", "*.yaml", |path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(path).expect("a document of the corpus");
            insta::with_settings!({
                snapshot_path => "../corpus/scopes/invalid",
                prepend_module_to_snapshot => false,
                snapshot_suffix => "",
                omit_expression => true,
            }, {
                insta::assert_snapshot!(stem.as_ref(), compiled(&name, &text).1);
            });
        });
    }

    #[test]
    fn the_key_at_the_top_tells_scopes_from_machines() {
        let kind = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("document.yaml", text);
            document_kind(&sources, file)
        };
        for spec in valid().into_iter().chain(invalid()) {
            assert_eq!(kind(&spec.text), DocumentKind::Scopes, "{}", spec.name);
        }
        for spec in specs("valid") {
            assert_eq!(kind(&spec.text), DocumentKind::Machine, "{}", spec.name);
        }
        for text in ["", "[scopes]", "scopes: {", "machine: scopes"] {
            assert_eq!(kind(text), DocumentKind::Machine, "{text}");
        }
    }

    #[test]
    fn a_damaged_document_is_reported_and_never_accepted() {
        let answered = |name: &str, text: &str| {
            let (compilation, told) = compiled(name, text);
            assert!(compilation.scopes.is_some() || !told.is_empty(), "{text}");
        };
        let whole = &valid()[0].text;
        for (at, _) in whole.char_indices() {
            answered("cut.yaml", &whole[..at]);
            let without = format!("{}{}", &whole[..at], &whole[at + 1..]);
            answered("damaged.yaml", &without);
        }
        for text in ["", "[]", "scopes:", "scopes: M\nlevels: 3", "- scopes: M"] {
            let (compilation, told) = compiled("small.yaml", text);
            assert!(!compilation.is_ok() && !told.is_empty(), "{text}");
        }
    }

    #[test]
    fn the_example_in_the_language_reference_is_the_one_in_the_corpus() {
        let page = std::fs::read_to_string(root().join("docs/language.md")).expect("a document");
        let blocks = page.split("\n```text\n").skip(1);
        let mut blocks = blocks.filter_map(|rest| rest.split("\n```").next());
        let shown = blocks.find(|block| block.starts_with("scopes: "));
        let shown = yaml::value(shown.expect("an example of scopes"));
        let all = valid();
        let memory = all.iter().find(|spec| spec.name == "memory");
        assert_eq!(shown, yaml::value(&memory.expect("the example").text));
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
        for spec in valid().into_iter().chain(invalid()) {
            let told = complaints(&spec.text);
            let refused = ["PM0103", "PM0107"].contains(&code_of(&spec));
            assert_eq!(told.is_empty(), !refused, "{}: {told:?}", spec.name);
        }
    }

    #[test]
    fn it_accepts_no_shape_that_the_compiler_rejects() {
        let memory = "scopes: M\nidentity: { a: string }\nlevels: { l: { key: k } }\n";
        assert_eq!(complaints(memory), Vec::<String>::new());
        for (from, to) in [
            ("scopes: M", "scopes: 1st"),
            ("scopes: M", "scope: M"),
            ("{ a: string }", "{ a: int }"),
            ("{ a: string }", "{ a: }"),
            ("{ a: string }", "{}"),
            ("{ a: string }", "[a]"),
            ("{ l: { key: k } }", ""),
            ("{ key: k }", "{ write: promoted }"),
            ("{ key: k }", "{ key: 'k:' }"),
            ("{ key: k }", "{ key: 'k l' }"),
            ("{ key: k }", "{ key: '{a}{a}' }"),
            ("{ key: k }", "{ key: k, write: never }"),
            ("levels", "runs: { R: { reads: [] } }\nlevels"),
            ("levels", "runs: { R: { ids: a, reads: [l] } }\nlevels"),
            ("levels", "runs: { R: { reads: [l], writes: [l] } }\nlevels"),
            ("levels", "runs: { R: }\nlevels"),
            ("levels", "invariants: { i: R reads l }\nlevels"),
            ("levels", "invariants: { i: true }\nlevels"),
        ] {
            let text = memory.replacen(from, to, 1);
            let (compilation, told) = compiled("changed.yaml", &text);
            let shape = |code: Code| matches!(code, Code::PM0103 | Code::PM0107);
            let mut found = compilation.diagnostics.iter();
            assert!(found.any(|found| shape(found.code)), "{text}\n{told}");
            assert!(!complaints(&text).is_empty(), "{text}");
        }
    }
}

mod emitted {
    use super::*;

    #[test]
    fn the_generated_rust_of_each_valid_document_is_a_snapshot() {
        for spec in valid() {
            insta::with_settings!({
                snapshot_path => "../corpus/scopes/generated",
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                let rust = generated(&spec).into_bytes();
                insta::assert_binary_snapshot!(&format!("{}.rs", spec.name), rust);
            });
        }
    }

    #[test]
    fn a_skeleton_is_a_module_of_that_name() {
        let tokens = emit::skeleton("TeamMemory", &quote!(::plan_machine));
        let rust = prettyplease::unparse(&syn::parse2(tokens).expect("Rust"));
        assert!(rust.contains("pub mod team_memory {"), "{rust}");
        assert!(rust.contains("pub struct Identity;"), "{rust}");
    }
}
