//! Draws the states of a machine, and the transitions from the current state of its plan.

use plan_machine::description::{Description, Event, EventKind, Handling, Next, Transition};
use plan_machine::gate::Gate;

use super::parts::Conversation;
use crate::error::HostError;

impl Conversation<'_> {
    /// Draws the plans of the conversation, one drawing per machine.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn diagrams(&self) -> Result<Vec<Diagram>, HostError> {
        let infos = self.host.tools.infos();
        let tools: Vec<&str> = infos.iter().map(|info| info.name).collect();
        Ok(self.session.at_gate(|gate| draw(gate, &tools)).await?)
    }
}

/// Draws the machines of a session. Whether a call to a host tool runs depends on all machines, so
/// only the first drawing shows the tools.
fn draw(gate: &Gate, tools: &[&str]) -> Vec<Diagram> {
    let running: Vec<_> = gate
        .machines()
        .iter()
        .map(|running| {
            let machine = running.description();
            let plans = running.plans();
            let states = plans
                .iter()
                .filter_map(|plan| machine.state_named(&plan.state));
            let states = states.filter(|state| leads_on(machine, *state));
            (machine, states.collect::<Vec<u16>>())
        })
        .collect();
    let mut gated = gated(gate, tools);
    let machines = running.iter().map(|(machine, states)| Diagram {
        machine: machine.name,
        is_empty: states.is_empty(),
        row: row(machine, states),
        ways: ways(machine, here(states)),
        gated: std::mem::take(&mut gated),
    });
    machines.collect()
}

/// A drawing of a machine.
pub struct Diagram {
    /// The name of the machine.
    pub machine: &'static str,
    /// Whether the machine has no plan that still accepts events.
    pub is_empty: bool,
    /// The states in which a plan still accepts events; the current states are in brackets.
    row: String,
    /// The transitions of the newest plan, or of an empty slot if there is no plan.
    ways: Vec<String>,
    /// Which tools run, are recorded, or are denied.
    gated: Vec<String>,
}

impl Diagram {
    /// Returns the whole drawing.
    #[must_use]
    pub fn text(&self) -> String {
        self.with(self.ways.iter().chain(&self.gated))
    }

    /// Returns the changes since an earlier drawing: the new state of the machine, and how tools are gated if that has
    /// changed as well. Returns `None` if the state is the same.
    #[must_use]
    pub fn since(&self, before: &Self) -> Option<String> {
        let gated = self
            .gated
            .iter()
            .filter(|line| !before.gated.contains(line));
        (self.row != before.row).then(|| self.with(gated))
    }

    fn with<'a>(&self, lines: impl Iterator<Item = &'a String>) -> String {
        let mut text = format!("  {}: {}", self.machine, self.row);
        let mut lines = lines.peekable();
        while let Some(line) = lines.next() {
            let branch = if lines.peek().is_some() {
                "├─"
            } else {
                "└─"
            };
            text.extend(["\n    ", branch, " ", line]);
        }
        text
    }
}

/// Returns whether a plan in a state still accepts events. This can be true in a final state: once a plan of
/// `work_by_plan` is complete, `/plan on` starts the next one.
pub(super) fn leads_on(machine: &Description, state: u16) -> bool {
    let mut transitions = machine.transitions.iter();
    !machine.state(state).is_final || transitions.any(|transition| transition.from.contains(&state))
}

/// Returns the states in which a plan of a machine still accepts events; the current states are in brackets.
fn row(machine: &Description, states: &[u16]) -> String {
    let row = (0_u16..).zip(machine.states);
    let row = row.filter(|(at, _)| leads_on(machine, *at));
    let row = row.map(|(at, state)| {
        if at == here(states) || states.contains(&at) {
            format!("[{}]", state.name)
        } else {
            state.name.to_owned()
        }
    });
    row.collect::<Vec<_>>().join(" · ")
}

/// Returns the state of the newest plan, or the state of an empty slot if there is no plan.
fn here(states: &[u16]) -> u16 {
    states.last().copied().unwrap_or_default()
}

/// Returns the transitions from the current state, grouped by target.
fn ways(machine: &Description, here: u16) -> Vec<String> {
    let all = machine.transitions.iter();
    let all: Vec<&Transition> = all.filter(|one| one.from.contains(&here)).collect();
    // If an event has several targets, each transition is shown with its condition.
    let leads_elsewhere = |one: &Transition| {
        let mut others = all.iter().filter(|other| other.event == one.event);
        others.any(|other| target(machine, other) != target(machine, one))
    };
    let mut ways: Vec<(String, Vec<String>)> = Vec::new();
    for transition in &all {
        let Some(mut sent) = sent(machine.event(transition.event)) else {
            continue;
        };
        if leads_elsewhere(transition) && !transition.when.is_empty() {
            sent = format!("{sent} if {}", transition.when);
        }
        let to = target(machine, transition);
        match ways.iter_mut().find(|(known, _)| *known == to) {
            Some((_, events)) if events.contains(&sent) => {}
            Some((_, events)) => events.push(sent),
            None => ways.push((to, vec![sent])),
        }
    }
    let ways = ways.into_iter().map(|(to, events)| {
        let events = events.join(", ");
        if to.is_empty() {
            format!("{events}: no state change")
        } else {
            format!("{events} ─▶ {to}")
        }
    });
    ways.collect()
}

/// Formats an event: a command as it is typed, a tool by its name, and a signal or a timer in parentheses; `None` for a
/// host tool.
fn sent(event: &Event) -> Option<String> {
    Some(match event.kind {
        EventKind::Command { text, .. } => text.split('{').next()?.trim().to_owned(),
        EventKind::Tool { .. } => event.name.to_owned(),
        EventKind::Signal => format!("({})", event.name),
        EventKind::Timer { period, .. } => format!("(after {period})"),
        EventKind::External | EventKind::OtherTools => return None,
    })
}

/// Returns the target of a transition, or an empty string if the state does not change.
fn target(machine: &Description, transition: &Transition) -> String {
    let to = transition.to.map(|to| machine.state(to).name);
    let next = match transition.next {
        Next::Same => None,
        Next::Nothing => Some("none"),
        Next::Copy(state) | Next::Fresh(state) => Some(machine.state(state).name),
    };
    let both = to.into_iter().chain(next);
    both.collect::<Vec<_>>().join(", then ")
}

/// Describes how the host's tools are gated.
fn gated(gate: &Gate, tools: &[&str]) -> Vec<String> {
    let fates = [
        (Handling::Runs, "run"),
        (Handling::MayRun, "may run"),
        (Handling::MayRecord, "may run or are recorded"),
        (Handling::Takes, "are recorded"),
        (Handling::Denies, "are denied"),
    ];
    let lines = fates.into_iter().filter_map(|(fate, what)| {
        let meant = tools.iter().filter(|tool| gate.handling_of(tool) == fate);
        let meant: Vec<&str> = meant.copied().collect();
        match meant.len() {
            0 => None,
            all if all == tools.len() => Some(format!("all tools {what}")),
            _ => Some(format!("{} {what}", meant.join(", "))),
        }
    });
    lines.collect()
}
