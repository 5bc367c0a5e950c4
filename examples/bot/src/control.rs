//! Commands that wait for nobody: they work while the model answers and while a step of a plan is carried out.
//!
//! Which commands of the plans these are is read from the machines' tables: those that only read, and those that
//! only end a plan. What they end stops at once.

use plan_machine::command::Pattern;
use plan_machine::description::{Description, EventKind, Next, Transition};
use plan_machine_sessions::{Session, SessionIdentity};

use crate::bot::Bot;
use crate::chats::Transport;
use crate::stop::Stop;

/// The bot's own commands that take nothing from a turn that is going on.
const OWN: [&str; 9] = [
    "/files",
    "/new",
    "/sessions",
    "/switch",
    "/memory",
    "/promote",
    "/where",
    "/help",
    "/title",
];

/// Work on a plan or a run. It is stopped as soon as the plan is not in the state any more in which it began.
#[derive(Clone, Debug)]
pub(crate) struct UnderWay {
    plan: String,
    state: String,
    stop: Stop,
}

/// Takes work out of the bot's list when it is over, or when nobody waits for it any more.
pub(crate) struct Listed<'b> {
    bot: &'b Bot,
    session: SessionIdentity,
    pub(crate) stop: Stop,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.bot.work_list(&self.session, |all| {
            all.retain(|one| !one.stop.is_same(&self.stop));
        });
    }
}

impl Bot {
    /// Whether a line of a chat is a command that waits for nobody.
    #[must_use]
    pub fn is_at_once(&self, transport: &Transport, line: &str) -> bool {
        let active = self.chats.active(transport);
        active.is_ok_and(|session| self.waits_for_nobody(&session, line.trim()))
    }

    /// Asks the tables and not the session, which may be busy.
    pub(crate) fn waits_for_nobody(&self, session: &SessionIdentity, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let Some(word) = words.next().filter(|word| word.starts_with('/')) else {
            return false;
        };
        if OWN.contains(&word) || word == "/mode" && words.next().is_none() {
            return true;
        }
        // A reset begins the history anew, which the model may be adding to.
        if word.eq_ignore_ascii_case("/reset") {
            return false;
        }
        only_reads_or_ends(self.chats.mode(session).descriptions(), line)
    }

    /// Waits until work on a plan or a run begins, which commands may overtake.
    pub async fn work_began(&self) {
        self.began.notified().await;
    }

    /// Whether a step of a plan or a run is being worked at in a chat's conversation.
    #[must_use]
    pub fn has_work(&self, transport: &Transport) -> bool {
        let active = self.chats.active(transport);
        active.is_ok_and(|session| self.work_list(&session, |all| !all.is_empty()))
    }

    /// Enters work on a plan into the list.
    pub(crate) fn list_work(
        &self,
        session: &SessionIdentity,
        plan: &str,
        state: &str,
    ) -> Listed<'_> {
        let stop = Stop::default();
        let one = UnderWay {
            plan: plan.to_owned(),
            state: state.to_owned(),
            stop: stop.clone(),
        };
        self.work_list(session, |all| all.push(one));
        self.began.notify_one();
        Listed {
            bot: self,
            session: session.clone(),
            stop,
        }
    }

    /// Stops the work on plans that have left the state in which it began; whether there was any.
    pub(crate) async fn stop_given_up(&self, session: &Session) -> Result<bool, String> {
        let all = self.work_list(session.identity(), |all| all.clone());
        if all.is_empty() {
            return Ok(false);
        }
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let goes_on = |one: &UnderWay| {
            let mut plans = plans.iter().map(|held| &held.plan);
            plans.any(|plan| plan.id == one.plan.as_str() && plan.state == one.state.as_str())
        };
        let mut stopped = false;
        for one in all.iter().filter(|one| !goes_on(one)) {
            one.stop.stop();
            stopped = true;
        }
        Ok(stopped)
    }
}

/// Whether the commands that a line is, of those that fit it best, only read or only end a plan.
fn only_reads_or_ends(machines: [&'static Description; 3], line: &str) -> bool {
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
                best.push((pattern.literals(), all.all(|one| is_quiet(machine, one))));
            }
        }
    }
    let most = best.iter().map(|(literals, _)| *literals).max();
    !best.is_empty()
        && best
            .iter()
            .all(|(literals, quiet)| Some(*literals) < most || *quiet)
}

/// Whether a transition changes nothing, or ends the plan and begins no other.
fn is_quiet(machine: &Description, transition: &Transition) -> bool {
    let begins = matches!(transition.next, Next::Copy(_) | Next::Fresh(_));
    match transition.to {
        Some(to) => machine.state(to).is_final && !begins,
        None => transition.writes.is_empty() && transition.emits.is_empty() && !begins,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::Mode;

    fn at_once(mode: Mode, line: &str) -> bool {
        only_reads_or_ends(mode.descriptions(), line)
    }

    #[test]
    fn commands_that_read_or_end_wait_for_nobody_and_those_that_begin_something_do() {
        for line in [
            "/plan cancel",
            "/plan cancel plan-1",
            "/plan off",
            "/plan status",
            "/auto off",
            "/auto off run-1",
            "/auto status",
        ] {
            assert!(at_once(Mode::PlanMode, line), "{line}");
        }
        for line in [
            "/plan on",
            "/plan approve",
            "/plan resume",
            "/plan tidy the house",
            "/auto on",
            "/nonsense",
        ] {
            assert!(!at_once(Mode::PlanMode, line), "{line}");
        }
        assert!(at_once(Mode::WorkByPlan, "/plan done"));
        assert!(at_once(Mode::WorkByPlan, "/plan cancel"));
        assert!(at_once(Mode::PlanBuilder, "/plan reject plan-1 no"));
        assert!(!at_once(Mode::PlanBuilder, "/plan execute plan-1"));
    }
}
