//! Classifies tool calls: maps a tool and its arguments to a class, such as `reads` or `writes`.
//!
//! A machine can say in which states a tool may run, but the name of a tool is often not enough: `Bash` both reads and
//! writes. A calls document ([`plan_machine_kernel::calls`]) lists classes and rules about arguments, and a
//! [`Classifier`] decides which class a call has. A call that the classifier cannot understand gets the document's
//! `otherwise` class. Every other class is therefore a permission, and `otherwise` must be the most restricted class.
//!
//! - A **command** is in a class only if every simple command in it is listed and has only flags that are known to be
//!   harmless ([`FlagsTable`]). A scanner for a small part of the shell language and a full parser must agree on the
//!   meaning of the command.
//! - A **path** is in a class only if it is below a folder of the project, even after its symbolic
//!   links are resolved.
//! - The **guard** comes before all rules: a call that names one of the gate's own files ([`Project`]) as something to
//!   write, that names a file with secrets, or that runs an agent, gets none of the document's classes.
//!
//! ```
//! use plan_machine_calls::{Class, Classifier, FlagsTable, Project};
//! use plan_machine_kernel::calls::{CommandRule, Document, Rule, ToolArguments};
//! use plan_machine_kernel::json::Json;
//!
//! let words = |text: &str| text.split(' ').map(str::to_owned).collect();
//! let document = Document {
//!     name: "ClaudeCode".to_owned(),
//!     tools: vec![ToolArguments { command: Some("command".to_owned()), ..ToolArguments::named("Bash") }],
//!     classes: vec!["reads".to_owned(), "writes".to_owned()],
//!     rules: vec![Rule {
//!         tools: vec!["Bash".to_owned()],
//!         command: Some(CommandRule { only: vec![words("git status"), words("git diff")] }),
//!         path: None,
//!         arguments: None,
//!         class: 0,
//!     }],
//!     otherwise: 1,
//! };
//! let classifier = Classifier::new(document, FlagsTable::built_in(), Project::new("."));
//! let class = |command: &str| {
//!     let arguments = Json::parse(&format!(r#"{{ "command": "{command}" }}"#)).expect("JSON");
//!     classifier.classify("Bash", &arguments)
//! };
//! assert_eq!(class("git status && git diff --stat").class, Class::Declared(0));
//! let kept_out = class("git diff --output=x");
//! assert_eq!(kept_out.class, Class::Declared(1));
//! assert!(kept_out.why.is_some_and(|why| why.contains("--output")));
//! assert_eq!(class("rm .claude/settings.json").class, Class::Guard);
//! ```

mod arguments;
mod below;
mod classifier;
mod commands;
mod flags;
mod guard;
mod keys;
mod own_files;
mod patch;
mod paths;
mod project;
mod refusal;
mod word;

pub use classifier::Classifier;
pub use flags::{FlagsTable, TableError};
pub use plan_machine_kernel::calls::{Class, Classification, Classify};
pub use project::{PathStyle, Project};
