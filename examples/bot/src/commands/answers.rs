//! What a person reads of the plans' answers.

use plan_machine::gate::CommandAnswer;
use plan_machine::machine::{Acceptance, Denial, Outcome};
use plan_machine::{DenialKind, Json};

use super::LONGEST;
use crate::model::in_a_line;
use crate::outgoing::Said;
use crate::signal::why;

/// Whether a decision was about something else than the plan as it is.
pub(super) fn is_stale(answer: &CommandAnswer) -> bool {
    matches!(&answer.outcome, Outcome::Denied(denial) if denial.kind == DenialKind::Stale)
}

/// What a person reads of the answer to a line.
pub(super) fn answered(answer: &CommandAnswer, line: &str) -> Vec<Said> {
    vec![match &answer.outcome {
        // The name of a state is for programs; what the plan asks for then says in words what has happened.
        Outcome::Accepted(taken) if is_state_name(taken) => return Vec::new(),
        Outcome::Accepted(taken) if taken.reply == Json::List(Vec::new()) => {
            let none = match answer.machine.as_str() {
                "AutoRun" => "No run is going on.",
                _ => "There are none.",
            };
            Said::Notice(none.to_owned())
        }
        Outcome::Accepted(taken) if answer.machine == "AutoRun" => {
            Said::List(told_of_runs(&taken.reply))
        }
        Outcome::Accepted(taken) => return in_words(&taken.reply),
        Outcome::Run { tool, .. } => Said::Notice(format!("`{tool}` may run.")),
        Outcome::Denied(denial) if denial.kind == DenialKind::Stale => {
            let again = why(denial).replace("review it again", "review it again with `/plan show`");
            Said::Error(again)
        }
        Outcome::Denied(denial) => {
            let in_words = not_available(&answer.machine, denial, line);
            Said::Error(in_words.unwrap_or_else(|| why(denial)))
        }
    }]
}

/// Whether a machine has replied with nothing but the state that the plan is in.
fn is_state_name(taken: &Acceptance) -> bool {
    let mut plans = taken.plans.iter().chain(&taken.ended);
    plans.any(|plan| taken.reply.as_text() == Some(&*plan.state))
}

/// Why a run or the planning files do not take a command now; their states have no names that a person knows.
fn not_available(machine: &str, denial: &Denial, line: &str) -> Option<String> {
    if denial.kind != DenialKind::NotAllowed {
        return None;
    }
    match machine {
        "PlanningFiles" => Some("no planning files are open; `/plan TITLE` opens some".to_owned()),
        "AutoRun" => {
            let run = line.split_whitespace().nth(2)?;
            let how = match denial.state.as_str() {
                "completed" => "it was completed",
                "failed" => "it failed",
                "stopped" => "it was stopped",
                _ => return None,
            };
            Some(format!("{run} is over already: {how}"))
        }
        "PlanBuilder" => not_for_this_plan(&denial.state, line),
        _ => None,
    }
}

/// Why a plan of the builder does not take a command now, and what leads on from where it is.
fn not_for_this_plan(state: &str, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_again = |word: &&&str| word.eq_ignore_ascii_case("again");
    let typed = 2 + words.iter().skip(2).take(1).filter(is_again).count();
    let command = words.get(..typed)?.join(" ");
    if state == "none" {
        return Some("no plan waits for a decision; `/plan show` shows the plans".to_owned());
    }
    let plan = words.get(typed)?;
    let (is, next) = match state {
        "draft" => (
            "is still a draft",
            "tell the planner to submit it".to_owned(),
        ),
        "proposal" => {
            let decide =
                format!("`/plan approve {plan}` or `/plan reject {plan} REASON` decides about it");
            ("waits for your decision", decide)
        }
        "approved" => (
            "is approved already",
            format!("`/plan execute {plan}` carries it out"),
        ),
        "executing" => (
            "is being carried out",
            format!("`/plan cancel {plan}` gives it up"),
        ),
        "stopped" => (
            "was approved and has stopped",
            format!("`/plan execute {plan}` goes on with it"),
        ),
        "completed" => (
            "was carried out",
            format!("`/plan execute {plan}` carries it out once more"),
        ),
        "cancelled" => ("was cancelled", "ask for another plan".to_owned()),
        "rejected" => ("was rejected", "ask for another plan".to_owned()),
        _ => return None,
    };
    Some(format!("`{command}` does not apply: {plan} {is}; {next}"))
}

/// A reply in words of the bot. What a text has below its first line is what the plan says.
fn in_words(reply: &Json) -> Vec<Said> {
    let text = reply.as_text().and_then(|text| text.split_once('\n'));
    let Some((first, rest)) = text else {
        return vec![Said::List(lines(reply))];
    };
    let said = Said::Output {
        from: "the plan".to_owned(),
        text: rest.trim_start_matches('\n').to_owned(),
    };
    vec![Said::Notice(in_a_line(first, LONGEST)), said]
}

/// The runs that are going on, one a line; other replies are words already.
fn told_of_runs(reply: &Json) -> Vec<String> {
    let runs = reply.as_list().unwrap_or_default().iter();
    let runs: Option<Vec<String>> = runs.map(told_of_run).collect();
    runs.filter(|runs| !runs.is_empty())
        .unwrap_or_else(|| lines(reply))
}

fn told_of_run(run: &Json) -> Option<String> {
    let field = |key: &str| run.as_object()?.get(key)?.as_text();
    let (id, state) = (field("id")?, field("state")?);
    let task = in_a_line(field("instructions").unwrap_or("no task"), LONGEST);
    Some(match field("goal") {
        Some(goal) => format!("{id} is {state} for the goal {goal}: {task}"),
        None => format!("{id} is {state}: {task}"),
    })
}

/// A reply as people read it, its items on lines of their own.
fn lines(reply: &Json) -> Vec<String> {
    match reply {
        Json::List(items) => items.iter().map(told).collect(),
        other => vec![told(other)],
    }
}

/// A value as people read it: items and fields one after the other.
fn told(reply: &Json) -> String {
    match reply {
        Json::Text(text) => in_a_line(text, LONGEST),
        Json::List(items) => items.iter().map(told).collect::<Vec<_>>().join(", "),
        Json::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{key}: {}", told(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
