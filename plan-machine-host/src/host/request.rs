//! Builds the request to the model from the current states of a session's plans.

use std::collections::HashMap;

use plan_machine::gate::Shape;

use super::parts::{Brief, Conversation};
use super::turn::Work;
use crate::error::HostError;
use crate::model::{ModelRequest, Tool};

/// The prompt of every conversation.
const SYSTEM: &str = "\
You are a careful assistant with tools. Call a tool when it helps, and answer in Markdown when you are done. \
You may call the tools that you are shown; they change with the state of the plan.";

/// The prompt that is added if the start of the conversation was cut off.
const CUT: &str = "The start of this conversation was left out. The plan is not lost: load it with the plan's \
tools.";

impl Conversation<'_> {
    /// Builds the next request from the states' prompts, the gate's tools and the memories. Handlers may change the
    /// prompts and the tools. Also returns the tools that are withheld from the model, each with the reason for denying
    /// calls to it.
    pub(super) async fn request(
        &self,
        work: &Work,
        asked: &str,
    ) -> Result<(ModelRequest, HashMap<String, String>), HostError> {
        let brief = self.session.at_gate(|gate| {
            // The gate returns tools in exactly the shape of `Tool`, so parsing does not fail.
            let tools = gate.advertised(Shape::Mcp).to_string();
            let mut brief = Brief {
                prompts: gate.prompts(),
                tools: serde_json::from_str::<Vec<Tool>>(&tools).unwrap_or_default(),
                withheld: HashMap::new(),
            };
            for handler in self.mode().handlers() {
                handler.brief(gate, asked, &mut brief);
            }
            brief
        });
        let Brief {
            prompts,
            mut tools,
            withheld,
        } = brief.await?;
        if work.is_background {
            tools.retain(|tool| !self.mode().changes_plans(&tool.name));
        }
        let mut system = vec![SYSTEM.to_owned()];
        system.extend(prompts.iter().map(|prompt| prompt.trim().to_owned()));
        if !work.memories.is_empty() {
            let lines: Vec<String> = work
                .memories
                .iter()
                .map(|text| format!("- {text}"))
                .collect();
            system.push(format!(
                "Memories, the most specific first:\n{}",
                lines.join("\n")
            ));
        }
        system.extend(work.notes.iter().cloned());
        if work.history.is_cut() {
            system.push(CUT.to_owned());
        }
        let request = ModelRequest {
            system: system.join("\n\n"),
            messages: work.history.messages().to_vec(),
            tools,
        };
        Ok((request, withheld))
    }
}
