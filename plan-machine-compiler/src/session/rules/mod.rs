//! The rules of session documents, grouped by what they check.

mod classes;
mod conflicts;
mod contexts;
mod names;

use super::model::Session;
use crate::diagnostic::Sink;

/// Checks the rules. A session is complete if all its machines could be loaded.
pub(super) fn check(session: &Session, is_complete: bool, sink: &mut Sink) {
    names::check(session, sink);
    conflicts::check(session, sink);
    contexts::check(session, sink);
    classes::check(session, is_complete, sink);
}
