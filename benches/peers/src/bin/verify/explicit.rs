//! A description as a model of stateright, which interprets its rules.

use stateright::{Checker, Model, Property};

use crate::description::{Change, Comparison, Description, MOST_FIELDS, Rule, Test, Verdict};

/// A machine, with its rules grouped by location.
struct Ring {
    rules: Vec<Vec<Rule>>,
    never: Vec<Vec<Test>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: u8,
    // An array, because a vector would be allocated for every state.
    fields: [u8; MOST_FIELDS],
}

impl State {
    fn satisfies(&self, test: &Test) -> bool {
        let value = self.fields[test.field];
        match test.is {
            Comparison::Less => value < test.value,
            Comparison::Equal => value == test.value,
            Comparison::Greater => value > test.value,
        }
    }

    fn change(&mut self, field: usize, change: Change) {
        let value = &mut self.fields[field];
        *value = match change {
            Change::Set(new) => new,
            Change::Increment => value.wrapping_add(1),
            Change::Decrement => value.wrapping_sub(1),
            Change::Flip => 1 - *value,
        };
    }
}

impl Model for Ring {
    type State = State;
    /// The index of a rule among the rules of the current location.
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            at: 0,
            fields: [0; MOST_FIELDS],
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        let rules = self.rules[usize::from(state.at)].iter().enumerate();
        let enabled = rules.filter(|(_, rule)| rule.guard.iter().all(|test| state.satisfies(test)));
        actions.extend(enabled.map(|(at, _)| at));
    }

    fn next_state(&self, state: &State, action: usize) -> Option<State> {
        let rule = &self.rules[usize::from(state.at)][action];
        let mut next = state.clone();
        next.at = u8::try_from(rule.to).ok()?;
        for (field, change) in &rule.changes {
            next.change(*field, *change);
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let holds = |ring: &Ring, state: &State| {
            let is_true = |tests: &Vec<Test>| tests.iter().all(|test| state.satisfies(test));
            !ring.never.iter().any(is_true)
        };
        vec![Property::<Self>::always("property", holds)]
    }
}

/// Explores a machine, breadth first in one thread. Returns the verdict and the number of different states.
pub fn check(described: &Description) -> (Verdict, usize) {
    let mut rules = vec![Vec::new(); described.locations];
    for rule in &described.rules {
        rules[rule.from].push(rule.clone());
    }
    let ring = Ring {
        rules,
        never: described.never.clone(),
    };
    let checker = ring.checker().spawn_bfs().join();
    let verdict = match checker.discovery("property") {
        Some(_) => Verdict::Broken,
        None if checker.is_done() => Verdict::Holds,
        None => Verdict::Unknown,
    };
    (verdict, checker.unique_state_count())
}
