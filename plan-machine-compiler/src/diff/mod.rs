//! Compares two versions of a spec: what changed, and what this means for stored records.
//!
//! ```
//! use plan_machine_compiler::source::SourceMap;
//! use plan_machine_compiler::{compile, diff::diff};
//!
//! let old = "{ machine: Note, commands: { go: /go }, states: { none: { on: { go: A } }, A: { final: true } } }";
//! let new = old.replace('A', "B");
//! let mut sources = SourceMap::default();
//! let (old, new) = (sources.add("old.yaml", old), sources.add("new.yaml", new));
//! let (old, new) = (compile(&sources, old), compile(&sources, new));
//! # let both = (old.version(), new.version());
//! # let (Some(old), Some(new)) = both else { return };
//! let found = diff(old, new);
//! assert_eq!(found.diagnostics[0].code.as_str(), "PM0801");
//! ```

mod approval;
mod changes;
mod deciding;
mod facts;
mod gating;
mod handling;
mod removed_names;
mod statements;
#[cfg(test)]
mod test_kit;
mod unchanged_version;
mod unfit_records;
mod version;

pub use changes::{Change, Concern, Kind};
pub(crate) use changes::{Fact, compare};
pub(crate) use facts::Facts;
pub use version::Version;

use crate::diagnostic::{Diagnostic, Sink};
use crate::syntax::ast::Spec;

/// The differences between two versions.
#[derive(Debug)]
pub struct Difference {
    /// The changes: first the consequences for review, gating and approval, then the edits, in the order of the spec.
    pub changes: Vec<Change>,
    /// The problems that the changes would cause for stored records.
    pub diagnostics: Vec<Diagnostic>,
}

impl Difference {
    pub(crate) fn new(mut changes: Vec<Change>, sink: Sink) -> Self {
        changes.sort_by_key(|change| (change.concern.is_none(), change.concern));
        Self {
            changes,
            diagnostics: sink.into_sorted(),
        }
    }

    /// Returns the number of changes that affect a concern.
    #[must_use]
    pub fn count(&self, concern: Concern) -> usize {
        let changes = self.changes.iter();
        changes
            .filter(|change| change.concern == Some(concern))
            .count()
    }
}

/// Compares two versions of a machine.
#[must_use]
pub fn diff(old: Version<'_>, new: Version<'_>) -> Difference {
    let mut sink = Sink::default();
    for rule in [
        removed_names::check,
        unfit_records::check,
        unchanged_version::check,
    ] {
        rule(old.machine, new.machine, &mut sink);
    }
    let mut changes = edits(old.spec, new.spec);
    changes.extend(gating::changes(old.machine, new.machine));
    changes.extend(approval::changes(old.machine, new.machine));
    changes.extend(deciding::changes(old, new));
    Difference::new(changes, sink)
}

/// Returns the edits to each part of the spec. Two specs have different fingerprints if and only if an edit concerns
/// something other than the version, a prompt, a title, the documentation of a tool, the wording of a denial, or an
/// invariant.
#[must_use]
pub fn edits(old: &Spec, new: &Spec) -> Vec<Change> {
    changes::compare(&statements::facts(old), &statements::facts(new))
}
