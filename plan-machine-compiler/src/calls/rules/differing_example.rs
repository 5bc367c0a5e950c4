//! PM1007: every example has the class that it states.

use plan_machine_kernel::calls::GUARD;

use crate::calls::model::Example;
use crate::diagnostic::{Code, Diagnostic};

/// What a classifier found for an example.
#[derive(Clone, Copy, Debug)]
pub struct ExampleResult<'r> {
    /// The name of the class.
    pub class: &'r str,
    /// The number of the rule, counted from 1; `None` for `otherwise` and for the guard.
    pub rule: Option<usize>,
    /// Why the call has the class `guard`, or why an earlier rule did not match.
    pub why: Option<&'r str>,
}

/// Returns the report for an example whose actual class differs from the class that the example states; `None` if the
/// two are the same.
///
/// The compiler has no classifier. A caller that has one runs the examples and reports the result
/// of this function.
#[must_use]
pub fn differing_example(example: &Example, found: ExampleResult<'_>) -> Option<Diagnostic> {
    if found.class == example.class.node {
        return None;
    }
    let by = match found.rule {
        Some(rule) => format!("which comes from rule {rule}"),
        None if found.class == GUARD => "which is built in".to_owned(),
        None => "which comes from `otherwise`".to_owned(),
    };
    let message = format!(
        "this call to `{}` has the class `{}`, {by}",
        example.tool, found.class
    );
    let diagnostic = Diagnostic::new(Code::PM1007, example.class.span, message)
        .label(format!("expected `{}`", example.class.node));
    let diagnostic = match found.why {
        Some(why) => diagnostic.note(why),
        None => diagnostic,
    };
    let help = if example.is_implied && found.class == GUARD {
        "if the call should be denied, add `class: guard` to it; otherwise, change the call"
    } else if [found.class, example.class.as_str()].contains(&GUARD) {
        "rules have no effect on the class `guard`: change the class of the example, or its call"
    } else {
        "change the rules, or change the class of the example if the class that was found is right"
    };
    Some(diagnostic.help(help))
}
