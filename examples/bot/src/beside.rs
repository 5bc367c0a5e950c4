//! What stands beside a session's plans: its planning files and its memory.

use plan_machine::Object;
use plan_machine::gate::Surroundings;
use plan_machine::session::{Effect, Held, Session, SessionIdentity};
use plan_specs::memory::{Identity, TaskId, TaskRun};

use crate::bot::Bot;
use crate::memory::Item;
use crate::outgoing::Said;

/// The machine of the planning files.
const FILES: &str = "PlanningFiles";

/// How many memories a model is told.
const TOLD: usize = 20;

/// How many lines of a message, or words, make it look like work of many steps.
const MANY_LINES: usize = 3;
const MANY_WORDS: usize = 60;

impl Bot {
    /// Opens planning files where a message looks like work of many steps.
    pub(crate) async fn open_planning_files(
        &self,
        session: &Session,
        text: &str,
    ) -> Result<(), String> {
        if !looks_complex(text) || open_files(session).await?.is_some() {
            return Ok(());
        }
        let title: String = text
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(100)
            .collect();
        let mut with = Object::new();
        with.push("task_title", title);
        // A session without planning files has no plan to name.
        self.signal(session, FILES, "complex_task", "", with)
            .await
            .map(drop)
    }

    /// Tells the planning files what came of a tool.
    pub(crate) async fn tell_planning_files(
        &self,
        session: &Session,
        tool: &str,
        ran: &Result<String, String>,
    ) {
        let Ok(Some(held)) = open_files(session).await else {
            return;
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
        // A log that cannot be written does not stop the work that it is about.
        let _ = self
            .signal(session, FILES, name, held.plan.id.as_str(), with)
            .await;
    }

    /// Makes the files on disk what the plan says.
    pub(crate) async fn write_planning_files(&self, session: &Session) -> Result<(), String> {
        let held = open_files(session).await?;
        let thread = session.identity().to_string();
        self.files
            .show(&thread, held.as_ref().map(|held| &held.plan))
    }

    /// Does an effect of the planning files.
    pub(crate) fn file_effect(
        &self,
        session: &Session,
        effect: &Effect,
    ) -> Result<Vec<Said>, String> {
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

    /// What the model is told of what a session remembers.
    pub(crate) fn memories(&self, session: &SessionIdentity) -> Vec<String> {
        let items = identity(session).and_then(|identity| self.memory.recall(&identity));
        let items = items.unwrap_or_default().into_iter().take(TOLD);
        items.map(|item| item.text).collect()
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
                .remember(&to, text, "user", Surroundings::now().now)?;
            return Ok(vec![Said::Notice("Remembered here.".to_owned())]);
        }
        let items = self.memory.recall(&identity)?;
        let lines: Vec<String> = items
            .iter()
            .enumerate()
            .map(|(number, item)| format!("{}. {} ({})", number + 1, item.text, item.scope))
            .collect();
        let text = if lines.is_empty() {
            "Nothing is remembered.".to_owned()
        } else {
            lines.join("\n")
        };
        let damaged = self.memory.damaged()?.into_iter().map(|line| {
            let (number, why) = (line.line, line.why);
            Said::Error(format!("line {number} of the memory cannot be read: {why}"))
        });
        Ok([Said::Notice(text)].into_iter().chain(damaged).collect())
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
            return Ok(vec![Said::Error(format!(
                "there is no item `{number}`; /memory shows them"
            ))]);
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
            .promote(item, promotion, Surroundings::now().now)?;
        Ok(vec![Said::Notice(
            "Every conversation remembers it now.".to_owned(),
        )])
    }
}

/// The plan of the planning files, if one is open.
async fn open_files(session: &Session) -> Result<Option<Held>, String> {
    let plans = session.plans().await.map_err(|error| error.to_string())?;
    Ok(plans
        .into_iter()
        .find(|held| held.machine == FILES && held.plan.state == "OPEN"))
}

fn identity(session: &SessionIdentity) -> Result<Identity, String> {
    Identity::new(session.channel(), session.conversation()).map_err(|error| error.to_string())
}

fn looks_complex(text: &str) -> bool {
    let listed = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("- ")
            || line.starts_with("* ")
            || line
                .split_once(". ")
                .is_some_and(|(number, _)| number.parse::<u8>().is_ok())
    };
    text.lines().filter(listed).count() >= MANY_LINES
        || text.split_whitespace().count() >= MANY_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_three_or_a_long_message_looks_like_work_of_many_steps() {
        assert!(looks_complex("Please\n1. look\n2. think\n3. leap"));
        assert!(looks_complex(&"word ".repeat(80)));
        assert!(!looks_complex("What is the time?"));
        assert!(!looks_complex("- one\n- two"));
    }
}
