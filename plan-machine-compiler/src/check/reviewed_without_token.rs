//! PM0507: `reviewed` needs `review`, and a place for the token in the command's text.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{EventKind, Machine};

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for event in &machine.events {
        let EventKind::Command(command) = &event.kind else {
            continue;
        };
        if !command.reviewed {
            continue;
        }
        let name = &event.name;
        if machine.review.is_empty() {
            let message =
                format!("`{name}` is reviewed, but the spec does not say what a person reviews");
            let help = "name the fields that a person reviews, such as `review: [markdown]`, at the top of the spec";
            sink.push(Diagnostic::new(Code::PM0507, event.span, message).help(help));
        }
        if !command
            .pattern
            .arguments()
            .any(|(argument, _)| argument == "token")
        {
            let text = command.pattern.text();
            let message = format!(
                "`{name}` is reviewed, but its text has no place for the token of the reviewed plan"
            );
            let help = format!("write `{text} {{token?}}`");
            let found = Diagnostic::new(Code::PM0507, event.span, message);
            sink.push(found.label(format!("`{text}`")).help(help));
        }
    }
}
