//! What stands beside a session's plans: its planning files and its memory.

use plan_machine::gate::EventContext;
use plan_machine::{Json, Object};
use plan_machine_sessions::{Session, SessionEffect, SessionIdentity, SessionPlan};
use plan_specs::memory::{Identity, TaskId, TaskRun};

use crate::bot::Bot;
use crate::memory::Item;
use crate::model::{first_words, in_a_line};
use crate::outgoing::Said;

/// The machine of the planning files.
const FILES: &str = "PlanningFiles";

/// How many characters of an item a list shows.
const LONGEST: usize = 300;

/// How many characters the title of planning files has that are opened without being asked for.
const LONGEST_TITLE: usize = 100;

/// How many memories a model is told.
const TOLD: usize = 20;

impl Bot {
    /// Opens planning files where a message looks like work of many steps.
    pub(crate) async fn open_planning_files(
        &self,
        session: &Session,
        text: &str,
    ) -> Result<Vec<Said>, String> {
        if !self.auto_files.opens_for(text) || open_files(session).await?.is_some() {
            return Ok(Vec::new());
        }
        let title = first_words(text.lines().next().unwrap_or_default(), LONGEST_TITLE);
        let mut with = Object::new();
        with.push("task_title", title);
        // A session without planning files has no plan to name.
        let opened = self.signal(session, FILES, "complex_task", None, with);
        let refused = opened.await?.report("planning files were not opened");
        let mut said: Vec<Said> = refused.into_iter().collect();
        said.extend(self.effects(session).await?);
        Ok(said)
    }

    /// Tells the planning files what came of a tool. A log that cannot be written does not stop the work that it is
    /// about; the user learns of it.
    pub(crate) async fn tell_planning_files(
        &self,
        session: &Session,
        tool: &str,
        ran: &Result<String, String>,
    ) -> Option<Said> {
        let held = match open_files(session).await {
            Ok(held) => held?,
            Err(error) => return Some(Said::Error(error)),
        };
        let (name, key, text) = match ran {
            Ok(text) => ("tool_answered", "note", text),
            Err(text) => ("tool_failed", "error", text),
        };
        let line: String = text
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(200)
            .collect();
        let mut with = Object::new();
        with.push("tool", tool);
        with.push(key, line.replace('|', "/"));
        let logged = self.signal(session, FILES, name, held.plan.id.as_str(), with);
        match logged.await {
            Ok(logged) => {
                logged.report_unless_over(&format!("`{tool}` was not logged in the planning files"))
            }
            Err(error) => Some(Said::Error(error)),
        }
    }

    /// Makes the files on disk what the plan says.
    pub(crate) async fn write_planning_files(&self, session: &Session) -> Result<(), String> {
        let held = open_files(session).await?;
        let thread = session.identity().to_string();
        self.files
            .show(&thread, held.as_ref().map(|held| &held.plan))
    }

    /// Does an effect of the planning files.
    pub(crate) async fn file_effect(
        &self,
        session: &Session,
        effect: &SessionEffect,
    ) -> Result<Vec<Said>, String> {
        if effect.effect.name == "files_opened" {
            self.write_planning_files(session).await?;
            return self.where_files_are(session).await;
        }
        let thread = session.identity().to_string();
        let applied = self.files.apply(&thread, &effect.effect, &self.tools);
        let why = match applied {
            Ok(true) => return Ok(Vec::new()),
            Ok(false) => format!("nobody does the effect `{}`", effect.effect.name),
            // What stands in the way is the user's: it is told, and the session goes on.
            Err(error) if effect.effect.name == "export_file" => error,
            Err(error) => return Err(error),
        };
        Ok(vec![Said::Error(why)])
    }

    /// `/files`: where planning files are, or would be.
    pub(crate) async fn files_command(&self, session: &Session) -> Result<Vec<Said>, String> {
        let said = self.where_files_are(session).await?;
        if !said.is_empty() {
            return Ok(said);
        }
        let folder = self.files.folder(&session.identity().to_string());
        Ok(vec![Said::Notice(format!(
            "No planning files are open. `/plan TITLE` opens some in `{}`; what was closed is in `archive` there.",
            folder.display()
        ))])
    }

    /// Says where the planning files are that are open.
    pub(crate) async fn where_files_are(&self, session: &Session) -> Result<Vec<Said>, String> {
        let held = open_files(session).await?;
        let folder = self.files.folder(&session.identity().to_string());
        let said = held.map(|held| {
            let title = held.plan.data.get("title").and_then(Json::as_text);
            let title = in_a_line(title.unwrap_or_default(), LONGEST);
            Said::Notice(format!(
                "Planning files for \"{title}\" are open in `{}`. `/files close` puts them into the archive.",
                folder.display()
            ))
        });
        Ok(said.into_iter().collect())
    }

    /// What the model is reminded of in a session. Where that cannot be read, the user learns of it and the model
    /// does without.
    pub(crate) fn memories(&self, session: &SessionIdentity, said: &mut Vec<Said>) -> Vec<String> {
        let items = identity(session).and_then(|identity| self.memory.recall(&identity));
        let items = items.unwrap_or_else(|error| {
            let left_out = format!("the model is not reminded of anything: {error}");
            said.push(Said::Error(left_out));
            Vec::new()
        });
        items.into_iter().take(TOLD).map(|item| item.text).collect()
    }

    /// `/memory`: shows what is remembered, or remembers something.
    pub(crate) fn memory_command(
        &self,
        session: &Session,
        text: &str,
    ) -> Result<Vec<Said>, String> {
        let identity = identity(session.identity())?;
        if !text.is_empty() {
            let chat = TaskId::new("chat").map_err(|error| error.to_string())?;
            let to = TaskRun::new(identity, chat).write_preference();
            self.memory
                .remember(&to, text, "user", EventContext::now().now)?;
            return Ok(vec![Said::Notice("Remembered here.".to_owned())]);
        }
        let items = self.memory.recall(&identity)?;
        let lines: Vec<String> = items
            .iter()
            .enumerate()
            .map(|(number, item)| {
                let text = in_a_line(&item.text, LONGEST);
                format!("{}. {text} ({})", number + 1, item.scope)
            })
            .collect();
        let remembered = if lines.is_empty() {
            Said::Notice("Nothing is remembered.".to_owned())
        } else {
            Said::List(lines)
        };
        let damaged = self.memory.damaged()?.into_iter().map(|line| {
            let (number, why) = (line.line, line.why);
            Said::Error(format!("line {number} of the memory cannot be read: {why}"))
        });
        Ok([remembered].into_iter().chain(damaged).collect())
    }

    /// Whether there is something that `/promote` could name. A memory that cannot be read is reported by `/memory`.
    pub(crate) fn remembers_something(&self, session: &SessionIdentity) -> Result<bool, String> {
        let items = self.memory.recall(&identity(session)?);
        Ok(items.is_ok_and(|items| !items.is_empty()))
    }

    /// `/promote`: lets every conversation remember an item.
    pub(crate) fn promote_command(
        &self,
        session: &Session,
        number: &str,
    ) -> Result<Vec<Said>, String> {
        let identity = identity(session.identity())?;
        let items = self.memory.recall(&identity)?;
        let item = number
            .parse::<usize>()
            .ok()
            .and_then(|number| items.get(number.checked_sub(1)?));
        let Some(item) = item else {
            let what = match number {
                _ if items.is_empty() => {
                    "nothing is remembered here; `/memory TEXT` remembers something".to_owned()
                }
                "" => "`/promote` needs a number: `/promote NUMBER`; `/memory` shows the items and their numbers".to_owned(),
                number => format!("there is no item `{number}`; `/memory` shows those that there are"),
            };
            return Ok(vec![Said::Error(what)]);
        };
        let global = identity.read_global().into_key();
        let is_there = |other: &Item| other.scope == global && other.text == item.text;
        if items.iter().any(is_there) {
            let known = "Every conversation remembers it already.".to_owned();
            return Ok(vec![Said::Notice(known)]);
        }
        let promotion = identity.promote_to_global(&identity.read_session(), "user");
        let promotion = promotion.map_err(|error| error.to_string())?;
        self.memory
            .promote(item, promotion, EventContext::now().now)?;
        Ok(vec![Said::Notice(
            "Every conversation remembers it now.".to_owned(),
        )])
    }
}

/// The plan of the planning files, if one is open.
async fn open_files(session: &Session) -> Result<Option<SessionPlan>, String> {
    let plans = session.plans().await.map_err(|error| error.to_string())?;
    Ok(plans
        .into_iter()
        .find(|held| held.machine == FILES && held.plan.state == "OPEN"))
}

fn identity(session: &SessionIdentity) -> Result<Identity, String> {
    Identity::new(session.channel(), session.conversation()).map_err(|error| error.to_string())
}
