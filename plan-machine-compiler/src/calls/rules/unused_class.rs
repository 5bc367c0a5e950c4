//! PM1004: every class is the class of a rule or of `otherwise`.

use std::collections::HashSet;

use crate::calls::ast::Document;
use crate::diagnostic::{Code, Diagnostic, Loss, Sink};
use crate::source::Spanned;

pub(super) fn check(document: &Document, sink: &mut Sink) {
    // A rule that could not be read may have used the class.
    if sink.lacks(&[Loss::Text]) {
        return;
    }
    let rules = document.rules.iter().map(|rule| &rule.class);
    let used: HashSet<&str> = rules
        .chain(&document.otherwise)
        .map(Spanned::as_str)
        .collect();
    // An undeclared class may be a misspelling of a declared one, which would then be reported as unused.
    let declared = |name: &&str| document.classes.iter().any(|class| class.node == **name);
    if !used.iter().all(declared) {
        return;
    }
    for class in &document.classes {
        if !used.contains(class.as_str()) {
            let message = format!("no call has the class `{}`", class.node);
            let found = Diagnostic::new(Code::PM1004, class.span, message);
            sink.push(found.help("add a rule with this class, or remove the class"));
        }
    }
}
