//! The plans of a session, for a machine with many plans.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;

use super::hold::{self, PlanHolder, Target, check_revision, is_each};
use crate::core::accepted::{AcceptedStep, Address};
use crate::core::cx::{Cx, ListedPlan};
use crate::core::denied::{DenialReason, DeniedStep};
use crate::core::description::{Handling, Instances};
use crate::core::plan::AnyPlan;
use crate::core::reply::{PendingReply, Reply};
use crate::core::seal::Runtime;
use crate::core::steps::{SlotChange, StepEnd, Steps};
use crate::core::types::MachineTypes;

/// The plans of a session, in order of creation; ended plans stay addressable.
#[derive(Debug)]
pub struct Plans<L: MachineTypes> {
    plans: Vec<AnyPlan<L>>,
    /// The editions of earlier plans, which are not among `plans`.
    editions: Editions,
}

impl<L: MachineTypes> Default for Plans<L> {
    fn default() -> Self {
        Self {
            plans: Vec::new(),
            editions: Editions::default(),
        }
    }
}

impl<L: MachineTypes> FromIterator<AnyPlan<L>> for Plans<L> {
    fn from_iter<I: IntoIterator<Item = AnyPlan<L>>>(plans: I) -> Self {
        Self {
            plans: plans.into_iter().collect(),
            editions: Editions::default(),
        }
    }
}

impl<L: MachineTypes> std::ops::Deref for Plans<L> {
    type Target = [AnyPlan<L>];

    fn deref(&self) -> &[AnyPlan<L>] {
        &self.plans
    }
}

impl<L: Steps> Plans<L> {
    /// Returns the plan with the given id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&AnyPlan<L>> {
        self.plans.iter().find(|plan| *plan.id() == *id)
    }

    fn state_of(&self, at: usize) -> u16 {
        L::state_index(self.plans[at].state())
    }

    /// Returns the positions of the live plans that handle an event.
    fn takers(&self, event: u16) -> Vec<usize> {
        let handles = |at: &usize| {
            let state = self.state_of(*at);
            !L::MACHINE.state(state).is_final
                && L::MACHINE.handling(state, event) == Handling::Takes
        };
        (0..self.plans.len()).filter(handles).collect()
    }

    fn list(&self, cx: &mut Cx<L>) {
        if L::LISTS {
            cx.plans = self
                .plans
                .iter()
                .map(|plan| ListedPlan::of(plan.record()))
                .collect();
        }
    }

    fn take_in_none(
        &mut self,
        event: &mut L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, DenialReason> {
        let mark = cx.mark();
        let StepEnd { outcome, answer } = L::in_none(event, cx, Runtime::calls())?;
        let SlotChange::Starts(record) = outcome else {
            return Ok(AcceptedStep::of_none(answer));
        };
        if let Err(full) = self.check_live(&record.state) {
            cx.take_back(mark);
            return Err(full);
        }
        let at = self.plans.len();
        self.plans.push(AnyPlan::of(record));
        let reply = answer.of(self.plans[at].record());
        Ok(AcceptedStep::of_plan(at, reply))
    }

    fn check_live(&self, started: &L::State) -> Result<(), DenialReason> {
        let Instances::Many {
            max_live: Some(max),
        } = L::MACHINE.instances
        else {
            return Ok(());
        };
        let is_final = |state: L::State| L::MACHINE.state(L::state_index(state)).is_final;
        let alive = self
            .plans
            .iter()
            .filter(|plan| !is_final(plan.state()))
            .count();
        let alive = u64::try_from(alive).unwrap_or(u64::MAX);
        if is_final(*started) || alive < max {
            return Ok(());
        }
        Err(DenialReason::one(
            DenialKind::LimitReached,
            messages::too_many_alive(alive, max),
        ))
    }

    fn take_one(
        &mut self,
        at: usize,
        event: &mut L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, (u16, DenialReason)> {
        let state = self.state_of(at);
        let answer = if is_each::<L>(L::event_index(event)) {
            let mut answers = self
                .take_by_all(&[at], event, cx)
                .map_err(|(_, why)| (state, why))?;
            answers.pop().unwrap_or(PendingReply::State)
        } else {
            let record = self.plans[at].record_mut();
            L::in_record(record, event, cx, Runtime::calls())
                .map_err(|why| (state, why))?
                .answer
        };
        let reply = answer.of(self.plans[at].record());
        Ok(AcceptedStep::of_plan(at, reply))
    }

    fn take_each(
        &mut self,
        all: Vec<usize>,
        event: &mut L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, (u16, DenialReason)> {
        if let Some(token) = L::token_of(event).filter(|_| !cx.trusts_tokens) {
            let stale = |at: &&usize| L::token(self.plans[**at].record()) != token;
            if let Some(at) = all.iter().find(stale) {
                return Err((self.state_of(*at), DenialReason::stale(token)));
            }
        }
        let answers = self.take_by_all(&all, event, cx)?;
        let replies = answers.into_iter().zip(&all);
        let replies = replies.map(|(answer, at)| answer.of(self.plans[*at].record()).to_json());
        let reply = Reply::Json(Box::new(Json::List(replies.collect())));
        Ok(AcceptedStep::of_each(all, reply))
    }

    /// Applies an event to each of these plans: either all of them accept the event, or none of them changes. Replies
    /// that list plans show them as they are after the whole step.
    fn take_by_all(
        &mut self,
        all: &[usize],
        event: &mut L::Event,
        cx: &mut Cx<L>,
    ) -> Result<Vec<PendingReply<L>>, (u16, DenialReason)> {
        let mark = cx.mark();
        let mut tried: Vec<AnyPlan<L>> = all.iter().map(|at| self.plans[*at].fork()).collect();
        let mut answers = Vec::with_capacity(all.len());
        for (at, plan) in all.iter().zip(&mut tried) {
            match L::in_record(plan.record_mut(), &mut event.clone(), cx, Runtime::calls()) {
                Ok(after) => answers.push(after.answer),
                Err(reason) => {
                    cx.take_back(mark);
                    return Err((self.state_of(*at), reason));
                }
            }
        }
        self.swap(all, &mut tried);
        self.list(cx);
        for (at, answer) in all.iter().zip(&mut answers) {
            let PendingReply::Late(taken) = *answer else {
                continue;
            };
            match L::late_reply(taken, self.plans[*at].record(), event, cx) {
                Ok(made) => *answer = made,
                Err(reason) => {
                    let state = self.state_of(*at);
                    self.swap(all, &mut tried);
                    cx.take_back(mark);
                    return Err((state, reason));
                }
            }
        }
        Ok(answers)
    }

    fn swap(&mut self, all: &[usize], others: &mut [AnyPlan<L>]) {
        for (at, other) in all.iter().zip(others) {
            std::mem::swap(&mut self.plans[*at], other);
        }
    }
}

impl<L: Steps> PlanHolder<L> for Plans<L> {
    fn plans(&self) -> &[AnyPlan<L>] {
        &self.plans
    }

    fn editions(&self) -> Editions {
        let mut editions = self.editions;
        for plan in self.plans.iter().filter(|_| L::REVIEWS) {
            editions.keep(plan.edition());
        }
        editions
    }

    fn set_editions(&mut self, editions: Editions, _: Runtime<L>) {
        self.editions = editions;
    }

    fn put_back(&mut self, plan: AnyPlan<L>, _: Runtime<L>) {
        self.plans.push(plan);
    }

    fn deciding_state(&self) -> u16 {
        0
    }

    fn find(&self, event: u16, address: &Address) -> Result<Target, DeniedStep> {
        let deny = |kind, message: String| {
            let reason = DenialReason::one(kind, message);
            DeniedStep::new(L::MACHINE, 0, event, reason)
        };
        let target = if let Some(wanted) = &address.plan_id {
            let found = self.plans.iter().position(|plan| *plan.id() == **wanted);
            let missing = || deny(DenialKind::NotFound, messages::no_such_plan(wanted));
            found.map(Target::One).ok_or_else(missing)?
        } else {
            let takers = self.takers(event);
            match takers[..] {
                [] => Target::NoPlan,
                _ if is_each::<L>(event) => Target::Each(takers),
                [one] => Target::One(one),
                _ => {
                    let ids: Vec<&str> = takers
                        .iter()
                        .map(|at| self.plans[*at].id().as_str())
                        .collect();
                    let message = messages::ambiguous(L::MACHINE.event(event).shown_name(), &ids);
                    return Err(deny(DenialKind::Ambiguous, message));
                }
            }
        };
        let meant: Vec<&AnyPlan<L>> = match &target {
            Target::NoPlan => Vec::new(),
            Target::One(at) => vec![&self.plans[*at]],
            Target::Each(all) => all.iter().map(|at| &self.plans[*at]).collect(),
        };
        check_revision(meant, event, address)?;
        Ok(target)
    }

    fn take<'h>(
        &'h mut self,
        target: Target,
        event: &mut L::Event,
        cx: &mut Cx<L>,
        _: Runtime<L>,
    ) -> Result<AcceptedStep<'h, L>, DeniedStep> {
        self.list(cx);
        let index = L::event_index(event);
        let outside = cx.count_from(self.editions());
        let taken = match target {
            Target::NoPlan => self.take_in_none(event, cx).map_err(|why| (0, why)),
            Target::One(at) => self.take_one(at, event, cx),
            Target::Each(all) => self.take_each(all, event, cx),
        };
        cx.count_on(outside);
        taken.map_err(|(state, reason)| DeniedStep::new(L::MACHINE, state, index, reason))
    }

    fn fire<'h>(
        &'h mut self,
        at: usize,
        timer: u16,
        cx: &mut Cx<L>,
        _: Runtime<L>,
    ) -> Result<AcceptedStep<'h, L>, DenialReason> {
        let outside = cx.count_from(self.editions());
        let fired = hold::fire(&mut self.plans[at], timer, cx);
        cx.count_on(outside);
        fired?;
        let reply = Reply::State(L::state_name(self.plans[at].state()));
        Ok(AcceptedStep::of_plan(at, reply))
    }

    fn start_timers(&mut self, at: usize, now: Instant, _: Runtime<L>) {
        self.plans[at].record_mut().start_missing(now);
    }
}
