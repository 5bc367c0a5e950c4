//! What a session needs to run: its documents without their invariants, scenarios and examples. These make up most of
//! the text, so a program that is started for every call of an agent would otherwise spend most of its time reading
//! them.

use super::model::{Member, Session, SessionCalls};
use crate::syntax::ast::Spec;

/// The top-level entries of documents that only proofs and tests need.
const PROOFS: [&str; 3] = ["examples:", "invariants:", "scenarios:"];

/// Returns a document without its invariants, scenarios and examples.
///
/// The document is not parsed; whole lines are removed from it. If it is written in an unusual way, the result may be a
/// document with a different meaning. So before you rely on the result, read both documents once, and compare their
/// sessions with [`Session::runs_like`].
#[must_use]
pub fn without_proofs(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut is_proof = false;
    for line in text.split_inclusive('\n') {
        // Any other line belongs to the entry that begins above it.
        let begins_entry = |first: char| !first.is_whitespace() && first != '#' && first != '-';
        if line.starts_with(begins_entry) {
            is_proof = PROOFS.iter().any(|entry| line.starts_with(entry));
        }
        if !is_proof {
            kept.push_str(line);
        }
    }
    kept
}

impl Session {
    /// Returns whether both sessions make the same decision on every call: they differ only in their invariants,
    /// scenarios and examples, if at all.
    #[must_use]
    pub fn runs_like(&self, other: &Self) -> bool {
        let members = self.members.iter().zip(&other.members);
        self.name == other.name
            && self.doc == other.doc
            && self.prefix == other.prefix
            && self.members.len() == other.members.len()
            && members.into_iter().all(|(one, other)| one.runs_like(other))
            && match (&self.calls, &other.calls) {
                (Some(one), Some(other)) => one.runs_like(other),
                (one, other) => one.is_none() && other.is_none(),
            }
    }
}

impl Member {
    fn runs_like(&self, other: &Self) -> bool {
        self.name == other.name
            && self.origin == other.origin
            && running(&self.spec) == running(&other.spec)
    }
}

impl SessionCalls {
    fn runs_like(&self, other: &Self) -> bool {
        self.origin == other.origin
            && self.calls.document == other.calls.document
            && self.calls.doc == other.calls.doc
    }
}

fn running(spec: &Spec) -> Spec {
    Spec {
        invariants: Vec::new(),
        scenarios: Vec::new(),
        ..spec.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Checked;
    use crate::session::{LoadedText, Loader, read_compiled_session, shipped, shipped_calls};
    use crate::source::SourceMap;

    /// The texts of one machine and of one calls document, whole or cut.
    struct Texts<'t> {
        machine: &'t str,
        calls: &'t str,
        is_cut: bool,
    }

    impl Texts<'_> {
        fn text(&self, text: &str) -> String {
            if self.is_cut {
                without_proofs(text)
            } else {
                text.to_owned()
            }
        }
    }

    impl Loader for Texts<'_> {
        fn load(&mut self, path: &str) -> Result<LoadedText, String> {
            let text = match path {
                "machine.yaml" => self.machine,
                _ => self.calls,
            };
            Ok(LoadedText {
                name: path.to_owned(),
                text: self.text(text),
            })
        }
    }

    const MACHINE: &str = "\
machine: M
commands: { begin: /begin, stop: /stop }
states:
  none: { on: { begin: a } }
  a: { on: { stop: { to: z, next: none } } }
  z: { final: true }
";

    const CALLS: &str = "calls: Tools\nclasses: [looks]\nrules: []\notherwise: looks\n";

    fn read(machine: &str, calls: &str, is_cut: bool) -> Option<Checked<Session>> {
        let mut texts = Texts {
            machine,
            calls,
            is_cut,
        };
        let document =
            "session: One\nmachines: { m: machine.yaml }\ncalls: calls.yaml\nscenarios: {}\n";
        let mut sources = SourceMap::default();
        let file = sources.add("session.yaml", texts.text(document));
        read_compiled_session(&mut sources, file, &mut texts).ok()
    }

    #[test]
    fn every_shipped_machine_runs_without_its_proofs() {
        for (name, text) in shipped() {
            let whole = read(text, CALLS, false).expect(name);
            let cut = read(text, CALLS, true).expect(name);
            assert!(cut.runs_like(&whole), "{name}");
            assert!(without_proofs(text).len() < text.len(), "{name}");
        }
    }

    #[test]
    fn every_shipped_calls_document_runs_without_its_examples() {
        for (name, text) in shipped_calls() {
            let whole = read(MACHINE, text, false).expect(name);
            let cut = read(MACHINE, text, true).expect(name);
            assert!(cut.runs_like(&whole), "{name}");
            assert!(!without_proofs(text).contains("examples:"), "{name}");
        }
    }

    #[test]
    fn an_entry_ends_where_the_next_one_begins() {
        let text = "a: 1\nscenarios:\n  x: 2\n\n# about y\n- z\nstates:\n  scenarios: 3\n";
        assert_eq!(without_proofs(text), "a: 1\nstates:\n  scenarios: 3\n");
    }

    #[test]
    fn sessions_that_decide_differently_are_told_apart() {
        let whole = read(MACHINE, CALLS, false).expect("a session");
        let more_classes = CALLS.replace("[looks]", "[looks, writes]");
        let others = [
            (MACHINE.replace("machine: M", "machine: N"), CALLS),
            (MACHINE.replace("/stop", "/halt"), CALLS),
            (MACHINE.to_owned(), more_classes.as_str()),
        ];
        for (machine, calls) in others {
            let other = read(&machine, calls, false).expect("a session");
            assert!(!other.runs_like(&whole), "{machine}{calls}");
        }
    }
}
