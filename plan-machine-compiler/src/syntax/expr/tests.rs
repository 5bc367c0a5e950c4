use super::*;
use crate::source::FileId;
use crate::syntax::ast::{BinaryOp, Is, Quantifier};

fn parse(text: &str) -> Expr {
    expression(&Located::new(text, FileId(0), text, 0)).expect(text)
}

fn fails(text: &str) -> String {
    expression(&Located::new(text, FileId(0), text, 0))
        .expect_err(text)
        .message
}

#[test]
fn implication_is_loosest_and_sums_are_tightest() {
    assert_eq!(
        parse("not a and b or c implies d"),
        parse("(((not a) and b) or c) implies d")
    );
    assert_eq!(
        parse("total + x ?? 1 == 2"),
        parse("((total + x) ?? 1) == 2")
    );
    assert_eq!(parse("not x == 1"), parse("not (x == 1)"));
}

#[test]
fn a_quantifier_reaches_as_far_as_it_can() {
    let ExprKind::Quantified(Quantifier::Any, _, condition) =
        parse("any steps where item.done and index > 1").node
    else {
        panic!("expected a quantifier");
    };
    assert!(matches!(
        condition.node,
        ExprKind::Binary(BinaryOp::And, ..)
    ));
}

#[test]
fn is_not_is_read_as_one() {
    assert!(matches!(
        parse("x is not blank").node,
        ExprKind::Is(_, Is::Blank, true)
    ));
}

#[test]
fn comparisons_do_not_chain() {
    assert!(fails("a < b < c").contains("cannot be chained"));
}

#[test]
fn what_other_languages_write_gets_help() {
    assert!(fails("a && b").contains("`and`"));
    assert!(fails("a = b").contains("`==`"));
    assert!(fails("a == 'x'").contains("double quotes"));
    assert!(fails("!a").contains("`not`"));
    assert!(fails("a => b").contains("`implies`"));
    assert!(fails("A -> b").contains("write `implies`"));
}

fn help(text: &str) -> String {
    let found = expression(&Located::new(text, FileId(0), text, 0));
    found.expect_err(text).help.join("\n")
}

#[test]
fn an_open_parenthesis_gets_help_about_the_parenthesis() {
    for text in ["(len(l) >= 0", "a and (b or (c)"] {
        assert_eq!(fails(text), "expected `)`, found the end of the expression");
        assert_eq!(help(text), "add a `)` where the part in parentheses ends");
    }
}

#[test]
fn an_open_call_gets_help_about_the_parenthesis_and_the_comma() {
    let message = "expected `,` or `)`, found the end of the expression";
    assert_eq!(fails("len(l"), message);
    assert!(help("len(l").contains("after the last argument of `len`"));
    assert!(help("with_section(body").contains("a comma ends the value"));
}

#[test]
fn a_condition_about_a_tool_that_does_not_exist_gets_help() {
    assert_eq!(
        help("(A implies advertise t)"),
        "did you mean `advertises`?"
    );
    let known = "`advertises`, `prompts`, `runs`, `denies`, `records`, `accepts`";
    for text in ["(A and executes shell)", "forbids t"] {
        assert!(help(text).contains(known), "{}", help(text));
    }
    assert!(help("all l where item.ok").contains("`every list where …`"));
}

#[test]
fn a_text_in_an_expression_takes_the_escapes_of_json() {
    assert_eq!(
        parse(r#""a\nb\u00e9""#).node,
        ExprKind::Text("a\nbé".to_owned())
    );
    assert!(fails(r#""\q""#).contains("escape"));
}

#[test]
fn a_template_replaces_braces_and_keeps_doubled_ones() {
    let text = r#"a {{b} {title ?? "}"} c}"#;
    let ExprKind::Template(parts) = template(&Located::new(text, FileId(0), text, 0))
        .expect("a template")
        .node
    else {
        panic!("expected a template");
    };
    assert_eq!(parts[0], Part::Literal("a {b} ".to_owned()));
    assert!(
        matches!(&parts[1], Part::Expr(expr) if matches!(expr.node, ExprKind::Binary(BinaryOp::Coalesce, ..)))
    );
    assert_eq!(parts[2], Part::Literal(" c}".to_owned()));
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for piece in ["(", "not ", "a ?? ", "len(", "a[", "no a where "] {
        assert!(fails(&piece.repeat(70)).contains("levels deep"), "{piece}");
    }
    for piece in ["(", "not ", "a and ", "a.", "1 + "] {
        assert!(
            fails(&piece.repeat(100_000)).contains("more than"),
            "{piece}"
        );
    }
}

#[test]
fn every_form_of_invariant_is_read() {
    for text in [
        "always (active implies prompts plan_get)",
        "never (none and advertises plan_get)",
        "can always reach none by plan_done or reset",
        "can always reach final",
        "EXECUTING only by approve",
        "plan_set_content only in drafting or EXECUTING",
        "steps.tool changes only in COLLECTING",
        "data changes only by plan_set_content",
        "steps only grows",
        "after approve: EXECUTING",
        "plan_ready emitted only by plan_set_content",
        "plan_ready emitted only in READY",
        "plan_get never emits plan_ready",
    ] {
        invariant(&Located::new(text, FileId(0), text, 0)).expect(text);
    }
    let text = "EXECUTING";
    let found = invariant(&Located::new(text, FileId(0), text, 0))
        .expect_err("a state alone is not an invariant");
    assert!(found.help[0].contains("`always` or `never`"), "{found:?}");
}
