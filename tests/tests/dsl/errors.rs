//! Problems are reported with their code and at their token, and the lines are shown as they were written.

use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::{Compilation, compile_tokens};

use super::{inline, place};

/// Returns the only problem of a spec, which must be at the token between `«` and `»`. The spec is
/// read both as text and as the tokens of a macro.
fn told(marked: &str, code: &str) -> Diagnostic {
    let wrong = &marked[marked.find('«').expect("a mark") + 2..];
    let wrong = &wrong[..wrong.find('»').expect("a mark")];
    let text = marked.replace(['«', '»'], "");

    let inline = inline(&text);
    let shown = inline.rendered();
    let first = in_reading(&inline.compilation, &shown);
    assert_eq!(first.code.as_str(), code, "{shown}");
    assert_eq!(inline.sources.slice(first.primary.span), wrong, "{shown}");

    let mut sources = SourceMap::default();
    let (compilation, map) = compile_tokens(text.parse().expect("tokens"), &mut sources);
    let same = in_reading(&compilation, &shown);
    let there = place(&map, same.primary.span);
    assert_eq!(there.source_text().as_deref(), Some(wrong), "{shown}");
    assert_eq!(same.message, first.message);
    first
}

/// Returns the only problem that the reader found; later passes may report its consequences.
fn in_reading(compilation: &Compilation, shown: &str) -> Diagnostic {
    let found = compilation.diagnostics.iter();
    let mut found = found.filter(|found| found.code.as_str().starts_with("PM01"));
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no problem was found\n{shown}"));
    assert!(found.next().is_none(), "{shown}");
    first.clone()
}

/// Returns a small spec that contains a problem.
fn note(wrong: &str) -> String {
    format!(
        "machine Note;\ndata {{ goal: string? }}\ncommand begin = \"/note\";\n\
         state none {{ on begin => open {{ }} }}\n{wrong}\nfinal state open;\n"
    )
}

#[test]
fn an_unknown_key_is_reported_with_the_nearest_one() {
    let found = told(&note("«sumary» goal;"), "PM0103");
    assert_eq!(found.message, "`sumary` is not a key of a machine");
    assert_eq!(found.help, ["did you mean `summary`?"]);
}

#[test]
fn a_key_of_the_yaml_form_is_reported_with_its_inline_form() {
    let found = told(&note("«max_live» 3;"), "PM0103");
    assert!(found.help[0].contains("machine Name (many, max_live 3);"));
    let found = told(
        "machine Note; command begin = \"/n\"; state none { on begin { «to» open; } } final state open;",
        "PM0103",
    );
    assert!(found.help[0].contains("on event => STATE"));
}

#[test]
fn a_missing_semicolon_is_reported_where_the_next_statement_starts() {
    let found = told("machine Note «state» none { }", "PM0107");
    assert_eq!(found.message, "expected `;`, found `state`");
    let found = told(&note("version 2").replace("final", "«final»"), "PM0107");
    assert_eq!(found.message, "expected `;`, found `final`");
}

#[test]
fn a_missing_semicolon_at_the_end_of_a_block_is_reported_at_its_brace() {
    let text = note("").replace("{ }", "{ clear goal «}»");
    let found = told(&text, "PM0107");
    assert_eq!(found.message, "expected `;`, found `}`");
}

#[test]
fn a_missing_semicolon_after_an_expression_is_suggested() {
    let text = note("").replace("{ }", "{ set goal = plan.id «reply» plan.id; }");
    let found = told(&text, "PM0107");
    assert_eq!(
        found.help,
        ["a statement ends with `;`: is one missing before `reply`?"]
    );
}

#[test]
fn a_misspelled_state_is_reported_with_the_nearest_one() {
    let text = "machine Note; command begin = \"/note\"; command end = \"/end\";\n\
                state none { on begin => «WRITNG»; }\n\
                state WRITING { on end => DONE next none; }\n final state DONE;";
    let mut sources = SourceMap::default();
    let (compilation, map) = compile_tokens(
        text.replace(['«', '»'], "").parse().expect("tokens"),
        &mut sources,
    );
    let found = compilation.diagnostics.iter();
    let found: Vec<&Diagnostic> = found
        .filter(|found| found.code.as_str() == "PM0102")
        .collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].help, ["did you mean `WRITING`?"]);
    let there = place(&map, found[0].primary.span);
    assert_eq!(there.source_text().as_deref(), Some("WRITNG"));
}

#[test]
fn a_bad_expression_is_reported_at_its_token() {
    let text = note("").replace("{ }", "{ require goal is «st», \"no goal\"; }");
    let found = told(&text, "PM0107");
    assert_eq!(
        found.message,
        "expected `set`, `empty` or `blank` after `is`, found `st`"
    );
    let text = note("invariant never_lost: goal «&»& open;");
    let found = told(&text, "PM0107");
    assert_eq!(found.message, "`&` is not an operator; write `and`");
}

#[test]
fn a_bad_expression_inside_a_text_is_reported_at_its_characters() {
    let text = note("").replace("{ }", r#"{ reply "a\n {goal «is» }"; }"#);
    let plain = text.replace(['«', '»'], "");
    let inline = inline(&plain);
    let found = in_reading(&inline.compilation, &inline.rendered());
    let start = found.primary.span.start as usize;
    let is = plain.find(" is }").expect("the text");
    assert_eq!(start, is + " is ".len(), "{}", inline.rendered());
}

#[test]
fn a_duplicate_name_is_reported_with_the_first_one_and_a_help_that_fits() {
    let found = told(&note("command «begin» = \"/again\";"), "PM0104");
    assert_eq!(found.message, "duplicate command `begin`");
    assert_eq!(found.secondary.len(), 1);
    assert_eq!(
        found.help,
        ["keep one of the two, or give them different names"]
    );
    let found = told(&note("version 1;\n«version» 2;"), "PM0104");
    assert_eq!(found.message, "duplicate key `version`");
    assert_eq!(found.help, ["remove one of the two"]);
}

#[test]
fn a_negative_revision_is_rejected() {
    let text = note("scenario s { do \"/note\" expect_revision -1; }");
    let inline = inline(&text);
    let found = in_reading(&inline.compilation, &inline.rendered());
    assert_eq!(found.code.as_str(), "PM0107");
    assert_eq!(
        found.message,
        "`expect_revision` is negative; write the revision that the sender has seen"
    );
    assert_eq!(inline.sources.slice(found.primary.span), "-1");
}

#[test]
fn a_doc_comment_in_a_place_without_documentation_is_rejected() {
    let found = told(&note("«/// Why.»\nsummary goal;"), "PM0107");
    assert!(found.help[0].contains("`//`"));
}

#[test]
fn one_run_reports_every_problem() {
    let text = "
        machine Note (meny);
        verson 2;
        data { goal: string??, count: int maxx 3, ok: bool }
        command begin = 5;
        tool look raed;
        state none { on begin => { } prompt 3; on end => open }
        state open { has ; enter { reply x; } }
        invariant a always b;
        scenario \"s\" { do ; tell x; batch [go x] ; do a wiht { }; do a repeat 0 then 5; }
    ";
    let inline = inline(text);
    let lines: Vec<usize> = inline
        .compilation
        .diagnostics
        .iter()
        .map(|found| {
            let span = found.primary.span;
            inline.sources.file(span.file).position(span.start).line
        })
        .collect();
    let mut each = lines.clone();
    each.dedup();
    assert_eq!(each, (2..=10).collect::<Vec<_>>(), "{}", inline.rendered());
    insta::assert_snapshot!(inline.rendered());
}

#[test]
fn text_that_is_not_a_token_is_reported_at_its_position() {
    let inline = inline("machine Note;\nstate none { on begin => open; \n");
    assert_eq!(inline.codes(), ["PM0101"], "{}", inline.rendered());
}

#[test]
fn brackets_that_are_nested_too_deeply_are_rejected() {
    let text = format!(
        "machine Deep; data {}{}",
        "{".repeat(5_000),
        "}".repeat(5_000)
    );
    let inline = inline(&text);
    assert_eq!(inline.codes(), ["PM0101"], "{}", inline.rendered());
    assert!(inline.compilation.machine.is_none());
}

#[test]
fn a_text_without_tokens_is_reported_with_the_parts_of_a_machine() {
    let inline = inline("// nothing\n");
    assert_eq!(
        inline.codes(),
        ["PM0107", "PM0107"],
        "{}",
        inline.rendered()
    );
}

/// A spec that uses everything that it declares.
const USES: &str = r#"
machine Tally;
type Kind = enum [small, large];
data { kind: Kind = small, count_of: int = 0 }
command begin = "/begin";
command stop = "/stop";
effect told { n: int }
/// Count.
tool add { more: int, kind: Kind }
state none { on begin => open { } }
state open {
    on add { require event.more < 9, "too many"; set count_of = 1; set kind = event.kind; emit told { n: count_of }; }
    on stop => done next none { }
}
final state done;
invariant never_negative: always count_of >= 0;
invariant it_ends: can always reach done by stop;
scenario counts {
    do "/begin" then open;
    do add with { more: 1, kind: large } then open data { count_of: 1 };
}
"#;

#[test]
fn a_mistyped_declaration_is_reported_once_and_its_uses_are_not() {
    assert_eq!(errors_in(USES).0, 0);
    for (declared, mistyped) in [
        ("count_of: int = 0", "count_of: 5"),
        ("count_of: int = 0", "count_of int"),
        ("count_of: int = 0", "count_of: int maxx 3"),
        ("count_of: int = 0", "count_of: Vec<int>"),
        ("data {", "dat {"),
        ("type Kind = enum [", "type Kind = ["),
        ("effect told", "efect told"),
        ("told { n: int }", "told { n int }"),
        ("tool add", "tol add"),
        ("more: int, kind", "more int, kind"),
        ("command begin = ", "command begin "),
        ("final state done", "finl state done"),
    ] {
        let (errors, shown) = errors_in(&USES.replacen(declared, mistyped, 1));
        assert_eq!(errors, 1, "{mistyped}\n{shown}");
    }
}

/// Returns the number of errors in a spec, and the whole report.
fn errors_in(text: &str) -> (usize, String) {
    let inline = inline(text);
    let found = inline.compilation.diagnostics.iter();
    let errors = found.filter(|found| found.severity == Severity::Error);
    (errors.count(), inline.rendered())
}
