//! `/memory` and `/promote`: the memories that the model receives.

use plan_specs::memory::{TaskId, TaskRun};

use super::super::parts::Conversation;
use crate::error::HostError;
use crate::memory::Item;
use crate::outgoing::Content;
use crate::words::in_a_line;

/// The maximum number of characters of an item shown in a list.
const LONGEST: usize = 300;

impl Conversation<'_> {
    /// Shows the memories, or adds one.
    pub(super) fn memory_command(&self, text: &str) -> Result<Vec<Content>, HostError> {
        let memory = &self.host.memory;
        let identity = self.identity()?;
        if !text.is_empty() {
            let to = TaskRun::new(identity, TaskId::new("chat")?).write_preference();
            memory.remember(&to, text, "user", self.host.now())?;
            return Ok(vec![Content::Notice(
                "Remembered in this conversation.".to_owned(),
            )]);
        }
        let items = memory.recall(&identity)?;
        let lines = (1..).zip(&items).map(|(number, item)| {
            let text = in_a_line(&item.text, LONGEST);
            // A conversation reads memories of two levels: its own, and those that are shared with every conversation.
            let of = match item.scope.level() {
                "global" => "every conversation",
                _ => "this conversation",
            };
            format!("{number}. {text} ({of})")
        });
        let remembered = if items.is_empty() {
            Content::Notice("There are no memories.".to_owned())
        } else {
            Content::List(lines.collect())
        };
        let damaged = memory.damaged()?.into_iter();
        let damaged = damaged.map(|line| Content::Error(line.report()));
        Ok([remembered].into_iter().chain(damaged).collect())
    }

    /// Returns whether there is an item that `/promote` could name. If the memory cannot be read, `/memory` reports the
    /// error.
    pub(super) fn remembers_something(&self) -> Result<bool, HostError> {
        let items = self.host.memory.recall(&self.identity()?);
        Ok(items.is_ok_and(|items| !items.is_empty()))
    }

    /// Makes an item available to every conversation.
    pub(super) fn promote_command(&self, number: &str) -> Result<Vec<Content>, HostError> {
        let memory = &self.host.memory;
        let identity = self.identity()?;
        let items = memory.recall(&identity)?;
        let at = number.parse::<usize>().ok();
        let Some(item) = at.and_then(|number| items.get(number.checked_sub(1)?)) else {
            return Ok(vec![Content::Error(no_item(number, items.is_empty()))]);
        };
        let global = identity.read_global().into_key();
        let is_there = |other: &Item| other.scope == global && other.text == item.text;
        if items.iter().any(is_there) {
            let known = "Every conversation already has this memory.".to_owned();
            return Ok(vec![Content::Notice(known)]);
        }
        let promotion = identity.promote_to_global(&identity.read_session(), "user")?;
        memory.promote(item, promotion, self.host.now())?;
        Ok(vec![Content::Notice(
            "Every conversation now has this memory.".to_owned(),
        )])
    }
}

fn no_item(number: &str, nothing_there: bool) -> String {
    match number {
        _ if nothing_there => {
            "this conversation has no memories; use `/memory TEXT` to add one".to_owned()
        }
        "" => "`/promote` needs a number: `/promote NUMBER`; `/memory` lists the items with their numbers".to_owned(),
        number => format!("unknown item `{number}`; `/memory` lists the items"),
    }
}
