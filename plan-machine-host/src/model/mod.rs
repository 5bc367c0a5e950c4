//! Models: anything that answers a request with text and tool calls.

mod arguments;
#[cfg(feature = "endpoint")]
pub mod endpoint;
mod env;
pub mod script;

pub use arguments::ArgumentsError;
pub use env::from_env;

use std::pin::Pin;

use plan_machine::{Json, Object};
use serde::{Deserialize, Serialize};

/// A model.
pub trait Model: Send + Sync {
    /// Answers a request. The answer is stored unchanged, except that empty and duplicate call ids are replaced.
    fn respond<'a>(&'a self, request: &'a ModelRequest) -> ResponseFuture<'a>;

    /// Returns the name of the model, for people.
    fn name(&self) -> String;
}

/// A future that resolves to a model's answer.
pub type ResponseFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Response, ModelError>> + Send + 'a>>;

/// A request to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// The prompt of the whole conversation: the model's role, and the prompts of the plans'
    /// states.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may call now.
    pub tools: Vec<Tool>,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Tool {
    /// The name of the tool.
    pub name: String,
    /// A description of the tool's purpose.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of the tool's arguments.
    #[serde(rename = "inputSchema")]
    pub schema: Json,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// A message from the user.
    User(String),
    /// An answer from the model.
    Model(Response),
    /// The result of one of the model's calls.
    Result {
        /// The call's id.
        call_id: String,
        /// The name of the tool.
        tool: String,
        /// The returned text.
        content: String,
    },
}

/// A model's answer: text, calls, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The text.
    pub text: String,
    /// The calls, in order.
    pub calls: Vec<ModelCall>,
}

/// A call to a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The id of the call, as the model's API returned it, or an id from the host if that one was empty or a duplicate.
    pub id: String,
    /// The name of the tool.
    pub tool: String,
    /// The arguments, or the error if they are not a JSON object.
    pub args: Result<Object, ArgumentsError>,
}

/// The reason why a model did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The model cannot be reached, did not answer in time, or its server failed.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// The model rejected the request: a wrong key, too many requests, or a request it does not understand.
    #[error("the model rejected the request: {0}")]
    Refused(String),
    /// The model's answer cannot be understood.
    #[error("the model's answer cannot be understood: {0}")]
    Garbled(String),
    /// The model's answer is too long, and none of it was used.
    #[error("the model's answer is longer than {0} and was not used")]
    TooLong(String),
    /// The script has no answer to the message.
    #[error("the script has no answer: {0}")]
    OffScript(String),
}
