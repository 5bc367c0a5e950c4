//! A model's calls.

use plan_machine_kernel::json::Object;

/// A call made by a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments; `plan_id` among them is the address for a machine's own tool.
    pub args: Object,
    /// The id that the model's API assigned to the call: a session answers a repeated call like the first one.
    pub id: Option<String>,
}

impl ToolCall {
    /// Returns a call.
    pub fn new(name: impl Into<String>, args: Object) -> Self {
        Self {
            name: name.into(),
            args,
            id: None,
        }
    }

    /// Sets the id that the model's API assigned to the call.
    #[must_use]
    pub fn once(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}
