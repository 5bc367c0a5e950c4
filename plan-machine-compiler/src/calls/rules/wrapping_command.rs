//! PM1006: a listed command does not run the programs or scripts that it gets as arguments.

use plan_machine_kernel::calls::{needs_more_words, runs_arguments};

use crate::calls::ast::Document;
use crate::diagnostic::{Code, Diagnostic, Sink};

pub(super) fn check(document: &Document, sink: &mut Sink) {
    for listed in document.commands() {
        let Some((first, rest)) = listed.node.split_first() else {
            continue;
        };
        if !rest.is_empty() {
            continue;
        }
        let (message, help) = if runs_arguments(first) {
            (
                format!(
                    "`{first}` runs the commands or scripts that it gets as arguments, so any command can be \
                     in this class"
                ),
                format!("list the commands that `{first}` would run, instead of `{first}`"),
            )
        } else if needs_more_words(first) {
            (
                format!("listing only `{first}` allows everything that `{first}` can do"),
                format!(
                    "list the commands that are allowed, such as `{first} {}`",
                    if first == "git" { "status" } else { "COMMAND" }
                ),
            )
        } else {
            continue;
        };
        sink.push(Diagnostic::new(Code::PM1006, listed.span, message).help(help));
    }
}
