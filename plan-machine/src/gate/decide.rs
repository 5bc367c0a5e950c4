//! Decides whether each call is applied, run, recorded or denied.

use std::borrow::Cow;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::messages::{self, withdrawal};
use plan_machine_kernel::session::{Disposition, Dispositions, SessionRule};
use plan_machine_kernel::wording::{filled, reads_context};

use super::called_tool::CalledTool;
use super::classes::{self, ClassOfCall};
use super::confirm::withdrawn;
use super::decision::Decision;
use super::early::{ChoosingPlans, Plans};
use super::event_context::EventContext;
use super::gate_event::GateEvent;
use super::limits;
use super::look_alike::is_tool;
use super::owner::Owner;
use super::send::UnknownName;
use super::state::Gate;
use super::tool_call::ToolCall;
use crate::core::description::{Description, Event, EventKind, Handling};
use crate::core::host_tool;
use crate::dynamic::machine::{BatchStart, Call, CallKind, Denial, Outcome, StoredPlans};

/// The states of the machines when a batch started; a batch consists of the calls of one model response.
#[derive(Clone, Debug)]
pub struct Batch {
    owner: Owner,
    starts: Vec<BatchStart>,
    /// The plans that existed when the batch started, for machines with many plans.
    plans: Plans,
    /// The plans as they were when the batch started, for machines whose alternatives determine what happens to calls.
    choosing: ChoosingPlans,
}

impl Batch {
    /// Returns the state that a machine was in when the batch started.
    pub(super) fn start_of(&self, at: usize) -> BatchStart {
        self.starts[at]
    }

    /// Returns the plans that a machine had when the batch started; `None` unless alternatives of the machine
    /// determine what happens to calls.
    pub(super) fn plans_of(&self, at: usize) -> Option<&StoredPlans> {
        let mut all = self.choosing.iter();
        all.find(|(of, _)| *of == at).map(|(_, plans)| plans)
    }
}

impl Gate {
    /// Decides on the calls of one model response, in order. A call that could not have run when the batch started
    /// cannot run later in the batch either.
    pub fn decide(&mut self, batch: &[ToolCall], around: &EventContext) -> Vec<Decision> {
        self.catch_up(around.now);
        // The list of start states is reused, so that a batch, which usually has only one or two calls, does not
        // allocate one.
        let mut start = Batch {
            owner: self.owner,
            starts: std::mem::take(&mut self.starts),
            plans: self.plans_of_many(),
            choosing: self.choosing_plans(),
        };
        let starts = self.machines.iter().map(|machine| machine.batch_start());
        start.starts.extend(starts);
        let decisions = batch.iter();
        let decisions = decisions.map(|call| self.decide_one(&start, call, around));
        let mut decisions: Vec<Decision> = decisions.collect();
        for decision in &mut decisions {
            if let Decision::Run(allowed) = decision {
                self.allow_from_here(allowed);
            }
        }
        start.starts.clear();
        self.starts = start.starts;
        decisions
    }

    /// Starts a batch in the current states of the machines.
    #[must_use]
    pub fn begin_batch(&self) -> Batch {
        let starts = self.machines.iter().map(|machine| machine.batch_start());
        Batch {
            owner: self.owner,
            starts: starts.collect(),
            plans: self.plans_of_many(),
            choosing: self.choosing_plans(),
        }
    }

    /// Decides on the next call of a batch.
    pub fn decide_in(&mut self, batch: &Batch, call: &ToolCall, around: &EventContext) -> Decision {
        self.catch_up(around.now);
        self.decide_one(batch, call, around)
    }

    /// Decides on a call after the timers that are due have fired.
    fn decide_one(&mut self, batch: &Batch, call: &ToolCall, around: &EventContext) -> Decision {
        if batch.owner != self.owner || batch.starts.len() != self.machines.len() {
            let denial = withdrawn(limits::shown(&call.name), "none", withdrawal::FOREIGN_BATCH);
            self.note_denied(limits::shown(&call.name), &denial);
            return Decision::Denied(denial);
        }
        if let Err(invalid) = limits::tool_call(call) {
            let denial = invalid.denial("none");
            self.note_denied(limits::shown(&call.name), &denial);
            return Decision::Denied(denial);
        }
        let class = match self.class_of_call(call) {
            Ok(class) => class,
            Err(denial) => {
                self.note_denied(&call.name, &denial);
                return Decision::Denied(denial);
            }
        };
        let mut decision = match (
            self.unrecorded(class.of(&call.name), &batch.starts, around),
            self.owner(&call.name),
        ) {
            (Some(denial), _) => Decision::Denied(denial),
            (None, Some((at, event))) => {
                let hindrance = self.hindrance(at, event, &batch.starts);
                let addressed = call.args.get("plan_id").and_then(|id| id.as_text());
                let too_early =
                    || self.too_early(at, event, addressed, &batch.starts, &batch.plans);
                match hindrance.or_else(too_early) {
                    Some(denial) => Decision::Denied(denial),
                    None => self.apply(at, event.name, call, around),
                }
            }
            (None, None) => {
                let mut decision = self.host_tool(batch, call, &class, around);
                if let Decision::Denied(denial) = &mut decision {
                    class.explain(denial);
                }
                decision
            }
        };
        if let Decision::Denied(denial) = &mut decision {
            self.reword(denial);
        }
        match &decision {
            Decision::Denied(denial) => self.note_denied(&call.name, denial),
            Decision::Run(_) => self.note(|| GateEvent::Run {
                tool: call.name.clone(),
            }),
            Decision::Applied { .. } | Decision::Recorded { .. } | Decision::Repeated(_) => {}
        }
        decision
    }

    /// Sends an event that belongs to a batch, for hosts that address their machines directly. A call to a host tool,
    /// or to one of the machine's own tools that can change the outside world, is accepted only if it would also have
    /// been accepted when the batch started.
    ///
    /// # Errors
    ///
    /// If the session has no such machine, or the machine has no such event.
    pub fn send_in(
        &mut self,
        batch: &Batch,
        machine: &str,
        call: &Call,
        around: &EventContext,
    ) -> Result<Outcome, UnknownName> {
        let at = self.machine_at(machine)?;
        let (CallKind::Event(tool) | CallKind::HostTool(tool)) = &call.what;
        let too_early = if batch.owner == self.owner && at < batch.starts.len() {
            let tables = self.machines[at].description();
            let own = host_tool::own(tables, tool).map(|event| tables.event(event));
            let addressed = call.plan_id.as_deref();
            own.and_then(|own| self.too_early(at, own, addressed, &batch.starts, &batch.plans))
        } else {
            Some(withdrawn(
                limits::shown(tool),
                "none",
                withdrawal::FOREIGN_BATCH,
            ))
        };
        if let Some(mut denial) = too_early {
            self.reword(&mut denial);
            self.note_denied(tool, &denial);
            return Ok(Outcome::Denied(denial));
        }
        let mut call = call.clone();
        call.batch = Some(batch.start_of(at));
        self.send(machine, &call, around)
    }

    pub(super) fn note_outcome(&mut self, event: &str, outcome: &Outcome) {
        if let Some(tool) = outcome.runs() {
            self.note(|| GateEvent::Run {
                tool: tool.to_owned(),
            });
        }
        if let Outcome::Denied(denial) = outcome {
            self.note_denied(event, denial);
        }
    }

    fn note_denied(&mut self, event: &str, denial: &Denial) {
        self.note(|| GateEvent::Denied {
            event: event.to_owned(),
            denial: denial.clone(),
        });
    }

    /// Returns the machine that defines a tool, and the event of the tool in that machine.
    fn owner(&self, tool: &str) -> Option<(usize, &'static Event)> {
        (0..self.machines.len()).find_map(|at| {
            let machine = self.machines[at].description();
            let event = host_tool::own(machine, tool)?;
            Some((at, machine.event(event)))
        })
    }

    fn name(&self, at: usize) -> Cow<'static, str> {
        self.machines[at].description().name.into()
    }

    fn apply(
        &mut self,
        at: usize,
        event: &'static str,
        call: &ToolCall,
        around: &EventContext,
    ) -> Decision {
        let mut sent = Call::new(CallKind::Event(event.into()));
        sent.with = call.args.clone();
        if let Some(id) = sent
            .with
            .get("plan_id")
            .and_then(|id| id.as_text())
            .map(str::to_owned)
        {
            sent.with.remove("plan_id");
            sent.plan_id = Some(id);
        }
        match self.step(at, &sent, around) {
            Outcome::Accepted(acceptance) => Decision::Applied {
                machine: self.name(at),
                acceptance: *acceptance,
            },
            Outcome::Run { tool, state } => {
                Decision::Denied(withdrawn(&tool, &state, withdrawal::OWN_TOOL))
            }
            Outcome::Denied(denial) => Decision::Denied(denial),
        }
    }

    /// Returns a denial if a machine's own tool would change the outside world although another machine would not let a
    /// host tool of that name run, either now or at the start of the batch or of the turn.
    pub(super) fn hindrance(
        &self,
        owner: usize,
        tool: &Event,
        starts: &[BatchStart],
    ) -> Option<Denial> {
        let EventKind::Tool { external, .. } = tool.kind else {
            return None;
        };
        let runs = |handling: Handling| !SessionRule::GATE.prevents(external, handling.into());
        let others = (0..self.machines.len()).filter(|at| *at != owner);
        let closed = others.into_iter().find_map(|at| {
            let tables = self.machines[at].description();
            let entry = host_tool::entry(tables, tool.name);
            if let Some(damaged) = self.blocked(at) {
                let open = runs(self.handling_blocked(at, CalledTool::of_tool(tool.name)));
                return (!open).then(|| self.denial_of(damaged));
            }
            let runs = |state: u16| runs(tables.handling(state, entry));
            let now = self.machines[at].batch_start().place();
            let began = starts.get(at).map_or(now, |start| start.place());
            let state = [now, began].into_iter().find(|state| !runs(*state))?;
            let all = (0_u16..).zip(tables.states);
            let allowed = all.filter(|(at, state)| !state.is_final && runs(*at));
            let allowed: Vec<u16> = allowed.map(|(at, _)| at).collect();
            let names = allowed.iter().map(|at| tables.state(*at).name.to_owned());
            Some(Denial {
                kind: DenialKind::NotAllowed,
                messages: vec![hindered(tables, tool, entry, state, &allowed)],
                state: tables.state(state).name.to_owned(),
                allowed_in: names.collect(),
            })
        });
        closed.or_else(|| {
            let held_back = || self.held_back(CalledTool::of_tool(tool.name), Some(owner));
            external.then(held_back).flatten()
        })
    }

    /// For a call that must not become a step of a plan, returns a denial if a machine records calls, either now or
    /// when the batch started.
    fn unrecorded(
        &self,
        call: CalledTool<'_>,
        starts: &[BatchStart],
        around: &EventContext,
    ) -> Option<Denial> {
        if around.records {
            return None;
        }
        (0..self.machines.len()).find_map(|at| {
            let tables = self.machines[at].description();
            let may = |state: u16, entry| tables.handling(state, entry).may_record();
            let records = |state: u16| {
                let mut entries = call.entries(tables);
                may(state, tables.other_tools()) || entries.any(|entry| may(state, entry))
            };
            let now = self.machines[at].batch_start().place();
            let began = starts.get(at).map_or(now, |start| start.place());
            let state = [now, began].into_iter().find(|state| records(*state))?;
            let (tool, state) = (call.tool, tables.state(state).name);
            let message = messages::not_in_background(tool, tables.name, state);
            Some(Denial::new(DenialKind::NotAllowed, message, state))
        })
    }

    /// Returns how a machine would handle a call to a host tool now.
    pub(super) fn handling(&self, at: usize, call: CalledTool<'_>) -> Handling {
        if self.blocked(at).is_some() {
            return self.handling_blocked(at, call);
        }
        let machine = &self.machines[at];
        call.handling(machine.description(), machine.batch_start().place())
    }

    /// Returns how all machines together would handle a host tool now: a denial takes precedence over a transition, and
    /// a transition over running. A tool that could not run when the turn began is denied. If alternatives determine
    /// what happens to calls, or if calls to the tool have different classes, the result says what may happen.
    #[must_use]
    pub fn handling_of(&self, tool: &str) -> Handling {
        let classes = self.classes_of(tool).into_iter();
        classes::together(classes.map(|class| self.joint_handling(CalledTool { tool, class })))
    }

    /// Returns how all machines together would handle a call of a class now; `None` if there is no calls document, or
    /// it does not declare the class. A tool that a machine names may be handled more strictly.
    #[must_use]
    pub fn handling_of_class(&self, class: &str) -> Option<Handling> {
        let declared = self.machine_set.classes().iter().any(|name| name == class);
        let call = CalledTool {
            // No tool has an empty name, so only the entries for classes and for other tools apply.
            tool: "",
            class: Some(class),
        };
        declared.then(|| self.joint_handling(call))
    }

    /// Returns how all machines together would handle a call to a host tool now.
    fn joint_handling(&self, call: CalledTool<'_>) -> Handling {
        let joint = Dispositions::joint(self.dispositions(call));
        let handling = match joint.only() {
            Some(Disposition::Deny) => Handling::Denies,
            Some(Disposition::Record) => Handling::Takes,
            Some(Disposition::Run) => Handling::Runs,
            _ if joint.may_be(Disposition::Record) => Handling::MayRecord,
            _ => Handling::MayRun,
        };
        match handling {
            Handling::Runs | Handling::MayRun if self.held_back(call, None).is_some() => {
                Handling::Denies
            }
            handling => handling,
        }
    }

    /// Returns how each machine may decide on a call to a host tool now.
    fn dispositions(&self, call: CalledTool<'_>) -> impl Iterator<Item = Dispositions> {
        let all = 0..self.machines.len();
        all.map(move |at| self.handling(at, call).into())
    }

    fn host_tool(
        &mut self,
        batch: &Batch,
        call: &ToolCall,
        class: &ClassOfCall,
        around: &EventContext,
    ) -> Decision {
        if !self.has_host_tool(&call.name) {
            return Decision::Denied(self.unknown(&call.name));
        }
        let name = class.of(&call.name);
        let each: Vec<Dispositions> = self.dispositions(name).collect();
        let Some(each) = Dispositions::decided(&each) else {
            return self.choose(batch, call, class, around);
        };
        let decider = Disposition::decider(&each);
        // This is checked before any machine is asked, so that a denied call changes nothing.
        if decider.is_none()
            && let Some(denial) = self
                .held_back(name, None)
                .or_else(|| self.closed_at_start(batch, name))
                .or_else(|| self.denied_at_start(batch, call, name, around))
        {
            return Decision::Denied(denial);
        }
        for at in decider.map_or(0..each.len(), |at| at..at + 1) {
            let mut sent = self.sent(at, call, name);
            sent.batch = Some(batch.start_of(at));
            match self.step(at, &sent, around) {
                Outcome::Run { .. } if decider.is_none() => {}
                // The machine decides for the others because its plan is damaged, so the call must not run.
                Outcome::Run { tool, state } => {
                    let denial = withdrawn(&tool, &state, withdrawal::DAMAGED_PLAN);
                    return Decision::Denied(denial);
                }
                Outcome::Denied(denial) => return Decision::Denied(denial),
                Outcome::Accepted(acceptance) => {
                    return Decision::Recorded {
                        machine: self.name(at),
                        acceptance: *acceptance,
                    };
                }
            }
        }
        Decision::Run(self.allow(call, class))
    }

    /// Returns whether the host has a tool; if the host does not list its tools, any plausible name counts.
    pub(super) fn has_host_tool(&self, tool: &str) -> bool {
        match self.machine_set.known() {
            Some(known) => known.contains(tool),
            None => {
                !tool.trim().is_empty() && !self.looks_like_another(tool) && !self.is_class(tool)
            }
        }
    }

    /// Returns the denial of a tool that neither a machine nor the host defines.
    pub(super) fn unknown(&self, name: &str) -> Denial {
        let own = self
            .machines
            .iter()
            .flat_map(|machine| machine.description().events);
        let own = own.filter(|event| is_tool(event));
        let known = self.machine_set.known().into_iter().flatten();
        let known = known.map(String::as_str).chain(own.map(|event| event.name));
        let message = messages::unknown_tool(name, known);
        Denial::new(DenialKind::UnknownTool, message, "none")
    }
}

/// Returns the message for a tool that another machine's state does not allow to run: the text of
/// that machine's spec, or a built-in one.
fn hindered(tables: &Description, tool: &Event, entry: u16, state: u16, allowed: &[u16]) -> String {
    let own = tables.unavailable(state, entry);
    let own = own.filter(|text| !reads_context(text));
    let own = own.and_then(|text| filled(text, &Object::new()));
    let shown = allowed.iter().map(|at| tables.shown_state(*at));
    own.unwrap_or_else(|| {
        messages::not_allowed(messages::UnavailableEvent {
            name: tool.name,
            here: tables.shown_state(state),
            allowed_in: &shown.collect::<Vec<_>>(),
            starts: tables.starting_command(),
            many: tables.is_many(),
        })
    })
}
