//! The entry point that compiles a session document.

use std::sync::Arc;

use plan_machine_kernel::session::SessionRule;

use super::load::{Depth, Loader, calls, members};
use super::model::Session;
use super::reader::Reader;
use super::{limits, prove, read, resolve, rules, scenarios, tree};
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::model::Checked;
use crate::prove::InvariantReport;
use crate::prove::scenarios::ScenarioReport;
use crate::source::{FileId, SourceMap};

/// The result of compiling a session document.
#[derive(Debug)]
pub struct SessionCompilation {
    /// The session with all its machines; `None` if the document or a machine breaks a rule. If the only errors are
    /// broken invariants and failing scenarios, of the session or of a machine, the session is present, so that it can
    /// be run to find out why.
    pub session: Option<Checked<Session>>,
    /// All diagnostics, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// A summary of the checks.
    pub report: SessionReport,
    /// The name of the session, if it could be read; [`super::emit::skeleton`] needs it.
    pub name: Option<String>,
    /// Whether the document names a calls document.
    pub has_calls: bool,
}

/// A summary of the checks.
#[derive(Clone, Debug, Default)]
pub struct SessionReport {
    /// The number of machines that were loaded.
    pub machines: usize,
    /// The invariants with their verdicts.
    pub invariants: Vec<InvariantReport>,
    /// The scenarios with their results.
    pub scenarios: Vec<ScenarioReport>,
}

impl SessionCompilation {
    /// Returns whether the document has no errors.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        let mut found = self.diagnostics.iter();
        self.session.is_some() && found.all(|found| found.severity != Severity::Error)
    }

    /// Treats every warning as an error.
    pub fn deny_warnings(&mut self) {
        for found in &mut self.diagnostics {
            found.deny_warning();
        }
    }
}

/// Compiles the session document in `file`: reads it, loads its machines, resolves its names, checks the rules, proves
/// the invariants, and runs the scenarios. The files of the machines and of the calls document are added to `sources`.
#[must_use]
pub fn compile_session(
    sources: &mut SourceMap,
    file: FileId,
    loader: &mut dyn Loader,
) -> SessionCompilation {
    compile_session_with(SessionRule::GATE, sources, file, loader)
}

/// Compiles a session document with the given rule instead of the rule of the gate. Tests use this to remove a part of
/// the rule and show that a proof depends on it.
#[doc(hidden)]
#[must_use]
pub fn compile_session_with(
    rule: SessionRule,
    sources: &mut SourceMap,
    file: FileId,
    loader: &mut dyn Loader,
) -> SessionCompilation {
    let mut sink = Sink::default();
    let mut report = SessionReport::default();
    let resolved = resolved(Depth::Proved, sources, file, loader, &mut sink);
    let name = resolved.as_ref().map(|session| session.name.clone());
    let has_calls = resolved
        .as_ref()
        .is_some_and(|session| session.document.calls.is_some());
    let mut session = None;
    if let Some(resolved) = resolved {
        report.machines = resolved.members.len();
        if !sink.breaks_a_rule() {
            report.invariants = prove::prove(&resolved, rule, &mut sink);
            report.scenarios = scenarios::run(&resolved, rule, &mut sink);
            session = Some(Checked::new(resolved));
        }
    }
    SessionCompilation {
        session,
        diagnostics: sink.into_sorted(),
        report,
        name: name.filter(|name| !name.is_empty()),
        has_calls,
    }
}

/// Reads a session document that was compiled before without errors: the rules are checked again, but nothing is proved
/// and no scenario is run. This function is for programs that are started for every call of an agent and that store a
/// digest of the documents that they have compiled.
///
/// The files that were read are in `sources`, so that the caller can compare their digest.
///
/// # Errors
///
/// Returns the diagnostics if the document, one of its machines or its calls document cannot be read or breaks a rule.
pub fn read_compiled_session(
    sources: &mut SourceMap,
    file: FileId,
    loader: &mut dyn Loader,
) -> Result<Checked<Session>, Vec<Diagnostic>> {
    let mut sink = Sink::default();
    let session = resolved(Depth::Checked, sources, file, loader, &mut sink);
    match session {
        Some(session) if !sink.breaks_a_rule() => Ok(Checked::new(session)),
        _ => Err(sink.into_sorted()),
    }
}

fn resolved(
    depth: Depth,
    sources: &mut SourceMap,
    file: FileId,
    loader: &mut dyn Loader,
    sink: &mut Sink,
) -> Option<Session> {
    let text = sources.file(file).text().to_owned();
    let root = tree::read(file, &text, sink)?;
    let document = read::document(&mut Reader::new(file, &text, sink), &root);
    if limits::exceed(&document, sink) {
        return None;
    }
    let members = members(&document, depth, sources, loader, sink);
    let calls = calls(&document, sources, loader, sink);
    let session = resolve::resolve(&Arc::new(document), members, calls, sink);
    let is_complete = session.members.len() == session.document.machines.len();
    rules::check(&session, is_complete, sink);
    if session.document.deny_warnings {
        sink.deny_warnings();
    }
    Some(session)
}

#[cfg(test)]
mod tests {
    use super::super::load::LoadedText;
    use super::*;

    /// Has one machine and no calls document.
    struct Machines;

    impl Loader for Machines {
        fn load(&mut self, path: &str) -> Result<LoadedText, String> {
            if path != "m.yaml" {
                return Err("there is no such file".to_owned());
            }
            Ok(LoadedText {
                name: path.to_owned(),
                text: "machine: M\ncommands: { go: /go }\nstates:\n  none: { on: { go: A } }\n  A: { final: true }\n"
                    .to_owned(),
            })
        }
    }

    fn has_calls(calls: &str) -> bool {
        let mut sources = SourceMap::default();
        let text = format!("session: S\nmachines: {{ m: m.yaml }}\n{calls}");
        let file = sources.add("s.yaml", text);
        compile_session(&mut sources, file, &mut Machines).has_calls
    }

    #[test]
    fn a_session_has_a_calls_document_even_if_the_document_is_missing() {
        assert!(has_calls("calls: missing.yaml\n"));
        assert!(!has_calls(""));
    }
}
