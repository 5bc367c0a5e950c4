//! Traces as text for people.

use plan_machine_kernel::json::{Json, Object};

use super::trace::TraceStep;

/// The maximum number of equal calls in a row that get a line each. Longer sequences, such as a run that counts to one
/// hundred, are shown on one line.
const MOST_ALIKE: usize = 24;

/// The maximum width to which calls are aligned.
const MOST_WIDTH: usize = 60;

/// Formats the trace for people: one aligned line per step, or one line for many equal calls in a row.
pub(super) fn shown(steps: &[TraceStep]) -> String {
    let all: Vec<Line> = lines(steps);
    let widths = all.iter().map(|line| line.call.chars().count());
    let width = widths.max().unwrap_or(0).min(MOST_WIDTH);
    let texts: Vec<String> = all.iter().map(|line| line.text(width)).collect();
    texts.join("\n")
}

/// One line of a trace.
struct Line {
    /// The number of the step; for several steps, the numbers of the first and the last step.
    number: String,
    call: String,
    result: String,
}

impl Line {
    fn text(&self, width: usize) -> String {
        let Self {
            number,
            call,
            result,
        } = self;
        let pad = " ".repeat(width.saturating_sub(call.chars().count()));
        format!("{number}. {call}{pad} → {result}")
    }
}

/// Returns the lines of a trace.
fn lines(steps: &[TraceStep]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut before = Object::new();
    let mut first = 0;
    for alike in steps.chunk_by(|one, other| call(one) == call(other) && state(one) == state(other))
    {
        let parts: Vec<&[TraceStep]> = if alike.len() > MOST_ALIKE {
            vec![alike]
        } else {
            alike.chunks(1).collect()
        };
        for part in parts {
            lines.extend(line(part, first, &before));
            first += part.len();
            let last = part.last().and_then(|step| step.data.as_object());
            before = last.cloned().unwrap_or_default();
        }
    }
    lines
}

/// Returns the line for one or more equal steps; the first of them has the index `first`.
fn line(steps: &[TraceStep], first: usize, before: &Object) -> Option<Line> {
    let last = steps.last()?;
    // For a plan that ended, show its last changes.
    let data = match &last.ended {
        Some((_, data)) if last.state == "none" => data,
        _ => &last.data,
    };
    let (number, times) = match steps.len() {
        1 => ((first + 1).to_string(), String::new()),
        count => {
            let number = format!("{}–{}", first + 1, first + count);
            (number, format!(", {count} times"))
        }
    };
    Some(Line {
        number,
        call: call(last) + &times,
        result: state(last) + &changes(before, data),
    })
}

/// Returns a call with its payload and its context.
fn call(step: &TraceStep) -> String {
    let mut text = match step.wait {
        Some(period) => format!("wait {period}"),
        None => step.event.clone(),
    };
    if !step.with.is_empty() {
        text.push(' ');
        text.push_str(&step.with.to_string());
    }
    step.tell_context(&mut text);
    text
}

/// Returns the state after a step.
fn state(step: &TraceStep) -> String {
    match &step.ended {
        Some((ended, _)) => format!("{ended}, then {}", step.state),
        None if step.runs => format!("runs in {}", step.state),
        None => step.state.clone(),
    }
}

/// Describes what a step changed in the data.
fn changes(before: &Object, after: &Json) -> String {
    let Some(after) = after.as_object() else {
        return String::new();
    };
    let mut parts: Vec<String> = after
        .iter()
        .filter(|(key, value)| before.get(key) != Some(*value))
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    let gone = before.iter().filter(|(key, _)| after.get(key).is_none());
    parts.extend(gone.map(|(key, _)| format!("{key} unset")));
    if parts.is_empty() {
        String::new()
    } else {
        format!("   ({})", parts.join(", "))
    }
}
