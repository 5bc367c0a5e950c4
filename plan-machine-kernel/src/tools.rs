//! Tool definitions in the formats of model APIs.
//!
//! ```
//! use plan_machine_kernel::json::Json;
//! use plan_machine_kernel::tools::Shape;
//!
//! let tool = Shape::Mcp.tool("plan_get", "Load the plan.", Json::parse("{}")?);
//! assert_eq!(tool.to_string(), r#"{"name":"plan_get","description":"Load the plan.","inputSchema":{}}"#);
//! # Ok::<(), plan_machine_kernel::json::ParseError>(())
//! ```

use crate::json::{Json, Object};

/// The maximum size in bytes of the name of a tool.
pub const MAX_NAME_BYTES: usize = 1024;

/// The format of a tool definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{ "type": "function", "function": { name, description, parameters } }`.
    OpenAi,
    /// `{ name, description, input_schema }`.
    Anthropic,
    /// `{ name, description, inputSchema }`.
    Mcp,
}

impl Shape {
    /// Returns a tool definition in this format; an empty description is omitted.
    #[must_use]
    pub fn tool(self, name: &str, description: &str, schema: Json) -> Json {
        let mut object = Object::new();
        object.push("name", name);
        if !description.is_empty() {
            object.push("description", description);
        }
        let key = match self {
            Shape::OpenAi => "parameters",
            Shape::Anthropic => "input_schema",
            Shape::Mcp => "inputSchema",
        };
        object.push(key, schema);
        if self != Shape::OpenAi {
            return object.into();
        }
        let mut function = Object::new();
        function.push("type", "function");
        function.push("function", object);
        function.into()
    }
}
