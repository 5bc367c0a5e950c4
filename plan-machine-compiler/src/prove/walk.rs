//! Concrete runs of one machine, for searches over several machines of a session.

use std::cell::Cell;

use super::calls::Calls;
use super::situations::{Questions, Situation, View, situation_of};
use super::witness::{Contexts, Effort, Search};
use crate::model::EventId;
use crate::semantics::{Call, EventContext, HeldRecords, Sandbox};

/// The calls that a search tries on a machine.
pub struct Walk<'v> {
    search: Search<'v>,
    calls: Vec<(EventId, Call)>,
    contexts: Contexts,
    /// The number of calls that may still be tried to decide what happens to host tools.
    tries: Cell<usize>,
}

/// The maximum number of calls that one walk may try in order to decide what happens to host tools.
const MAX_TRIES: usize = 20_000;

impl View {
    /// Returns a walk through the concrete runs of the machine.
    #[must_use]
    pub fn walk(&self) -> Walk<'_> {
        let steps = Calls {
            machine: &self.probe,
            space: &self.explored.space,
            paths: &self.explored.paths,
        };
        let search = Search::new(
            &self.probe,
            &self.explored.relevant,
            &self.explored.candidates,
            steps,
            Effort::Whole,
        );
        Walk {
            calls: search.calls(),
            contexts: search.contexts(),
            tries: Cell::new(MAX_TRIES),
            search,
        }
    }
}

impl Walk<'_> {
    /// Returns the calls that make sense for these records.
    pub fn calls<'w>(
        &'w self,
        held: &'w HeldRecords,
    ) -> impl Iterator<Item = (EventId, Call)> + 'w {
        let calls = self.calls.iter();
        calls.filter_map(|(event, call)| {
            let call = self.search.addressed(held, *event, call)?;
            Some((*event, call.into_owned()))
        })
    }

    /// Returns the contexts and times to try with an event.
    #[must_use]
    pub fn contexts(&self, event: EventId) -> &[EventContext] {
        self.contexts.of(event)
    }

    /// Returns the situation of concrete records. If the explored steps do not decide what happens to the calls to a
    /// host tool, some calls are tried, up to a limit.
    #[must_use]
    pub fn situation(&self, questions: &Questions, held: &HeldRecords) -> Situation {
        situation_of(self.search.machine(), questions, held, &|entries| {
            self.search.decisions(held, entries, &self.tries)
        })
    }

    /// Returns a key that is equal for two sessions if the search does not need to distinguish them.
    #[must_use]
    pub fn key(&self, sandbox: &Sandbox<'_>) -> String {
        let all = vec![true; sandbox.machine().data.len()];
        format!("{:?}", self.search.key(sandbox, &all, false))
    }
}
