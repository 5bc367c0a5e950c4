//! Mutants of a spec: copies in which one thing is dropped or altered. Each mutant is checked against the spec's own
//! invariants and scenarios.
//!
//! A mutant is compiled like any spec. An error kills the mutant: a rule, an invariant or a scenario has detected the
//! change. A mutant that survives shows a gap in the invariants and scenarios. No mutants are created for changes that
//! cannot make a difference.

mod alternative;
mod changes;
mod declarations;
mod effects;
mod handlers;
mod place;
mod same;
mod site;
#[cfg(test)]
mod tests;
mod timers;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::Compilation;
use crate::check_spec;
use crate::compile_spec;
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::{Checked, Machine};
use crate::prove::{Effort, Verdict};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::ast::Spec;
use crate::syntax::yaml;

/// The part of a spec that a mutant alters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The target of a transition.
    Target,
    /// The content of the slot after a transition.
    Next,
    /// The condition of an alternative, or the order of two alternatives.
    When,
    /// A requirement.
    Require,
    /// A data change.
    Change,
    /// An effect.
    Emit,
    /// A reply.
    Reply,
    /// Whether and how a state handles an event.
    Handler,
    /// The gating of a host tool.
    HostTool,
    /// Whether a command applies only to the content that was shown.
    Reviewed,
    /// A bound on an input or on a list.
    Bound,
    /// Whether a state has a timer, and its period.
    Timer,
}

impl Kind {
    /// All kinds of changes.
    pub const ALL: [Kind; 12] = [
        Kind::Target,
        Kind::Next,
        Kind::When,
        Kind::Require,
        Kind::Change,
        Kind::Emit,
        Kind::Reply,
        Kind::Handler,
        Kind::HostTool,
        Kind::Reviewed,
        Kind::Bound,
        Kind::Timer,
    ];

    /// Returns the word that is used in machine-readable output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Target => "target",
            Kind::Next => "next",
            Kind::When => "when",
            Kind::Require => "require",
            Kind::Change => "change",
            Kind::Emit => "emit",
            Kind::Reply => "reply",
            Kind::Handler => "handler",
            Kind::HostTool => "host_tool",
            Kind::Reviewed => "reviewed",
            Kind::Bound => "bound",
            Kind::Timer => "timer",
        }
    }

    /// Returns advice on how to detect such a change.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Kind::Target => {
                "add a scenario step with `then` or `ended` that checks the state of the plan"
            }
            Kind::Next => {
                "add a scenario step with `then`, `ended` and `data` that checks the content of the slot"
            }
            Kind::When => {
                "add a scenario with a step for which the condition is true and a step for which it is false"
            }
            Kind::Require => {
                "add a scenario step that violates the requirement and expects `denied: refused`"
            }
            Kind::Change => {
                "add a scenario step with `data` that checks the data of the plan after the step"
            }
            Kind::Emit => {
                "add a scenario step with `emits` that checks the emitted effects, for example `emits: [{ plan_ready: { plan: plan-1 } }]`"
            }
            Kind::Reply => "add a scenario step with `reply` that checks the reply",
            Kind::Handler => "add a scenario that sends the event in this state",
            Kind::HostTool => {
                "add a scenario step with `tool` and `runs`, or an invariant with `runs`, `denies` or `records`, that checks what happens to the tool"
            }
            Kind::Reviewed => {
                "add a scenario step with an outdated `token` that expects `denied: stale`"
            }
            Kind::Bound => {
                "add a scenario step with a value just beyond the bound that expects a denial"
            }
            Kind::Timer => {
                "add a scenario that waits almost until the timer fires and then until it fires, with steps such as `{ wait: 1h, then: none }`"
            }
        }
    }
}

type Edit = Box<dyn Fn(&mut Spec) + Send + Sync>;

/// One change to a spec.
pub struct Mutant {
    /// The kind of change.
    pub kind: Kind,
    /// The location of the altered text.
    pub span: Span,
    /// The location of the event that the altered text belongs to, if the text was inserted there through an alias.
    pub used: Option<Span>,
    /// The transition or declaration that the change belongs to, for example "`plan_get` in active".
    pub subject: String,
    /// A description of the change, for example "drop the requirement `markdown is set` for `plan_get` in active".
    pub change: String,
    edit: Edit,
}

/// The check that detected a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Killer {
    /// A rule, given by its code.
    Rule(Code),
    /// The invariant with this name, which is broken or no longer proved.
    Invariant(String),
    /// The scenario with this name, which fails.
    Scenario(String),
}

impl std::fmt::Display for Killer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Killer::Rule(code) => code.fmt(f),
            Killer::Invariant(name) => write!(f, "the invariant `{name}`"),
            Killer::Scenario(name) => write!(f, "the scenario `{name}`"),
        }
    }
}

/// The mutants of one spec, in source order.
pub struct Mutants {
    spec: Spec,
    all: Vec<Mutant>,
}

impl Mutants {
    /// Creates the mutants of the spec in `file`, from which `machine` was compiled.
    #[must_use]
    pub fn of(sources: &SourceMap, file: FileId, machine: &Checked<Machine>) -> Self {
        let spec = yaml::read(sources, file, &mut Sink::default()).unwrap_or_default();
        let mut all = Maker::new(&spec, machine).all();
        for mutant in &mut all {
            // If a whole block is altered, the first line of the block is enough to locate it.
            let line = sources.slice(mutant.span).lines().next().unwrap_or("");
            let start = mutant.span.start as usize;
            mutant.span = Span::new(mutant.span.file, start, start + line.trim_end().len());
        }
        all.sort_by_key(|mutant| mutant.span.order());
        Self { spec, all }
    }

    /// Returns all mutants.
    #[must_use]
    pub fn all(&self) -> &[Mutant] {
        &self.all
    }

    /// Returns a mutant as a machine, if it obeys the rules. Nothing is proved about this machine.
    #[must_use]
    pub fn machine(&self, mutant: &Mutant) -> Option<Checked<Machine>> {
        let mut spec = self.spec.clone();
        (mutant.edit)(&mut spec);
        check_spec(&spec)
    }

    /// Returns the check that kills each mutant, or `None` if the mutant survives. This uses all processors and calls
    /// `judged` after each mutant.
    #[must_use]
    pub fn killers(&self, judged: impl Fn() + Sync) -> Vec<Option<Killer>> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut mine = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(mutant) = self.all.get(at) else {
                    return mine;
                };
                mine.push((at, self.killer(mutant)));
                judged();
            }
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let mut killers = vec![None; self.all.len()];
        thread::scope(|scope| {
            let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                match worker.join() {
                    Ok(found) => found
                        .into_iter()
                        .for_each(|(at, killer)| killers[at] = killer),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        killers
    }

    /// Returns the spec with the change of a mutant.
    #[must_use]
    pub fn altered(&self, mutant: &Mutant) -> Spec {
        let mut spec = self.spec.clone();
        (mutant.edit)(&mut spec);
        spec
    }

    /// Compiles the spec with the change of a mutant. An invariant that would be reported as broken after a long search
    /// may be reported as undecided.
    #[must_use]
    pub fn compiled(&self, mutant: &Mutant) -> Compilation {
        compile_spec(self.altered(mutant), Effort::Short, Sink::default())
    }

    fn killer(&self, mutant: &Mutant) -> Option<Killer> {
        killer(&self.compiled(mutant))
    }
}

/// Returns the check whose error stops the build. If several checks report errors, a rule that prevents the machine
/// from being built comes first, then an invariant, then a scenario, then any other rule.
fn killer(compilation: &Compilation) -> Option<Killer> {
    let mut errors = compilation.diagnostics.iter();
    let first = errors.find(|found| found.severity == Severity::Error)?;
    let report = compilation.report.as_ref();
    let invariants = report.map_or(&[][..], |report| &report.invariants);
    let unproved = invariants
        .iter()
        .find(|known| known.verdict != Verdict::Proved);
    let scenarios = report.map_or(&[][..], |report| &report.scenarios);
    let differing = scenarios.iter().find(|known| !known.passed);
    match (compilation.machine.is_some(), unproved, differing) {
        (true, Some(known), _) => Some(Killer::Invariant(known.name.clone())),
        (true, None, Some(known)) => Some(Killer::Scenario(known.name.clone())),
        _ => Some(Killer::Rule(first.code)),
    }
}

/// Creates the mutants of a spec.
struct Maker<'a> {
    spec: &'a Spec,
    machine: &'a Machine,
    /// The part of the spec that the next mutants belong to.
    subject: String,
    made: Vec<Mutant>,
}

impl<'a> Maker<'a> {
    fn new(spec: &'a Spec, machine: &'a Machine) -> Self {
        Self {
            spec,
            machine,
            subject: String::new(),
            made: Vec::new(),
        }
    }

    fn all(mut self) -> Vec<Mutant> {
        self.declarations();
        self.handlers();
        self.made
    }

    fn make(
        &mut self,
        kind: Kind,
        span: Span,
        change: impl Into<String>,
        edit: impl Fn(&mut Spec) + Send + Sync + 'static,
    ) {
        self.made.push(Mutant {
            kind,
            span,
            used: None,
            subject: self.subject.clone(),
            change: change.into(),
            edit: Box::new(edit),
        });
    }
}
