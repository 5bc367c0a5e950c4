//! The meaning of a session: what its machines do together, for concrete values.
//!
//! Each machine steps as [`semantics`](crate::semantics) defines it. The rule of the gate of a
//! running session determines which machine decides what happens to a call.

use plan_machine_kernel::calls::GUARD;
use plan_machine_kernel::command::Pattern;
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::messages;
use plan_machine_kernel::session::{
    Disposition, OfferedCommand, SessionRule, StatesOfPlan, looks_like_another, takers, too_early,
};

use super::called::CalledTool;
use super::floor::Turn;
use super::model::Session;
use crate::model::machine::{EventKind, Machine};
use crate::model::{Checked, EventId, StateId};
use crate::semantics::{
    Allowance, Call, CallKind, Denial, EventContext, HeldRecords, Outcome, Record, Sandbox,
    ShownToken, UnavailableText, batch_start, call_with_plans,
};

/// A session in memory, with reproducible ids and a clock that moves only when the caller moves it.
#[derive(Clone, Debug)]
pub struct SessionSandbox<'s> {
    pub(super) session: &'s Session,
    rule: SessionRule,
    pub(super) machines: Vec<Sandbox<'s>>,
    /// The number of plans that were started.
    pub(super) born: usize,
    pub(super) allowance: Allowance,
    /// The current turn; `None` until one begins.
    pub(super) turn: Option<Turn>,
}

/// The records of the machines when a batch started.
#[derive(Clone, Debug)]
pub struct SessionBatch(pub(super) Vec<HeldRecords>);

/// The answer to a call by the model.
#[derive(Clone, Debug)]
pub enum SessionAnswer {
    /// The machine at this index answered; it may have denied the call.
    Machine(usize, Outcome),
    /// The host runs the tool.
    Run {
        /// The machines that counted the call, with their answers.
        counted: Vec<(usize, Outcome)>,
    },
    /// The call has the class `guard`, so it is denied in every state, before any machine decides. The string is the
    /// message for the model, without the reason that a classifier would give.
    Guarded(String),
    /// No machine defines the called tool, and the host cannot have it: for example, its name is that of a class, or
    /// almost that of another tool. The string is the message for the model.
    Unknown(String),
}

impl<'s> SessionSandbox<'s> {
    /// Creates an empty session.
    #[must_use]
    pub fn new(session: &'s Checked<Session>) -> Self {
        Self::with_rule(session, SessionRule::GATE)
    }

    pub(super) fn with_rule(session: &'s Session, rule: SessionRule) -> Self {
        let members = session.members.iter();
        Self {
            session,
            rule,
            machines: members
                .map(|member| Sandbox::new(&member.machine))
                .collect(),
            born: 0,
            allowance: Allowance::UNLIMITED,
            turn: None,
        }
    }

    /// Limits the number of bytes that all steps of each machine may build.
    #[must_use]
    pub(super) fn with_budget(mut self, bytes: usize) -> Self {
        let machines = self.machines.into_iter();
        self.machines = machines.map(|one| one.with_budget(bytes)).collect();
        self
    }

    /// Limits the number of timers that fire, of steps that are [taken](Self::takes_steps), and of parts of expressions
    /// that the steps evaluate.
    pub(super) fn with_allowance(mut self, allowance: Allowance) -> Self {
        self.allowance = allowance;
        self
    }

    /// Returns the remaining work that may be done.
    pub(super) fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// Subtracts steps from those that may be taken; returns `false` if no more steps may be taken. A step counts once
    /// for each machine, because each one is asked about a call, and once more for each plan.
    pub(super) fn takes_steps(&mut self, steps: usize) -> bool {
        let machines = self.machines.iter();
        let plans: usize = machines.map(|machine| machine.held().records.len()).sum();
        let others = self.machines.len().saturating_sub(1);
        self.allowance.spend(steps, plans.saturating_add(others))
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &'s Session {
        self.session
    }

    /// Returns the records of a machine.
    #[must_use]
    pub fn held(&self, at: usize) -> &HeldRecords {
        self.machines[at].held()
    }

    /// Returns the part of the session that belongs to one machine.
    pub(super) fn of_machine(&self, at: usize) -> &Sandbox<'s> {
        &self.machines[at]
    }

    pub(super) fn machine(&self, at: usize) -> &'s Checked<Machine> {
        self.machines[at].machine()
    }

    /// Starts a batch in the current states of the machines.
    #[must_use]
    pub fn begin_batch(&self) -> SessionBatch {
        let machines = self.machines.iter();
        SessionBatch(machines.map(|machine| machine.held().clone()).collect())
    }

    /// Sends an event to one machine. If the event is a timer, the session first waits until the timer is due.
    pub fn send(&mut self, at: usize, call: &Call, around: &EventContext) -> Outcome {
        if let CallKind::Event(event) = call.what
            && self.machine(at).timer(event).is_some()
        {
            return self.await_timer(at, event);
        }
        self.catch_up(around.at);
        let own = EventContext {
            context: self.context(at, &around.context),
            at: around.at.filter(|_| !self.has_timers()),
        };
        let now = self.now(around.at);
        let open = self.before_command(at, call, now);
        let outcome = self.step_of(at, |machine, number| {
            machine.step_numbered(call, &own, number)
        });
        if matches!(outcome, Outcome::Accepted(_)) {
            self.move_floor(at, open, now);
        }
        outcome
    }

    /// Lets one machine take a step, in which a new record gets the given number. The machines of a session share one
    /// limit on the work that may be done.
    pub(super) fn step_of(
        &mut self,
        at: usize,
        step: impl FnOnce(&mut Sandbox<'s>, usize) -> Outcome,
    ) -> Outcome {
        let machine = &mut self.machines[at];
        let before = machine.held().records.len();
        machine.set_allowance(self.allowance);
        let outcome = step(machine, self.born + 1);
        self.allowance = machine.allowance();
        self.born += machine.held().records.len() - before;
        outcome
    }

    /// Returns the context for one machine: all keys except those that only other machines declare.
    pub(super) fn context(&self, at: usize, context: &Object) -> Object {
        let declares = |at: usize, key: &str| {
            let mut fields = self.machine(at).context.iter();
            fields.any(|field| field.name == key)
        };
        let others = |key: &str| {
            let mut all = 0..self.machines.len();
            !declares(at, key) && all.any(|at| declares(at, key))
        };
        let own = context.iter().filter(|(key, _)| !others(key));
        own.map(|(key, value)| (key.to_owned(), value.clone()))
            .collect()
    }

    /// Answers a call by the model. In a session with a calls document, a call to a host tool has a
    /// class.
    pub fn call(
        &mut self,
        batch: &SessionBatch,
        tool: &str,
        class: Option<&str>,
        args: &Object,
        around: &EventContext,
    ) -> SessionAnswer {
        let called = CalledTool {
            tool: tool.to_owned(),
            class: class.map(str::to_owned),
        };
        self.decide(batch, &called, args, around)
    }

    /// Answers a call by the model.
    pub(super) fn decide(
        &mut self,
        batch: &SessionBatch,
        called: &CalledTool,
        args: &Object,
        around: &EventContext,
    ) -> SessionAnswer {
        self.catch_up(around.at);
        let tool = called.tool.as_str();
        if called.class.as_deref() == Some(GUARD) {
            return SessionAnswer::Guarded(messages::guarded(tool, None));
        }
        if let Some((at, event)) = self.owner(tool) {
            let denial = self.prevented(at, event, batch);
            let denial = denial.or_else(|| Some((at, self.too_early(at, event, args, batch)?)));
            if let Some((by, denial)) = denial {
                return SessionAnswer::Machine(by, Outcome::Denied(denial));
            }
            let mut call = Call::new(CallKind::Event(event));
            call.with = args.clone();
            if let Some(id) = args.get("plan_id").and_then(|id| id.as_text()) {
                call.with.remove("plan_id");
                call.plan_id = Some(id.to_owned());
            }
            let outcome = self.send(at, &call, around);
            return SessionAnswer::Machine(at, outcome);
        }
        let is_class = self
            .session
            .classes()
            .is_some_and(|calls| tool == GUARD || calls.has_class(tool));
        if is_class || looks_like_another(tool, self.tools()) {
            return SessionAnswer::Unknown(messages::unknown_tool(tool, self.tools()));
        }
        let mut call = Call::new(CallKind::HostTool(tool.to_owned().into()));
        call.with = args.clone();
        let Some(each) = self.decided(called) else {
            return self.choose(batch, called, &call, around);
        };
        let all = 0..self.machines.len();
        let deciders = Disposition::decider(&each).map_or(all, |at| at..at + 1);
        if Disposition::decider(&each).is_none()
            && let Some((at, denial)) = self
                .held_back(called, None)
                .or_else(|| self.closed_at_start(batch, called))
                .or_else(|| self.denied_at_start(batch, called, &call, around))
        {
            return SessionAnswer::Machine(at, Outcome::Denied(denial));
        }
        for at in deciders {
            call.class = self.class_for(at, called);
            call.batch = Some(batch_start(self.machine(at), &batch.0[at]));
            let outcome = self.send(at, &call, around);
            if !matches!(outcome, Outcome::Run { .. }) {
                return SessionAnswer::Machine(at, outcome);
            }
        }
        SessionAnswer::Run {
            counted: Vec::new(),
        }
    }

    /// Returns the names of all tools that the machines define or name.
    fn tools(&self) -> impl Iterator<Item = &'s str> {
        let members = self.session.members.iter();
        let events = members.flat_map(|member| &member.machine.events);
        let tools = events
            .filter(|event| matches!(event.kind, EventKind::Tool { .. } | EventKind::External));
        tools.map(|event| event.name.as_str())
    }

    /// Returns the machine that defines a tool.
    fn owner(&self, tool: &str) -> Option<(usize, EventId)> {
        (0..self.machines.len()).find_map(|at| {
            let machine = self.machine(at);
            let event = machine.event_named(tool)?;
            let own = matches!(machine.event(event).kind, EventKind::Tool { .. });
            own.then_some((at, event))
        })
    }

    /// Returns the machine that prevents a call to an external tool of another machine, with its denial.
    fn prevented(
        &self,
        owner: usize,
        event: EventId,
        batch: &SessionBatch,
    ) -> Option<(usize, Denial)> {
        let declared = self.machine(owner).event(event);
        let EventKind::Tool { external, .. } = declared.kind else {
            return None;
        };
        let own = CalledTool {
            tool: declared.name.clone(),
            class: None,
        };
        let mut others = (0..self.machines.len()).filter(|at| *at != owner);
        let closed = others.find_map(|at| {
            let machine = self.machine(at);
            let prevents = |leaf: StateId| {
                let other = own.dispositions(machine, leaf);
                self.rule.prevents(external, other)
            };
            let now = deciding(machine, self.held(at));
            let began = deciding(machine, &batch.0[at]);
            let leaf = [now, began].into_iter().find(|leaf| prevents(*leaf))?;
            let allowed = machine.leaves();
            let allowed = allowed.filter(|leaf| !machine.is_final(*leaf) && !prevents(*leaf));
            let allowed = allowed.collect();
            let (entry, _) = own.entries(machine);
            let text = UnavailableText::without_context(machine, leaf, entry);
            let denial = Denial::not_allowed(machine, &declared.name, leaf, allowed, text);
            Some((at, denial))
        });
        let held_back = || self.held_back(&own, Some(owner));
        closed.or_else(|| external.then(held_back).flatten())
    }

    /// Returns the denial of a call to an external tool of a machine if the plan did not handle the
    /// tool when the batch started.
    fn too_early(
        &self,
        at: usize,
        event: EventId,
        args: &Object,
        batch: &SessionBatch,
    ) -> Option<Denial> {
        let machine = self.machine(at);
        let declared = machine.event(event);
        if !matches!(declared.kind, EventKind::Tool { external: true, .. }) {
            return None;
        }
        let takes = |leaf: StateId| machine.alternatives(leaf, event).is_some();
        let addressed = args.get("plan_id").and_then(|id| id.as_text());
        let plans: Vec<StatesOfPlan<StateId>> = if !machine.is_many() {
            vec![StatesOfPlan {
                now: self.held(at).leaf(),
                began: batch.0[at].leaf(),
            }]
        } else if takes(StateId::NONE) && addressed.is_none() {
            Vec::new()
        } else {
            let records = self.held(at).records.iter();
            let meant = records.filter(|record| addressed.is_none_or(|id| *record.id == *id));
            let states = meant.map(|record| {
                let before = batch.0[at].position(&record.id);
                let before = before.map(|before| &batch.0[at].records[before]);
                StatesOfPlan {
                    now: record.leaf(),
                    began: before.map_or(StateId::NONE, Record::leaf),
                }
            });
            states.collect()
        };
        let began = too_early(plans, takes)?;
        let message = messages::not_in_this_batch(&declared.name, &machine.state(began).name);
        let allowed = machine.leaves();
        let allowed = allowed.filter(|leaf| !machine.is_final(*leaf) && takes(*leaf));
        Some(Denial {
            allowed_in: allowed.collect(),
            ..Denial::new(DenialKind::NotAllowed, began, message)
        })
    }

    /// Sends a line that a person typed to the machine whose command matches the line, or to all machines that share
    /// the command. A shared command is answered by the machines that accept it, or by all machines that share the
    /// command if none of them accepts it.
    ///
    /// # Errors
    ///
    /// Returns an error if the line does not begin with the prefix of commands, or if no command matches the line; in
    /// the latter case, the message names a similar command if there is one.
    pub fn line(
        &mut self,
        line: &str,
        with: &Object,
        around: &EventContext,
    ) -> Result<Vec<(usize, Outcome)>, String> {
        self.line_for(None, line, with, around)
    }

    /// Sends a typed line as [`Self::line`] does. `revision` is the revision of the plan that the sender has seen, if
    /// any: the line applies only to that revision.
    pub(super) fn line_for(
        &mut self,
        revision: Option<u64>,
        line: &str,
        with: &Object,
        around: &EventContext,
    ) -> Result<Vec<(usize, Outcome)>, String> {
        let prefix = self.session.prefix;
        let Some(specified) = prefix.read(line) else {
            return Err(messages::other_prefix(line, prefix.as_char()));
        };
        self.catch_up(around.at);
        let offered: Vec<OfferedCommand<'_>> = self.offered().collect();
        let accepts =
            |at: usize, name: &str, word: &str| name != "plan_id" || self.is_plan(at, word);
        let takers = takers(&offered, &specified, &accepts);
        if takers.is_empty() {
            let patterns = offered.iter().map(|offered| offered.pattern);
            return Err(messages::no_command(&specified, patterns));
        }
        let mut answers = Vec::new();
        for at in takers {
            let is_plan = |word: &str| self.is_plan(at, word);
            let mut call = call_with_plans(self.machine(at), &is_plan, &specified)?;
            call.take_payload(with);
            call.expect_revision = revision;
            if call.token == ShownToken::Missing {
                call.token = ShownToken::Current;
            }
            answers.push((at, self.send(at, &call, around)));
        }
        let taken = |(_, outcome): &(usize, Outcome)| !matches!(outcome, Outcome::Denied(_));
        if answers.iter().any(taken) {
            answers.retain(taken);
        }
        Ok(answers)
    }

    /// Returns whether a word is the id of a plan of a machine, or of any plan that was started in this session.
    fn is_plan(&self, at: usize, word: &str) -> bool {
        let number = word.strip_prefix("plan-");
        let number = number.and_then(|number| number.parse().ok());
        let started = number.is_some_and(|number: usize| (1..=self.born).contains(&number));
        started || self.held(at).position(word).is_some()
    }

    fn offered(&self) -> impl Iterator<Item = OfferedCommand<'s>> {
        let members = self.session.members.iter().enumerate();
        members.flat_map(|(machine, member)| {
            commands(&member.machine).map(move |(pattern, shared)| OfferedCommand {
                machine,
                pattern,
                shared,
            })
        })
    }

    /// Returns the tools that the machines define and that the model sees now, sorted by name.
    #[must_use]
    pub fn advertised(&self) -> Vec<&'s str> {
        let batch = self.begin_batch();
        let mut names = Vec::new();
        for at in 0..self.machines.len() {
            let shown = self.held(at).advertised(self.machine(at)).into_iter();
            names.extend(shown.filter(|name| {
                let event = self.machine(at).event_named(name);
                event.is_some_and(|event| self.prevented(at, event, &batch).is_none())
            }));
        }
        names.sort_unstable();
        names
    }
}

fn commands(machine: &Machine) -> impl Iterator<Item = (&Pattern, bool)> {
    machine.events.iter().filter_map(|event| match &event.kind {
        EventKind::Command(command) => Some((&command.pattern, command.shared)),
        _ => None,
    })
}

/// Returns the leaf that decides what happens to calls to host tools.
pub(super) fn deciding(machine: &Machine, held: &HeldRecords) -> StateId {
    if machine.is_many() {
        StateId::NONE
    } else {
        held.leaf()
    }
}
