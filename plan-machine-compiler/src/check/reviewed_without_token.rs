//! PM0507: a `reviewed` command needs `review` in the spec and a `{token?}` placeholder in its text.

use plan_machine_kernel::command::{ArgumentKind, Pattern};

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
            let message = format!(
                "`{name}` is reviewed, but the spec does not list the fields that a person reviews"
            );
            let help =
                "list these fields at the top level of the spec, for example `review: [markdown]`";
            sink.push(Diagnostic::new(Code::PM0507, event.span, message).help(help));
        }
        if !command
            .pattern
            .arguments()
            .any(|(argument, _)| argument == "token")
        {
            let text = command.pattern.text();
            let message = format!(
                "`{name}` is reviewed, but its text has no placeholder for the token of the reviewed plan"
            );
            let help = format!("write `{}`", with_token(&command.pattern));
            let found = Diagnostic::new(Code::PM0507, event.span, message);
            sink.push(found.label(format!("`{text}`")).help(help));
        }
    }
}

/// Returns the text of a command with a placeholder for the token added. It goes at the end, but before an argument
/// that takes the rest of the line.
fn with_token(pattern: &Pattern) -> String {
    let text = pattern.text().trim_end();
    let mut arguments = pattern.arguments();
    let takes_rest = arguments.any(|(_, kind)| kind == ArgumentKind::Rest);
    match text.rsplit_once(char::is_whitespace) {
        Some((before, rest)) if takes_rest => format!("{} {{token?}} {rest}", before.trim_end()),
        _ => format!("{text} {{token?}}"),
    }
}
