//! Events that the host sends: signals, and any other event by name.

use std::error::Error;
use std::fmt;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::suggest::nearest;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers;

use super::event_context::EventContext;
use super::state::Gate;
use crate::core::accepted::Address;
use crate::core::description::EventKind;
use crate::core::host_tool;
use crate::core::lifecycle::Lifecycle;
use crate::dynamic::machine::{Call, CallKind, Denial, Outcome, UnknownEvent, call_of};

/// The error for an unknown machine name or event name that the host sent. Nothing has changed, apart from timers that
/// may have fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownName {
    /// The session has no machine with this name.
    Machine {
        /// The name that was sent.
        machine: String,
        /// The machine with the most similar name, if any is similar enough.
        nearest: Option<&'static str>,
    },
    /// The machine has no event with this name.
    Event(UnknownEvent),
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(unknown) => unknown.fmt(f),
            Self::Machine { machine, nearest } => {
                write!(f, "the session has no machine `{machine}`")?;
                match nearest {
                    Some(near) => write!(f, "; did you mean `{near}`?"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Error for UnknownName {}

impl From<UnknownEvent> for UnknownName {
    fn from(unknown: UnknownEvent) -> Self {
        Self::Event(unknown)
    }
}

impl Gate {
    /// Sends a typed event from the host, such as a signal, to a plan of a machine.
    ///
    /// # Errors
    ///
    /// If the session does not have the machine.
    pub fn signal<L: Lifecycle>(
        &mut self,
        plan: impl Into<Address>,
        event: L::Event,
        around: &EventContext,
    ) -> Result<Outcome, UnknownName> {
        let call = call_of::<L>(event).to(plan);
        self.send(L::MACHINE.name, &call, around)
    }

    /// Sends an event from the host by name, for hosts without the types of their machines. Prefer
    /// [`signal`](Self::signal), because the compiler then checks the name.
    ///
    /// # Errors
    ///
    /// If the session has no such machine, or the machine has no such event.
    pub fn signal_by_name(
        &mut self,
        machine: &str,
        name: &str,
        plan: impl Into<Address>,
        with: Object,
        around: &EventContext,
    ) -> Result<Outcome, UnknownName> {
        let mut call = Call::new(CallKind::Event(name.to_owned().into())).to(plan);
        call.with = with;
        self.send(machine, &call, around)
    }

    /// Sends any event to a machine. Use this only for events that the host itself decides to send: calls by a model go
    /// through [`decide`](Self::decide).
    ///
    /// # Errors
    ///
    /// If the session has no such machine, or the machine has no such event.
    pub fn send(
        &mut self,
        machine: &str,
        call: &Call,
        around: &EventContext,
    ) -> Result<Outcome, UnknownName> {
        let at = self.machine_at(machine)?;
        self.refuse_timer(at, call)?;
        self.catch_up(around.now);
        let mut outcome = match self.host_call(at, call, self.not_before(around.now)) {
            None => self.try_step(at, call, around)?,
            Some(Err(denial)) => Outcome::Denied(denial),
            Some(Ok(call)) => self.try_step(at, &call, around)?,
        };
        let (CallKind::Event(event) | CallKind::HostTool(event)) = &call.what;
        self.reword_outcome(&mut outcome);
        self.note_outcome(event, &outcome);
        Ok(outcome)
    }

    /// Returns a call to a host tool as it is sent to a machine, or its denial; `None` for an event that the machine
    /// itself defines. A host tool that the spec names may also be sent as an event.
    fn host_call(&self, at: usize, call: &Call, now: Instant) -> Option<Result<Call, Denial>> {
        let tables = self.machines[at].description();
        let (CallKind::Event(tool) | CallKind::HostTool(tool)) = &call.what;
        let named = tables.event_named(tool);
        let is_named = named.is_some_and(|event| host_tool::is_named(tables, event));
        let is_own = host_tool::own(tables, tool).is_some();
        if is_own || !(is_named || matches!(call.what, CallKind::HostTool(_))) {
            return None;
        }
        // A host that does not list its tools may look up names less strictly than the gate. If the host lists them, the
        // step itself checks the name.
        if self.machine_set.known().is_none() && self.looks_like_another(tool) {
            return Some(Err(self.unknown(tool)));
        }
        let class = match self.class_of_sent(call, tool) {
            Ok(class) => class,
            Err(denial) => return Some(Err(denial)),
        };
        let name = class.of(tool);
        let damaged = self.blocked(at);
        let damaged = damaged.filter(|_| !self.handling(at, name).may_run());
        let denial = damaged.map(|damaged| self.denial_of(damaged));
        if let Some(denial) = denial.or_else(|| self.held_back_here(at, name, now)) {
            return Some(Err(denial));
        }
        let mut sent = call.clone();
        sent.what = CallKind::HostTool(tool.clone());
        if self.machine_set.calls().is_some() {
            self.decide_by(at, &mut sent, name);
        }
        Some(Ok(sent))
    }

    /// Refuses a timer that a host sends: only time fires timers.
    fn refuse_timer(&self, at: usize, call: &Call) -> Result<(), UnknownEvent> {
        let tables = self.machines[at].description();
        let CallKind::Event(name) = &call.what else {
            return Ok(());
        };
        let event = tables
            .event_named(name)
            .map(|event| tables.event(event).kind);
        let is_timer = matches!(event, Some(EventKind::Timer { .. })) || name == timers::START;
        if is_timer {
            return Err(UnknownEvent::new(tables, name));
        }
        Ok(())
    }

    /// Returns the position of a machine among the machines of the session.
    #[inline]
    pub(super) fn machine_at(&self, machine: &str) -> Result<usize, UnknownName> {
        self.position(machine)
            .ok_or_else(|| self.no_machine(machine))
    }

    #[cold]
    fn no_machine(&self, machine: &str) -> UnknownName {
        let known = self
            .machines
            .iter()
            .map(|machine| machine.description().name);
        UnknownName::Machine {
            machine: machine.to_owned(),
            nearest: nearest(machine, known),
        }
    }
}
