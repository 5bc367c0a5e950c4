//! Resolves `given`: the scenarios whose steps run before a scenario's own steps.

use std::collections::HashMap;
use std::sync::Arc;

use super::unknown;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::Span;
use crate::syntax::ast::Name;

/// The maximum number of scenarios that may run before a scenario's own steps.
const MAX_DEPTH: usize = 16;
/// The maximum number of steps that may run before a scenario's own steps, counting every repetition.
const MAX_STEPS: u64 = 1_000;

/// The scenarios of a document, whose steps have the type `S`.
pub(crate) struct Scenarios<'s, S> {
    /// The name of each scenario, and the name of the scenario in its `given`.
    all: Vec<(&'s Name, Option<&'s Name>)>,
    /// Each scenario's own steps; `None` for a scenario that could not be read.
    own: Vec<Option<Arc<[S]>>>,
    places: HashMap<&'s str, usize>,
    /// Returns how many times a step is sent.
    times: fn(&S) -> u64,
}

/// The scenarios whose steps run before the steps of another scenario.
#[derive(Clone, Debug)]
pub(crate) struct Given<S> {
    /// The location where the scenario names its given scenario.
    pub(crate) span: Span,
    /// The name and the own steps of each given scenario, in the order in which the steps are sent.
    pub(crate) scenarios: Vec<(String, Arc<[S]>)>,
}

impl<'s, S> Scenarios<'s, S> {
    pub(crate) fn new(
        all: impl Iterator<Item = (&'s Name, Option<&'s Name>)>,
        own: Vec<Option<Arc<[S]>>>,
        times: fn(&S) -> u64,
    ) -> Self {
        let all: Vec<(&'s Name, Option<&'s Name>)> = all.collect();
        let names = all.iter().map(|(name, _)| name.as_str());
        Self {
            places: names.enumerate().map(|(at, name)| (name, at)).collect(),
            all,
            own,
            times,
        }
    }

    /// Returns the own steps of the scenario at index `at`, without the steps of its `given`; `None` if the scenario
    /// could not be read.
    pub(crate) fn steps(&self, at: usize) -> Option<Arc<[S]>> {
        self.own[at].clone()
    }

    /// Returns the scenarios whose steps run before the scenario at index `at`. The outer `None` means that the
    /// scenario cannot be run, for a reason that was reported.
    #[expect(
        clippy::option_option,
        reason = "a missing value and an unreadable one are different"
    )]
    pub(crate) fn given(&self, at: usize, sink: &mut Sink) -> Option<Option<Given<S>>> {
        let Some(first) = self.all[at].1 else {
            return Some(None);
        };
        let chain = self.chain(at, first, sink)?;
        let mut given = Vec::new();
        for at in chain.into_iter().rev() {
            given.push((self.all[at].0.node.clone(), self.steps(at)?));
        }
        let steps = given.iter().flat_map(|(_, steps)| steps.iter());
        if steps.map(self.times).sum::<u64>() > MAX_STEPS {
            let message = format!(
                "the scenarios that run before this one have more than {MAX_STEPS} steps in total"
            );
            sink.push_lost(Diagnostic::new(Code::PM0107, first.span, message));
            return None;
        }
        Some(Some(Given {
            span: first.span,
            scenarios: given,
        }))
    }

    /// Returns the indices of the scenarios that run before this scenario, nearest first.
    fn chain(&self, at: usize, first: &'s Name, sink: &mut Sink) -> Option<Vec<usize>> {
        let mut chain = Vec::new();
        let mut next = Some(first);
        while let Some(name) = next {
            let Some(&found) = self.places.get(name.as_str()) else {
                // If another scenario in the chain names the unknown scenario, the error is reported for that other
                // scenario.
                if chain.is_empty() {
                    let known = self.all.iter().map(|(known, _)| known.as_str());
                    unknown(sink, "scenario", name, known);
                }
                return None;
            };
            if found == at {
                self.circular(&chain, at, first, sink);
                return None;
            }
            if chain.contains(&found) {
                return None;
            }
            chain.push(found);
            if chain.len() > MAX_DEPTH {
                let message = format!("at most {MAX_DEPTH} scenarios may run before this one");
                sink.push_lost(Diagnostic::new(Code::PM0107, first.span, message));
                return None;
            }
            next = self.all[found].1;
        }
        Some(chain)
    }

    /// Reports a cycle of scenarios once, at the first scenario of the cycle.
    fn circular(&self, chain: &[usize], at: usize, first: &Name, sink: &mut Sink) {
        if chain.iter().any(|other| *other < at) {
            return;
        }
        let name = &self.all[at].0.node;
        let message = format!("the scenario `{name}` depends on itself");
        let mut found = Diagnostic::new(Code::PM0703, first.span, message);
        for given in chain.iter().filter_map(|at| self.all[*at].1) {
            found = found.also(given.span, "which in turn depends on this scenario");
        }
        let help = match chain {
            [] => "remove `given`, and start the scenario with its own steps",
            _ => {
                "remove `given` from one of these scenarios, and start that scenario with its own steps"
            }
        };
        sink.push_lost(found.help(help));
    }
}

#[cfg(test)]
mod tests {
    use crate::source::SourceMap;

    /// Returns the codes and messages for a spec with these scenarios.
    fn found(scenarios: &str) -> Vec<(&'static str, String)> {
        let text = format!(
            "machine: M\n\
             commands: {{ go: /go, stay: /stay, end: /end }}\n\
             states:\n  none: {{ on: {{ go: A }} }}\n  \
             A: {{ on: {{ stay: A, end: {{ to: B, next: none }} }} }}\n  \
             B: {{ final: true }}\nscenarios:\n{scenarios}"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", text);
        let found = crate::compile(&sources, file).diagnostics.into_iter();
        let found = found.map(|found| (found.code.as_str(), found.message));
        found.filter(|(code, _)| *code != "PM0702").collect()
    }

    /// Returns a chain of scenarios: `s0` starts a plan, and every other scenario continues the previous scenario.
    fn chain(length: usize, step: &str) -> String {
        let first = "  s0: [{ do: go }]\n".to_owned();
        let others = (1..length).map(|at| {
            let before = at - 1;
            format!("  s{at}: {{ given: s{before}, steps: [{step}] }}\n")
        });
        first + &others.collect::<String>()
    }

    #[test]
    fn a_scenario_continues_sixteen_others_and_no_more() {
        let step = "{ do: stay, then: A }";
        assert_eq!(found(&chain(17, step)), []);
        let longer = found(&chain(18, step));
        let message = "at most 16 scenarios may run before this one".to_owned();
        assert_eq!(longer, [("PM0107", message)]);
    }

    #[test]
    fn repeated_steps_count_each_time() {
        let fits = chain(3, "{ do: stay, repeat: 999 }");
        assert_eq!(found(&fits), []);
        let longer = found(&chain(3, "{ do: stay, repeat: 1000 }"));
        let message =
            "the scenarios that run before this one have more than 1000 steps in total".to_owned();
        assert_eq!(longer, [("PM0107", message)]);
    }

    #[test]
    fn a_long_chain_is_answered_and_not_run() {
        let all = found(&chain(900, "{ do: stay }"));
        assert_eq!(all.len(), crate::diagnostic::MOST_OF_A_KIND);
    }

    #[test]
    fn a_circle_is_reported_once_and_what_leads_into_it_is_not_run() {
        let circle = "  a: { given: b, steps: [{ do: go }] }\n  \
                      b: { given: c, steps: [] }\n  c: { given: a, steps: [] }\n  \
                      d: { given: a, steps: [{ do: go, then: B }] }\n";
        let message = "the scenario `a` depends on itself".to_owned();
        assert_eq!(found(circle), [("PM0703", message)]);
    }

    #[test]
    fn what_continues_a_scenario_that_cannot_be_read_is_not_reported() {
        let damaged = "  a: [{ do: go, them: A }]\n  b: { given: a, steps: [{ do: end }] }\n";
        let codes: Vec<&str> = found(damaged).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, ["PM0103"]);
    }
}
