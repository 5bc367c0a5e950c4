//! Finds the texts in the arguments of a call that the guard inspects, whether or not a document describes the tool.

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

/// What a text may be. A text without a role, such as the content of a file, does not name a file.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a text may have any of the roles"
)]
struct Roles {
    command: bool,
    patch: bool,
    folder: bool,
    path: bool,
}

impl Roles {
    const NONE: Self = Self {
        command: false,
        patch: false,
        folder: false,
        path: false,
    };
    const COMMAND: Self = Self {
        command: true,
        ..Self::NONE
    };
    const PATCH: Self = Self {
        patch: true,
        ..Self::NONE
    };
    const FOLDER: Self = Self {
        folder: true,
        ..Self::NONE
    };
    const PATH: Self = Self {
        path: true,
        ..Self::NONE
    };

    /// Returns these roles combined with `others`.
    fn and(self, others: Self) -> Self {
        Self {
            command: self.command || others.command,
            patch: self.patch || others.patch,
            folder: self.folder || others.folder,
            path: self.path || others.path,
        }
    }
}

/// Returns everything in the arguments of a call that may be a command, a path, a patch or a folder. All texts of an
/// unknown tool may be paths, at any depth.
pub(super) fn found<'a>(
    name: &str,
    tool: Option<&ToolArguments>,
    arguments: &'a Json,
) -> InspectedTexts<'a> {
    let has = |is_it: &dyn Fn(&str) -> bool| {
        let mut keys = arguments.as_object().into_iter().flat_map(Object::iter);
        keys.any(|(key, _)| is_it(key))
    };
    let declared = tool.and_then(|tool| tool.command.as_deref());
    let look = Look {
        tool,
        takes_patches: PATCH_TOOLS.contains(&name),
        is_familiar: WRITING_TOOLS.contains(&name) || TALKING_TOOLS.contains(&name),
        has_command: has(&|key| COMMANDS.contains(&key)),
        has_declared_command: has(&|key| declared == Some(key)),
    };
    let mut found = InspectedTexts::default();
    look.walk(arguments, &mut found, 0);
    found
}

/// What is known about a tool.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each of the facts may be true without the others"
)]
struct Look<'t> {
    tool: Option<&'t ToolArguments>,
    takes_patches: bool,
    is_familiar: bool,
    /// Whether the call has an argument whose name says that it holds a command.
    has_command: bool,
    /// Whether the call has an argument that holds a command because the document declares it.
    has_declared_command: bool,
}

impl Look<'_> {
    fn walk<'a>(&self, arguments: &'a Json, found: &mut InspectedTexts<'a>, depth: usize) {
        let unnamed = if self.is_familiar {
            Roles::NONE
        } else {
            Roles::PATH
        };
        let mut open = vec![(arguments, unnamed)];
        while let Some((value, roles)) = open.pop() {
            match value {
                Json::Object(object) => {
                    for (key, value) in object.iter() {
                        if !self.is_familiar && key.contains(['/', '.']) {
                            found.paths.push(key.into());
                        }
                        let roles = self.known(key, roles).and(self.declared(key));
                        open.push((value, roles));
                    }
                }
                Json::List(_) => {
                    let command = if roles.command { whole(value) } else { None };
                    let rest = Roles {
                        command: command.is_none() && roles.command,
                        ..roles
                    };
                    found.commands.extend(command);
                    open.extend(items(value).map(|item| (item, rest)));
                }
                value => {
                    if let Some(text) = value.as_text() {
                        self.text(text, roles, found, depth);
                    }
                }
            }
        }
    }

    /// Returns the roles that an argument may have because of its name and of the argument that contains it, whatever a
    /// document declares.
    fn known(&self, key: &str, around: Roles) -> Roles {
        if self.takes_patches && PATCHES.contains(&key) {
            Roles::PATCH
        } else if COMMANDS.contains(&key) {
            Roles::COMMAND
        } else if PATCHES.contains(&key) {
            Roles::PATCH
        } else if self.has_command && names_a_folder(key) {
            Roles::FOLDER
        } else if names_a_path(key) {
            Roles::PATH
        } else if self.has_command && INERT_ARGUMENTS.contains(&key) {
            Roles::NONE
        } else {
            around
        }
    }

    /// Returns the further roles that an argument may have because the document declares it.
    fn declared(&self, key: &str) -> Roles {
        let Some(tool) = self.tool else {
            return Roles::NONE;
        };
        let is = |name: &Option<String>| name.as_deref() == Some(key);
        Roles {
            command: is(&tool.command),
            patch: is(&tool.patch),
            folder: is(&tool.folder) || (self.has_declared_command && names_a_folder(key)),
            path: tool.paths.iter().any(|name| name == key),
        }
    }

    fn text<'a>(&self, text: &'a str, roles: Roles, found: &mut InspectedTexts<'a>, depth: usize) {
        if roles.command {
            found.commands.push(text.into());
        }
        if roles.folder {
            found.folders.push(text.into());
        }
        let is_patch = self.is_familiar || self.takes_patches;
        if roles.patch && is_patch {
            found.patches.push(text.into());
        }
        if roles.path || (roles.patch && !is_patch) {
            if text.contains("*** ") {
                found.patches.push(text.into());
            }
            found.paths.extend(uri::path(text));
            self.json(text, found, depth);
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

/// Returns the command in a list, if the list is a command that is split into parts or words.
fn whole(list: &Json) -> Option<Cow<'_, str>> {
    let words = || texts(list).map(|words| quoted_words(&words).into());
    text_of(list).map(Cow::from).or_else(words)
}

/// Returns a command that consists of exactly these words, each in quotes.
fn quoted_words(words: &[&str]) -> String {
    let words = words.iter();
    let words: Vec<String> = words
        .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
        .collect();
    words.join(" ")
}
