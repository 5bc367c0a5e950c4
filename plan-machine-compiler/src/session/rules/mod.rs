//! The rules of session documents, one per file.

mod classes;
mod conflicts;
mod contexts;
mod names;

use super::model::Session;
use crate::diagnostic::Sink;

/// Checks the rules.
pub(super) fn check(session: &Session, sink: &mut Sink) {
    names::check(session, sink);
    conflicts::check(session, sink);
    contexts::check(session, sink);
    classes::check(session, sink);
}
