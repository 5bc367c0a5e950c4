//! Problems in a spec as values: a stable code, a message, labeled positions and help.
//!
//! Passes put diagnostics into a [`Sink`] and continue, so that one run reports everything. Only [`render`] converts
//! diagnostics to text.

mod code;
pub mod render;
mod suspect;

pub use code::Code;
pub use suspect::{Suspect, SuspectKind};

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use plan_machine_kernel::json::Json;

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The build fails.
    Error,
    /// The build does not fail, unless warnings are denied.
    Warning,
    /// Information that never makes the build fail.
    Note,
}

impl Severity {
    /// Returns the word used in rendered output and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A position with a short description of its role in the problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The position.
    pub span: Span,
    /// The description; may be empty.
    pub text: String,
}

/// One reported problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The rule that was broken.
    pub code: Code,
    /// The severity: the default severity of the rule, except that a warning becomes an error if warnings are denied.
    pub severity: Severity,
    /// The message: lower case, without a final period; text from the spec is in backticks.
    pub message: String,
    /// The main position.
    pub primary: Label,
    /// Other positions that are involved, such as the first of two declarations.
    pub secondary: Vec<Label>,
    /// Explanations of the problem.
    pub notes: Vec<String>,
    /// Suggestions for fixing the problem.
    pub help: Vec<String>,
    /// The events that demonstrate the problem, each in the input format of `plan-machine run`.
    pub trace: Vec<Json>,
    /// The number of further diagnostics of this code that were omitted; nonzero only in the last diagnostic shown.
    pub left_out: usize,
}

impl Diagnostic {
    /// Returns a problem with this code at `span`, with the default severity of the rule.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: Label {
                span,
                text: String::new(),
            },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            trace: Vec::new(),
            left_out: 0,
        }
    }

    /// Sets the description of the primary position.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds a secondary position with its description.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds an explanation.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a suggested fix.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Turns a warning into an error.
    pub(crate) fn deny_warning(&mut self) {
        if self.severity == Severity::Warning {
            self.severity = Severity::Error;
        }
    }

    /// Suggests the candidate whose spelling is closest to `name`, if one is similar.
    #[must_use]
    pub fn did_you_mean<'a>(
        self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        match plan_machine_kernel::suggest::nearest(name, candidates) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Suggests the most similar name of a spec. Skips the comparison if `sink` would only count the diagnostic,
    /// because a spec may have many names.
    #[must_use]
    pub fn did_you_mean_one_of<'a>(
        self,
        sink: &Sink,
        name: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        if sink.is_full(self.code) {
            self
        } else {
            self.did_you_mean(name, names)
        }
    }
}

/// The maximum number of diagnostics kept per code. More would not be useful, and a hostile spec
/// could cause millions.
pub const MOST_OF_A_KIND: usize = 100;

/// Collects the diagnostics of all passes.
#[derive(Debug, Default)]
pub struct Sink {
    found: Vec<Diagnostic>,
    /// Hashes of the code, position and message of every reported diagnostic, used to skip duplicates.
    known: HashSet<u64>,
    /// The number of diagnostics reported with each code, including omitted ones.
    counts: HashMap<Code, usize>,
    suspects: Vec<Suspect>,
    lost: BTreeSet<Loss>,
    /// The names in declarations that could not be read.
    lost_names: HashSet<String>,
    /// Whether the diagnostics being reported concern only an invariant or a scenario.
    aside: bool,
    /// Whether a rule about the machine itself is broken.
    rule_broken: bool,
}

/// The kind of a part that is missing from the machine because of a reported problem. Rules about missing things are
/// skipped after such a loss: they would only report the same problem again in other words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// A part of the spec that could not be understood.
    Text,
    /// The target of a transition.
    Target,
    /// A state's handler for an event.
    Handler,
    /// A field that a transition writes to, or that a list of fields names.
    Field,
    /// An emitted effect.
    Effect,
}

impl Sink {
    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let error = diagnostic.severity == Severity::Error;
        self.rule_broken |= error && !self.aside && is_rule(diagnostic.code);
        let place = diagnostic.primary.span.order();
        let known = BuildHasherDefault::<DefaultHasher>::default();
        let known = known.hash_one((diagnostic.code, place, &diagnostic.message));
        if !self.known.insert(known) {
            return;
        }
        let count = self.counts.entry(diagnostic.code).or_default();
        *count += 1;
        if *count <= MOST_OF_A_KIND {
            self.found.push(diagnostic);
        }
    }

    /// Returns whether this code has reached its limit, so that further diagnostics with this code are only counted.
    #[must_use]
    pub fn is_full(&self, code: Code) -> bool {
        self.counts
            .get(&code)
            .is_some_and(|count| *count >= MOST_OF_A_KIND)
    }

    /// Adds a diagnostic about a part of the spec that was dropped, so that rules about missing things are skipped.
    pub fn push_lost(&mut self, diagnostic: Diagnostic) {
        self.push_without(diagnostic, Loss::Text);
    }

    /// Reports each exceeded limit of a document at the first item beyond it; returns whether any limit is exceeded.
    /// Each entry of `limits` consists of the limit, the name of what it limits, and the positions of all items.
    pub(crate) fn report_exceeded(&mut self, limits: &[(usize, &str, Vec<Span>)]) -> bool {
        let mut exceeded = false;
        for (most, what, all) in limits {
            let Some(one_more) = all.get(*most) else {
                continue;
            };
            let message = format!(
                "{} {what} exceed the limit of {most} for a document",
                all.len()
            );
            let found = Diagnostic::new(Code::PM0101, *one_more, message);
            self.push_lost(found.label("the first item beyond the limit"));
            exceeded = true;
        }
        exceeded
    }

    /// Adds a diagnostic about a dropped part of the given kind.
    pub fn push_without(&mut self, diagnostic: Diagnostic, loss: Loss) {
        self.lose(loss);
        self.push(diagnostic);
    }

    /// Records that a part of the given kind was dropped.
    pub(crate) fn lose(&mut self, loss: Loss) {
        if !self.aside {
            self.lost.insert(loss);
        }
    }

    /// Records the names in the text of a declaration that could not be read. The problem has already been reported, so
    /// the uses of these names are not reported as well.
    pub(crate) fn lose_names(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| !word.is_empty());
        self.lost_names.extend(words.map(str::to_owned));
    }

    /// Adds a diagnostic about an unknown name, unless the declaration of the name could not be read.
    pub(crate) fn push_unknown(&mut self, diagnostic: Diagnostic, name: &str) {
        if !self.lost_names.contains(name) {
            self.push(diagnostic);
        }
    }

    /// Returns whether a part of one of these kinds was dropped.
    #[must_use]
    pub fn lacks(&self, any: &[Loss]) -> bool {
        any.iter().any(|loss| self.lost.contains(loss))
    }

    /// Sets whether the following diagnostics concern only an invariant or a scenario: such a problem does not affect
    /// the rest of the machine.
    pub fn set_aside(&mut self, aside: bool) {
        self.aside = aside;
    }

    /// Returns the number of diagnostics reported so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// Adds a suspected problem, which a later pass may clear.
    pub fn suspect(&mut self, diagnostic: Diagnostic, kind: SuspectKind) {
        self.suspects.push(Suspect { diagnostic, kind });
    }

    /// Removes and returns the suspected problems, for a pass that can clear them.
    #[must_use]
    pub fn take_suspects(&mut self) -> Vec<Suspect> {
        std::mem::take(&mut self.suspects)
    }

    /// Returns whether a diagnostic with this code was reported.
    #[must_use]
    pub fn has(&self, code: Code) -> bool {
        self.found.iter().any(|found| found.code == code)
    }

    /// Returns whether a rule about the machine itself is broken. If only an invariant or a scenario fails, the machine
    /// can still be run to find out why.
    #[must_use]
    pub fn breaks_a_rule(&self) -> bool {
        self.rule_broken
    }

    /// Turns every warning into an error because the spec or the caller denies warnings.
    pub fn deny_warnings(&mut self) {
        for found in &mut self.found {
            self.rule_broken |= found.severity == Severity::Warning && is_rule(found.code);
            found.deny_warning();
        }
    }

    /// Returns the diagnostics that were kept, without duplicates, in source order. If diagnostics of a code were
    /// omitted, the last one with that code has a note with their number.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut all = self.found;
        all.sort_by(|a, b| {
            let key = |d: &Diagnostic| (d.primary.span.order(), d.code);
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        for (code, count) in &self.counts {
            let left_out = count.saturating_sub(MOST_OF_A_KIND);
            let last = all.iter_mut().rev().find(|found| found.code == *code);
            if let Some(last) = last.filter(|_| left_out > 0) {
                last.left_out = left_out;
                last.notes.push(match left_out {
                    1 => "1 more problem of this kind is not shown".to_owned(),
                    _ => format!("{left_out} more problems of this kind are not shown"),
                });
            }
        }
        all
    }
}

/// Returns whether a code refers to the machine itself, not to an invariant or a scenario.
fn is_rule(code: Code) -> bool {
    !matches!(&code.as_str()[..4], "PM06" | "PM07")
}
