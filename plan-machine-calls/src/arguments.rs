//! The arguments of a call that the rules and the guard inspect.

use plan_machine_kernel::calls::{INERT_ARGUMENTS, ToolArguments};
use plan_machine_kernel::json::{Json, Object};

use crate::patch;
use crate::refusal::{Refusal, quoted};

/// Shells that run the text after `-c`.
const SHELLS: [&str; 4] = ["bash", "dash", "sh", "zsh"];
/// Names of arguments that hold a command, for tools that no document describes.
const COMMANDS: [&str; 3] = ["cmd", "command", "script"];
/// Names of arguments that hold a path, for tools that no document describes.
const PATHS: [&str; 12] = [
    "absolute_path",
    "destination",
    "filePath",
    "file_path",
    "filename",
    "new_path",
    "notebook_path",
    "path",
    "paths",
    "relative_path",
    "target",
    "target_file",
];
/// Names of arguments that hold a patch, for tools that no document describes.
const PATCHES: [&str; 4] = ["command", "input", "patch", "patchText"];
/// Tools that take a patch, never a command.
const PATCH_TOOLS: [&str; 2] = ["apply_patch", "patch"];
/// The largest number of paths that one call may have.
const MOST_PATHS: usize = 1_000;

/// Returns the command of a call and, if an argument names it, the folder in which the command
/// runs. Every other argument must be known not to change what the command does.
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

/// Returns the text of a command, which is a string or a list such as `["bash", "-lc", "ls"]`.
fn text_of(value: &Json) -> Option<&str> {
    if let Some([shell, flag, text]) = value.as_list() {
        let shell = shell.as_text()?;
        let flag = flag.as_text()?;
        let known = SHELLS.contains(&shell) && matches!(flag, "-c" | "-lc");
        return text.as_text().filter(|_| known);
    }
    value.as_text()
}

/// Returns all paths of a call.
pub(crate) fn paths<'a>(
    tool: &ToolArguments,
    arguments: &'a Json,
) -> Result<Vec<&'a str>, Refusal> {
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

/// Returns the strings of a value that is a string or a list of strings.
fn texts(value: &Json) -> Option<Vec<&str>> {
    match value {
        Json::List(items) => items.iter().map(Json::as_text).collect(),
        value => value.as_text().map(|text| vec![text]),
    }
}

/// Returns everything in the arguments that may be a command, whether or not a document describes the tool.
pub(crate) fn possible_commands(
    name: &str,
    tool: Option<&ToolArguments>,
    arguments: &Json,
) -> Vec<String> {
    if PATCH_TOOLS.contains(&name) {
        return Vec::new();
    }
    let declared = tool.and_then(|tool| tool.command.as_deref());
    let commands = named(arguments, |key| {
        declared == Some(key) || COMMANDS.contains(&key)
    });
    let texts = commands.filter_map(|value| match value {
        Json::List(_) => match text_of(value) {
            Some(text) => Some(text.to_owned()),
            None => self::texts(value).map(|words| quoted_words(&words)),
        },
        value => value.as_text().map(str::to_owned),
    });
    texts.collect()
}

/// Quotes words so that they form a command with exactly these words.
fn quoted_words(words: &[&str]) -> String {
    let words = words.iter();
    let words: Vec<String> = words
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    words.join(" ")
}

/// Returns everything in the arguments that may be a path to write, whether or not a document describes the tool.
pub(crate) fn possible_paths<'a>(
    tool: Option<&ToolArguments>,
    arguments: &'a Json,
) -> Vec<&'a str> {
    let declared = |key: &str| tool.is_some_and(|tool| tool.paths.iter().any(|name| name == key));
    let values = named(arguments, |key| declared(key) || PATHS.contains(&key));
    let mut all: Vec<&str> = values.filter_map(texts).flatten().collect();
    let declared = |key: &str| tool.is_some_and(|tool| tool.patch.as_deref() == Some(key));
    let patches = named(arguments, |key| declared(key) || PATCHES.contains(&key));
    for patch in patches.filter_map(texts).flatten() {
        all.extend(patch::named(patch));
    }
    all
}

fn named(arguments: &Json, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &Json> {
    let object = arguments.as_object().into_iter();
    let pairs = object.flat_map(Object::iter);
    pairs
        .filter(move |(key, _)| is_meant(key))
        .map(|(_, value)| value)
}
