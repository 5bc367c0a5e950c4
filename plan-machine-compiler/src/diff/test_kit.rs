//! Compares a spec with an edited version of it, for the tests of this module.

use super::{Change, diff};
use crate::compile;
use crate::source::SourceMap;

/// Returns the changes between a spec and the version in which one part is replaced.
pub(super) fn replacing(spec: &str, from: &str, to: &str) -> Vec<Change> {
    assert!(spec.contains(from), "{from}");
    let mut sources = SourceMap::default();
    let old = sources.add("old.yaml", spec);
    let new = sources.add("new.yaml", spec.replace(from, to));
    let (old, new) = (compile(&sources, old), compile(&sources, new));
    let versions = old.version().zip(new.version());
    let (old, new) = versions.unwrap_or_else(|| panic!("{from} → {to} is not valid"));
    diff(old, new).changes
}
