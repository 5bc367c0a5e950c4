//! Tools of the host: real ones, each confined to what it is given.

mod files;
pub(crate) mod folder;
mod search;
mod shell;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plan_machine::{Json, Object};

use folder::Folder;

/// The largest file that a tool reads or writes.
const MAX_BYTES: usize = 1024 * 1024;

/// The tools of one workspace.
#[derive(Debug)]
pub struct HostTools {
    folder: Arc<Folder>,
    path: PathBuf,
    shell: ShellRule,
}

/// Whether a model has a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellRule {
    /// It has none: the tool is not there.
    Never,
    /// It has one, and no command takes longer.
    Within(Duration),
}

/// A tool as an assembly of machines and a model are told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub schema: Object,
}

const PATH: (&str, &str) = ("path", "The path of the file, in the workspace.");
const BELOW: (&str, &str) = ("path", "A folder of the workspace; all of it if left out.");

impl HostTools {
    /// Opens a workspace; its folder is made where it is missing.
    ///
    /// # Errors
    /// Says why the folder cannot be opened.
    pub fn open(workspace: &Path, shell: ShellRule) -> Result<Self, String> {
        let folder = Folder::open(workspace, MAX_BYTES)?;
        let path = workspace.canonicalize();
        Ok(Self {
            folder: Arc::new(folder),
            path: path.map_err(|error| format!("the workspace has no path: {error}"))?,
            shell,
        })
    }

    /// The tools that there are.
    #[must_use]
    pub fn infos(&self) -> Vec<ToolInfo> {
        let content = ("content", "All of its new text.");
        let text = ("text", "A part of a line, exactly as it stands there.");
        let mut infos = vec![
            info(
                "list_files",
                "List a folder of the workspace.",
                &[],
                &[BELOW],
            ),
            info(
                "read_file",
                "Read a text file of the workspace.",
                &[PATH],
                &[],
            ),
            info(
                "write_file",
                "Write a text file of the workspace as a whole.",
                &[PATH, content],
                &[],
            ),
            info(
                "search_files",
                "Find the lines with a text in the workspace.",
                &[text],
                &[BELOW],
            ),
        ];
        if self.shell != ShellRule::Never {
            let command = ("command", "What `sh -c` is given.");
            infos.push(info(
                "shell",
                "Run a command in the workspace.",
                &[command],
                &[],
            ));
        }
        infos
    }

    /// Runs a tool.
    ///
    /// # Errors
    /// Says to the model what was wrong; then nothing was changed, unless a command did it.
    pub async fn run(&self, tool: &str, args: &Object) -> Result<String, String> {
        let path = optional(args, "path");
        match (tool, self.shell) {
            ("list_files", _) => {
                let path = path?.unwrap_or_default();
                self.blocking(move |folder| files::list(folder, &path))
                    .await
            }
            ("read_file", _) => {
                let path = required(args, "path")?;
                self.blocking(move |folder| folder.read(&path)).await
            }
            ("write_file", _) => {
                let (path, content) = (required(args, "path")?, required(args, "content")?);
                self.blocking(move |folder| files::write(folder, &path, &content))
                    .await
            }
            ("search_files", _) => {
                let (text, path) = (required(args, "text")?, path?.unwrap_or_default());
                self.blocking(move |folder| search::search(folder, &text, &path))
                    .await
            }
            ("shell", ShellRule::Within(limit)) => {
                shell::run(&self.path, &required(args, "command")?, limit).await
            }
            _ => Err(format!("there is no tool `{tool}`")),
        }
    }

    /// Writes a file into the workspace, as `write_file` does.
    ///
    /// # Errors
    /// Says why not; then nothing was changed.
    pub fn put(&self, path: &str, content: &str) -> Result<(), String> {
        self.folder.write(path, content)
    }

    async fn blocking(
        &self,
        work: impl FnOnce(&Folder) -> Result<String, String> + Send + 'static,
    ) -> Result<String, String> {
        let folder = Arc::clone(&self.folder);
        let done = tokio::task::spawn_blocking(move || work(&folder)).await;
        done.unwrap_or_else(|error| Err(format!("the tool broke down: {error}")))
    }
}

fn required(args: &Object, name: &str) -> Result<String, String> {
    optional(args, name)?.ok_or_else(|| format!("`{name}` is missing"))
}

fn optional(args: &Object, name: &str) -> Result<Option<String>, String> {
    match args.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(value) => match value.as_text() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(format!("`{name}` must be a text")),
        },
    }
}

/// A tool whose arguments are texts.
fn info(
    name: &'static str,
    description: &'static str,
    required: &[(&str, &str)],
    optional: &[(&str, &str)],
) -> ToolInfo {
    let property = |(name, doc): &(&str, &str)| {
        let schema = Object::from_iter([("type", "string"), ("description", *doc)]);
        ((*name).to_owned(), Json::from(schema))
    };
    let properties: Object = required.iter().chain(optional).map(property).collect();
    let names: Vec<Json> = required.iter().map(|(name, _)| Json::from(*name)).collect();
    let mut schema = Object::new();
    schema.push("type", "object");
    schema.push("properties", properties);
    schema.push("required", names);
    schema.push("additionalProperties", false);
    ToolInfo {
        name,
        description,
        schema,
    }
}
