//! Concrete steps of a session, and whether they break an invariant.

use plan_machine_kernel::command::overlap;
use plan_machine_kernel::session::SessionRule;

use super::evaluate::Combination;
use super::trace::SessionStep;
use crate::model::EventId;
use crate::model::machine::{Command, EventKind};
use crate::prove::situations::Situation;
use crate::prove::{Possible, TraceStep, Walk};
use crate::semantics::{Call, CallKind, EventContext, Outcome};
use crate::session::called::{CalledTool, OTHER_TOOLS};
use crate::session::model::{Claim, Invariant, Property, Session, Subject};
use crate::session::sandbox::{SessionAnswer, SessionSandbox};

/// A call that a search sends on behalf of one machine.
#[derive(Clone, Debug)]
pub(super) struct MachineCall {
    pub(super) machine: usize,
    pub(super) event: EventId,
    pub(super) call: Call,
    pub(super) around: EventContext,
    /// For a call to a host tool: the tool and the class of the call, or `None` to try the possible combinations of a
    /// tool and a class one after another until a call is not denied. For every other call: `None`.
    pub(super) called: Option<CalledTool>,
}

/// The invariant that a search judges, with its session and its rule.
#[derive(Clone, Copy)]
pub(super) struct Goal<'a> {
    pub(super) session: &'a Session,
    pub(super) rule: SessionRule,
    pub(super) invariant: &'a Invariant,
    /// Concrete runs of the machines that the invariant asks about; `None` for the other machines.
    pub(super) walks: &'a [Option<Walk<'a>>],
}

/// A step that was not denied.
pub(super) struct AllowedStep<'s> {
    pub(super) after: SessionSandbox<'s>,
    pub(super) step: SessionStep,
    /// The machines and events that took the step; empty if a host tool runs and no machine counts the call, or if only
    /// time passed.
    taken: Vec<(usize, EventId)>,
    /// The called tool.
    tool: Option<CalledTool>,
}

impl<'s> Goal<'s> {
    /// Sends a call; returns `None` if it is denied, or if it cannot be sent as the gate would send it.
    pub(super) fn step(
        &self,
        before: &SessionSandbox<'s>,
        sent: &MachineCall,
    ) -> Option<AllowedStep<'s>> {
        if let (None, CallKind::HostTool(name)) = (&sent.called, &sent.call.what) {
            let all = self.session.called(name).into_iter();
            let mut all = all.map(|called| MachineCall {
                called: Some(called),
                ..sent.clone()
            });
            return all.find_map(|sent| self.step(before, &sent));
        }
        if sent.around.at.is_some_and(|at| before.is_due(at)) {
            // The timers would fire before the call. Each of them is a step of its own.
            return None;
        }
        let mut after = before.clone();
        let declared = self.session.machine(sent.machine).event(sent.event);
        let mut runs = false;
        let (answers, tool) = match &declared.kind {
            EventKind::Tool { .. } | EventKind::External | EventKind::Other => {
                let called = sent.called.clone().unwrap_or_else(|| CalledTool {
                    tool: declared.name.clone(),
                    class: None,
                });
                let answers = match call(&mut after, &called, sent) {
                    SessionAnswer::Machine(by, outcome) => vec![(by, outcome)],
                    SessionAnswer::Run { counted } => {
                        runs = true;
                        counted
                    }
                    SessionAnswer::Guarded(_) | SessionAnswer::Unknown(_) => return None,
                };
                (answers, Some(called))
            }
            EventKind::Command(command) if command.shared => {
                (self.shared(&mut after, sent, command)?, None)
            }
            EventKind::Command(_) | EventKind::Signal | EventKind::Timer(_) => {
                let outcome = after.send(sent.machine, &sent.call, &sent.around);
                (vec![(sent.machine, outcome)], None)
            }
        };
        let is_timer = matches!(declared.kind, EventKind::Timer(_));
        let passes = is_timer && matches!(answers[..], [(_, Outcome::Accepted(_))]);
        let accepted = answers.iter().filter_map(|(by, outcome)| match outcome {
            // A timer without a transition to take is marked as spent: time passes, but no machine takes a step.
            Outcome::Accepted(accepted) if !accepted.transitions.is_empty() => {
                Some((*by, accepted))
            }
            _ => None,
        });
        let accepted: Vec<_> = accepted.collect();
        let first = accepted.first();
        if first.is_none() && !runs && !passes {
            return None;
        }
        let by = first.map_or(sent.machine, |(by, _)| *by);
        let ended = first.and_then(|(_, accepted)| accepted.ended);
        let machine = self.session.machine(by);
        let step = TraceStep::of(machine, &sent.call, &sent.around, ended, after.held(by));
        let taken = accepted.iter().map(|(by, accepted)| (*by, accepted.event));
        Some(AllowedStep {
            taken: taken.collect(),
            step: SessionStep {
                machine: by,
                by_model: tool.is_some(),
                event: tool
                    .as_ref()
                    .map_or_else(|| declared.name.clone(), |called| called.tool.clone()),
                class: tool.as_ref().and_then(|called| called.class.clone()),
                step: TraceStep {
                    runs,
                    wait: is_timer.then(|| after.waited_since(before)).flatten(),
                    ..step
                },
            },
            after,
            tool,
        })
    }

    /// Sends a command to every machine that shares it. If a line could be this command in one
    /// machine and a different command in another machine, the command is not sent.
    fn shared(
        &self,
        after: &mut SessionSandbox<'s>,
        sent: &MachineCall,
        command: &Command,
    ) -> Option<Vec<(usize, Outcome)>> {
        let mut answers = Vec::new();
        for (at, member) in self.session.members.iter().enumerate() {
            for event in member.machine.event_ids() {
                let EventKind::Command(other) = &member.machine.event(event).kind else {
                    continue;
                };
                if other.pattern.text() == command.pattern.text() {
                    let what = CallKind::Event(event);
                    let call = Call {
                        what,
                        ..sent.call.clone()
                    };
                    answers.push((at, after.send(at, &call, &sent.around)));
                } else if at != sent.machine && overlap(&other.pattern, &command.pattern).is_some()
                {
                    return None;
                }
            }
        }
        Some(answers)
    }

    /// Returns the situation of each machine.
    fn situations(&self, sandbox: &SessionSandbox<'_>) -> Vec<Situation> {
        let walks = self.walks.iter().zip(&self.invariant.questions);
        let each = walks.enumerate().map(|(at, (walk, questions))| {
            let walk = walk.as_ref();
            walk.map_or_else(Situation::default, |walk| {
                walk.situation(questions, sandbox.held(at))
            })
        });
        each.collect()
    }

    fn value(&self, sandbox: &SessionSandbox<'_>, claim: &Claim) -> Possible {
        let situations = self.situations(sandbox);
        let situations: Vec<&Situation> = situations.iter().collect();
        let combination = Combination {
            rule: self.rule,
            situations: &situations,
        };
        combination.value(claim)
    }

    /// Returns whether the current state of a session breaks the invariant.
    pub(super) fn is_broken_in(&self, sandbox: &SessionSandbox<'_>) -> bool {
        match &self.invariant.property {
            Property::Always(claim) => self.value(sandbox, claim) == Possible::from(false),
            Property::Never(claim) => self.value(sandbox, claim) == Possible::from(true),
            Property::OnlyIn(..) | Property::OnlyBy(..) => false,
        }
    }

    /// Returns whether a step breaks the invariant.
    pub(super) fn is_broken_by(&self, before: &SessionSandbox<'_>, step: &AllowedStep<'_>) -> bool {
        let holds = |sandbox, claim| self.value(sandbox, claim) == Possible::from(true);
        let fails = |sandbox, claim| !self.value(sandbox, claim).yes;
        match &self.invariant.property {
            Property::Always(_) | Property::Never(_) => self.is_broken_in(&step.after),
            Property::OnlyIn(subject, claim) => self.is_of(step, subject) && fails(before, claim),
            Property::OnlyBy(claim, by) => {
                let allowed = by.iter().any(|subject| self.is_of(step, subject));
                !allowed && fails(before, claim) && holds(&step.after, claim)
            }
        }
    }

    /// Returns whether a step is caused by the event that an invariant names.
    fn is_of(&self, step: &AllowedStep<'_>, subject: &Subject) -> bool {
        match subject {
            Subject::Events {
                machine, events, ..
            } => {
                let mut taken = step.taken.iter();
                taken.any(|(by, event)| by == machine && events.contains(event))
            }
            Subject::HostTool(tools) => tools.iter().any(|tool| {
                let asked = &self.invariant.tools[tool.question];
                let called = step.tool.as_ref();
                called.is_some_and(|called| {
                    let is_other = asked.tool == OTHER_TOOLS && !self.is_named(&called.tool);
                    called.class == asked.class && (called.tool == asked.tool || is_other)
                })
            }),
        }
    }

    /// Returns whether some machine names a tool.
    fn is_named(&self, tool: &str) -> bool {
        let mut members = self.session.members.iter();
        members.any(|member| member.machine.event_named(tool).is_some())
    }
}

/// Sends a call by the model, as the only call of a batch.
fn call(after: &mut SessionSandbox<'_>, called: &CalledTool, sent: &MachineCall) -> SessionAnswer {
    let mut args = sent.call.with.clone();
    if let Some(id) = &sent.call.plan_id {
        args.insert("plan_id", id.as_str());
    }
    let batch = after.begin_batch();
    after.decide(&batch, called, &args, &sent.around)
}
