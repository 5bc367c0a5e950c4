//! Compares two versions of a spec.

use plan_machine_compiler::Compilation;
use plan_machine_compiler::compile;
use plan_machine_compiler::diff::{Change, Concern, Difference, diff};
use plan_machine_compiler::source::SourceMap;

/// Returns the differences between two specs.
pub(crate) fn between(old: &str, new: &str) -> (Difference, SourceMap) {
    let mut sources = SourceMap::default();
    let (old, new) = (sources.add("old.yaml", old), sources.add("new.yaml", new));
    let (old, new) = (compile(&sources, old), compile(&sources, new));
    let version = |compilation: &'_ Compilation| format!("{:#?}", compilation.diagnostics);
    let found = match (old.version(), new.version()) {
        (Some(old), Some(new)) => diff(old, new),
        _ => panic!("{} {}", version(&old), version(&new)),
    };
    (found, sources)
}

/// Returns a spec with some parts replaced.
pub(crate) fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    let mut new = text.to_owned();
    for (from, to) in edits {
        assert!(new.contains(from), "{from} is not in the spec");
        new = new.replace(from, to);
    }
    new
}

/// Formats changes for a person, including their marks.
pub(crate) fn lines(found: &Difference) -> Vec<String> {
    let line = |change: &Change| {
        let mark = change.concern.map_or("", Concern::as_str);
        format!(
            "{mark}: {} {} {}: {}",
            change.kind.as_str(),
            change.what,
            change.name,
            change.detail
        )
    };
    let lines = found.changes.iter().map(line);
    lines
        .map(|line| line.trim_start_matches(": ").to_owned())
        .collect()
}
