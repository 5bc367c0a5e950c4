//! Work that commands may interrupt: a command may run while the work is in progress, and may end the work. Such work
//! is a step of a plan, a turn of a run, or the model's turn in a conversation that has a plan.
//!
//! The machines' tables show which plan commands run immediately: those that only read, those that only end a plan, and
//! those that start a plan in a state in which no host tool runs. When a plan ends, the work on it stops immediately.

use plan_machine::command::Pattern;
use plan_machine::description::{Description, EventKind, Next, Transition};
use plan_machine::{Lifecycle, MachineTypes};
use plan_machine_sessions::{SessionIdentity, SessionPlan};

use super::commands::{OWN, WAIT_FOR_NOBODY, is_plan_word, is_word};
use super::desk::{Ground, UnderWay};
use super::parts::{Conversation, Host};
use crate::chats::Transport;
use crate::error::HostError;
use crate::stop::Stop;

/// An entry in the list of work. The entry is removed when the work is over or abandoned.
pub struct WorkEntry<'h> {
    host: &'h Host,
    session: SessionIdentity,
    /// Stops the work.
    pub stop: Stop,
}

impl Drop for WorkEntry<'_> {
    fn drop(&mut self) {
        self.host.desk(&self.session, |desk| {
            desk.work.retain(|one| !one.stop.is_same(&self.stop));
        });
    }
}

impl Host {
    /// Returns whether a line from a chat is a command that runs immediately.
    #[must_use]
    pub fn is_at_once(&self, transport: &Transport, line: &str) -> bool {
        let active = self.chats.active(transport);
        active.is_ok_and(|session| self.waits_for_nobody(&session, line.trim()))
    }

    /// Returns whether a line runs immediately. Only the tables are read, not the session, which may be busy.
    pub(super) fn waits_for_nobody(&self, session: &SessionIdentity, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let Some(word) = words.next().filter(|word| word.starts_with('/')) else {
            return false;
        };
        let mut own = self.modes.commands().map(|(text, _)| text);
        let is_own = own.any(|text| text.split_whitespace().next() == Some(word));
        let next = words.next();
        if is_own || WAIT_FOR_NOBODY.contains(&word) || is_reading(word, next) {
            return true;
        }
        // A reset starts the history over, and the model may be adding to that history.
        if word.eq_ignore_ascii_case("/reset") {
            return false;
        }
        let mut known = OWN.iter().map(|(text, _)| text);
        if word != "/plan" && known.any(|text| text.split_whitespace().next() == Some(word)) {
            return false;
        }
        waits_for_nothing(self.mode_of(session).tables(), line)
    }

    /// Stops the model's turn in a chat's conversation if the line is a command that cannot run during the turn and
    /// makes the turn's result useless: the command starts the conversation over, or changes its mode.
    pub fn stop_turn_for(&self, transport: &Transport, line: &str) {
        let mut words = line.split_whitespace();
        let ends = match words.next() {
            Some("/mode") => words.next().is_some(),
            Some(word) => word.eq_ignore_ascii_case("/reset"),
            None => false,
        };
        if let Some(session) = self.chats.active(transport).ok().filter(|_| ends)
            && let Some(stop) = self.desk(&session, |desk| desk.stop_turn.clone())
        {
            stop.stop();
        }
    }

    /// Waits until the host starts to work on a plan. Commands may run during this work.
    pub async fn work_began(&self) {
        self.began.notified().await;
    }

    /// Returns whether work on a plan is in progress in a chat's conversation.
    #[must_use]
    pub fn has_work(&self, transport: &Transport) -> bool {
        let active = self.chats.active(transport);
        active.is_ok_and(|session| self.desk(&session, |desk| !desk.work.is_empty()))
    }
}

impl<'h> Conversation<'h> {
    /// Adds work on a plan to the list of work. The work is stopped when the plan leaves its current state.
    #[must_use]
    pub fn enter_work<M: Lifecycle>(
        &self,
        plan: &str,
        state: <M as MachineTypes>::State,
    ) -> WorkEntry<'h> {
        let stop = Stop::default();
        let ground = Ground::State {
            machine: M::MACHINE.name,
            plan: plan.to_owned(),
            state: M::state_name(state),
        };
        let entry = self.enter(ground, stop);
        self.host.began.notify_one();
        entry
    }

    /// Adds the model's turn to the list of work if the conversation has a plan. The turn is stopped when a person ends
    /// the plan. If the machine can have many plans, the turn is not added, because it is unknown which plan the turn
    /// is about.
    pub(super) async fn enter_turn(&self, stop: &Stop) -> Result<Option<WorkEntry<'h>>, HostError> {
        let machine = self.mode().plans();
        if machine.is_many() || !has_live_plan(machine, &self.session.plans().await?) {
            return Ok(None);
        }
        Ok(Some(self.enter(Ground::LivePlan(machine), stop.clone())))
    }

    fn enter(&self, ground: Ground, stop: Stop) -> WorkEntry<'h> {
        let session = self.session.identity().clone();
        let one = UnderWay {
            ground,
            stop: stop.clone(),
        };
        self.host.desk(&session, |desk| desk.work.push(one));
        WorkEntry {
            host: self.host,
            session,
            stop,
        }
    }

    /// Stops the work on plans that have ended or left the state in which the work started; returns whether any work
    /// was stopped.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn stop_given_up(&self) -> Result<bool, HostError> {
        let all = self.desk(|desk| desk.work.clone());
        if all.is_empty() {
            return Ok(false);
        }
        let plans = self.session.plans().await?;
        let goes_on = |one: &UnderWay| match &one.ground {
            Ground::State { plan, state, .. } => {
                let mut plans = plans.iter().map(|held| &held.plan);
                plans.any(|one| one.id == plan.as_str() && one.state == *state)
            }
            Ground::LivePlan(machine) => has_live_plan(machine, &plans),
        };
        let mut stopped = false;
        for one in all.iter().filter(|one| !goes_on(one)) {
            one.stop.stop();
            stopped = true;
        }
        Ok(stopped)
    }

    /// Notes the plan whose recorded call is in progress, or `None` if no call is in progress.
    pub fn note_call(&self, plan: Option<&str>) {
        self.desk(|desk| desk.under_way = plan.map(str::to_owned));
    }

    /// Returns the plan whose recorded call was in progress, and clears the note about it. Only the task that performs
    /// effects calls this method, so the call must have been interrupted.
    #[must_use]
    pub fn take_interrupted(&self) -> Option<String> {
        self.desk(|desk| desk.under_way.take())
    }
}

/// Returns whether a machine has a plan that has not ended.
fn has_live_plan(machine: &Description, plans: &[SessionPlan]) -> bool {
    let mut own = plans.iter().filter(|held| held.machine == machine.name);
    own.any(|held| !is_over(machine, held))
}

/// Returns whether a plan of a machine has ended.
pub(super) fn is_over(machine: &Description, held: &SessionPlan) -> bool {
    let state = machine.state_named(&held.plan.state);
    state.is_none_or(|at| machine.state(at).is_final)
}

/// Returns whether one of the host's own commands only reads.
fn is_reading(word: &str, next: Option<&str>) -> bool {
    match word {
        "/mode" => next.is_none(),
        _ => is_plan_word(word) && next.is_some_and(|next| is_word(next, "show")),
    }
}

/// Returns whether the commands that best match a line only read, only end a plan, or start a plan in a state in which
/// no host tool runs. A line that matches no command also runs at once, because it only gets an error.
fn waits_for_nothing(machines: impl Iterator<Item = &'static Description>, line: &str) -> bool {
    let mut best: Vec<(usize, bool)> = Vec::new();
    for machine in machines {
        for (at, event) in (0_u16..).zip(machine.events) {
            let EventKind::Command { text, .. } = event.kind else {
                continue;
            };
            let fits = |pattern: &Pattern| pattern.matches(line, &|_, _| true).is_some();
            if let Some(pattern) = Pattern::parse(text).ok().filter(fits) {
                let of_event = |one: &&Transition| one.event == at;
                let mut all = machine.transitions.iter().filter(of_event);
                best.push((
                    pattern.literals(),
                    all.all(|one| is_quiet(machine, one) || closes_gate(machine, one)),
                ));
            }
        }
    }
    let most = best.iter().map(|(literals, _)| *literals).max();
    best.iter()
        .all(|(literals, quiet)| Some(*literals) < most || *quiet)
}

/// Returns whether a transition changes nothing, or ends the plan without starting another one.
fn is_quiet(machine: &Description, transition: &Transition) -> bool {
    let begins = matches!(transition.next, Next::Copy(_) | Next::Fresh(_));
    match transition.to {
        Some(to) => machine.state(to).is_final && !begins,
        None => transition.writes.is_empty() && transition.emits.is_empty() && !begins,
    }
}

/// Returns whether a transition starts a plan in a state in which no host tool runs, and emits no effect. A command
/// with such a transition must not wait for the turn of a model that is making calls, because those calls must not run
/// anymore.
fn closes_gate(machine: &Description, transition: &Transition) -> bool {
    let starts_in = match transition.next {
        Next::Copy(state) | Next::Fresh(state) => Some(state),
        Next::Same if transition.from == [0] => transition.to,
        Next::Same | Next::Nothing => None,
    };
    let runs = |state: u16| machine.handling(state, machine.other_tools()).may_run();
    transition.emits.is_empty() && starts_in.is_some_and(|state| !runs(state))
}

#[cfg(test)]
mod tests {
    use plan_machine::MachineTypes as _;
    use plan_specs::{auto_run, plan_builder, plan_mode, planning_files, work_by_plan};

    use super::*;

    fn at_once(plans: &'static Description, line: &str) -> bool {
        let runs = auto_run::Machine::MACHINE;
        let files = planning_files::Machine::MACHINE;
        waits_for_nothing([plans, runs, files].into_iter(), line)
    }

    #[test]
    fn the_hosts_reading_commands_are_known_in_capitals() {
        for (word, next) in [
            ("/mode", None),
            ("/plan", Some("show")),
            ("/plan", Some("SHOW")),
            ("/PLAN", Some("Show")),
        ] {
            assert!(is_reading(word, next), "{word} {next:?}");
        }
        for (word, next) in [("/mode", Some("plan_mode")), ("/plan", Some("end"))] {
            assert!(!is_reading(word, next), "{word} {next:?}");
        }
    }

    #[test]
    fn commands_that_read_or_end_or_close_the_gate_run_at_once_and_those_that_start_something_wait()
    {
        for line in [
            "/plan cancel",
            "/plan cancel plan-1",
            "/plan off",
            "/plan on",
            "/plan status",
            "/auto off",
            "/auto off run-1",
            "/auto status",
            "/nonsense",
        ] {
            assert!(at_once(plan_mode::Machine::MACHINE, line), "{line}");
        }
        for line in [
            "/plan approve",
            "/plan resume",
            "/plan tidy the house",
            "/auto on",
        ] {
            assert!(!at_once(plan_mode::Machine::MACHINE, line), "{line}");
        }
        assert!(at_once(work_by_plan::Machine::MACHINE, "/plan done"));
        // Tools run while the model drafts, so there is no gate to close.
        assert!(!at_once(work_by_plan::Machine::MACHINE, "/plan on"));
        assert!(at_once(work_by_plan::Machine::MACHINE, "/plan cancel"));
        let builder = plan_builder::Machine::MACHINE;
        assert!(at_once(builder, "/plan reject plan-1 no"));
        assert!(!at_once(builder, "/plan execute plan-1"));
    }
}
