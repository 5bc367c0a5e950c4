//! What the model is told and shown at one moment.

use plan_machine::gate::Shape;

use super::parts::{Brief, Conversation};
use super::turn::Work;
use crate::error::HostError;
use crate::model::{ModelRequest, Tool};

/// What holds for every conversation.
const SYSTEM: &str = "\
You are a careful assistant with tools. Call a tool where it helps, and answer in Markdown when you are done. \
The tools that you are shown are those that you may call now; that changes with the state of the plan.";

/// What is said where the beginning of the conversation is gone.
const CUT: &str = "The beginning of this conversation was left out. What was planned is not lost: load it with the tools \
of the plan.";

impl Conversation<'_> {
    /// The next request: the states' prompts, the tools of the gate, what is remembered. Handlers may leave
    /// something out.
    pub(super) async fn request(
        &self,
        work: &Work,
        asked: &str,
    ) -> Result<ModelRequest, HostError> {
        let brief = self.session.at_gate(|gate| {
            // What the gate shows has just this shape.
            let tools = gate.advertised(Shape::Mcp).to_string();
            let mut brief = Brief {
                prompts: gate.prompts(),
                tools: serde_json::from_str::<Vec<Tool>>(&tools).unwrap_or_default(),
            };
            for handler in self.mode().handlers() {
                handler.brief(gate, asked, &mut brief);
            }
            brief
        });
        let Brief { prompts, tools } = brief.await?;
        let mut system = vec![SYSTEM.to_owned()];
        system.extend(prompts.iter().map(|prompt| prompt.trim().to_owned()));
        if !work.memories.is_empty() {
            let lines: Vec<String> = work
                .memories
                .iter()
                .map(|text| format!("- {text}"))
                .collect();
            system.push(format!(
                "What is remembered, the nearest first:\n{}",
                lines.join("\n")
            ));
        }
        system.extend(work.notes.iter().cloned());
        if work.history.is_cut() {
            system.push(CUT.to_owned());
        }
        Ok(ModelRequest {
            system: system.join("\n\n"),
            messages: work.history.messages().to_vec(),
            tools,
        })
    }
}
