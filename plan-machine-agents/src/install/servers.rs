//! Adds our MCP server to an agent's configuration, and removes it.

use plan_machine_kernel::json::{Json, Object};
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::edit;
use super::error::EditError;
use crate::agents::{SERVER, ServerShape};

/// Adds the server, or updates its entry.
///
/// # Errors
///
/// If the file does not have the structure that the agent expects.
pub(super) fn add(
    text: Option<&str>,
    shape: ServerShape,
    program: &str,
) -> Result<String, EditError> {
    let args = ["mcp"];
    let json = |text: Option<&str>| {
        text.filter(|text| !text.trim().is_empty())
            .unwrap_or("{}\n")
            .to_owned()
    };
    match shape {
        ServerShape::Json => {
            let mut server = Object::new();
            server.push("command", program);
            server.push("args", Json::List(args.map(Json::from).to_vec()));
            edit::set(&json(text), &["mcpServers"], SERVER, &server.into())
        }
        ServerShape::OpenCode => {
            let words = [program].into_iter().chain(args).map(Json::from);
            let mut server = Object::new();
            server.push("type", "local");
            server.push("command", Json::List(words.collect()));
            server.push("enabled", true);
            edit::set(&json(text), &["mcp"], SERVER, &server.into())
        }
        ServerShape::Toml => toml_added(text.unwrap_or_default(), program, &args),
        ServerShape::ByHand => Ok(text.unwrap_or_default().to_owned()),
    }
}

/// Removes the server; a file without it does not change. Returns `None` if nothing is left in the file.
///
/// # Errors
///
/// If the text is not valid JSON or TOML.
pub(super) fn remove(text: &str, shape: ServerShape) -> Result<Option<String>, EditError> {
    let parent = match shape {
        ServerShape::Json => "mcpServers",
        ServerShape::OpenCode => "mcp",
        ServerShape::Toml => return toml_removed(text),
        ServerShape::ByHand => return Ok(Some(text.to_owned())),
    };
    let without = edit::remove_member(text, &[parent], SERVER)?;
    if without == text {
        return Ok(Some(without));
    }
    Ok(unless_empty(edit::remove_if_empty(&without, &[], parent)?))
}

/// Returns the text, unless only an empty object is left.
pub(super) fn unless_empty(text: String) -> Option<String> {
    let mut rest = text.trim().to_owned();
    rest.retain(|letter| !letter.is_whitespace());
    (rest != "{}").then_some(text)
}

const SERVERS: &str = "mcp_servers";

/// The variables that a server needs.
const VARIABLES: [&str; 3] = ["PLAN_MACHINE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

fn parsed(text: &str) -> Result<DocumentMut, EditError> {
    text.parse::<DocumentMut>()
        .map_err(|error| EditError::NotToml(error.message().to_owned()))
}

fn toml_added(text: &str, program: &str, args: &[&str]) -> Result<String, EditError> {
    let mut document = parsed(text)?;
    let mut server = Table::new();
    server.insert("command", toml_edit::value(program));
    server.insert(
        "args",
        toml_edit::value(args.iter().copied().collect::<Array>()),
    );
    // Codex passes only a few variables to servers, so those that determine the state folder are listed here.
    server.insert(
        "env_vars",
        toml_edit::value(VARIABLES.into_iter().collect::<Array>()),
    );
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let not_a_table = || EditError::Unexpected {
        path: SERVERS.to_owned(),
        expected: "a table",
    };
    if let Some(inline) = servers.as_inline_table_mut() {
        let same = inline
            .get(SERVER)
            .is_some_and(|old| same_value(old, &server));
        if same {
            return Ok(text.to_owned());
        }
        inline.insert(SERVER, Value::InlineTable(server.into_inline_table()));
        return Ok(like(text, &document));
    }
    let servers = servers.as_table_mut().ok_or_else(not_a_table)?;
    let same = servers
        .get(SERVER)
        .and_then(Item::as_table)
        .is_some_and(|old| same_table(old, &server));
    if same {
        return Ok(text.to_owned());
    }
    servers.insert(SERVER, Item::Table(server));
    Ok(like(text, &document))
}

/// Returns the text of a document with the kind of line breaks that its original text has, because the library may
/// change them.
fn like(original: &str, document: &DocumentMut) -> String {
    let text = document.to_string().replace("\r\n", "\n");
    text.replace('\n', edit::newline(original))
}

fn same_table(old: &Table, new: &Table) -> bool {
    let plain = |table: &Table, key: &str| {
        table
            .get(key)
            .map(|item| item.to_string().trim().to_owned())
    };
    ["command", "args", "env_vars"]
        .iter()
        .all(|key| plain(old, key) == plain(new, key))
}

fn same_value(old: &Value, new: &Table) -> bool {
    let old = old.clone().to_string().replace(' ', "");
    old.trim()
        == Value::InlineTable(new.clone().into_inline_table())
            .to_string()
            .replace(' ', "")
            .trim()
}

fn toml_removed(text: &str) -> Result<Option<String>, EditError> {
    let mut document = parsed(text)?;
    let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) else {
        return Ok(Some(text.to_owned()));
    };
    if servers.remove(SERVER).is_none() {
        return Ok(Some(text.to_owned()));
    }
    if servers.is_empty() {
        document.remove(SERVERS);
    }
    let text = like(text, &document);
    Ok((!text.trim().is_empty()).then_some(text))
}
