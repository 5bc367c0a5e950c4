//! The arguments of a call that rules inspect.

use plan_machine_kernel::calls::{INERT_ARGUMENTS, ToolArguments};
use plan_machine_kernel::json::{Json, Object};

use crate::keys::names_a_path;
use crate::patch;
use crate::refusal::{Refusal, quoted};

/// Shells that run the text after `-c` as a command.
const SHELLS: [&str; 4] = ["bash", "dash", "sh", "zsh"];
/// The maximum number of paths of one call that are checked.
const MOST_PATHS: usize = 1_000;

/// Returns the command of a call, and the folder in which the command runs if an argument names the folder. Every other
/// argument must be known not to change what the command does.
pub(crate) fn command<'a>(
    tool: &ToolArguments,
    arguments: &'a Json,
) -> Result<(&'a str, Option<&'a str>), Refusal> {
    let name = tool.command.as_deref().unwrap_or_default();
    let mut command = None;
    let mut folder = None;
    let object = arguments.as_object();
    for (key, value) in object.into_iter().flat_map(Object::iter) {
        if key == name {
            command = text_of(value);
        } else if Some(key) == tool.folder.as_deref() {
            let text = value.as_text();
            let refused = || Refusal::new(format!("the argument {} is not a string", quoted(key)));
            folder = Some(text.ok_or_else(refused)?);
        } else if !INERT_ARGUMENTS.contains(&key) && !tool.ignores.iter().any(|known| known == key)
        {
            let reason = format!("unknown argument {}", quoted(key));
            return Err(Refusal::new(reason));
        }
    }
    match command {
        Some(command) => Ok((command, folder)),
        None => Err(Refusal::new(format!(
            "the argument {} is missing or is not a command",
            quoted(name)
        ))),
    }
}

/// Checks that a call has only arguments with these names: a new version of a tool may have an argument that changes
/// where or how a call runs.
pub(crate) fn only(known: &[String], arguments: &Json) -> Result<(), Refusal> {
    let Some(object) = arguments.as_object() else {
        let is_missing = arguments.is_null();
        let refused = || Refusal::new("the arguments are not an object");
        return is_missing.then_some(()).ok_or_else(refused);
    };
    let unknown = |key: &&str| !known.iter().any(|name| name == key);
    match object.iter().map(|(key, _)| key).find(unknown) {
        Some(key) => Err(Refusal::new(format!("unknown argument {}", quoted(key)))),
        None => Ok(()),
    }
}

/// Returns the text of a command, which is a string or a list such as `["bash", "-lc", "ls"]`.
pub(crate) fn text_of(value: &Json) -> Option<&str> {
    if let Some([shell, flag, text]) = value.as_list() {
        let shell = shell.as_text()?;
        let flag = flag.as_text()?;
        let known = SHELLS.contains(&shell) && matches!(flag, "-c" | "-lc");
        return text.as_text().filter(|_| known);
    }
    value.as_text()
}

/// Returns the folder that a declared argument of a call sets.
pub(crate) fn folder<'a>(
    tool: &ToolArguments,
    arguments: &'a Json,
) -> Result<Option<&'a str>, Refusal> {
    let get = |name: &String| arguments.as_object().and_then(|object| object.get(name));
    let value = tool.folder.as_ref().and_then(get);
    let refused = || Refusal::new("the argument with the folder is not a string");
    value
        .map(|value| value.as_text().ok_or_else(refused))
        .transpose()
}

/// Returns all paths of a call. Every argument that holds a path must be declared: a second path, or a folder that the
/// path is relative to, would change what the call writes.
pub(crate) fn paths<'a>(
    tool: &ToolArguments,
    arguments: &'a Json,
) -> Result<Vec<&'a str>, Refusal> {
    if let Some(key) = undeclared_path(tool, arguments) {
        let reason = format!(
            "the argument {} may hold a path, but the calls document does not declare it",
            quoted(key)
        );
        return Err(Refusal::new(reason));
    }
    let get = |name: &str| arguments.as_object().and_then(|object| object.get(name));
    let mut all = Vec::new();
    for name in &tool.paths {
        if let Some(value) = get(name) {
            let refused = || Refusal::new(format!("the argument {} is not a path", quoted(name)));
            all.extend(texts(value).ok_or_else(refused)?);
        }
    }
    if let Some(name) = &tool.patch
        && let Some(value) = get(name)
    {
        let found = value.as_text().and_then(patch::paths);
        let refused = || Refusal::new("the files that the patch changes are not known");
        all.extend(found.ok_or_else(refused)?);
    }
    if all.is_empty() {
        return Err(Refusal::new("the call has no path"));
    }
    if all.len() > MOST_PATHS {
        return Err(Refusal::new("the call has too many paths"));
    }
    Ok(all)
}

/// Returns the name of an argument, at any depth, that holds a path or a folder and is not declared.
fn undeclared_path<'a>(tool: &ToolArguments, arguments: &'a Json) -> Option<&'a str> {
    let is_declared = |key: &str| {
        let mut declared = tool.paths.iter().chain(&tool.patch).chain(&tool.folder);
        declared.any(|name| name == key) || tool.ignores.iter().any(|name| name == key)
    };
    let mut open = vec![(arguments, true)];
    while let Some((value, is_top)) = open.pop() {
        for (key, value) in value.as_object().into_iter().flat_map(Object::iter) {
            let is_known = is_top && is_declared(key);
            if !is_known && !value.is_null() && names_a_path(key) {
                return Some(key);
            }
            if !is_known {
                open.push((value, false));
            }
        }
        open.extend(
            value
                .as_list()
                .into_iter()
                .flatten()
                .map(|item| (item, false)),
        );
    }
    None
}

/// Returns the strings in a value that is a string or a list of strings.
pub(crate) fn texts(value: &Json) -> Option<Vec<&str>> {
    match value {
        Json::List(items) => items.iter().map(Json::as_text).collect(),
        value => value.as_text().map(|text| vec![text]),
    }
}
