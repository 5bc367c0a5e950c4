//! Two versions of a spec: what changed, and what it would do to the records that are stored.
//!
//! ```
//! use plan_machine_compiler::source::SourceMap;
//! use plan_machine_compiler::{compile, diff::diff};
//!
//! let old = "{ machine: Note, commands: { go: /go }, states: { none: { on: { go: A } }, A: { final: true } } }";
//! let new = old.replace('A', "B");
//! let mut sources = SourceMap::default();
//! let (old, new) = (sources.add("old.yaml", old), sources.add("new.yaml", new));
//! let machine = |file| compile(&sources, file).machine;
//! # let both = (machine(old), machine(new));
//! # let (Some(old), Some(new)) = both else { return };
//! let found = diff(&old, &new);
//! assert_eq!(found.diagnostics[0].code.as_str(), "PM0801");
//! ```

mod changes;
mod handling;
mod pm0801;
mod pm0802;
mod pm0803;

pub use changes::{Change, Kind};

use crate::diagnostic::{Diagnostic, Sink};
use crate::model::{Checked, Machine};

/// What differs between two versions.
#[derive(Debug)]
pub struct Difference {
    /// What came, went and changed, in the order of the spec.
    pub changes: Vec<Change>,
    /// What that would do to stored records.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compares two versions of a machine.
#[must_use]
pub fn diff(old: &Checked<Machine>, new: &Checked<Machine>) -> Difference {
    let mut sink = Sink::default();
    for rule in [pm0801::check, pm0802::check, pm0803::check] {
        rule(old, new, &mut sink);
    }
    Difference {
        changes: changes::changes(old, new),
        diagnostics: sink.into_sorted(),
    }
}
