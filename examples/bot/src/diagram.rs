//! Where plans are, drawn: the states that a machine has, and what leads on from the one it is in.

use plan_machine::description::{Description, Event, EventKind, Handling, Next, Transition};
use plan_machine::gate::Gate;

/// Draws the machines of a session: each with its name, and whether it holds a plan.
pub(crate) fn draw(gate: &Gate, tools: &[&str]) -> Vec<Diagram> {
    let machines = gate.machines().iter().map(|running| {
        let machine = running.description();
        let plans = running.plans();
        let states: Vec<u16> = plans
            .iter()
            .filter_map(|plan| machine.state_named(&plan.state))
            .filter(|state| leads_on(machine, *state))
            .collect();
        Diagram {
            machine: machine.name,
            is_empty: states.is_empty(),
            text: drawn(machine, &states, tools),
        }
    });
    machines.collect()
}

/// A machine, drawn.
pub(crate) struct Diagram {
    /// Its name.
    pub(crate) machine: &'static str,
    /// It holds no plan.
    pub(crate) is_empty: bool,
    /// The drawing.
    pub(crate) text: String,
}

/// Whether a plan in a state can still be spoken to: a plan of the builder can be carried out after the last
/// change that anybody makes to it.
fn leads_on(machine: &Description, state: u16) -> bool {
    let mut transitions = machine.transitions.iter();
    !machine.state(state).is_final || transitions.any(|transition| transition.from.contains(&state))
}

/// The row of states, and the ways on from the newest plan, or from no plan.
fn drawn(machine: &Description, states: &[u16], tools: &[&str]) -> String {
    let here = states.last().copied().unwrap_or_default();
    let row = (0_u16..).zip(machine.states).map(|(at, state)| {
        if at == here || states.contains(&at) {
            format!("[{}]", state.name)
        } else {
            state.name.to_owned()
        }
    });
    let row = row.collect::<Vec<_>>().join(" · ");
    let mut lines = vec![format!("{}: {row}", machine.name)];
    lines.extend(ways(machine, here));
    lines.extend(gated(machine, here, tools));
    let last = lines.len() - 1;
    let lines = (0..).zip(lines).map(|(at, line)| match at {
        0 => format!("  {line}"),
        at if at == last => format!("    └─ {line}"),
        _ => format!("    ├─ {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What leads on, by where it leads.
fn ways(machine: &Description, here: u16) -> Vec<String> {
    let mut ways: Vec<(String, Vec<String>)> = Vec::new();
    for transition in machine.transitions {
        let Some(sent) = sent(machine.event(transition.event)) else {
            continue;
        };
        if !transition.from.contains(&here) {
            continue;
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
            format!("{events}: it stays")
        } else {
            format!("{events} ─▶ {to}")
        }
    });
    ways.collect()
}

/// How an event is sent: as a person types it, by the name of a tool, or, by the host, in brackets.
fn sent(event: &Event) -> Option<String> {
    Some(match event.kind {
        EventKind::Command { text, .. } => text.split('{').next()?.trim().to_owned(),
        EventKind::Tool { .. } => event.name.to_owned(),
        EventKind::Signal => format!("({})", event.name),
        EventKind::External | EventKind::OtherTools => return None,
    })
}

/// Where a transition leads; nothing where the plan stays where it is.
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

/// What becomes of the host's tools.
fn gated(machine: &Description, here: u16, tools: &[&str]) -> Vec<String> {
    let fate = |tool: &str| {
        let event = machine.event_named(tool).unwrap_or(machine.other_tools());
        machine.handling(here, event)
    };
    let fates = [
        ("run", &[Handling::Runs][..]),
        ("are written down", &[Handling::Takes]),
        ("are denied", &[Handling::Denies, Handling::Nothing]),
    ];
    let lines = fates.into_iter().filter_map(|(what, fates)| {
        let tools = tools.iter().filter(|tool| fates.contains(&fate(tool)));
        let tools: Vec<&str> = tools.copied().collect();
        (!tools.is_empty()).then(|| format!("{} {what}", tools.join(", ")))
    });
    lines.collect()
}
