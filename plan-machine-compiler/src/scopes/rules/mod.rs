//! The rules that scopes must obey: one rule per file, named after the problem that it finds, called in the order of
//! their codes.
//!
//! Guarantees afterwards: scopes without reported errors can be emitted; every key can be created by the runs that
//! use its level, and no key belongs to two levels.

mod broken_invariant;
mod level_out_of_reach;
pub(super) mod unknown_or_shared_level;

use super::model::Scopes;
use crate::diagnostic::Sink;

/// Reports every violation of a rule.
pub(super) fn check(scopes: &Scopes, sink: &mut Sink) {
    unknown_or_shared_level::check(scopes, sink);
    level_out_of_reach::check(scopes, sink);
    broken_invariant::check(scopes, sink);
}
