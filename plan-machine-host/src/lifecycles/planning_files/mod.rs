//! Planning files in addition to a session's plans: opened by a person, by the model, or
//! automatically for a message that looks like work with many steps.

mod auto;
mod files;
mod mistyped;

use std::path::Path;
use std::sync::Arc;

use plan_machine::description::State as StateTable;
use plan_machine::gate::{CommandAnswer, Gate};
use plan_machine::machine::{Denial, PlanView};
use plan_machine::{Address, Json, MachineTypes as _};
use plan_specs::planning_files::{Effect, Event, Machine, State, event};

use crate::error::HostError;
use crate::host::{
    Attendant, Brief, ContentFuture, Conversation, Handler, Mode, Modes, answered, why,
};
use crate::outgoing::Content;
use crate::tools::{ToolError, Workspace};
use crate::words::{first_words, in_a_line};
pub use auto::AutoFiles;
use auto::asks_for_files;
pub use files::Files;

/// The maximum number of characters of a title shown in a sentence.
const LONGEST: usize = 300;

/// The maximum length of the title of automatically opened planning files, in characters.
const LONGEST_TITLE: usize = 100;

/// The maximum number of characters of a tool's result that are logged.
const LOGGED: usize = 200;

/// The start of the machine's answer to a title while planning files are open.
const ALREADY_OPEN: &str = "There is already a plan: ";

/// The reason why the model cannot use planning files.
const NOT_OPEN: &str = "No planning files are open. The user opens them with `/plan TITLE`.";

/// The handler of `planning_files`.
#[derive(Debug)]
pub struct PlanningFiles {
    files: Files,
    auto: AutoFiles,
    workspace: Arc<Workspace>,
}

impl PlanningFiles {
    /// Creates a handler that keeps planning files in the folder `data`, and exports files to the workspace.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created.
    pub fn open(
        data: &Path,
        workspace: Arc<Workspace>,
        auto: AutoFiles,
    ) -> Result<Self, HostError> {
        Ok(Self {
            files: Files::open(data)?,
            auto,
            workspace,
        })
    }

    /// Updates the files on disk from the plan.
    async fn write(&self, at: &Conversation<'_>) -> Result<(), HostError> {
        let open = open_files(at).await?;
        self.files
            .show(&at.session.identity().to_string(), open.as_ref())
    }

    /// Reports where the open planning files are.
    async fn where_open(&self, at: &Conversation<'_>) -> Result<Vec<Content>, HostError> {
        let plans = at.session.plans_of::<Machine>().await?;
        let open = plans.iter().find(|plan| plan.state == State::Open);
        let folder = self.files.folder(&at.session.identity().to_string());
        let said = open.map(|plan| {
            let title = in_a_line(&plan.data.title, LONGEST);
            Content::Notice(format!(
                "Planning files for \"{title}\" are open in `{}`. `/files close` archives them.",
                folder.display()
            ))
        });
        Ok(said.into_iter().collect())
    }

    /// Runs `/files`: reports where the planning files are, or where they would be opened.
    async fn where_files_are(&self, at: &Conversation<'_>) -> Result<Vec<Content>, HostError> {
        let said = self.where_open(at).await?;
        if !said.is_empty() {
            return Ok(said);
        }
        let folder = self.files.folder(&at.session.identity().to_string());
        Ok(vec![Content::Notice(format!(
            "No planning files are open. `/plan TITLE` opens planning files in `{}`; closed planning files are in its `archive` subfolder.",
            folder.display()
        ))])
    }
}

impl Handler for PlanningFiles {
    type Machine = Machine;

    fn effect<'a>(&'a self, at: &'a Conversation<'a>, effect: Effect) -> ContentFuture<'a> {
        Box::pin(async move {
            if let Effect::FilesOpened { .. } = effect {
                self.write(at).await?;
                return self.where_open(at).await;
            }
            let thread = at.session.identity().to_string();
            match self.files.apply(&thread, &effect, &self.workspace) {
                // A file that blocks an export belongs to the user: it is reported, and the session continues.
                Err(error) if matches!(effect, Effect::ExportFile { .. }) => {
                    Ok(vec![Content::Error(error.to_string())])
                }
                done => done.map(|()| Vec::new()),
            }
        })
    }
}

impl Attendant for PlanningFiles {
    fn commands(&self) -> &'static [(&'static str, &'static str)] {
        &[(
            "/files",
            "Show where the planning files of this conversation are.",
        )]
    }

    /// Runs `/files`, and `/plan "TITLE"`: text in quotes is always a title, even if it looks like a command.
    fn command<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> Option<ContentFuture<'a>> {
        if line == "/files" {
            return Some(Box::pin(self.where_files_are(at)));
        }
        let title = mistyped::quoted_title(line).filter(|title| !title.trim().is_empty())?;
        Some(Box::pin(async move {
            let mut said = open_titled(at, title).await?;
            said.extend(at.effects().await?);
            Ok(said)
        }))
    }

    fn mistyped(&self, modes: &Modes, mode: &Mode, line: &str) -> Option<String> {
        mistyped::refused(modes, mode, line)
    }

    fn otherwise(&self, words: &str) -> Option<String> {
        Some(mistyped::quote_it(words))
    }

    /// Opens planning files if a message looks like work with many steps.
    fn before_message<'a>(&'a self, at: &'a Conversation<'a>, text: &'a str) -> ContentFuture<'a> {
        Box::pin(async move {
            if !self.auto.opens_for(text) || open_files(at).await?.is_some() {
                return Ok(Vec::new());
            }
            let title = first_words(text.lines().next().unwrap_or_default(), LONGEST_TITLE);
            let task = Event::ComplexTask(event::ComplexTask { task_title: title });
            // A session without planning files has no plan that the signal could be addressed to.
            let opened = at.signal::<Machine>(Address::default(), task).await?;
            let denied = opened.report("planning files were not opened");
            let mut said: Vec<Content> = denied.into_iter().collect();
            said.extend(at.effects().await?);
            Ok(said)
        })
    }

    /// Reports an error if a title was typed while planning files are open: the machine accepts the title, but opens
    /// nothing.
    fn reply(&self, reply: &Json) -> Option<Content> {
        let title = reply.as_text()?.strip_prefix(ALREADY_OPEN)?;
        let title = in_a_line(title, LONGEST);
        Some(Content::Error(format!(
            "planning files for \"{title}\" are already open; `/files` shows where they are, and `/files close` archives them"
        )))
    }

    /// Names the title instead of the machine's argument, which a person who types a title does not know.
    fn denial(&self, denial: &Denial, _: &str) -> Option<String> {
        Some(why(denial).replace("`task_title`", "the title"))
    }

    fn answered<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> ContentFuture<'a> {
        Box::pin(async move {
            if line.eq_ignore_ascii_case("/plan status") {
                return self.where_open(at).await;
            }
            Ok(Vec::new())
        })
    }

    fn after_effects<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(async move {
            self.write(at).await?;
            Ok(Vec::new())
        })
    }

    /// Logs the result of a tool in the open planning files.
    fn tool_ran<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        tool: &'a str,
        result: &'a Result<String, ToolError>,
    ) -> ContentFuture<'a> {
        Box::pin(async move {
            let Some(open) = open_files(at).await? else {
                return Ok(Vec::new());
            };
            let line = |text: &str| {
                let line = text.lines().next().unwrap_or_default().chars();
                line.take(LOGGED).collect::<String>().replace('|', "/")
            };
            let tool = tool.to_owned();
            let not_logged = format!("`{tool}` was not logged in the planning files");
            let ran = match result {
                Ok(text) => Event::ToolAnswered(event::ToolAnswered {
                    tool,
                    note: line(text),
                }),
                Err(error) => Event::ToolFailed(event::ToolFailed {
                    tool,
                    error: line(&error.to_string()),
                }),
            };
            let logged = at.signal::<Machine>(&open.id, ran).await?;
            Ok(logged.report_unless_over(&not_logged).into_iter().collect())
        })
    }

    /// Withholds the prompt and the tools of planning files from the model until the files are open, unless the user
    /// asks for them.
    fn brief(&self, gate: &Gate, asked: &str, brief: &mut Brief) {
        if asks_for_files(asked) || is_open(gate) {
            return;
        }
        let files = Machine::MACHINE;
        let none: Option<&StateTable> = files.state_named("none").map(|none| files.state(none));
        brief
            .prompts
            .retain(|prompt| none.is_none_or(|none| none.prompt != *prompt));
        brief.withhold(NOT_OPEN, |tool| files.event_named(&tool.name).is_some());
    }
}

/// Opens planning files with a title.
async fn open_titled(at: &Conversation<'_>, title: &str) -> Result<Vec<Content>, HostError> {
    let event = Event::PlanFor(event::PlanFor {
        task_title: title.to_owned(),
    });
    let context = at.context("user", None);
    let done = at
        .session
        .signal::<Machine>(Address::default(), event, &context);
    let answer = CommandAnswer {
        machine: Machine::MACHINE.name.to_owned(),
        outcome: done.await?.answer,
    };
    Ok(answered(at.mode(), &answer, "/plan"))
}

/// Returns whether planning files are open.
fn is_open(gate: &Gate) -> bool {
    let mut machines = gate.machines().iter();
    let files = machines.find(|running| running.description().name == Machine::MACHINE.name);
    files.is_some_and(|files| {
        let plans = files.plans();
        plans.iter().any(|plan| plan.state == State::Open.as_str())
    })
}

/// Returns the plan of the open planning files, if there is one.
async fn open_files(at: &Conversation<'_>) -> Result<Option<PlanView>, HostError> {
    let plans = at.session.plans().await?;
    let mut own = plans
        .into_iter()
        .filter(|held| held.machine == Machine::MACHINE.name);
    let open = own.find(|held| held.plan.state == State::Open.as_str());
    Ok(open.map(|held| held.plan))
}
