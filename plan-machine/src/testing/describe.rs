//! Formats a machine as text that changes when the machine's behavior changes.

use std::fmt::Write;

use crate::core::description::{
    Description, EventKind, Handling, Instances, Next, TextPart, Transition,
};
use crate::dynamic::machine::Machine;

/// Formats the whole machine as stable text: its states with the events that each accepts, how each tool is handled in
/// each state, the prompts and descriptions that the model reads, the titles of states and the texts of denials, and
/// the machine's exact meaning. Two machines with different fingerprints have different descriptions.
#[must_use]
pub fn describe(machine: &impl Machine) -> String {
    let tables = machine.description();
    let mut text = String::new();
    head(tables, &mut text);
    transitions(tables, &mut text);
    gating(tables, &mut text);
    prompts(tables, &mut text);
    denials(tables, &mut text);
    meaning(machine.meaning(), &mut text);
    text
}

// Writing to a `String` cannot fail.
fn line(text: &mut String, line: &str) {
    let _ = writeln!(text, "{}", line.trim_end());
}

fn head(machine: &Description, text: &mut String) {
    let instances = match machine.instances {
        Instances::One => "one plan at a time".to_owned(),
        Instances::Many { max_live: None } => "many plans".to_owned(),
        Instances::Many {
            max_live: Some(max),
        } => format!("many plans, at most {max} live"),
    };
    line(
        text,
        &format!("{}, version {}: {instances}", machine.name, machine.version),
    );
}

fn transitions(machine: &Description, text: &mut String) {
    for (at, state) in (0_u16..).zip(machine.states) {
        let mut marks = state.within.to_vec();
        marks.extend(state.is_final.then_some("final"));
        let marks = if marks.is_empty() {
            String::new()
        } else {
            format!(" ({})", marks.join(", "))
        };
        let mut titles = machine.wording.titles.iter();
        let title = titles.find(|(titled, _)| *titled == at);
        let title = title.map_or_else(String::new, |(_, title)| format!(" \"{title}\""));
        line(text, &format!("\n{}{title}{marks}", state.name));
        for transition in machine
            .transitions
            .iter()
            .filter(|transition| transition.from.contains(&at))
        {
            line(text, &format!("  {}", taken(machine, transition)));
        }
    }
}

/// Formats a transition: `approve when x → EXECUTING, requires y, writes a, emits b`.
fn taken(machine: &Description, transition: &Transition) -> String {
    let event = machine.event(transition.event);
    let mut words = match &event.kind {
        EventKind::Command { text, .. } => format!("{} ({text})", event.name),
        EventKind::Tool { .. } | EventKind::External => format!("{}()", event.name),
        EventKind::Signal => format!("«{}»", event.name),
        EventKind::Timer { period, .. } => format!("after {period}"),
        EventKind::OtherTools => "other tools".to_owned(),
    };
    if !transition.when.is_empty() {
        let _ = write!(words, " when {}", transition.when);
    }
    if let Some(to) = transition.to {
        let _ = write!(words, " → {}", machine.state(to).name);
    }
    match transition.next {
        Next::Same => {}
        Next::Nothing => words.push_str(", next none"),
        Next::Copy(leaf) => {
            let _ = write!(words, ", next {}", machine.state(leaf).name);
        }
        Next::Fresh(leaf) => {
            let _ = write!(words, ", next a fresh {}", machine.state(leaf).name);
        }
    }
    let parts = [
        ("requires", transition.require),
        ("writes", transition.writes),
        ("emits", transition.emits),
    ];
    for (word, all) in parts {
        if !all.is_empty() {
            let _ = write!(words, ", {word} {}", all.join(" and "));
        }
    }
    words
}

/// Lists each tool with its handling in the states in which events can arrive.
fn gating(machine: &Description, text: &mut String) {
    let tools = (0_u16..).zip(machine.events).filter(|(_, event)| {
        matches!(
            event.kind,
            EventKind::Tool { .. } | EventKind::External | EventKind::OtherTools
        )
    });
    line(text, "\nTools");
    for (at, tool) in tools {
        let own = matches!(tool.kind, EventKind::Tool { .. });
        let name = if matches!(tool.kind, EventKind::OtherTools) {
            "other tools"
        } else {
            tool.name
        };
        let mut by_fate: Vec<(&str, Vec<&str>)> = Vec::new();
        for (state, declared) in (0_u16..)
            .zip(machine.states)
            .filter(|(_, state)| state.can_hold)
        {
            let fate = fate(own, machine.handling(state, at));
            match by_fate.iter_mut().find(|(known, _)| *known == fate) {
                Some((_, states)) => states.push(declared.name),
                None => by_fate.push((fate, vec![declared.name])),
            }
        }
        line(text, &format!("  {name}"));
        for (fate, states) in by_fate {
            line(text, &format!("    {fate}: {}", states.join(", ")));
        }
        // The model reads the descriptions and the schemas of the machine's own tools.
        if own {
            for words in tool.doc.lines() {
                line(text, &format!("    | {words}"));
            }
            line(text, &format!("    input: {}", tool.schema));
        }
    }
}

fn fate(own: bool, handling: Handling) -> &'static str {
    match (own, handling) {
        (true, Handling::Takes) => "advertised",
        (true, _) => "not allowed",
        (false, Handling::Takes) => "recorded",
        (false, Handling::MayRun | Handling::MayRecord) => "may run",
        (false, Handling::Runs) => "runs",
        (false, Handling::Denies | Handling::Nothing) => "denied",
    }
}

fn prompts(machine: &Description, text: &mut String) {
    line(text, "\nPrompts");
    for state in machine
        .states
        .iter()
        .filter(|state| !state.prompt.is_empty())
    {
        line(text, &format!("  {}", state.name));
        for words in state.prompt.trim_end().lines() {
            line(text, &format!("    {words}"));
        }
    }
}

/// Lists the spec's texts for events that are not available, and the states in which each is shown. A machine without
/// such texts has no list.
fn denials(machine: &Description, text: &mut String) {
    let texts = machine.wording.unavailable;
    if texts.is_empty() {
        return;
    }
    line(text, "\nDenials");
    let mut before = None;
    for row in texts {
        let event = machine.event(row.event);
        if before.replace(row.event) != Some(row.event) {
            let is_other = matches!(event.kind, EventKind::OtherTools);
            let name = if is_other {
                "other tools"
            } else {
                event.shown_name()
            };
            line(text, &format!("  {name}"));
        }
        let states = row.states.iter().map(|state| machine.state(*state).name);
        let states: Vec<&str> = states.collect();
        let words: String = row.text.iter().map(template).collect();
        line(text, &format!("    {}: {words}", states.join(", ")));
    }
}

/// Formats a part of a text as specs write it.
fn template(part: &TextPart<&'static str>) -> String {
    match part {
        TextPart::Literal(words) => (*words).to_owned(),
        TextPart::Context { field, otherwise } => match otherwise {
            None => format!("{{context.{field}}}"),
            Some(words) => format!("{{context.{field} ?? {words:?}}}"),
        },
    }
}

/// Formats everything that the other sections omit: reviewed fields, bounds, defaults, and the values of changes and
/// effects.
fn meaning(meaning: &str, text: &mut String) {
    line(text, "\nMeaning");
    for words in meaning.trim_end().lines() {
        line(text, &format!("  {words}"));
    }
}
