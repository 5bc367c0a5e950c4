//! Declares the timers of states. A timer is an event that no one sends, with a handler in the state that declares it.

use plan_machine_kernel::timers::{MAX_TIMERS, Period};

use super::Resolver;
use super::states::Pending;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::TIMER;
use crate::model::machine::{Event, EventKind, StateTimer};
use crate::model::{EventId, StateId};
use crate::syntax::ast::{self, HandlerKind, Name, Spec, Timer};

/// Returns the name of a timer. It contains spaces, so that no event of a spec can have the same name.
fn name_of(state: &str, period: Period) -> String {
    format!("{state} after {period}")
}

impl Resolver<'_> {
    /// Declares the events of all timers. The states that the timers belong to are not resolved yet.
    pub(super) fn declare_timers(&mut self, spec: &Spec) {
        let mut open: Vec<&ast::State> = spec.states.iter().rev().collect();
        while let Some(state) = open.pop() {
            for timer in &state.after {
                self.declare_timer(state, timer);
            }
            open.extend(state.states.iter().flatten().rev());
        }
        let declared = self.machine.timers().count();
        if declared > MAX_TIMERS {
            let message =
                format!("this spec has {declared} timers, but at most {MAX_TIMERS} are allowed");
            self.report(Diagnostic::new(Code::PM0101, self.machine.span, message));
        }
        if let (Some(named), true) = (self.events.get(TIMER), declared > 0) {
            let message = "in a spec with timers, `timer` means all timers, so it cannot be the name of an event";
            let span = self.machine.event(*named).span;
            self.report(Diagnostic::new(Code::PM0105, span, message).help("rename the event"));
        }
    }

    fn declare_timer(&mut self, state: &ast::State, timer: &Timer) {
        let name = name_of(&state.name.node, timer.period.node);
        let id = EventId::at(self.machine.events.len());
        // A second state of the same name is reported where states are declared.
        if self.events.contains_key(&name) {
            return;
        }
        self.events.insert(name.clone(), id);
        self.machine.events.push(Event {
            name,
            span: timer.period.span,
            doc: None,
            kind: EventKind::Timer(StateTimer {
                state: StateId::NONE,
                period: timer.period.node,
            }),
            input: Vec::new(),
            unavailable: None,
        });
    }

    /// Declares the handlers of a state's timers.
    pub(super) fn declare_timer_handlers<'s>(
        &mut self,
        id: StateId,
        state: &'s ast::State,
        pending: &mut Pending<'s>,
    ) {
        for timer in &state.after {
            let name = name_of(&state.name.node, timer.period.node);
            let Some(event) = self.events.get(&name).copied() else {
                continue;
            };
            let is_allowed = self.allows_timer(id, timer);
            if let EventKind::Timer(declared) = &mut self.machine.events[event.index()].kind {
                declared.state = id;
            }
            if is_allowed {
                self.add_handler(id, event, timer.period.span, &timer.handler, pending);
            }
        }
    }

    /// Reports a timer that this state cannot have, and everything that a timer cannot do. Returns whether the timer's
    /// handler can be declared. A `require` or a `reply` is reported, but the handler is declared nevertheless.
    fn allows_timer(&mut self, id: StateId, timer: &Timer) -> bool {
        let HandlerKind::Transitions(all) = &timer.handler.kind else {
            return self.no_timer(
                timer,
                "a timer can only have transitions, not `run` or `deny`",
            );
        };
        if id == StateId::NONE {
            return self.no_timer(
                timer,
                "`none` cannot have timers: in `none`, there is no plan",
            );
        }
        if self.machine.state(id).is_final {
            return self.no_timer(
                timer,
                "a final state cannot have timers: its plan has ended",
            );
        }
        for transition in all {
            if transition.fate.is_word() || transition.fate.runs() {
                return self.no_timer(
                    timer,
                    "a timer can only have transitions, not `run` or `deny`",
                );
            }
            if !transition.require.is_empty() {
                let message = "a timer cannot have `require`: nobody would read the refusal";
                self.no_timer(timer, message);
            }
            if transition.reply.is_some() {
                self.no_timer(timer, "a timer cannot have `reply`: nobody would read it");
            }
        }
        true
    }

    fn no_timer(&mut self, timer: &Timer, message: &str) -> bool {
        let found = Diagnostic::new(Code::PM0512, timer.period.span, message);
        self.report(if message.contains("`require`") {
            found.help(
                "use `when`: if the condition does not hold when the timer is due, nothing happens",
            )
        } else {
            found
        });
        false
    }

    /// Returns the events that a name in an invariant refers to: `timer` refers to all timers.
    pub(super) fn events_named(&mut self, name: &Name) -> Option<Vec<EventId>> {
        let timers = self.machine.timers_named(&name.node);
        timers.or_else(|| self.event(name).map(|id| vec![id]))
    }
}
