//! Mutants of the machines of a session, judged by the invariants and scenarios of the session.

use plan_machine_kernel::session::SessionRule;

use super::model::Session;
use super::{prove, resolve, scenarios};
use crate::diagnostic::{Severity, Sink};
use crate::model::{Checked, Machine};
use crate::mutate::Killer;
use crate::prove::Verdict;

impl Session {
    /// Returns the rule, invariant or scenario of the session that detects an altered version of one of its machines.
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

#[cfg(test)]
mod tests {
    use super::super::compile::read_compiled_session;
    use super::super::load::{LoadedText, Loader};
    use super::*;
    use crate::source::SourceMap;

    fn spec(change: &str, emit: &str) -> String {
        format!(
            "machine: M\ndata: {{ n: {{ type: int, default: 0 }} }}\neffects: {{ done: {{}}, other: {{}} }}\n\
             commands: {{ go: /go, end: /end }}\nstates:\n  none: {{ on: {{ go: {{ to: A, set: {{ n: {change} }} }} }} }}\n  \
             A: {{ on: {{ end: {{ to: Z, next: none, emit: {{ {emit}: {{}} }} }} }} }}\n  Z: {{ final: true }}\n"
        )
    }

    struct Original;

    impl Loader for Original {
        fn load(&mut self, path: &str) -> Result<LoadedText, String> {
            Ok(LoadedText {
                name: path.to_owned(),
                text: spec("1", "done"),
            })
        }
    }

    fn killer(change: &str, emit: &str) -> Option<Killer> {
        let text = "session: S\nmachines: { m: m }\nscenarios:\n  \
                    s: [{ do: /go, data: { m: { n: 1 } } }, { do: /end, emits: { m: [done] } }]\n";
        let mut sources = SourceMap::default();
        let file = sources.add("s.yaml", text);
        let session = read_compiled_session(&mut sources, file, &mut Original).expect("a session");
        let file = sources.add("m.yaml", spec(change, emit));
        let altered = crate::compile(&sources, file).machine.expect("a machine");
        session.killer(0, altered)
    }

    #[test]
    fn a_mutant_is_killed_by_the_data_and_the_effects_that_a_scenario_expects() {
        let scenario = Some(Killer::Scenario("s".to_owned()));
        assert_eq!(killer("1", "done"), None);
        assert_eq!(killer("2", "done"), scenario);
        assert_eq!(killer("1", "other"), scenario);
    }
}
