//! What the model is told and shown at one moment.

use plan_machine::gate::Shape;
use plan_machine::session::{Session, SessionError};

use crate::history::History;
use crate::model::Request;

/// What holds for every conversation.
const SYSTEM: &str = "\
You are a careful assistant with tools. Call a tool where it helps, and answer in Markdown when you are done. \
The tools that you are shown are those that you may call now; that changes with the state of the plan.";

/// What is said where the beginning of the conversation is gone.
const CUT: &str = "The beginning of this conversation was left out. What was planned is not lost: load it with the tools \
of the plan.";

/// The next request of a conversation: the states' prompts, the tools of the gate, what is remembered.
///
/// # Errors
///
/// Where the session cannot answer.
pub async fn request(
    session: &Session,
    history: &History,
    memories: &[String],
) -> Result<Request, SessionError> {
    let shown = session.at_gate(|gate| (gate.prompts(), gate.advertised(Shape::Mcp)));
    let (prompts, tools) = shown.await?;
    let mut system = vec![SYSTEM.to_owned()];
    system.extend(prompts.iter().map(|prompt| prompt.trim().to_owned()));
    if !memories.is_empty() {
        let lines: Vec<String> = memories.iter().map(|text| format!("- {text}")).collect();
        system.push(format!(
            "What is remembered, the nearest first:\n{}",
            lines.join("\n")
        ));
    }
    if history.is_cut() {
        system.push(CUT.to_owned());
    }
    Ok(Request {
        system: system.join("\n\n"),
        messages: history.messages().to_vec(),
        // What the gate shows has just this shape.
        tools: serde_json::from_str(&tools.to_string()).unwrap_or_default(),
    })
}
