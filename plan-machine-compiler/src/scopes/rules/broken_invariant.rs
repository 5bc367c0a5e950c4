//! PM0903: every invariant of a scopes document must hold.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::scopes::model::{Invariant, Scopes, Verb};
use crate::source::Span;

pub(super) fn check(scopes: &Scopes, sink: &mut Sink) {
    for invariant in &scopes.invariants {
        if let Some((span, how)) = breach(scopes, invariant) {
            let message = format!("the invariant `{}` does not hold", invariant.name);
            let found = Diagnostic::new(Code::PM0903, invariant.span, message)
                .label(format!("`{}`", scopes.invariant_text(invariant)))
                .also(span, how);
            let help =
                "remove the level from the run, or remove the invariant if the access is intended";
            sink.push(found.help(help));
        }
    }
}

/// Finds the location where the run performs the action that the invariant forbids.
fn breach(scopes: &Scopes, invariant: &Invariant) -> Option<(Span, String)> {
    let run = &scopes[invariant.run];
    match invariant.verb {
        Verb::Reads => {
            let mut reads = run.reads.iter();
            let read = reads.find(|level| level.node == invariant.level)?;
            Some((read.span, "the level is read here".to_owned()))
        }
        Verb::Writes => {
            let mut writes = run.writes.iter();
            let write = writes.find(|write| write.level.node == invariant.level)?;
            let how = format!("the class `{}` is written to this level", write.class);
            Some((write.level.span, how))
        }
    }
}
