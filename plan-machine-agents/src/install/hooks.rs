//! Adds our hooks to an agent's configuration, and removes them.

use plan_machine_kernel::json::{Json, Object};

use super::command::{event_command, is_ours, tool_command};
use super::edit;
use super::error::{EditError, InstallError};
use crate::agents::{Agent, HookShape, Installation};

/// The time limit of a hook, in seconds. The hook answers long before this limit, because some agents run the call if
/// the limit is exceeded.
const LIMIT: i64 = 120;

/// An entry of the configuration: the hook for one event.
struct Entry {
    event: &'static str,
    command: String,
    is_tool_event: bool,
}

/// Adds the hooks for tool calls, for prompts, and for the agent's other events. Entries of an earlier version are
/// replaced; a file that already has the same entries does not change. The inner error says that the file does not have
/// the structure that the agent expects.
///
/// # Errors
///
/// If the path of the program cannot be quoted.
pub(super) fn add(
    text: Option<&str>,
    agent: &dyn Agent,
    program: &str,
) -> Result<Result<String, EditError>, InstallError> {
    let entries = entries(agent, program)?;
    Ok(added(text, agent.installation(), &entries))
}

fn entries(agent: &dyn Agent, program: &str) -> Result<Vec<Entry>, InstallError> {
    let installation = agent.installation();
    let mut entries = Vec::new();
    for event in installation.tool_events {
        entries.push(Entry {
            event,
            command: tool_command(program, agent.name())?,
            is_tool_event: true,
        });
    }
    for event in installation
        .prompt_events
        .iter()
        .chain(installation.other_events)
    {
        entries.push(Entry {
            event,
            command: event_command(program, agent.name())?,
            is_tool_event: false,
        });
    }
    Ok(entries)
}

fn added(
    text: Option<&str>,
    installation: &Installation,
    entries: &[Entry],
) -> Result<String, EditError> {
    let text = text.filter(|text| !text.trim().is_empty());
    let mut text = text.map_or_else(|| "{}\n".to_owned(), str::to_owned);
    if installation.hooks == HookShape::Flat && edit::value_at(&text, &["version"])?.is_none() {
        text = edit::set(&text, &[], "version", &Json::Int(1))?;
    }
    for entry in entries {
        let wanted = written(installation, entry);
        let path = ["hooks", entry.event];
        let found = edit::value_at(&text, &path)?;
        let found = found.as_ref().and_then(Json::as_list).unwrap_or_default();
        let ours: Vec<&Json> = found.iter().filter(|item| has_ours(item)).collect();
        if ours == [&wanted] {
            continue;
        }
        text = edit::remove_items(&text, &path, has_ours)?;
        text = edit::append(&text, &path, &wanted)?;
    }
    Ok(text)
}

/// Removes our hooks, and the containers that become empty; a file without our hooks does not change. Returns `None` if
/// nothing is left in the file.
///
/// # Errors
///
/// If the text is not valid JSON.
pub(super) fn remove(text: &str, installation: &Installation) -> Result<Option<String>, EditError> {
    let (original, mut text) = (text, text.to_owned());
    let events = [
        installation.tool_events,
        installation.prompt_events,
        installation.other_events,
    ];
    for event in events.into_iter().flatten() {
        let path = ["hooks", *event];
        let before = text.clone();
        text = edit::remove_items(&text, &path, has_ours)?;
        if text != before {
            text = edit::remove_if_empty(&text, &["hooks"], event)?;
        }
    }
    if text == original {
        return Ok(Some(text));
    }
    text = edit::remove_if_empty(&text, &[], "hooks")?;
    Ok(super::servers::unless_empty(text))
}

/// Returns the entry in the agent's shape.
fn written(installation: &Installation, entry: &Entry) -> Json {
    let mut hook = Object::new();
    let is_flat = installation.hooks == HookShape::Flat;
    if !is_flat {
        hook.push("type", "command");
    }
    hook.push("command", entry.command.as_str());
    hook.push("timeout", LIMIT * i64::from(installation.limit_units));
    if let Some((key, value)) = installation.fail_closed.filter(|_| entry.is_tool_event) {
        let value = if value == "true" {
            Json::Bool(true)
        } else {
            Json::from(value)
        };
        hook.push(key, value);
    }
    if is_flat {
        return hook.into();
    }
    let mut group = Object::new();
    if let Some(every) = installation.every_tool.filter(|_| entry.is_tool_event) {
        group.push("matcher", every);
    }
    group.push("hooks", Json::List(vec![hook.into()]));
    group.into()
}

/// Returns whether a configuration file has hooks of ours. A text that is not valid JSON has none.
pub(super) fn are_in(text: &str) -> bool {
    let found = edit::value_at(text, &["hooks"]).ok().flatten();
    let events = found.as_ref().and_then(Json::as_object);
    let mut lists = events
        .into_iter()
        .flat_map(Object::iter)
        .filter_map(|(_, entries)| entries.as_list());
    lists.any(|entries| entries.iter().any(has_ours))
}

/// Returns whether an entry, or one of the hooks in its group, is ours.
pub(crate) fn has_ours(entry: &Json) -> bool {
    commands(entry).iter().any(|command| is_ours(command))
}

/// Returns the commands of an entry.
pub(crate) fn commands(entry: &Json) -> Vec<&str> {
    let Some(object) = entry.as_object() else {
        return Vec::new();
    };
    let own = object.get("command").into_iter();
    let group = object
        .get("hooks")
        .and_then(Json::as_list)
        .unwrap_or_default();
    let group = group
        .iter()
        .filter_map(|hook| hook.as_object()?.get("command"));
    own.chain(group).filter_map(Json::as_text).collect()
}
