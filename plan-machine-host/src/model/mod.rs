//! Models: whatever answers a request with words and tool calls.

mod arguments;
#[cfg(feature = "endpoint")]
pub mod endpoint;
pub mod script;

use std::pin::Pin;

use plan_machine::{Json, Object};
use serde::{Deserialize, Serialize};

/// A model.
pub trait Model: Send + Sync {
    /// Answers a request. The answer is kept as it is: nothing downstream alters it.
    fn respond<'a>(&'a self, request: &'a ModelRequest) -> ResponseFuture<'a>;

    /// What people call it.
    fn name(&self) -> String;
}

/// An answer of a model, later.
pub type ResponseFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Response, ModelError>> + Send + 'a>>;

/// What a model is told and asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// What holds for the whole conversation: who it is, what the states of the plans say.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools that it may call now.
    pub tools: Vec<Tool>,
}

/// A tool as a model is shown it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(rename = "inputSchema")]
    pub schema: Json,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// What the user said.
    User(String),
    /// What the model answered.
    Model(Response),
    /// What came of a call of the model.
    Result {
        /// The call.
        call_id: String,
        /// The tool.
        tool: String,
        /// What it gave back.
        content: String,
    },
}

/// What a model answered: words, calls, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The words.
    pub text: String,
    /// The calls, in order.
    pub calls: Vec<ModelCall>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// Its identity, as the model's API gives it.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments; where they are no JSON object, what is wrong with them.
    pub args: Result<Object, String>,
}

/// A model that did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// It cannot be reached, or did not answer in time.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// It refused: a wrong key, too many requests, a request it does not understand.
    #[error("the model refused: {0}")]
    Refused(String),
    /// What it answered cannot be understood.
    #[error("the model's answer cannot be understood: {0}")]
    Garbled(String),
    /// What it answered is longer than anybody would read; nothing of it was used.
    #[error("the model's answer is longer than {0} and was not used")]
    TooLong(String),
    /// A script has no answer for what was said.
    #[error("the script has no answer: {0}")]
    OffScript(String),
}
