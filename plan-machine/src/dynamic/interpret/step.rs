//! Implements the trait [`Machine`] for interpreted specs.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine_compiler::model::machine::EventKind;
use plan_machine_compiler::model::{EventId, FieldId, StateId};
use plan_machine_compiler::semantics::{self, Configuration, HeldRecords, Record};
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{self, Late, Timer};

use super::outcome;
use super::spec::InterpretedMachine;
use crate::core::description::Description;
use crate::core::id::Id;
use crate::dynamic::machine::{
    BatchStart, Call, CallKind, Env, Machine, Outcome, PlanTimer, PlanTimers, PlanView,
    RestoreError, StoredPlans, UnknownEvent,
};

impl InterpretedMachine {
    /// Returns the event that a call sends, or the name of the host tool that it calls.
    fn what(&self, call: &Call) -> Result<semantics::CallKind, UnknownEvent> {
        let own = |event: &EventId| {
            !matches!(
                self.model.event(*event).kind,
                EventKind::External | EventKind::Other
            )
        };
        match &call.what {
            CallKind::HostTool(name) => Ok(semantics::CallKind::HostTool(name.clone())),
            CallKind::Event(name) => match self.model.event_named(name) {
                Some(event) if own(&event) => Ok(semantics::CallKind::Event(event)),
                Some(_) => Ok(semantics::CallKind::HostTool(name.clone())),
                None => Err(UnknownEvent::new(self.description, name)),
            },
        }
    }

    /// Returns when timers start in a step, if the step fires a timer. Only a catch-up fires timers: no sender can send
    /// them.
    fn late(&self, what: &semantics::CallKind, call: &Call) -> Result<Option<Late>, UnknownEvent> {
        match what {
            semantics::CallKind::Event(event) if self.model.timer(*event).is_some() => {
                let late = Late::of_payload(&call.with);
                let unknown =
                    || UnknownEvent::new(self.description, &self.model.event(*event).name);
                late.map(Some).ok_or_else(unknown)
            }
            _ => Ok(None),
        }
    }

    /// Starts the timers of a plan that was stored before its state had these timers.
    fn start_timers(&self, held: &mut HeldRecords, call: &Call, now: Instant) -> Outcome {
        let at = call.plan_id.as_deref().and_then(|id| held.position(id));
        let started = semantics::start_timers(&self.model, held, at, now);
        outcome::outcome(&self.model, held, started)
    }

    fn record(&self, view: &PlanView) -> Result<Record, RestoreError> {
        view.check_counts()?;
        let damaged = |problems| view.damaged(problems);
        let leaf = self.model.state_named(&view.state);
        let leaf = leaf.filter(|id| *id != StateId::NONE && self.model.state(*id).is_leaf());
        let Some(leaf) = leaf else {
            return Err(damaged(vec![format!("unknown state `{}`", view.state)]));
        };
        let data = semantics::read_data(&self.model, &view.data).map_err(damaged)?;
        let needed: BTreeSet<FieldId> = self.model.has(leaf).collect();
        let lacking = needed.into_iter().filter(|id| !data[id.index()].is_set());
        let lacking = lacking.map(|id| messages::lacks(&self.model.field(id).name, &view.state));
        let lacking: Vec<String> = lacking.collect();
        if !lacking.is_empty() {
            return Err(damaged(lacking));
        }
        let names = outcome::timer_names(&self.model);
        let timers = timers::restored(names, &view.timers);
        let mut timers = timers.map_err(|problem| damaged(vec![problem]))?;
        // A plan that has ended has no timers, even if its state was not final when it was stored.
        if self.model.is_final(leaf) {
            timers.fill(Timer::Off);
        }
        Ok(Record {
            id: Arc::from(view.id.as_str()),
            configuration: Configuration::at(leaf),
            data,
            revision: view.revision,
            edition: view.edition,
            previous: view.previous.as_ref().map(|id| Arc::from(id.as_str())),
            timers,
        })
    }
}

impl Machine for InterpretedMachine {
    type HeldPlans = HeldRecords;

    fn description(&self) -> &'static Description {
        self.description
    }

    fn meaning(&self) -> &str {
        &self.model.meaning
    }

    fn empty(&self) -> HeldRecords {
        HeldRecords::default()
    }

    fn step(
        &self,
        held: &mut HeldRecords,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent> {
        if call.what == CallKind::Event(timers::START.into()) {
            return Ok(self.start_timers(held, call, env.now));
        }
        let what = self.what(call)?;
        let late = self.late(&what, call)?;
        let sent = semantics::Call {
            what,
            class: call.class.clone(),
            with: if late.is_some() {
                Object::new()
            } else {
                call.with.clone()
            },
            plan_id: call.plan_id.clone(),
            expect_revision: call.expect_revision,
            token: call.token.clone(),
            batch: call.batch,
        };
        let id: Arc<str> = Arc::from(env.new_id.as_str());
        let mut new_id = || Arc::clone(&id);
        let mut model_env = semantics::Env {
            budget: Cell::new(semantics::STEP_BUDGET),
            evaluations: Cell::new(usize::MAX),
            now: env.now,
            new_id: &mut new_id,
            late,
            context: env.context,
            host_tools: env.host_tools,
        };
        let stepped = semantics::step(&self.model, held, &sent, &mut model_env);
        Ok(outcome::outcome(&self.model, held, stepped))
    }

    fn could_run(&self, held: &HeldRecords, tool: &str, now: Instant) -> bool {
        let tool = self.model.event_named(tool);
        let tool = tool.unwrap_or_else(|| self.model.other_tools());
        semantics::could_run(&self.model, held, tool, now)
    }

    fn batch_start(&self, held: &HeldRecords) -> BatchStart {
        semantics::batch_start(&self.model, held)
    }

    fn plans(&self, held: &HeldRecords) -> Vec<PlanView> {
        let records = held.records.iter();
        records
            .map(|record| outcome::view(&self.model, record))
            .collect()
    }

    fn slot(&self, held: &HeldRecords) -> Option<usize> {
        held.slot
    }

    fn slot_plan(&self, held: &HeldRecords) -> Option<Id> {
        let record = held.slot.and_then(|at| held.records.get(at))?;
        Some(Id::from(&*record.id))
    }

    fn restore(&self, stored: &StoredPlans) -> Result<HeldRecords, RestoreError> {
        stored.check(self.description)?;
        let records = stored.plans.iter().enumerate().map(|(at, view)| {
            let record = self.record(view)?;
            stored.check_place(at, self.description)?;
            Ok(record)
        });
        Ok(HeldRecords {
            records: records.collect::<Result<_, _>>()?,
            slot: stored.slot.filter(|_| !self.model.is_many()),
            editions: stored.editions(!self.model.review.is_empty()),
        })
    }

    fn timers(&self, held: &HeldRecords) -> PlanTimers {
        let mut timers = PlanTimers::default();
        if !self.model.has_timers() {
            return timers;
        }
        for (plan, record) in held.records.iter().enumerate() {
            let running = (0..).zip(&record.timers);
            let running = running.filter_map(|(timer, state)| Some((timer, state.due()?)));
            timers
                .running
                .extend(running.map(|(timer, at)| PlanTimer { plan, timer, at }));
            if semantics::lacks_timers(&self.model, held, plan) {
                timers.missing.push(plan);
            }
        }
        timers
    }

    fn plan_id(&self, held: &HeldRecords, plan: usize) -> Option<Id> {
        held.records.get(plan).map(|record| Id::from(&*record.id))
    }

    fn editions(&self, held: &HeldRecords) -> Editions {
        held.editions
    }

    fn set_editions(&self, held: &mut HeldRecords, editions: Editions) {
        held.editions = editions;
    }

    fn needs_ended(&self) -> bool {
        self.model.lists_plans() || self.model.is_many()
    }

    fn forget_ended(&self, held: &mut HeldRecords) {
        let kept = held.slot.map(|at| held.records.swap_remove(at));
        held.slot = kept.as_ref().map(|_| 0);
        held.records = kept.into_iter().collect();
    }
}
