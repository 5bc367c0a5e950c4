//! Proves the invariants of a session.
//!
//! Each machine is explored alone, and its configurations are grouped into situations by their answers to the questions
//! of an invariant. The machines of a session step independently, except that one machine can prevent a step of another
//! machine, so every reachable combination is in the product of their situations. An invariant that holds in the whole
//! product is proved. Otherwise, the prover searches for a run of the session that breaks it: an invariant is reported
//! as broken only with such a run, and without one it is undecided.

mod budget;
mod concrete;
mod evaluate;
mod joined;
mod product;
mod search;
mod trace;
mod verdict;

use plan_machine_kernel::session::SessionRule;

use super::model::{Invariant, Property, Session, Subject};
use crate::diagnostic::Sink;
use crate::prove::situations::{Questions, View};
use crate::prove::{Explorations, InvariantReport, Verdict};
use budget::Budget;
use concrete::Goal;
use product::{ExaminationResult, Product};
use verdict::TooLarge;

/// Decides the invariants of a session.
pub(super) fn prove(session: &Session, rule: SessionRule, sink: &mut Sink) -> Vec<InvariantReport> {
    within(&Budget::new(), session, rule, sink)
}

fn within(
    budget: &Budget,
    session: &Session,
    rule: SessionRule,
    sink: &mut Sink,
) -> Vec<InvariantReport> {
    let members = session.members.iter();
    let mut prover = Prover {
        session,
        rule,
        budget,
        explorations: members
            .map(|member| Explorations::of(&member.machine))
            .collect(),
    };
    let all = session.invariants.iter();
    let all = all.map(|invariant| InvariantReport {
        name: invariant.name.clone(),
        verdict: prover.decide(invariant, sink),
    });
    all.collect()
}

/// Decides invariants of one session.
struct Prover<'s> {
    session: &'s Session,
    rule: SessionRule,
    budget: &'s Budget,
    /// The explorations of each machine.
    explorations: Vec<Explorations>,
}

impl<'s> Prover<'s> {
    fn decide(&mut self, invariant: &Invariant, sink: &mut Sink) -> Verdict {
        let views = match self.views(invariant) {
            Ok(views) => views,
            Err(what) => {
                sink.push(verdict::too_large(invariant, what));
                return Verdict::Unknown;
            }
        };
        let product = Product {
            rule: self.rule,
            invariant,
            views: &views,
            budget: self.budget,
        };
        match product.examine() {
            ExaminationResult::Nothing { vacuous } => {
                if let Some(why) = vacuous {
                    sink.push(verdict::vacuous(self.session, invariant, &why));
                }
                Verdict::Proved
            }
            ExaminationResult::TooLarge => {
                sink.push(verdict::too_large(invariant, TooLarge::Combinations));
                Verdict::Unknown
            }
            ExaminationResult::Suspect => self.search(invariant, &views, sink),
        }
    }

    /// Searches for a run that breaks an invariant, and reports the invariant as broken or as undecided.
    fn search(&self, invariant: &Invariant, views: &[Option<View>], sink: &mut Sink) -> Verdict {
        let walks = views.iter().map(|view| Some(view.as_ref()?.walk()));
        let goal = Goal {
            session: self.session,
            rule: self.rule,
            invariant,
            walks: &walks.collect::<Vec<_>>(),
        };
        if let Some(trace) = search::run(goal, views, self.budget) {
            sink.push(verdict::broken(self.session, invariant, &trace));
            Verdict::Broken
        } else {
            sink.push(verdict::undecided(self.session, invariant, views));
            Verdict::Unknown
        }
    }

    /// Explores the machines that an invariant asks about, and the machine whose events the invariant restricts. The
    /// other machines do not matter.
    fn views(&mut self, invariant: &Invariant) -> Result<Vec<Option<View>>, TooLarge<'s>> {
        let restricted = match &invariant.property {
            Property::OnlyIn(Subject::Events { machine, .. }, _) => Some(*machine),
            _ => None,
        };
        let questions = invariant.questions.iter().enumerate();
        let views = questions.map(|(at, questions)| {
            if questions.is_empty() && restricted != Some(at) {
                Ok(None)
            } else {
                self.view(at, questions).map(Some)
            }
        });
        views.collect()
    }

    /// Explores a machine, unless the work that may be done has been used up.
    fn view(&mut self, at: usize, questions: &Questions) -> Result<View, TooLarge<'s>> {
        if !self.budget.may_explore() {
            return Err(TooLarge::Exploration);
        }
        let (view, examined) = View::of(&mut self.explorations[at], questions);
        self.budget.use_exploration(examined);
        view.ok_or(TooLarge::Machine(&self.session.members[at].name))
    }
}

#[cfg(test)]
mod tests {
    use super::super::compile::read_compiled_session;
    use super::super::load::{LoadedText, Loader};
    use super::*;
    use crate::diagnostic::Code;
    use crate::source::SourceMap;

    struct Switch;

    /// Returns a machine with many plans in many states, which have too many combinations.
    fn wide() -> String {
        let states: Vec<String> = (0..STATES)
            .map(|at| format!("  S{at}: {{ on: {{ go: S{} }} }}\n", at + 1))
            .collect();
        format!(
            "machine: Wide\ninstances: many\ncommands: {{ begin: /begin, go: '/move {{plan_id}}' }}\nstates:\n  \
             none: {{ on: {{ begin: S0 }} }}\n{}  S{STATES}: {{ final: true }}\n",
            states.concat()
        )
    }

    const STATES: usize = 13;

    impl Loader for Switch {
        fn load(&mut self, path: &str) -> Result<LoadedText, String> {
            if path == "wide" {
                return Ok(LoadedText {
                    name: path.to_owned(),
                    text: wide(),
                });
            }
            let text = format!(
                "machine: Switch{path}\ncommands: {{ go: /go{path} }}\nstates:\n  none: {{ on: {{ go: ON }} }}\n  \
                 ON: {{ on: {{ go: {{ to: OFF, next: none }} }} }}\n  OFF: {{ final: true }}\n"
            );
            let name = path.to_owned();
            Ok(LoadedText { name, text })
        }
    }

    /// Returns the verdicts on an invariant that holds and on an invariant that is broken.
    fn verdicts(budget: &Budget) -> Vec<Verdict> {
        let invariants =
            "  holds: never (m0.ON and m0.none and m1.ON)\n  fails: never (m0.ON and m1.ON)\n";
        verdicts_about(invariants, budget)
    }

    fn verdicts_about(invariants: &str, budget: &Budget) -> Vec<Verdict> {
        decided(invariants, budget).0
    }

    /// Returns the verdicts, and the reasons why invariants are undecided.
    fn decided(invariants: &str, budget: &Budget) -> (Vec<Verdict>, Vec<String>) {
        let machines = "{ m0: '0', m1: '1', wide: wide }";
        let text = format!("session: Three\nmachines: {machines}\ninvariants:\n{invariants}");
        let mut sources = SourceMap::default();
        let file = sources.add("three.yaml", text);
        let session = read_compiled_session(&mut sources, file, &mut Switch).expect("a session");
        let mut sink = Sink::default();
        let all = within(budget, &session, SessionRule::GATE, &mut sink);
        let found = sink.into_sorted().into_iter();
        let found = found.filter(|found| found.code == Code::PM0605);
        (
            all.into_iter().map(|one| one.verdict).collect(),
            found.map(|found| found.primary.text).collect(),
        )
    }

    #[test]
    fn with_the_usual_budget_both_are_decided() {
        assert_eq!(verdicts(&Budget::new()), [Verdict::Proved, Verdict::Broken]);
    }

    #[test]
    fn a_state_in_which_plans_have_ended_is_not_a_state_of_their_machine() {
        let live = "  live: always (m0.ON or m0.none)\n";
        assert_eq!(verdicts_about(live, &Budget::new()), [Verdict::Proved]);
    }

    #[test]
    fn invariants_that_come_after_the_budget_is_used_up_are_undecided() {
        let after_one = Budget::of(usize::MAX, 1, usize::MAX);
        assert_eq!(verdicts(&after_one), [Verdict::Unknown; 2]);
        let no_answers = Budget::of(0, usize::MAX, usize::MAX);
        assert_eq!(verdicts(&no_answers), [Verdict::Unknown; 2]);
        let no_steps = Budget::of(usize::MAX, usize::MAX, 0);
        assert_eq!(verdicts(&no_steps), [Verdict::Proved, Verdict::Unknown]);
    }

    #[test]
    fn a_limit_that_is_just_enough_is_not_exceeded() {
        let holds = "  holds: never (m0.ON and m0.none and m1.ON)\n";
        // The invariant asks one question about each machine. `m0` has the same answer in all states, but `m1` has two
        // different answers.
        let answers = 2 * 2;
        let verdict = |answers| verdicts_about(holds, &Budget::of(answers, usize::MAX, usize::MAX));
        assert_eq!(verdict(answers), [Verdict::Proved]);
        assert_eq!(verdict(answers - 1), [Verdict::Unknown]);
    }

    #[test]
    fn the_reason_for_an_undecided_invariant_says_what_there_is_too_much_of() {
        let all: Vec<String> = (0..STATES).map(|at| format!("wide.S{at}")).collect();
        let wide = format!("  wide: never (m0.ON and {})\n", all.join(" and "));
        let holds = "  holds: never (m0.ON and m0.none and m1.ON)\n";
        let reasons = |invariants: &str, budget: &Budget| decided(invariants, budget).1;
        assert_eq!(
            reasons(&wide, &Budget::new()),
            ["`wide` alone has too many combinations of states and data"]
        );
        let unexplored = Budget::of(usize::MAX, 1, usize::MAX);
        assert_eq!(
            reasons(holds, &unexplored),
            ["too much was explored for this invariant and those before it"]
        );
        let unexamined = Budget::of(0, usize::MAX, usize::MAX);
        assert_eq!(
            reasons(holds, &unexamined),
            ["the machines have too many combinations of states and data"]
        );
    }
}
