//! The machines' own tools, which our MCP server offers.

use plan_machine::description::EventKind;
use plan_machine::gate::{Decision, EarlierDecision, EventContext, Shape, ToolCall};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::SessionIdentity;

use super::context::states;
use super::error::GateError;
use super::handle::SessionHandle;
use super::open::Keeper;

/// The tool that returns the state and the tools that may be called.
pub const STATUS: &str = "plan_status";

/// The tool that waits for a person's decision.
pub const WAIT: &str = "plan_wait";

/// The answer to a call to one of our own tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnAnswer {
    /// The text for the model.
    pub text: String,
    /// Whether the call was denied.
    pub is_denied: bool,
}

/// One of the machines' own tools.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSchema {
    /// The name of the tool.
    pub name: String,
    /// The description of the tool.
    pub doc: String,
    /// The JSON schema of the arguments.
    pub schema: Json,
    /// Whether the tool changes nothing.
    pub reads: bool,
}

impl Keeper {
    /// Calls a machine's own tool in the session of a handle. If the state does not allow the call, or if no machine
    /// has the tool, the answer is a denial with a text.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn own_call(
        &self,
        handle: &SessionHandle,
        tool: &str,
        args: Object,
    ) -> Result<OwnAnswer, GateError> {
        let session = self.session(&handle.session);
        let around = EventContext::now().by(handle.actor.as_str());
        // The turn stores the session, so that the person can find it after the first call.
        self.ensure_turn(&session, &around).await?;
        if tool == STATUS {
            return self.status_for_model(&handle.session).await;
        }
        if !self.own_tools().any(|name| name == tool) {
            return Ok(OwnAnswer {
                text: format!("plan-machine has no tool `{tool}`"),
                is_denied: true,
            });
        }
        let mut call = ToolCall::new(tool, args);
        if let Some(id) = &handle.call_id {
            call = call.once(id.as_str());
        }
        let done = session.decide(&[call], &around).await?;
        let decision = done.answer.into_iter().next();
        let is_denied = !matches!(
            decision,
            Some(Decision::Applied { .. } | Decision::Repeated(EarlierDecision::Applied { .. }))
        );
        let text = decision.and_then(|decision| decision.answer());
        let mut text = text.unwrap_or_default();
        // Other answers may contain the plan that a person is about to approve.
        if is_denied {
            text = self.with_usable_commands(session.identity(), text);
        }
        Ok(OwnAnswer { text, is_denied })
    }

    /// Returns the state, its prompt for the model, and those of our tools that it allows now. The answer contains no
    /// tokens: a person gets them from us, not from the model.
    pub(crate) async fn status_for_model(
        &self,
        session: &SessionIdentity,
    ) -> Result<OwnAnswer, GateError> {
        let session = self.session(session);
        let prompts = self.prompts(&session).await?;
        let (states, tools) = session
            .at_gate(|gate| (states(&self.documents, gate), gate.advertised(Shape::Mcp)))
            .await?;
        let tools = tools.as_list().unwrap_or_default().iter();
        let names =
            tools.filter_map(|tool| Some(tool.as_object()?.get("name")?.as_text()?.to_owned()));
        let names: Vec<String> = names.collect();
        let mut text = states;
        if !prompts.trim().is_empty() {
            text.extend(["\n\n", prompts.trim()]);
        }
        if !names.is_empty() {
            text.extend(["\n\nAvailable now: ", &names.join(", ")]);
        }
        Ok(OwnAnswer {
            text,
            is_denied: false,
        })
    }

    /// Returns the schemas of the machines' own tools, in the order of the documents. The list is the same in every
    /// state.
    #[must_use]
    pub fn own_schemas(&self) -> Vec<OwnSchema> {
        self.machines
            .machines()
            .flat_map(|tables| tables.events)
            .filter_map(|event| match event.kind {
                EventKind::Tool { read, .. } => Some(OwnSchema {
                    name: event.name.to_owned(),
                    doc: event.doc.to_owned(),
                    schema: Json::parse(event.schema).unwrap_or_default(),
                    reads: read,
                }),
                _ => None,
            })
            .collect()
    }
}
