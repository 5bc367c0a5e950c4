//! The inputs of a step besides the event, and the sink for its effects.

use std::collections::BTreeSet;
use std::fmt;

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Late;

use crate::core::denied::DenialReason;
use crate::core::host_tool::{self, HostTool};
use crate::core::id::Id;
use crate::core::plan::AnyPlan;
use crate::core::record::Record;
use crate::core::types::MachineTypes;
use crate::core::value::Problems;

/// The context of steps. Its inputs are the time, new ids and the host's context data; its outputs are the effects.
///
/// ```
/// # use plan_machine::{Cx, Id, Instant};
/// # plan_machine::machine! {
/// #     machine Note;
/// #     command begin = "/note";
/// #     command end = "/done";
/// #     state none { on begin => open; }
/// #     state open { on end => closed next none; }
/// #     final state closed;
/// # }
/// let mut number = 0;
/// let mut cx = note::Cx::new(Instant::at_second(0), move || {
///     number += 1;
///     Id::from(format!("plan-{number}"))
/// });
/// let plan = note::NoPlan.begin(&mut cx);
/// assert_eq!(plan.id(), "plan-1");
/// ```
pub struct Cx<L: MachineTypes> {
    /// The current time.
    pub now: Instant,
    /// The context data that the host provides.
    pub context: L::Context,
    /// The session's plans, for replies that list them. The plan that takes the step may be omitted.
    pub plans: Vec<ListedPlan<L>>,
    /// The names of the host's tools, if the host lists them. A call to a tool that is neither listed nor named in the
    /// spec is then denied as unknown.
    pub host_tools: Option<BTreeSet<String>>,
    pub(crate) batch: Option<u16>,
    pub(crate) trusts_tokens: bool,
    /// What happens to the last call to a host tool, if an alternative has decided this.
    pub(crate) fate: CallFate,
    /// When timers start in the current step, if the step fires a timer.
    pub(crate) late: Option<Late>,
    /// The plans that have left the slot because of a timer.
    pub(crate) ended: Vec<AnyPlan<L>>,
    /// The editions that plans have used, so that no edition is used twice.
    editions: Editions,
    effects: Vec<EmittedEffect<L::Effect>>,
    ids: Ids,
}

/// What happens to a call to a host tool if an alternative accepts the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallFate {
    /// The call is recorded and does not run.
    Recorded,
    /// The host runs the call, after the changes are stored.
    Counted,
    /// The host runs the call, and nothing changes.
    Run,
}

enum Ids {
    From(Box<dyn FnMut() -> Id + Send>),
    Given(Id),
}

/// A point to which a step can be rolled back.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    effects: usize,
    editions: Editions,
}

/// An effect that a step emitted.
#[derive(Clone, Debug, PartialEq)]
pub struct EmittedEffect<E> {
    /// The plan that emitted the effect; `None` if there was no plan.
    pub plan: Option<Id>,
    /// The effect itself.
    pub effect: E,
}

impl<L: MachineTypes> Cx<L> {
    /// Returns a context with the given time; `new_id` must return an id that no plan uses yet.
    pub fn new(now: Instant, new_id: impl FnMut() -> Id + Send + 'static) -> Self
    where
        L::Context: Default,
    {
        Self::with_context(now, new_id, L::Context::default())
    }

    /// Returns a context with the given time and the host's context data.
    pub fn with_context(
        now: Instant,
        new_id: impl FnMut() -> Id + Send + 'static,
        context: L::Context,
    ) -> Self {
        Self::made(now, Ids::From(Box::new(new_id)), context)
    }

    /// Returns the context of a single step, which needs at most one id.
    pub(crate) fn of_one_step(now: Instant, id: Id, context: L::Context) -> Self {
        Self::made(now, Ids::Given(id), context)
    }

    fn made(now: Instant, ids: Ids, context: L::Context) -> Self {
        Self {
            now,
            context,
            plans: Vec::new(),
            host_tools: None,
            batch: None,
            trusts_tokens: false,
            fate: CallFate::Recorded,
            late: None,
            ended: Vec::new(),
            editions: Editions::default(),
            effects: Vec::new(),
            ids,
        }
    }

    /// Returns the effects emitted so far, in order.
    #[must_use]
    pub fn effects(&self) -> &[EmittedEffect<L::Effect>] {
        &self.effects
    }

    /// Removes and returns the effects, for the host to perform.
    pub fn take_effects(&mut self) -> Vec<EmittedEffect<L::Effect>> {
        std::mem::take(&mut self.effects)
    }

    /// Removes and returns the plans that have left the slot because a timer fired, for the host to store. A plan that
    /// an event ends is part of the result of the event's step instead.
    pub fn take_ended(&mut self) -> Vec<AnyPlan<L>> {
        std::mem::take(&mut self.ended)
    }

    /// Returns whether the token that a decision carries is accepted. It must be the token of the plan's current
    /// content, unless the sender sent `current` instead of a token.
    #[doc(hidden)]
    #[inline]
    pub fn trusts(&self, shown: Token, current: impl FnOnce() -> Token) -> bool {
        self.trusts_tokens || shown.fits(current())
    }

    /// Returns an empty list for problems in the input and the writes of a step.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn problems(&self) -> Problems {
        Problems::in_step(self.editions)
    }

    /// Emits an effect.
    #[doc(hidden)]
    #[inline]
    pub fn emit(&mut self, _: L::Seal, record: &Record<L>, effect: L::Effect) {
        self.effects.push(EmittedEffect {
            plan: Some(record.id.clone()),
            effect,
        });
    }

    /// Emits an effect that does not belong to a plan.
    #[doc(hidden)]
    pub fn emit_without_plan(&mut self, _: L::Seal, effect: L::Effect) {
        self.effects.push(EmittedEffect { plan: None, effect });
    }

    /// Lets the host run a call once the changes of its step are stored.
    ///
    /// # Errors
    ///
    /// If the tool cannot run in the state in which the batch of calls started.
    #[doc(hidden)]
    pub fn count_call(&mut self, _: L::Seal, call: &HostTool) -> Result<(), DenialReason> {
        host_tool::deny_early(L::MACHINE, call, self.batch)?;
        self.fate = CallFate::Counted;
        Ok(())
    }

    /// Lets the host run a call for which the step changes nothing.
    ///
    /// # Errors
    ///
    /// If the tool cannot run in the state in which the batch of calls started.
    #[doc(hidden)]
    pub fn run_call(&mut self, _: L::Seal, call: &HostTool) -> Result<(), DenialReason> {
        host_tool::deny_early(L::MACHINE, call, self.batch)?;
        self.fate = CallFate::Run;
        Ok(())
    }

    /// Marks the start of a step: a step that fails late rolls back its effects and editions to this mark.
    #[doc(hidden)]
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark {
            effects: self.effects.len(),
            editions: self.editions,
        }
    }

    /// Rolls back all effects and editions since a mark.
    #[doc(hidden)]
    pub fn reset(&mut self, _: L::Seal, mark: Mark) {
        self.take_back(mark);
    }

    /// Rolls back all effects and editions since a mark.
    pub(crate) fn take_back(&mut self, mark: Mark) {
        self.effects.truncate(mark.effects);
        self.editions = mark.editions;
    }

    /// Returns the editions that plans have used so far. A host that works with typed plans and creates a `Cx` for each
    /// step must store these editions and pass them to the next `Cx`.
    #[must_use]
    pub fn editions(&self) -> Editions {
        self.editions
    }

    /// Sets the editions that plans have used before.
    pub fn set_editions(&mut self, editions: Editions) {
        self.editions = editions;
    }

    /// Returns the edition of a new plan.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn first_edition(&self, written: bool) -> u64 {
        self.editions.first(written)
    }

    /// Returns the edition of a plan after a reviewed field has been written.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn edition_after(&self, edition: u64) -> u64 {
        self.editions.after(edition)
    }

    /// Returns the edition of a plan that succeeds a plan with the given edition.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn succeeding_edition(&self, edition: u64, written: bool) -> u64 {
        self.editions.succeeding(edition, written)
    }

    /// Marks an edition as used by a step.
    #[doc(hidden)]
    #[inline]
    pub fn keep_edition(&mut self, _: L::Seal, edition: u64) {
        self.editions.keep(edition);
    }

    /// Switches to counting from the editions of a session, for one step. Returns the editions that were counted
    /// outside the session.
    #[inline]
    pub(crate) fn count_from(&mut self, session: Editions) -> Editions {
        std::mem::replace(&mut self.editions, session)
    }

    /// Switches back to the editions that were counted outside the session, and adds the editions that the session has
    /// used. Returns the editions of the session.
    #[inline]
    pub(crate) fn count_on(&mut self, mut outside: Editions) -> Editions {
        let session = self.editions;
        outside.keep_all(session);
        self.editions = outside;
        session
    }

    /// Returns an id that no plan uses yet.
    #[doc(hidden)]
    pub fn new_id(&mut self) -> Id {
        match &mut self.ids {
            Ids::From(make) => make(),
            Ids::Given(id) => id.clone(),
        }
    }

    /// Returns the session's plans after a step, in order of creation.
    #[doc(hidden)]
    #[must_use]
    pub fn listed(&self, after: &[&Record<L>]) -> Vec<ListedPlan<L>> {
        let mut all: Vec<ListedPlan<L>> = self.plans.iter().map(ListedPlan::copy).collect();
        for record in after {
            match all.iter_mut().find(|listed| listed.id == record.id) {
                Some(listed) => *listed = ListedPlan::of(record),
                None => all.push(ListedPlan::of(record)),
            }
        }
        all
    }
}

impl<L: MachineTypes> fmt::Debug for Cx<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("now", &self.now)
            .field("effects", &self.effects.len())
            .finish_non_exhaustive()
    }
}

/// A plan as shown in lists.
pub struct ListedPlan<L: MachineTypes> {
    /// The plan's identity.
    pub id: Id,
    /// The plan's leaf state.
    pub state: L::State,
    /// The number of times the plan has changed.
    pub revision: u64,
    /// The fields that the spec's `summary` names.
    pub summary: L::Summary,
}

impl<L: MachineTypes> ListedPlan<L> {
    /// Returns the entry that represents a record in lists.
    #[must_use]
    pub fn of(record: &Record<L>) -> Self {
        Self {
            id: record.id.clone(),
            state: record.state,
            revision: record.revision,
            summary: L::summary(&record.data),
        }
    }

    fn copy(&self) -> Self {
        Self {
            id: self.id.clone(),
            state: self.state,
            revision: self.revision,
            summary: self.summary.clone(),
        }
    }
}

impl<L: MachineTypes> fmt::Debug for ListedPlan<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListedPlan")
            .field("id", &self.id)
            .field("state", &L::state_name(self.state))
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}
