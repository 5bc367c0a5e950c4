//! Calls documents, which map tool calls to classes.
//!
//! A machine cannot reason about arbitrary arguments, but it can reason about a few classes of calls. A calls document
//! lists the classes and the rules; this module contains the types for such a document, but no parser for documents or
//! for shell commands. The compiler creates a [`Document`], and the crate `plan-machine-calls` classifies calls with
//! it.
//!
//! ```
//! use plan_machine_kernel::calls::{CommandRule, Document, Rule, ToolArguments};
//!
//! let document = Document {
//!     name: "ClaudeCode".to_owned(),
//!     tools: vec![ToolArguments { command: Some("command".to_owned()), ..ToolArguments::named("Bash") }],
//!     classes: vec!["reads".to_owned(), "writes".to_owned()],
//!     rules: vec![Rule {
//!         tools: vec!["Bash".to_owned()],
//!         command: Some(CommandRule { only: vec![vec!["git".to_owned(), "status".to_owned()]] }),
//!         path: None,
//!         arguments: None,
//!         class: 0,
//!     }],
//!     otherwise: 1,
//! };
//! assert_eq!(document.class(0), "reads");
//! assert!(document.tool("Bash").is_some());
//! ```

mod class;
mod words;

pub use class::{Class, Classification, Classify};
pub use words::{
    INERT_ARGUMENTS, READING_TOOLS, WRITING_TOOLS, is_shell_word, needs_more_words, runs_arguments,
};

/// The built-in class of calls that would change the gate itself, read a secret file, or start another agent. This
/// class takes precedence over all rules, and no document declares it.
pub const GUARD: &str = "guard";

/// A position in [`Document::classes`].
pub type ClassId = usize;

/// The rules that map calls to classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The name of the document, usually the agent whose tools it describes.
    pub name: String,
    /// The tools whose arguments contain a command or paths.
    pub tools: Vec<ToolArguments>,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// The rules; the first match wins.
    pub rules: Vec<Rule>,
    /// The class of a call that no rule matches.
    pub otherwise: ClassId,
}

impl Document {
    /// Returns the name of a class, or an empty string if there is no such class.
    #[must_use]
    pub fn class(&self, id: ClassId) -> &str {
        self.classes.get(id).map_or("", String::as_str)
    }

    /// Returns whether the document declares a class.
    #[must_use]
    pub fn has_class(&self, name: &str) -> bool {
        self.classes.iter().any(|class| class == name)
    }

    /// Returns the declared arguments of a tool; `None` if the document does not declare the tool.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolArguments> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Returns the classes that calls to a tool can have. A rule without a condition matches every
    /// call, so the rules after it and `otherwise` are not reached.
    #[must_use]
    pub fn classes_of(&self, tool: &str) -> Vec<ClassId> {
        let mut found = Vec::new();
        let names = |rule: &&Rule| rule.tools.iter().any(|name| name == tool);
        for rule in self.rules.iter().filter(names) {
            found.push(rule.class);
            if rule.matches_every_call() {
                found.sort_unstable();
                found.dedup();
                return found;
            }
        }
        found.push(self.otherwise);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// What the arguments of a tool contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolArguments {
    /// The name of the tool, as the agent spells it.
    pub name: String,
    /// The argument that contains a shell command.
    pub command: Option<String>,
    /// The argument that contains the folder in which the command runs.
    pub folder: Option<String>,
    /// The arguments that contain a path, or a list of paths.
    pub paths: Vec<String>,
    /// The argument that contains a patch, which names the files that it changes.
    pub patch: Option<String>,
    /// Whether the tool only reads the files that its paths name.
    pub reads: bool,
    /// Further arguments of a command tool that do not change what the command does.
    pub ignores: Vec<String>,
}

impl ToolArguments {
    /// Returns a tool without any declared arguments.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

/// A rule: a call to one of these tools that meets the conditions has this class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The tools.
    pub tools: Vec<String>,
    /// The condition on the command, if the rule is about commands.
    pub command: Option<CommandRule>,
    /// The condition on the paths, if the rule is about paths.
    pub path: Option<PathRule>,
    /// The names that the call's arguments may have; `None` if they may have any name.
    pub arguments: Option<Vec<String>>,
    /// The class.
    pub class: ClassId,
}

impl Rule {
    /// Returns whether the rule has no condition.
    fn matches_every_call(&self) -> bool {
        self.command.is_none() && self.path.is_none() && self.arguments.is_none()
    }
}

/// A condition on a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRule {
    /// The commands that may occur, each as its first words, such as `git` `status`.
    pub only: Vec<Vec<String>>,
}

/// A condition on all paths of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRule {
    /// The folders, relative to the project, each as the names in its path. An empty list of names
    /// is the project folder.
    pub under: Vec<Vec<String>>,
}
