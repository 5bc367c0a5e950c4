//! The classifier, which determines the class of a call.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan_machine_kernel::calls::{
    Class, ClassId, Classification, Classify, Document, GUARD, PathRule, ToolArguments,
};
use plan_machine_kernel::json::Json;

use crate::arguments;
use crate::commands::{CommandText, ListedCommands};
use crate::flags::FlagsTable;
use crate::guard::Guard;
use crate::paths::Paths;
use crate::project::Project;
use crate::refusal::Refusal;

/// Determines the class of each call, by the rules of a calls document.
#[derive(Debug)]
pub struct Classifier {
    document: Document,
    rules: Vec<Prepared>,
    paths: Paths,
    folder: PathBuf,
    guard: Guard,
}

/// A rule, prepared for many calls.
#[derive(Debug)]
struct Prepared {
    tools: Vec<String>,
    command: Option<ListedCommands>,
    path: Option<PathRule>,
    arguments: Option<Vec<String>>,
    class: ClassId,
}

/// A call that is being classified.
struct Call<'a> {
    tool: Option<&'a ToolArguments>,
    arguments: &'a Json,
    /// The folder in which the agent works.
    folder: &'a Path,
    /// The command, scanned once for all rules.
    command: Option<Result<(CommandText<'a>, PathBuf), Refusal>>,
}

impl Classifier {
    /// Prepares the rules of a document for calls in a project.
    #[must_use]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a classifier is made from all three values"
    )]
    pub fn new(document: Document, table: FlagsTable, project: Project) -> Self {
        let table = Arc::new(table);
        let listed = |rule| ListedCommands::new(rule, Arc::clone(&table));
        let rules = document.rules.iter().map(|rule| Prepared {
            tools: rule.tools.clone(),
            command: rule.command.as_ref().map(listed),
            path: rule.path.clone(),
            arguments: rule.arguments.clone(),
            class: rule.class,
        });
        Self {
            rules: rules.collect(),
            paths: Paths::new(&project),
            folder: project.folder.clone(),
            guard: Guard::new(&project),
            document,
        }
    }

    /// Returns the document that contains the rules.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the name of a class.
    #[must_use]
    pub fn name(&self, class: Class) -> &str {
        match class {
            Class::Declared(id) => self.document.class(id),
            Class::Guard => GUARD,
        }
    }

    /// Returns the class of a call. `arguments` is an object, as the agent passes it to the tool.
    #[must_use]
    pub fn classify(&self, tool: &str, arguments: &Json) -> Classification {
        self.classify_in(&self.folder, tool, arguments)
    }

    /// Returns the class of a call by an agent that works in `folder`. Relative paths of the call refer to that folder.
    #[must_use]
    pub fn classify_in(&self, folder: &Path, tool: &str, arguments: &Json) -> Classification {
        let mut call = Call {
            tool: self.document.tool(tool),
            arguments,
            folder,
            command: None,
        };
        if let Some(why) = self.guard.holds(folder, tool, call.tool, arguments) {
            return Classification {
                class: Class::Guard,
                rule: None,
                why: Some(why),
            };
        }
        let mut why = None;
        for (at, rule) in self.rules.iter().enumerate() {
            if !rule.tools.iter().any(|name| name == tool) {
                continue;
            }
            match self.obeys(rule, &mut call) {
                Ok(()) => {
                    return Classification {
                        class: Class::Declared(rule.class),
                        rule: Some(at + 1),
                        why,
                    };
                }
                Err(refusal) if why.is_none() => {
                    let class = self.document.class(rule.class);
                    why = Some(format!("rule {} (`{class}`): {refusal}", at + 1));
                }
                Err(_) => {}
            }
        }
        Classification {
            class: Class::Declared(self.document.otherwise),
            rule: None,
            why,
        }
    }

    /// Checks the conditions of a rule.
    fn obeys(&self, rule: &Prepared, call: &mut Call<'_>) -> Result<(), Refusal> {
        if let Some(known) = &rule.arguments {
            arguments::only(known, call.arguments)?;
        }
        if let Some(listed) = &rule.command {
            let (command, folder) = self.command(call)?;
            command.consists_of(listed, &self.paths, folder.clone())?;
        }
        if let Some(path) = &rule.path {
            let undeclared =
                || Refusal::new("the calls document does not declare the paths of this tool");
            let tool = call.tool.ok_or_else(undeclared)?;
            let folder = match arguments::folder(tool, call.arguments)? {
                Some(folder) => &self.paths.within(call.folder, folder)?,
                None => call.folder,
            };
            for written in arguments::paths(tool, call.arguments)? {
                self.paths.obeys(path, folder, written)?;
            }
        }
        Ok(())
    }

    /// Returns the scanned command of a call, and the folder in which it runs.
    fn command<'s, 'a>(
        &self,
        call: &'s mut Call<'a>,
    ) -> Result<&'s (CommandText<'a>, PathBuf), Refusal> {
        let (tool, arguments, start) = (call.tool, call.arguments, call.folder);
        let command = call.command.get_or_insert_with(|| {
            let undeclared =
                || Refusal::new("the calls document does not declare the command of this tool");
            let tool = tool.filter(|tool| tool.command.is_some());
            let (text, folder) = arguments::command(tool.ok_or_else(undeclared)?, arguments)?;
            let folder = match folder {
                Some(folder) => self.paths.within(start, folder)?,
                None => start.to_path_buf(),
            };
            Ok((CommandText::new(text), folder))
        });
        command.as_ref().map_err(Clone::clone)
    }
}

impl Classify for Classifier {
    fn document(&self) -> &Document {
        self.document()
    }

    fn classify(&self, tool: &str, arguments: &Json) -> Classification {
        self.classify(tool, arguments)
    }
}
