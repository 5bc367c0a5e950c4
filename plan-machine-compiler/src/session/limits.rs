//! Limits on the size of a session document, because machines are compared pairwise and each machine is explored.

use super::ast::Document;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Span;

/// The maximum number of machines.
pub(super) const MACHINES: usize = 20;
/// The maximum number of combinations of a tool and a class that one name in an invariant may refer to.
pub(super) const WAYS: usize = 200;
const INVARIANTS: usize = 200;
const SCENARIOS: usize = 200;
/// The maximum number of steps of all scenarios together.
const STEPS: usize = 2_000;

/// Reports the limits that a document exceeds; returns whether it exceeds any limit.
pub(super) fn exceed(document: &Document, sink: &mut Sink) -> bool {
    let scenarios = document.scenarios.iter();
    let steps = scenarios.clone().flat_map(|scenario| &scenario.steps);
    let all: [(usize, &str, Vec<Span>); 4] = [
        (
            MACHINES,
            "machines",
            document.machines.iter().map(|one| one.name.span).collect(),
        ),
        (
            INVARIANTS,
            "invariants",
            document
                .invariants
                .iter()
                .map(|one| one.name.span)
                .collect(),
        ),
        (
            SCENARIOS,
            "scenarios",
            scenarios.map(|one| one.name.span).collect(),
        ),
        (
            STEPS,
            "scenario steps",
            steps.map(|step| step.span).collect(),
        ),
    ];
    let mut exceeded = false;
    for (most, what, spans) in all {
        if let Some(span) = spans.get(most) {
            let message = format!(
                "{} {what} exceed the limit of {most} for a session document",
                spans.len()
            );
            sink.push(Diagnostic::new(Code::PM0101, *span, message));
            exceeded = true;
        }
    }
    exceeded
}
