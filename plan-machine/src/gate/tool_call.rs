//! The calls that a model makes.

use plan_machine_kernel::json::Object;

/// A call made by a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments of the call. For a machine's own tool, the argument `plan_id` names the plan that the call is
    /// addressed to.
    pub args: Object,
    /// The id that the model's API assigned to the call: a session answers a repeated call with the answer to the first
    /// one.
    pub id: Option<String>,
}

impl ToolCall {
    /// Returns a call to this tool without an id.
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
