//! Everything in the arguments of a call that the guard inspects, whether or not a document describes the tool.

use std::borrow::Cow;

use plan_machine_kernel::calls::{INERT_ARGUMENTS, ToolArguments, WRITING_TOOLS};
use plan_machine_kernel::json::{Json, Object};

use super::uri;
use crate::arguments::{text_of, texts};
use crate::keys::{names_a_folder, names_a_path};

/// Names of arguments that hold a command.
const COMMANDS: [&str; 6] = [
    "cmd",
    "command",
    "commands",
    "script",
    "shellCommand",
    "shell_command",
];
/// Names of arguments that hold a patch.
const PATCHES: [&str; 4] = ["command", "input", "patch", "patchText"];
/// Tools that get a patch and never a command.
const PATCH_TOOLS: [&str; 2] = ["apply_patch", "patch"];
/// Tools whose texts are for a person, an agent or a search, and not for a file. The guard inspects only those of their
/// arguments whose names say that they hold a path, a folder, a command or a patch.
const TALKING_TOOLS: [&str; 27] = [
    "Agent",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "ListMcpResources",
    "Task",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "codesearch",
    "google_web_search",
    "lsp",
    "question",
    "request_user_input",
    "send_input",
    "skill",
    "spawn_agent",
    "task",
    "todoread",
    "todowrite",
    "update_plan",
    "wait_agent",
    "web_fetch",
    "webfetch",
    "websearch",
];
/// The maximum depth of JSON inside the strings of other JSON.
const MOST_NESTED: usize = 2;

/// The texts that the guard inspects.
#[derive(Debug, Default)]
pub(super) struct InspectedTexts<'a> {
    /// Texts that may be commands.
    pub(super) commands: Vec<Cow<'a, str>>,
    /// Texts that may be paths.
    pub(super) paths: Vec<Cow<'a, str>>,
    /// Texts that may be patches.
    pub(super) patches: Vec<Cow<'a, str>>,
    /// The folders in which commands may run.
    pub(super) folders: Vec<Cow<'a, str>>,
}

/// The possible meaning of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Command,
    Patch,
    Folder,
    Path,
    /// Text that names no file, such as the content of a file.
    Other,
}

/// Returns everything in the arguments of a call that may be a command, a path, a patch or a folder. All texts of an
/// unknown tool may be paths, at any depth.
pub(super) fn found<'a>(
    name: &str,
    tool: Option<&ToolArguments>,
    arguments: &'a Json,
) -> InspectedTexts<'a> {
    let is_command = |key: &str| {
        let declared = tool.and_then(|tool| tool.command.as_deref());
        declared == Some(key) || COMMANDS.contains(&key)
    };
    let mut keys = arguments.as_object().into_iter().flat_map(Object::iter);
    let look = Look {
        tool,
        takes_patches: PATCH_TOOLS.contains(&name),
        is_familiar: WRITING_TOOLS.contains(&name)
            || TALKING_TOOLS.contains(&name)
            || tool.is_some_and(|tool| tool.command.is_some()),
        has_command: keys.any(|(key, _)| is_command(key)),
    };
    let mut found = InspectedTexts::default();
    look.walk(arguments, &mut found, 0);
    found
}

/// What is known about a tool.
struct Look<'t> {
    tool: Option<&'t ToolArguments>,
    takes_patches: bool,
    is_familiar: bool,
    has_command: bool,
}

impl Look<'_> {
    fn walk<'a>(&self, arguments: &'a Json, found: &mut InspectedTexts<'a>, depth: usize) {
        let other = if self.is_familiar {
            Role::Other
        } else {
            Role::Path
        };
        let mut open = vec![(arguments, other)];
        while let Some((value, role)) = open.pop() {
            match value {
                Json::Object(object) => {
                    for (key, value) in object.iter() {
                        if !self.is_familiar && key.contains(['/', '.']) {
                            found.paths.push(key.into());
                        }
                        open.push((value, self.role(key, role)));
                    }
                }
                Json::List(_) if role == Role::Command => match (text_of(value), texts(value)) {
                    (Some(text), _) => found.commands.push(text.into()),
                    (None, Some(words)) => found.commands.push(quoted_words(&words).into()),
                    (None, None) => open.extend(items(value).map(|item| (item, role))),
                },
                Json::List(_) => open.extend(items(value).map(|item| (item, role))),
                value => {
                    if let Some(text) = value.as_text() {
                        self.text(text, role, found, depth);
                    }
                }
            }
        }
    }

    /// Returns what an argument may be, based on its name and on the argument that contains it.
    fn role(&self, key: &str, around: Role) -> Role {
        let declared = |name: fn(&ToolArguments) -> Option<&String>| {
            self.tool
                .and_then(name)
                .is_some_and(|declared| declared == key)
        };
        let is_patch = declared(|tool| tool.patch.as_ref());
        if self.takes_patches && (is_patch || PATCHES.contains(&key)) {
            return Role::Patch;
        }
        if declared(|tool| tool.command.as_ref()) || COMMANDS.contains(&key) {
            return Role::Command;
        }
        if is_patch || PATCHES.contains(&key) {
            return Role::Patch;
        }
        if declared(|tool| tool.folder.as_ref()) || (self.has_command && names_a_folder(key)) {
            return Role::Folder;
        }
        let holds_it = |tool: &ToolArguments| tool.paths.iter().any(|name| name == key);
        if self.tool.is_some_and(holds_it) || names_a_path(key) {
            return Role::Path;
        }
        if self.has_command && INERT_ARGUMENTS.contains(&key) {
            return Role::Other;
        }
        around
    }

    fn text<'a>(&self, text: &'a str, role: Role, found: &mut InspectedTexts<'a>, depth: usize) {
        match role {
            Role::Command => found.commands.push(text.into()),
            Role::Folder => found.folders.push(text.into()),
            Role::Patch if self.is_familiar || self.takes_patches => {
                found.patches.push(text.into());
            }
            Role::Patch | Role::Path => {
                if text.contains("*** ") {
                    found.patches.push(text.into());
                }
                found.paths.extend(uri::path(text));
                self.json(text, found, depth);
            }
            Role::Other => {}
        }
    }

    /// Inspects a text if it is JSON, because some tools pass such texts on to other tools.
    fn json(&self, text: &str, found: &mut InspectedTexts<'_>, depth: usize) {
        if depth >= MOST_NESTED || !text.trim_start().starts_with(['{', '[']) {
            return;
        }
        let Ok(json) = Json::parse(text) else {
            return;
        };
        let mut inner = InspectedTexts::default();
        self.walk(&json, &mut inner, depth + 1);
        let owned = |texts: Vec<Cow<'_, str>>| {
            let texts = texts.into_iter();
            texts
                .map(|text| Cow::Owned(text.into_owned()))
                .collect::<Vec<_>>()
        };
        found.commands.extend(owned(inner.commands));
        found.paths.extend(owned(inner.paths));
        found.patches.extend(owned(inner.patches));
        found.folders.extend(owned(inner.folders));
    }
}

fn items(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_list().into_iter().flatten()
}

/// Returns a command that has exactly these words.
fn quoted_words(words: &[&str]) -> String {
    let words = words.iter();
    let words: Vec<String> = words
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    words.join(" ")
}
