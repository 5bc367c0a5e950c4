//! Limits on the size of a scopes document, because the rules compare declarations pairwise.

use super::ast::Document;
use crate::diagnostic::Sink;
use crate::source::Span;

/// The maximum number of levels.
const LEVELS: usize = 1_000;
/// The maximum number of kinds of runs.
const RUNS: usize = 1_000;
/// The maximum number of invariants.
const INVARIANTS: usize = 1_000;
/// The maximum number of parts of the identity.
const PARTS: usize = 200;
/// The maximum total number of ids, read levels and written classes of all runs.
const USES: usize = 10_000;
/// The maximum total number of segments in all keys.
const SEGMENTS: usize = 10_000;

/// Reports the limits that a document exceeds; returns whether it exceeds any limit.
pub(super) fn exceed(document: &Document, sink: &mut Sink) -> bool {
    let levels = document.levels.iter();
    let segments = levels.clone().flat_map(|level| &level.key);
    let runs = document.runs.iter();
    let uses = runs.clone().flat_map(|run| {
        let writes = run.writes.iter().map(|(class, _)| class);
        run.ids.iter().chain(&run.reads).chain(writes)
    });
    let all: [(usize, &str, Vec<Span>); 6] = [
        (
            PARTS,
            "parts of the identity",
            document.identity.iter().map(|part| part.span).collect(),
        ),
        (
            LEVELS,
            "levels",
            levels.map(|level| level.name.span).collect(),
        ),
        (
            SEGMENTS,
            "key parts",
            segments.map(|segment| segment.span).collect(),
        ),
        (RUNS, "runs", runs.map(|run| run.name.span).collect()),
        (
            USES,
            "ids, reads and writes of runs",
            uses.map(|name| name.span).collect(),
        ),
        (
            INVARIANTS,
            "invariants",
            document
                .invariants
                .iter()
                .map(|invariant| invariant.name.span)
                .collect(),
        ),
    ];
    sink.report_exceeded(&all)
}
