//! The rules that scopes must obey. Each rule has its own file, which is named after the problem that the rule finds;
//! the rules are checked in the order of their codes.
//!
//! Guarantees after this pass: scopes without reported errors can be emitted. The runs that use a level can create its
//! key, and no key belongs to two levels.

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
