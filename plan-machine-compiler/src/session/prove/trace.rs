//! Runs of a session: the steps that lead to a situation, as data that can be run again.

use std::fmt::Write as _;

use plan_machine_kernel::json::{Json, Object};

use crate::prove::TraceStep;
use crate::session::model::Session;

/// One step of a run.
#[derive(Clone, Debug)]
pub(super) struct SessionStep {
    /// The machine that the step is about.
    pub(super) machine: usize,
    /// Whether the step is a call by the model, so that the session decides what happens to it.
    pub(super) by_model: bool,
    pub(super) step: TraceStep,
    /// The name of the event or of the called tool.
    pub(super) event: String,
    /// The class of a call to a host tool.
    pub(super) class: Option<String>,
}

impl SessionStep {
    /// Returns what is sent, as `plan-machine run` reads it.
    fn sent(&self, session: &Session) -> (&'static str, String) {
        if let Some(period) = self.step.wait {
            ("wait", period.to_string())
        } else if self.by_model {
            ("tool", self.event.clone())
        } else {
            let machine = &session.members[self.machine].name;
            ("do", format!("{machine}.{}", self.event))
        }
    }

    /// Returns the step as the object that `plan-machine run` reads.
    pub(super) fn json(&self, session: &Session) -> Json {
        let (key, event) = self.sent(session);
        let mut object = Object::new();
        object.push(key, event);
        if let Some(class) = &self.class {
            object.push("class", class.as_str());
        }
        let Json::Object(step) = self.step.json() else {
            return object.into();
        };
        let inputs = ["with", "token", "plan_id", "context", "actor", "at"];
        for (name, value) in step.iter().filter(|(name, _)| inputs.contains(name)) {
            object.push(name.to_owned(), value.clone());
        }
        let machine = &session.members[self.machine].name;
        object.push("state", format!("{machine}.{}", self.step.state));
        object.into()
    }
}

/// Formats a run for people: one aligned line per step.
pub(super) fn shown(session: &Session, steps: &[SessionStep]) -> String {
    let texts = steps.iter().map(|step| {
        let mut text = match step.sent(session) {
            ("wait", period) => format!("wait {period}"),
            (_, text) => text,
        };
        if let Some(class) = &step.class {
            let _ = write!(text, " ({class})");
        }
        if !step.step.with.is_empty() {
            let _ = write!(text, " {}", step.step.with);
        }
        step.step.tell_context(&mut text);
        text
    });
    let texts: Vec<String> = texts.collect();
    let widths = texts.iter().map(|text| text.chars().count());
    let width = widths.max().unwrap_or(0).min(60);
    let lines = steps.iter().zip(&texts).enumerate();
    let lines = lines.map(|(index, (step, text))| {
        let machine = &session.members[step.machine].name;
        let state = &step.step.state;
        let result = if step.step.runs {
            format!("runs while {machine} is in {state}")
        } else {
            format!("{machine} is in {state}")
        };
        format!("{}. {text:width$} → {result}", index + 1)
    });
    lines.collect::<Vec<_>>().join("\n")
}
