//! Names that must be distinct in the generated Rust code.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Span;

/// The names in one namespace of the generated Rust code, keyed by their Rust spelling.
pub(crate) struct RustNames<'a> {
    /// The sink to which conflicts are reported.
    pub(crate) sink: &'a mut Sink,
    known: BTreeMap<String, (String, &'static str, Span)>,
    /// The kinds of names for which another rule reports conflicts.
    told: &'static [&'static str],
}

impl<'a> RustNames<'a> {
    pub(crate) fn new(sink: &'a mut Sink) -> Self {
        Self {
            sink,
            known: BTreeMap::new(),
            told: &[],
        }
    }

    /// Sets the kinds of names for which another rule reports conflicts between two names.
    pub(crate) fn told_elsewhere(mut self, kinds: &'static [&'static str]) -> Self {
        self.told = kinds;
        self
    }

    /// Adds a name, or reports that another name conflicts with it (PM0106). Returns whether the name was added.
    pub(crate) fn take(
        &mut self,
        kind: &'static str,
        name: &str,
        rust: String,
        span: Span,
    ) -> bool {
        let Some((other, other_kind, first)) = self.known.get(&rust) else {
            self.known.insert(rust, (name.to_owned(), kind, span));
            return true;
        };
        // Two identical names of one kind are reported by PM0104.
        if kind != *other_kind || (other != name && !self.told.contains(&kind)) {
            let message = format!(
                "the {kind} `{name}` and the {other_kind} `{other}` both become `{rust}` in Rust"
            );
            let found = Diagnostic::new(Code::PM0106, span, message);
            let help =
                "rename one of them, because the generated Rust code needs two different names";
            // The values of an enum all have the same span.
            let found = if first.order() == span.order() {
                found
            } else {
                found.also(*first, "the other name")
            };
            self.sink.push(found.help(help));
        }
        false
    }
}
