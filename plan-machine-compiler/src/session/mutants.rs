//! Mutants of the machines of a session, judged by the invariants and scenarios of the session.

use plan_machine_kernel::session::SessionRule;

use super::model::Session;
use super::{prove, resolve, scenarios};
use crate::diagnostic::{Severity, Sink};
use crate::model::{Checked, Machine};
use crate::mutate::Killer;
use crate::prove::Verdict;

impl Session {
    /// Returns the rule, invariant or scenario of the session that notices an altered version of one of its machines.
    /// Names are resolved again, because the version may have other timers.
    #[must_use]
    pub fn killer(&self, at: usize, machine: Checked<Machine>) -> Option<Killer> {
        let mut members = self.members.clone();
        members[at].machine = machine;
        let mut sink = Sink::default();
        let altered = resolve::resolve(&self.document, members, self.calls.clone(), &mut sink);
        let mut found = sink.into_sorted().into_iter();
        if let Some(error) = found.find(|found| found.severity == Severity::Error) {
            return Some(Killer::Rule(error.code));
        }
        let sink = &mut Sink::default();
        let mut verdicts = prove::prove(&altered, SessionRule::GATE, sink).into_iter();
        let unproved = verdicts.find(|known| known.verdict != Verdict::Proved);
        if let Some(unproved) = unproved {
            return Some(Killer::Invariant(unproved.name));
        }
        let mut results = scenarios::run(&altered, SessionRule::GATE, sink).into_iter();
        let failing = results.find(|known| !known.passed);
        failing.map(|failing| Killer::Scenario(failing.name))
    }
}
