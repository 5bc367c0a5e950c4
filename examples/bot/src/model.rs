//! Models: whatever answers a request with words and tool calls.

mod arguments;
#[cfg(feature = "endpoint")]
pub mod endpoint;
pub mod script;

use std::error::Error;
use std::fmt;
use std::pin::Pin;

use plan_machine::{Json, Object};

/// A model.
pub trait Model: Send + Sync {
    /// Answers a request. The answer is kept as it is: nothing downstream alters it.
    fn respond<'a>(&'a self, request: &'a Request) -> Responding<'a>;

    /// What people call it.
    fn name(&self) -> String;
}

/// An answer of a model, later.
pub type Responding<'a> = Pin<Box<dyn Future<Output = Result<Response, ModelError>> + Send + 'a>>;

/// What a model is told and asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// What holds for the whole conversation: who it is, what the states of the plans say.
    pub system: String,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools that it may call now.
    pub tools: Vec<Tool>,
}

/// A tool as a model is shown it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Json,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The words.
    pub text: String,
    /// The calls, in order.
    pub calls: Vec<Call>,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its identity, as the model's API gives it.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments; where they are no JSON object, what is wrong with them.
    pub args: Result<Object, String>,
}

/// A model that did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// It cannot be reached, or did not answer in time.
    Unreachable(String),
    /// It refused: a wrong key, too many requests, a request it does not understand.
    Refused(String),
    /// What it answered cannot be understood.
    Garbled(String),
    /// A script has no answer for what was said.
    OffScript(String),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "the model cannot be reached: {why}"),
            Self::Refused(why) => write!(f, "the model refused: {why}"),
            Self::Garbled(why) => write!(f, "the model's answer cannot be understood: {why}"),
            Self::OffScript(why) => write!(f, "the script has no answer: {why}"),
        }
    }
}

impl Error for ModelError {}
