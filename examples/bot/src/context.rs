//! What the model is told and shown at one moment.

use plan_machine::Machine as _;
use plan_machine::description::State;
use plan_machine::gate::{Gate, Shape};
use plan_machine_sessions::SessionError;
use plan_specs::planning_files;

use crate::model::{Request, Tool};
use crate::turn::Work;

/// What holds for every conversation.
const SYSTEM: &str = "\
You are a careful assistant with tools. Call a tool where it helps, and answer in Markdown when you are done. \
The tools that you are shown are those that you may call now; that changes with the state of the plan.";

/// What is said where the beginning of the conversation is gone.
const CUT: &str = "The beginning of this conversation was left out. What was planned is not lost: load it with the tools \
of the plan.";

/// The next request of a conversation: the states' prompts, the tools of the gate, what is remembered. Nothing in it
/// is about planning files before they are open, unless the user asks for them.
///
/// # Errors
///
/// Where the session cannot answer.
pub(crate) async fn request(
    work: &Work<'_>,
    asks_for_files: bool,
) -> Result<Request, SessionError> {
    let (history, memories) = (&work.history, &work.memories);
    let shown = work.session.at_gate(|gate| {
        let hidden = hidden(gate).filter(|_| !asks_for_files);
        let mut prompts = gate.prompts();
        let is_hidden = |prompt: &str| hidden.is_some_and(|state| state.prompt == prompt);
        prompts.retain(|prompt| !is_hidden(prompt));
        (prompts, gate.advertised(Shape::Mcp), hidden.is_some())
    });
    let (prompts, tools, hides_files) = shown.await?;
    // What the gate shows has just this shape.
    let mut tools: Vec<Tool> = serde_json::from_str(&tools.to_string()).unwrap_or_default();
    let files = planning_files::Machine.description();
    tools.retain(|tool| !hides_files || files.event_named(&tool.name).is_none());
    let mut system = vec![SYSTEM.to_owned()];
    system.extend(prompts.iter().map(|prompt| prompt.trim().to_owned()));
    if !memories.is_empty() {
        let lines: Vec<String> = memories.iter().map(|text| format!("- {text}")).collect();
        system.push(format!(
            "What is remembered, the nearest first:\n{}",
            lines.join("\n")
        ));
    }
    system.extend(work.notes.iter().cloned());
    if history.is_cut() {
        system.push(CUT.to_owned());
    }
    Ok(Request {
        system: system.join("\n\n"),
        messages: history.messages().to_vec(),
        tools,
    })
}

/// The state of planning files that the model hears nothing of: none are open.
fn hidden(gate: &Gate) -> Option<&'static State> {
    let files = planning_files::Machine.description();
    let mut machines = gate.machines().iter();
    let running = machines.find(|running| running.description().name == files.name)?;
    if running.plans().iter().any(|plan| plan.state == "OPEN") {
        return None;
    }
    files.state_named("none").map(|none| files.state(none))
}
