//! A host that uses both forms of a spec and memory scopes, under the strictest lints.
#![deny(warnings, missing_docs, unreachable_pub, rust_2018_idioms)]
#![deny(clippy::pedantic)]
#![forbid(unsafe_code)]

mod crowded;

plan_machine::machine!("specs/note.yaml");

plan_machine::machine! {
    /// A list of steps that a person approves.
    machine PlanBuilder (many);
    review goal, steps;
    summary goal;

    type Agent = enum [coder, tester];
    type Step = { agent: Agent, task: string nonblank };
    data { goal: string, steps: [Step] max 50 }

    command approve = "/plan approve {plan_id?} {token?}" reviewed;
    /// Create a draft for a goal.
    tool create_draft { goal: string nonblank }
    /// Add a step.
    tool add_step { agent: Agent, task: string nonblank }
    /// Propose the plan.
    tool submit;

    state none { on create_draft => draft { set goal = event.goal; reply plan.id; } }
    state draft {
        on add_step { append steps = { agent: event.agent, task: event.task }; }
        on submit => proposal { require steps is not empty, "a plan needs at least one step"; }
    }
    state proposal { on approve => approved; }
    final state approved;

    invariant decided_by_the_user: approved only by approve;

    scenario "a plan of one step is approved" {
        do create_draft with { goal: "move" } then draft reply "plan-1";
        do submit denied refused;
        do add_step with { agent: coder, task: "pack" };
        do submit then proposal;
        do "/plan approve" then approved;
    }
}

plan_machine::scopes!("specs/memory.yaml");

use note::{Effect, NoPlan, Note, Tool, Typed, state};
use plan_machine::{Id, Instant};

/// Returns a step context with consecutively numbered ids.
#[must_use]
pub fn new_cx() -> note::Cx {
    let mut number = 0;
    note::Cx::new(Instant::at_second(0), move || {
        number += 1;
        Id::from(format!("note-{number}"))
    })
}

/// Writes a note and publishes the text that was shown.
///
/// # Errors
///
/// Returns the machine's error for a text that is blank or too long.
pub fn publish(text: &str, cx: &mut note::Cx) -> Result<Note<state::Sent>, plan_machine::DeniedStep> {
    let written = NoPlan.begin(cx).write(text.into(), cx);
    let mut written = written.map_err(|refused| refused.denied)?;
    written.add_line("by hand".into(), cx)?;
    let shown = written.token();
    let sent = written.publish(shown, cx);
    sent.map_err(|refused| refused.denied)
}

/// Describes an effect for a person. If the spec gets a new effect, this function does not compile
/// until it covers that effect.
#[must_use]
pub fn words(effect: &Effect) -> String {
    match effect {
        Effect::Ready { note, token } => format!("{note} is ready ({token})"),
        Effect::Published => "published".into(),
    }
}

/// Returns the text of a note, in any state.
#[must_use]
pub fn text(plan: note::AnyNote) -> Option<String> {
    match plan.typed() {
        Typed::Open(_) => None,
        Typed::Written(plan) => Some(plan.text().to_owned()),
        Typed::Sent(plan) => Some(plan.text().to_owned()),
        Typed::Closed(plan) => plan.text().map(str::to_owned),
    }
}

/// Returns whether a tool only reads.
#[must_use]
pub fn looks(tool: Tool) -> bool {
    match tool {
        Tool::ReadNote => true,
        Tool::Write | Tool::AddLine => false,
    }
}

/// Returns the memory that a task may read, the nearest scope first.
///
/// # Errors
///
/// If a part of a key is empty.
pub fn chain(task: &str) -> Result<Vec<String>, plan_machine::scope::ScopeError> {
    let identity = memory::Identity::new("web", "4711")?;
    let run = memory::TaskRun::new(identity, memory::TaskId::new(task)?);
    let keys = run.reads();
    Ok(keys.iter().map(|key| key.as_str().to_owned()).collect())
}
