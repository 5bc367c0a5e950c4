//! A calls document whose names are resolved.

use plan_machine_kernel::calls::Document;
use plan_machine_kernel::json::Json;

use crate::source::{Span, Spanned};

/// A calls document: the rules, and examples of calls with their classes.
#[derive(Clone, Debug)]
pub struct Calls {
    /// The rules, as the classifier uses them.
    pub document: Document,
    /// The purpose of the document.
    pub doc: Option<String>,
    /// The examples. The compiler does not run the examples, because it has no classifier; `plan-machine check` and the
    /// generated test run them.
    pub examples: Vec<Example>,
}

/// A call with the class that it must have.
#[derive(Clone, Debug)]
pub struct Example {
    /// The location of the example.
    pub span: Span,
    /// The name of the tool.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Json,
    /// The name of the class, which may be the built-in `guard`.
    pub class: Spanned<String>,
    /// Whether the class is not stated, but is the only one that calls to the tool can have.
    pub is_implied: bool,
}
