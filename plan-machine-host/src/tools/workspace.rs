//! The tools of one workspace: its files, and a shell if one is allowed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan_machine::gate::ConfirmedCall;
use plan_machine::{Json, Object};

use super::folder::Folder;
use super::{Shell, ToolError, ToolFuture, ToolInfo, Tools, list, search, shell};
use crate::error::HostError;
use crate::stop::Stop;

/// The maximum length of a tool's result in bytes; longer results are shortened.
pub const LONGEST: usize = 128 * 1024;

/// The tools of one workspace.
#[derive(Debug)]
pub struct Workspace {
    folder: Arc<Folder>,
    path: PathBuf,
    shell: ShellRule,
}

/// Whether the model has a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellRule {
    /// The model has no shell: the tool does not exist.
    Never,
    /// The model has this shell.
    Supervised(Shell),
}

/// A string argument of a tool: its name, its description, and whether it is required.
type Argument = (&'static str, &'static str, bool);

const PATH: Argument = (
    "path",
    "The path of the file, relative to the workspace.",
    true,
);
const FOLDER: Argument = (
    "path",
    "A folder in the workspace; by default, the whole workspace.",
    false,
);
const BELOW: Argument = (
    "path",
    "A file or folder in the workspace; by default, the whole workspace.",
    false,
);
const CONTENT: Argument = ("content", "The complete new content of the file.", true);
const TEXT: Argument = (
    "text",
    "The text to find: a part of a line, exactly as written.",
    true,
);
const COMMAND: Argument = ("command", "The command for `sh -c`.", true);

impl Workspace {
    /// Opens a workspace; its folder is created if it is missing.
    ///
    /// # Errors
    ///
    /// If the folder cannot be opened.
    pub fn open(workspace: &Path, shell: ShellRule) -> Result<Self, HostError> {
        let failed = HostError::disk(workspace, "opened");
        let folder = Folder::open(workspace).map_err(&failed)?;
        Ok(Self {
            folder: Arc::new(folder),
            path: workspace.canonicalize().map_err(failed)?,
            shell,
        })
    }

    /// Writes a file in the workspace, as `write_file` does.
    ///
    /// # Errors
    ///
    /// If the path is refused or writing fails. Folders on the path may have been created nevertheless.
    pub fn put(&self, path: &str, content: &str) -> Result<(), ToolError> {
        self.folder.write(path, content)
    }

    async fn run_whole(&self, stop: &Stop, tool: &str, args: &Object) -> Result<String, ToolError> {
        self.refuse_unknown(tool, args)?;
        if let ("shell", ShellRule::Supervised(shell)) = (tool, &self.shell) {
            return shell::run(&self.path, required(args, "command")?, shell, stop).await;
        }
        let folder = Arc::clone(&self.folder);
        let (tool, args) = (tool.to_owned(), args.clone());
        let done = tokio::task::spawn_blocking(move || run_on_files(&folder, &tool, &args)).await;
        done.unwrap_or_else(|error| Err(ToolError::Failed(format!("the tool failed: {error}"))))
    }

    /// Refuses unknown arguments: they are mistakes by the model, and must not be ignored.
    fn refuse_unknown(&self, tool: &str, args: &Object) -> Result<(), ToolError> {
        let infos = self.infos();
        let info = infos.iter().find(|info| info.name == tool);
        let known = info.and_then(|info| info.schema.get("properties")?.as_object());
        let mut names = args.iter().map(|(name, _)| name);
        match known.and_then(|known| names.find(|name| known.get(name).is_none())) {
            Some(name) => Err(ToolError::Refused(format!(
                "`{tool}` has no argument `{name}`"
            ))),
            None => Ok(()),
        }
    }
}

impl Tools for Workspace {
    fn infos(&self) -> Vec<ToolInfo> {
        let mut infos = vec![
            info("list_files", "List a folder in the workspace.", &[FOLDER]),
            info("read_file", "Read a text file in the workspace.", &[PATH]),
            info(
                "write_file",
                "Write a whole text file in the workspace.",
                &[PATH, CONTENT],
            ),
            info(
                "search_files",
                "Find the lines in the workspace that contain the given text.",
                &[TEXT, BELOW],
            ),
        ];
        if self.shell != ShellRule::Never {
            infos.push(info("shell", "Run a command in the workspace.", &[COMMAND]));
        }
        infos
    }

    /// Runs a tool. Only the shell can be stopped: tools that work on files are quick.
    fn run<'a>(&'a self, call: ConfirmedCall, stop: &'a Stop) -> ToolFuture<'a> {
        Box::pin(async move {
            let none = Object::new();
            let args = call.args().as_object().unwrap_or(&none);
            let ran = self.run_whole(stop, call.tool(), args).await;
            ran.map(cut).map_err(|error| error.map(cut))
        })
    }
}

/// Shortens a result that is too long, and states how much was omitted.
fn cut(result: String) -> String {
    if result.len() <= LONGEST {
        return result;
    }
    let end = result.floor_char_boundary(LONGEST);
    let left_out = result.len() - end;
    let bytes = if left_out == 1 { "byte" } else { "bytes" };
    format!("{}\n… and {left_out} more {bytes}", &result[..end])
}

/// Runs a tool that blocks on disk access.
fn run_on_files(folder: &Folder, tool: &str, args: &Object) -> Result<String, ToolError> {
    match tool {
        "list_files" => list::list(folder, optional(args, "path")?.unwrap_or_default()),
        "read_file" => folder.read(required(args, "path")?),
        "write_file" => {
            let (path, content) = (required(args, "path")?, required(args, "content")?);
            folder.write(path, content)?;
            let bytes = match content.len() {
                1 => "1 byte".to_owned(),
                number => format!("{number} bytes"),
            };
            Ok(format!("Wrote {bytes} to {path}."))
        }
        "search_files" => {
            let (text, path) = (required(args, "text")?, optional(args, "path")?);
            search::search(folder, text, path.unwrap_or_default())
        }
        _ => Err(ToolError::unknown(tool)),
    }
}

fn required<'a>(args: &'a Object, name: &str) -> Result<&'a str, ToolError> {
    optional(args, name)?.ok_or_else(|| ToolError::Refused(format!("`{name}` is missing")))
}

fn optional<'a>(args: &'a Object, name: &str) -> Result<Option<&'a str>, ToolError> {
    match args.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(found) => Err(ToolError::Refused(format!(
            "`{name}` must be a string, found {found}"
        ))),
    }
}

fn info(name: &'static str, description: &'static str, args: &[Argument]) -> ToolInfo {
    let property = |(name, doc, _): &Argument| {
        let schema = Object::from_iter([("type", "string"), ("description", *doc)]);
        (*name, Json::from(schema))
    };
    let required = args.iter().filter(|(.., required)| *required);
    let required: Vec<Json> = required.map(|(name, ..)| Json::from(*name)).collect();
    let mut schema = Object::new();
    schema.push("type", "object");
    schema.push("properties", args.iter().map(property).collect::<Object>());
    schema.push("required", required);
    schema.push("additionalProperties", false);
    ToolInfo {
        name,
        description,
        schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_a_path_names_what_the_tool_accepts() {
        let place = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(place.path(), ShellRule::Never).expect("a workspace");
        let infos = workspace.infos();
        let described = |tool: &str| {
            let info = infos.iter().find(|info| info.name == tool).expect("a tool");
            let properties = info.schema.get("properties").and_then(Json::as_object);
            let path = properties.and_then(|all| all.get("path")?.as_object());
            let text = path.and_then(|path| path.get("description")?.as_text());
            text.expect("a description").to_owned()
        };
        assert!(described("search_files").starts_with("A file or folder "));
        assert!(described("list_files").starts_with("A folder "));
        assert!(described("read_file").starts_with("The path of the file"));
    }
}
