//! The class of a call, and the trait that determines the class.

use crate::json::Json;

use super::{ClassId, Document};

/// The class of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A class of the document.
    Declared(ClassId),
    /// The built-in class of calls that would change the gate itself, read a secret file, or start another agent. Such
    /// calls are denied in every state.
    Guard,
}

/// The class of a call, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The class.
    pub class: Class,
    /// The number of the rule that matched, counted from 1; `None` for `otherwise` and for the guard.
    pub rule: Option<usize>,
    /// Why the call has the class `guard`, or why the first rule for its tool did not match.
    pub why: Option<String>,
}

/// Determines the classes of calls according to the rules of a calls document. The crate `plan-machine-calls`
/// implements this trait; a gate needs only the trait, so that hosts without classes do not build a shell parser.
pub trait Classify: Send + Sync {
    /// Returns the document with the rules.
    fn document(&self) -> &Document;

    /// Returns the class of a call. `arguments` is an object, as the agent passes it to the tool.
    fn classify(&self, tool: &str, arguments: &Json) -> Classification;
}
