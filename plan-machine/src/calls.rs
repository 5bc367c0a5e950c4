//! Classes of calls: the rules of a calls document, and the classifier that finds the class of a
//! call.
//!
//! A gate decides on a call by its tool and by its class; see `GateBuilder::calls`. The macro `calls!` generates the
//! rules of a document. The classifier needs the feature `calls`.

#[cfg(feature = "calls")]
pub use plan_machine_calls::{Classifier, FlagsTable, PathStyle, Project, TableError};
pub use plan_machine_kernel::calls::{
    Class, ClassId, Classification, Classify, CommandRule, Document, PathRule, Rule, ToolArguments,
};
