//! The rules that a calls document must obey. Each rule has its own file, which is named after the problem that the
//! rule finds; the rules are checked in the order of their codes.
//!
//! Guarantees after this pass: a document without reported errors can classify calls, and none of its rules is covered
//! by a single earlier rule, as far as a comparison of the listed entries can show.

mod differing_example;
mod shadowed_rule;
mod undescribed_argument;
mod unjudgeable_command;
mod unknown_class;
mod unused_class;
mod wrapping_command;

use super::ast::Document;
use crate::diagnostic::Sink;

pub use differing_example::{ExampleResult, differing_example};
pub(super) use unknown_class::unknown_class;

/// Reports every violation of a rule, except for wrong examples, which only a classifier can find.
pub(super) fn check(document: &Document, sink: &mut Sink) {
    unknown_class::check(document, sink);
    shadowed_rule::check(document, sink);
    undescribed_argument::check(document, sink);
    unused_class::check(document, sink);
    unjudgeable_command::check(document, sink);
    wrapping_command::check(document, sink);
}
