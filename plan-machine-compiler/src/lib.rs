//! The compiler of plan-machine: turns the spec of an agent's plan into a checked machine that can be run, drawn and
//! queried.
//!
//! A spec goes through these passes, each of which uses the results of the earlier ones: [`syntax`] reads the spec,
//! `resolve` replaces names with ids, `check` applies the rules, and [`prove`] explores the reachable configurations,
//! proves the invariants and runs the scenarios. Then [`semantics`] can run the machine, and [`emit`] can produce
//! charts, tool schemas and Rust code. Problems are collected and reported together. `mutate` compiles altered copies
//! of a spec to find out whether any check detects the change.
//!
//! ```
//! use plan_machine_compiler::{compile, semantics::{Call, Outcome, Sandbox, EventContext, CallKind}};
//! use plan_machine_compiler::source::SourceMap;
//!
//! let spec = "
//! machine: Note
//! commands: { begin: /note, end: /done }
//! states:
//!   none: { on: { begin: open } }
//!   open: { on: { end: { to: closed, next: none } } }
//!   closed: { final: true }
//! ";
//! let mut sources = SourceMap::default();
//! let file = sources.add("note.yaml", spec);
//! let machine = compile(&sources, file).machine.expect("a spec without errors");
//!
//! let mut session = Sandbox::new(&machine);
//! let begin = machine.event_named("begin").expect("a declared event");
//! let outcome = session.step(&Call::new(CallKind::Event(begin)), &EventContext::default());
//! assert!(matches!(outcome, Outcome::Accepted(_)));
//! assert_eq!(machine.state(session.held().leaf()).name, "open");
//! ```

#[cfg(feature = "sessions")]
pub mod calls;
mod check;
pub mod diagnostic;
#[cfg(feature = "tools")]
pub mod diff;
pub mod emit;
pub mod lower;
pub mod model;
#[cfg(feature = "tools")]
pub mod mutate;
pub mod operators;
pub mod prove;
mod resolve;
pub mod scopes;
pub mod semantics;
#[cfg(feature = "sessions")]
pub mod session;
pub mod source;
pub mod syntax;

#[cfg(feature = "sessions")]
pub use calls::{CallsCompilation, compile_calls};
use diagnostic::{Diagnostic, Severity, Sink};
pub use model::Outline;
use model::{Checked, Machine};
use plan_machine_kernel::digest::sha256_hex;
use proc_macro2::TokenStream;
use prove::Effort;
use prove::scenarios::{self, ScenarioReport};
pub use prove::{InvariantReport, Verdict};
pub use scopes::{DocumentKind, ScopesCompilation, compile_scopes, document_kind};
#[cfg(feature = "sessions")]
pub use session::{SessionCompilation, compile_session};
use source::{FileId, SourceMap};
use syntax::ast::Spec;
use syntax::dsl::TokenMap;
use syntax::fingerprint::fingerprint;
use syntax::meaning::meaning;

/// The result of compiling one spec.
#[derive(Debug)]
pub struct Compilation {
    /// The spec as written; present if the spec could be read at all.
    pub spec: Option<Spec>,
    /// The machine; `None` if the spec could not be read or breaks a rule. If only an invariant or a scenario fails,
    /// the machine is present, so that it can be run to find out why.
    pub machine: Option<Checked<Machine>>,
    /// All diagnostics, in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// A summary of the checks; `None` if the spec could not be read, or if it exceeds a limit.
    pub report: Option<Report>,
    /// The names in the spec, even if the spec has errors; `None` if the spec could not be read, or if it exceeds a
    /// limit.
    pub outline: Option<Outline>,
}

/// A summary of the checks, in numbers and verdicts.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The number of leaves, including `none`.
    pub states: usize,
    /// The number of reachable abstract configurations, including "no plan"; 0 if the machine was not explored because
    /// it breaks a rule.
    pub explored: usize,
    /// The invariants with their verdicts; empty if the machine was not explored because it breaks a rule.
    pub invariants: Vec<InvariantReport>,
    /// The scenarios with their results; empty if a rule is broken.
    pub scenarios: Vec<ScenarioReport>,
}

impl Compilation {
    /// Returns whether the spec has no errors.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        let mut found = self.diagnostics.iter();
        self.machine.is_some() && found.all(|found| found.severity != Severity::Error)
    }

    /// Returns the spec and its machine for comparison with another version; `None` if there is no machine.
    #[cfg(feature = "tools")]
    #[must_use]
    pub fn version(&self) -> Option<diff::Version<'_>> {
        Some(diff::Version {
            spec: self.spec.as_ref()?,
            machine: self.machine.as_ref()?,
        })
    }

    /// Treats every warning as an error.
    pub fn deny_warnings(&mut self) {
        for found in &mut self.diagnostics {
            found.deny_warning();
        }
    }
}

/// Compiles the spec in `file`: reads it, resolves its names, checks the rules, proves the invariants, and runs the
/// scenarios.
#[must_use]
pub fn compile(sources: &SourceMap, file: FileId) -> Compilation {
    let mut sink = Sink::default();
    let spec = syntax::yaml::read(sources, file, &mut sink);
    compile_read(spec, sink)
}

/// Reads the spec in `file` and checks all rules that can be checked without the exploration.
#[cfg(feature = "sessions")]
fn check_only(sources: &SourceMap, file: FileId) -> Compilation {
    let mut sink = Sink::default();
    let spec = syntax::yaml::read(sources, file, &mut sink);
    let machine = match &spec {
        Some(spec) if !sink.breaks_a_rule() => checked(spec, &mut sink),
        _ => None,
    };
    Compilation {
        machine,
        ..unread(spec, sink)
    }
}

/// Compiles the tokens of an inline spec. The tokens are laid out in a file of `sources`, which the diagnostics point
/// to; the map translates positions in that file back to tokens.
#[must_use]
pub fn compile_tokens(tokens: TokenStream, sources: &mut SourceMap) -> (Compilation, TokenMap) {
    let mut sink = Sink::default();
    let map = TokenMap::of_macro(tokens, sources);
    let spec = syntax::dsl::read(&map, &mut sink);
    (compile_read(spec, sink), map)
}

/// Compiles the spec in `file`, which is in the syntax of an inline spec. Tests use this for specs
/// that are strings.
#[cfg(feature = "tools")]
#[doc(hidden)]
#[must_use]
pub fn compile_inline(sources: &SourceMap, file: FileId) -> Compilation {
    let mut sink = Sink::default();
    let spec = match TokenMap::of_text(sources, file) {
        Ok(map) => syntax::dsl::read(&map, &mut sink),
        Err(found) => {
            sink.push(*found);
            None
        }
    };
    compile_read(spec, sink)
}

/// Compiles every inline spec of the Rust file `file`: each `machine! { … }` that contains its spec. Diagnostics point
/// into that file.
///
/// # Errors
///
/// Returns an error if the text is too large, or if it cannot be split into Rust tokens.
#[cfg(feature = "tools")]
pub fn compile_rust(
    sources: &SourceMap,
    file: FileId,
) -> Result<Vec<Compilation>, Box<Diagnostic>> {
    let maps = TokenMap::of_rust(sources, file)?;
    let compile = |map: &TokenMap| {
        let mut sink = Sink::default();
        let spec = syntax::dsl::read(map, &mut sink);
        compile_read(spec, sink)
    };
    Ok(maps.iter().map(compile).collect())
}

/// Compiles the spec returned by a reader, if there is one.
fn compile_read(spec: Option<Spec>, sink: Sink) -> Compilation {
    match spec {
        Some(spec) => compile_spec(spec, Effort::Whole, sink),
        None => unread(None, sink),
    }
}

/// Returns a result without a machine, a report or an outline.
fn unread(spec: Option<Spec>, sink: Sink) -> Compilation {
    Compilation {
        spec,
        machine: None,
        diagnostics: sink.into_sorted(),
        report: None,
        outline: None,
    }
}

/// Compiles a syntax tree; `sink` already contains the problems found while reading it. `effort` limits the search for
/// runs that break an invariant.
fn compile_spec(spec: Spec, effort: Effort, mut sink: Sink) -> Compilation {
    if resolve::limits::exceed(&spec, &mut sink) {
        return unread(Some(spec), sink);
    }
    let mut machine = None;
    let resolved = resolve::resolve(&spec, &mut sink);
    let is_whole = !sink.breaks_a_rule();
    check::check(&resolved, &mut sink);
    let mut report = Report {
        states: resolved.leaves().count(),
        ..Report::default()
    };
    let outline = Outline::of(&resolved);
    if sink.breaks_a_rule() {
        // The exploration shows whether a suspected problem is real, but it proves nothing about a
        // spec that was not fully understood.
        let suspects = sink.take_suspects();
        if is_whole && !suspects.is_empty() {
            prove::judge_suspects(&resolved, suspects, &mut sink);
        }
    } else {
        let checked = with_meaning(resolved, &spec);
        let suspects = sink.take_suspects();
        let proof = prove::prove(&checked, suspects, effort, &mut sink);
        report.explored = proof.explored;
        report.invariants = proof.invariants;
        if spec.deny_warnings {
            sink.deny_warnings();
        }
        machine = run_scenarios(checked, &mut report, &mut sink);
    }
    if spec.deny_warnings {
        sink.deny_warnings();
    }
    Compilation {
        spec: Some(spec),
        machine,
        diagnostics: sink.into_sorted(),
        report: Some(report),
        outline: Some(outline),
    }
}

/// Returns a machine that obeys the rules, with its meaning and fingerprints.
fn with_meaning(mut resolved: Machine, spec: &Spec) -> Checked<Machine> {
    resolved.meaning = meaning(spec);
    resolved.fingerprint = fingerprint(spec);
    resolved.earlier_fingerprint = sha256_hex(&resolved.meaning);
    Checked::new(resolved)
}

/// Returns the machine of a syntax tree if it obeys the rules. Nothing is proved about the machine, and no scenario is
/// run.
#[cfg(feature = "sessions")]
fn checked(spec: &Spec, sink: &mut Sink) -> Option<Checked<Machine>> {
    if resolve::limits::exceed(spec, sink) {
        return None;
    }
    let resolved = resolve::resolve(spec, sink);
    check::check(&resolved, sink);
    // Only the exploration can show whether a suspected problem is real. The callers do not need this result: either an
    // earlier exploration has found no problem, or its result does not matter to them.
    let _ = sink.take_suspects();
    (!sink.breaks_a_rule()).then(|| with_meaning(resolved, spec))
}

/// Returns the machine of a syntax tree if it obeys the rules, without the diagnostics.
#[cfg(feature = "tools")]
fn check_spec(spec: &Spec) -> Option<Checked<Machine>> {
    checked(spec, &mut Sink::default())
}

/// Returns the machine of a spec if the spec obeys all rules that can be checked without the exploration. The result of
/// the exploration does not matter. Tests use this to compare the exploration with runs.
#[cfg(feature = "tools")]
#[doc(hidden)]
#[must_use]
pub fn unproved(compilation: &Compilation) -> Option<Checked<Machine>> {
    check_spec(compilation.spec.as_ref()?)
}

/// Runs the scenarios of a machine and returns the machine; returns `None` if the machine turned out to break a rule.
/// For example, a machine that reads an optional is run only if the optional is proved to be set.
fn run_scenarios(
    checked: Checked<Machine>,
    report: &mut Report,
    sink: &mut Sink,
) -> Option<Checked<Machine>> {
    if sink.breaks_a_rule() {
        return None;
    }
    report.scenarios = scenarios::run(&checked, sink);
    Some(checked)
}
