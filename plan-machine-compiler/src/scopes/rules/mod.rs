//! The rules that scopes must keep, one rule a file, in the order of their codes.
//!
//! Holds afterwards: scopes for which nothing was reported can be emitted: every key can be made by
//! the runs that use its level, and no key is one of two levels.

pub(super) mod pm0901;
mod pm0902;
mod pm0903;

use super::model::Scopes;
use crate::diagnostic::Sink;

/// Reports every rule that the scopes break.
pub(super) fn check(scopes: &Scopes, sink: &mut Sink) {
    pm0901::check(scopes, sink);
    pm0902::check(scopes, sink);
    pm0903::check(scopes, sink);
}
