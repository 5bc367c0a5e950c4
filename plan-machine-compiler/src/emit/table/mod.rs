//! Tables for a terminal: how each state handles each event, and what happens to each tool.

mod grid;

use crate::model::machine::{Fate as CallFate, HandlerKind, Machine, Next, Transition};
use crate::model::{Checked, EventId, StateId, TransitionId};

use super::chart::{Fate, host_tools};
use super::text::{NO_BREAK, folded, width};
use super::words::{self, Sender};
use grid::{Cell, Grid};

/// The maximum length of a condition in a cell, in characters.
const GUARD: usize = 60;

/// Returns both tables, each with its heading and legend, in lines of at most `width` columns, unless a single column
/// is wider than that.
#[must_use]
pub fn table(machine: &Checked<Machine>, width: usize) -> String {
    format!("{}\n{}", steps(machine, width), gating(machine, width))
}

/// Returns the state × event table: how each state handles each event, including inherited
/// handlers.
#[must_use]
pub fn steps(machine: &Checked<Machine>, width: usize) -> String {
    let events: Vec<EventId> = machine
        .event_ids()
        .filter(|event| moves_something(machine, *event))
        .collect();
    let grid = grid_of(machine, &events, |leaf, event| {
        step_cell(machine, leaf, event)
    });
    let heading = format!("{}: what each state does with each event", machine.name);
    let heading = side_by_side(&[&heading], width);
    format!(
        "{heading}\n{}{}",
        grid.fitted("event", width),
        legend(machine, width)
    )
}

/// Returns the gating matrix: which tools each state advertises, runs, records and denies.
#[must_use]
pub fn gating(machine: &Checked<Machine>, width: usize) -> String {
    let own = machine
        .event_ids()
        .filter(|event| words::sender(machine, *event) == Sender::Tool);
    let host = host_tools(machine).chain([machine.other_tools()]);
    let tools: Vec<EventId> = own.chain(host).collect();
    let cell = |leaf, tool| vec![fate(machine, leaf, tool).to_owned()];
    let grid = grid_of(machine, &tools, cell);
    let heading = format!("{}: what happens to each tool", machine.name);
    let heading = side_by_side(&[&heading], width);
    let mut legend = vec![
        "advertised: the model can call this tool of the machine",
        "runs, recorded, denied: what happens to a call to this host tool",
    ];
    let mut cells = grid.rows.iter().flat_map(|(_, cells)| cells).flatten();
    if cells.any(|cell| cell == Fate::Chosen.word()) {
        legend.push("may run: the alternatives decide about each call");
    }
    legend.push("· not allowed");
    let legend = side_by_side(&legend, width);
    format!("{heading}\n{}{legend}", grid.fitted("tool", width))
}

/// Returns a grid with a row for `none` and for each state in which a plan can receive events, and a column for each of
/// `events`.
fn grid_of(machine: &Machine, events: &[EventId], cell: impl Fn(StateId, EventId) -> Cell) -> Grid {
    let column = |event: &EventId| words::event(machine, *event);
    let row = |leaf: StateId| {
        let cells = events.iter().map(|event| cell(leaf, *event));
        (machine.state(leaf).name.clone(), cells.collect())
    };
    Grid {
        corner: "state".to_owned(),
        columns: events.iter().map(column).collect(),
        rows: holders(machine).map(row).collect(),
    }
}

/// Returns `none` and the leaves in which a plan can receive events.
fn holders(machine: &Machine) -> impl Iterator<Item = StateId> {
    machine.leaves().filter(|leaf| machine.can_hold(*leaf))
}

/// Returns whether an event belongs in the table of steps. A host tool belongs in the table only if some state takes a
/// transition for calls to this tool.
fn moves_something(machine: &Machine, event: EventId) -> bool {
    words::sender(machine, event) != Sender::OtherTool
        || machine
            .leaves()
            .any(|leaf| machine.alternatives(leaf, event).is_some())
}

fn fate(machine: &Machine, leaf: StateId, tool: EventId) -> &'static str {
    if words::sender(machine, tool) == Sender::OtherTool {
        return Fate::of(machine, leaf, tool).word();
    }
    match machine.alternatives(leaf, tool) {
        Some(_) => "advertised",
        None => "·",
    }
}

fn step_cell(machine: &Machine, leaf: StateId, event: EventId) -> Cell {
    let entry = machine
        .entry(leaf, event)
        .map(|id| &machine.handler(id).kind);
    match entry {
        Some(HandlerKind::Transitions(all)) => {
            all.iter().map(|id| alternative(machine, *id)).collect()
        }
        _ if words::sender(machine, event) == Sender::OtherTool => {
            vec![Fate::of(machine, leaf, event).word().to_owned()]
        }
        _ => vec!["·".to_owned()],
    }
}

/// Formats an alternative, for example `[steps is empty] → CANCELLED, next none; emits plan_over`.
fn alternative(machine: &Machine, id: TransitionId) -> String {
    let transition = machine.transition(id);
    let guard =
        words::guard(machine, id, GUARD).map_or_else(String::new, |guard| format!("[{guard}] "));
    if transition.fate == CallFate::Deny {
        return format!("{guard}denied");
    }
    let denies = if transition.require.is_empty() {
        ""
    } else {
        " ?"
    };
    let effects = match words::effects(machine, &transition.emit) {
        effects if effects.is_empty() => String::new(),
        effects => format!("; emits {}", effects.join(", ")),
    };
    format!("{guard}{}{denies}{effects}", outcome(machine, transition))
}

fn outcome(machine: &Machine, transition: &Transition) -> String {
    let mut parts = Vec::new();
    if let Some(to) = transition.to {
        let leaf = machine.state(to).initial_leaf;
        parts.push(format!("→{NO_BREAK}{}", machine.state(leaf).name));
    }
    if let Some(next) = transition.next {
        let leaf = machine.state(words::next_state(next)).initial_leaf;
        let fresh = if matches!(next, Next::Fresh(_)) {
            "fresh\u{a0}"
        } else {
            ""
        };
        parts.push(format!("next{NO_BREAK}{fresh}{}", machine.state(leaf).name));
    }
    if parts.is_empty() && transition.fate != CallFate::Run {
        parts.push(staying(machine, transition));
    }
    if transition.fate.runs() {
        parts.push("runs".to_owned());
    }
    parts.join(", ")
}

fn staying(machine: &Machine, transition: &Transition) -> String {
    let fields = transition
        .changes
        .iter()
        .map(|change| machine.field(change.field).name.as_str());
    let fields: Vec<&str> = fields.collect();
    if !fields.is_empty() {
        format!("↺ {}", fields.join(", "))
    } else if transition.fate == CallFate::Count {
        "stored".to_owned()
    } else if words::reads(machine, machine.handler(transition.handler).event) {
        "reads".to_owned()
    } else if transition.reply.is_some() {
        "replies".to_owned()
    } else {
        "stays".to_owned()
    }
}

fn legend(machine: &Machine, width: usize) -> String {
    let signs = [
        "→ moves",
        "↺ changes data",
        "? has requirements",
        "· not allowed",
    ];
    let signs = side_by_side(&signs, width);
    let ended = machine.leaves().filter(|leaf| !machine.can_hold(*leaf));
    let ended: Vec<&str> = ended
        .map(|leaf| machine.state(leaf).name.as_str())
        .collect();
    if ended.is_empty() {
        return signs;
    }
    let ended = format!("final states: {}", ended.join(", "));
    signs + &side_by_side(&[&ended], width)
}

/// Joins remarks on as few lines as the width allows.
fn side_by_side(remarks: &[&str], most: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for remark in remarks {
        match lines.last_mut() {
            Some(line) if width(line) + 3 + width(remark) <= most => {
                line.extend(["   ", remark]);
            }
            _ => lines.extend(folded(remark, most)),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::samples::{compiled, corpus, spec};
    use super::*;

    #[test]
    fn what_happens_to_each_tool_is_seen_at_a_glance() {
        insta::assert_snapshot!(gating(&spec("plan_mode"), 100), @r"
        PlanMode: what happens to each tool

        ┌─────────────────────┬─────────────────┬─────────────┐
        │ state               │ plan_finalize() │ other tools │
        ├─────────────────────┼─────────────────┼─────────────┤
        │ none                │ ·               │ runs        │
        │ COLLECTING          │ advertised      │ recorded    │
        │ READY               │ ·               │ denied      │
        │ EXECUTING           │ ·               │ runs        │
        │ PARTIALLY_COMPLETED │ ·               │ runs        │
        └─────────────────────┴─────────────────┴─────────────┘
        advertised: the model can call this tool of the machine
        runs, recorded, denied: what happens to a call to this host tool   · not allowed
        ");
    }

    #[test]
    fn a_tool_that_alternatives_decide_about_is_explained() {
        let machine = compiled(
            "counted",
            "
machine: Counted
data: { calls: { type: int, default: 0 } }
commands: { begin: /begin, end: /end }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    other_tools: [{ when: calls < 3, set: { calls: calls + 1 }, run: true }, deny]
    on: { end: { to: DONE, next: none } }
  DONE: { final: true }
",
        );
        let text = gating(&machine, 100);
        assert!(text.contains("│ may run"), "{text}");
        assert!(
            text.contains("may run: the alternatives decide about each call"),
            "{text}"
        );
    }

    #[test]
    fn a_cell_tells_moves_successors_changes_and_reads() {
        let text = steps(&spec("work_by_plan"), 200);
        for cell in [
            "→ CLOSED, next none",
            "→ SUPERSEDED, next READY",
            "reads ?",
            "→ COLLECTING",
        ] {
            assert!(text.contains(cell), "{cell}\n{text}");
        }
        let text = steps(&spec("plan_mode"), 300);
        assert!(text.contains("[steps is empty] → CANCELLED,"), "{text}");
        assert!(text.contains("[else] → READY"), "{text}");
    }

    #[test]
    fn states_that_never_hold_the_slot_are_named_below() {
        let text = steps(&spec("work_by_plan"), 100);
        assert!(
            text.contains("final states: CANCELLED, CLOSED, SUPERSEDED\n"),
            "{text}"
        );
    }

    #[test]
    fn what_is_around_the_tables_is_folded_too() {
        for (name, machine) in corpus() {
            let text = table(&machine, 30);
            let around = text
                .lines()
                .filter(|line| !line.starts_with(['┌', '│', '├', '└']));
            let wide = around.clone().find(|line| width(line) > 30);
            assert_eq!(wide, None, "{name}");
            assert!(around.count() > 12, "{name}\n{text}");
        }
    }

    #[test]
    fn every_spec_of_the_corpus_fits_a_terminal_of_100_columns() {
        for (name, machine) in corpus() {
            let text = table(&machine, 100);
            let wide = text.lines().find(|line| width(line) > 100);
            assert_eq!(wide, None, "{name}");
        }
    }
}
