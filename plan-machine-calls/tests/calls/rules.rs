//! Tests of rules: which rule matches, and what is reported about the rules that do not match.

use super::{NOTES, READS, WRITES, bash, call, classifier, document, text, words};
use plan_machine_calls::{Class, Classifier, FlagsTable, Project};
use plan_machine_kernel::calls::{CommandRule, Rule};
use plan_machine_kernel::json::Json;

fn parsed(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

#[test]
fn the_first_rule_that_matches_wins() {
    let classifier = classifier(".".as_ref());
    let read = call(&classifier, "Read", "file_path", "src/main.rs");
    assert_eq!((read.class, read.rule, read.why), (READS, Some(1), None));
    let note = call(&classifier, "Write", "file_path", "plans/a.md");
    assert_eq!((note.class, note.rule), (NOTES, Some(2)));
    let unknown = call(&classifier, "WebFetch", "url", "https://x");
    assert_eq!(
        (unknown.class, unknown.rule, unknown.why),
        (WRITES, None, None)
    );
}

#[test]
fn a_call_that_falls_through_says_which_rule_kept_it_out() {
    let classifier = classifier(".".as_ref());
    let why = |command: &str| bash(&classifier, command).why.expect("a reason");
    assert_eq!(why("rm x"), "rule 3 (`reads`): `rm` is not listed");
    assert_eq!(
        why("git diff --output=x"),
        "rule 3 (`reads`): `--output=x` is not known to be harmless after `git`"
    );
    assert_eq!(
        why("ls > x"),
        "rule 3 (`reads`): the output goes to the file `x`"
    );
    let path = call(&classifier, "Write", "file_path", "src/main.rs").why;
    assert_eq!(
        path.as_deref(),
        Some("rule 2 (`notes`): `src/main.rs` is not below `plans`")
    );
}

#[test]
fn an_argument_that_nobody_described_keeps_a_command_out() {
    let classifier = classifier(".".as_ref());
    let class = |arguments: &str| classifier.classify("Bash", &parsed(arguments)).class;
    assert_eq!(
        class(r#"{"command":"ls","description":"x","timeout":5}"#),
        READS
    );
    for arguments in [
        r#"{"command":"ls","env":{"PATH":"."}}"#,
        r#"{"command":"ls","shell":"/tmp/sh"}"#,
        r#"{"command":["ls"]}"#,
        r#"{"command":5}"#,
        r#"{"command":null}"#,
        r#"{"cmd":"ls"}"#,
        "{}",
        "[]",
        "\"ls\"",
        "null",
    ] {
        assert_eq!(class(arguments), WRITES, "{arguments}");
    }
}

#[test]
fn a_command_in_a_list_is_the_text_that_the_shell_gets() {
    let classifier = classifier(".".as_ref());
    let class = |arguments: &str| classifier.classify("Bash", &parsed(arguments)).class;
    assert_eq!(class(r#"{"command":["bash","-lc","git status"]}"#), READS);
    assert_eq!(class(r#"{"command":["bash","-lc","rm x"]}"#), WRITES);
    assert_eq!(class(r#"{"command":["bash","-ic","git status"]}"#), WRITES);
    assert_eq!(
        class(r#"{"command":["/tmp/bash","-c","git status"]}"#),
        WRITES
    );
}

#[test]
fn a_folder_argument_must_be_in_the_project() {
    let classifier = classifier(".".as_ref());
    let class = |arguments: &str| classifier.classify("Bash", &parsed(arguments)).class;
    assert_eq!(class(r#"{"command":"ls","workdir":"src"}"#), READS);
    assert_eq!(
        class(r#"{"command":"git status","workdir":"/tmp"}"#),
        WRITES
    );
    assert_eq!(class(r#"{"command":"ls","workdir":".."}"#), WRITES);
    assert_eq!(class(r#"{"command":"cd ..","workdir":"src"}"#), READS);
    assert_eq!(class(r#"{"command":"cd ../..","workdir":"src"}"#), WRITES);
    assert_eq!(class(r#"{"command":"ls","workdir":5}"#), WRITES);
}

#[test]
fn an_agent_that_works_elsewhere_runs_no_listed_command() {
    let classifier = classifier(".".as_ref());
    let call = parsed(r#"{"command":"git status"}"#);
    let class = |folder: &str| classifier.classify_in(folder.as_ref(), "Bash", &call).class;
    assert_eq!(class("/tmp"), WRITES);
    let here = std::env::current_dir().expect("a folder");
    assert_eq!(classifier.classify_in(&here, "Bash", &call).class, READS);
}

fn with_only(only: &[&str]) -> Classifier {
    let mut document = document();
    document.rules = vec![Rule {
        tools: vec![text("Bash")],
        command: Some(CommandRule {
            only: only.iter().map(|listed| words(listed)).collect(),
        }),
        path: None,
        arguments: None,
        class: 0,
    }];
    Classifier::new(document, FlagsTable::built_in(), Project::new("."))
}

#[test]
fn a_rule_with_arguments_matches_no_call_with_another_argument() {
    let mut document = document();
    document.rules = vec![Rule {
        tools: vec![text("Agent")],
        command: None,
        path: None,
        arguments: Some(vec![text("prompt"), text("model")]),
        class: 0,
    }];
    let classifier = Classifier::new(document, FlagsTable::built_in(), Project::new("."));
    let classify = |arguments: &str| classifier.classify("Agent", &parsed(arguments));
    for arguments in ["{}", r#"{"prompt":"a"}"#, r#"{"model":"b","prompt":"a"}"#] {
        assert_eq!(classify(arguments).class, READS, "{arguments}");
    }
    for arguments in [
        r#"{"prompt":"a","isolation":"worktree"}"#,
        r#"{"prompt":"a","cwd":null}"#,
        r#"["a"]"#,
        r#""a""#,
    ] {
        assert_eq!(classify(arguments).class, WRITES, "{arguments}");
    }
    let found = classify(r#"{"prompt":"a","isolation":"remote"}"#);
    assert_eq!(
        found.why.as_deref(),
        Some("rule 1 (`reads`): unknown argument `isolation`")
    );
}

#[test]
fn a_program_without_an_entry_may_have_no_flags() {
    let classifier = with_only(&["kubectl get", "mytool"]);
    assert_eq!(bash(&classifier, "kubectl get pods").class, READS);
    assert_eq!(bash(&classifier, "mytool a b").class, READS);
    for command in [
        "kubectl get -o x",
        "mytool -x",
        "mytool --",
        "mytool *",
        "kubectl delete x",
        "kubectl",
    ] {
        assert_eq!(bash(&classifier, command).class, WRITES, "{command}");
    }
}

#[test]
fn words_of_the_shell_are_in_no_class_even_if_they_are_listed() {
    let listed = [
        "eval", "exec", ".", "source", "time", "if", "command", "alias", "!", "cd",
    ];
    let classifier = with_only(&listed);
    for command in [
        "eval ls",
        "exec ls",
        ". x",
        "source x",
        "time ls",
        "command ls",
        "alias a=b",
        "cd /",
    ] {
        assert_eq!(bash(&classifier, command).class, WRITES, "{command}");
    }
}

#[test]
fn the_longest_listed_command_decides() {
    let classifier = with_only(&["git", "git log"]);
    assert_eq!(bash(&classifier, "git log --oneline").class, READS);
    assert_eq!(bash(&classifier, "git log --output=x").class, WRITES);
}

#[test]
fn several_rules_are_asked_in_order() {
    let mut document = document();
    let rule = |only: &str, class| Rule {
        tools: vec![text("Bash")],
        command: Some(CommandRule {
            only: vec![words(only)],
        }),
        path: None,
        arguments: None,
        class,
    };
    document.rules = vec![rule("ls", 0), rule("cargo test", 1)];
    let classifier = Classifier::new(document, FlagsTable::built_in(), Project::new("."));
    let tests = bash(&classifier, "cargo test");
    assert_eq!((tests.class, tests.rule), (Class::Declared(1), Some(2)));
    assert_eq!(
        tests.why.as_deref(),
        Some("rule 1 (`reads`): `cargo` is not listed")
    );
    // A single rule must match the whole command.
    assert_eq!(bash(&classifier, "ls && cargo test").class, WRITES);
}

#[test]
fn the_last_of_ten_thousand_rules_is_applied() {
    let mut document = document();
    let rule = |at: usize| Rule {
        tools: vec![text("Bash")],
        command: Some(CommandRule {
            only: vec![words(&format!("tool{at}"))],
        }),
        path: None,
        arguments: None,
        class: 0,
    };
    document.rules = (0..10_000).map(rule).collect();
    let classifier = Classifier::new(document, FlagsTable::built_in(), Project::new("."));
    assert_eq!(bash(&classifier, "tool9999 x").rule, Some(10_000));
    assert_eq!(bash(&classifier, "rm x").class, WRITES);
}

#[test]
fn a_command_with_another_spelling_is_in_the_class_if_its_usual_name_is_listed() {
    let classifier = with_only(&["test", "which"]);
    for command in ["[ -f a ]", "command -v git", "test -f a && command -v a"] {
        assert_eq!(bash(&classifier, command).class, READS, "{command}");
    }
    let classifier = with_only(&["type"]);
    assert_eq!(bash(&classifier, "command -v git").class, READS);
    let classifier = with_only(&["ls", "test x", "command", "["]);
    for command in ["[ -f a ]", "command -v git", "command ls", "[ -f a"] {
        assert_eq!(bash(&classifier, command).class, WRITES, "{command}");
    }
}

#[test]
fn a_pattern_that_can_become_a_flag_is_refused_with_the_spelling_that_cannot() {
    let classifier = classifier(".".as_ref());
    assert_eq!(
        bash(&classifier, "rg -n foo *.rs").why.as_deref(),
        Some("rule 3 (`reads`): `*.rs` can become a flag of `rg`; write `./*.rs` instead")
    );
    assert_eq!(
        bash(&classifier, "git tag v1").why.as_deref(),
        Some("rule 3 (`reads`): `git` has an operand without `-l` or `--list`")
    );
}
