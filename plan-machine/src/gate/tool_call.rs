//! What a model calls.

use plan_machine_kernel::json::Object;

/// A call that a model has made.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments; `plan_id` among them is the address of a machine's own tool.
    pub args: Object,
    /// The identity of the call, as the model's API gives it: a session answers a repeated call as it
    /// answered the first.
    pub id: Option<String>,
}

impl ToolCall {
    /// A call.
    pub fn new(name: impl Into<String>, args: Object) -> Self {
        Self {
            name: name.into(),
            args,
            id: None,
        }
    }

    /// The call under the identity that the model's API gave it.
    #[must_use]
    pub fn once(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}
