//! The guard, which finds calls that would change the gate itself, read a secret file, or start another agent.
//!
//! The guard reads commands with its own lexer, which accepts every text: a command must not pass
//! the guard just because no parser accepts it. The guard checks what a call *names*; the rules
//! decide about a program that merely might reach one of the gate's files.

mod ansi;
mod arguments;
mod links;
mod names;
mod own;
mod programs;
mod simple;
mod text;
mod uri;
mod variables;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use plan_machine_kernel::calls::{READING_TOOLS, ToolArguments, WRITING_TOOLS};
use plan_machine_kernel::json::Json;

use crate::patch;
use crate::project::Project;
use crate::refusal::quoted;
use names::{Names, folded};
use own::Own;
use text::{DollarQuotes, Lexed, Piece, lex};
use variables::Assigned;

/// The maximum depth of commands in the texts of other commands.
const MOST_NESTED: usize = 4;
/// The maximum number of folders that are tracked.
const MOST_FOLDERS: usize = 32;

/// Command substitutions that print a folder, each with the variable that contains the folder.
const PRINTED_FOLDERS: [(&str, &str); 5] = [
    ("$(pwd)", "${PWD}"),
    ("$(pwd -P)", "${PWD}"),
    ("`pwd`", "${PWD}"),
    ("$(git rev-parse --show-toplevel)", "${CLAUDE_PROJECT_DIR}"),
    ("`git rev-parse --show-toplevel`", "${CLAUDE_PROJECT_DIR}"),
];

/// The description of a file that no call may read, for use in a reason.
const SECRET: &str = "which holds secrets";

/// The description of a file of the gate, for use in a reason.
const OWN_FILE: &str = "which belongs to the gate";

/// The reason for a command whose folder is not certain.
const TOO_MANY_FOLDERS: &str = "the command changes its folder too often to be checked";

/// The reason for a command that is not read completely.
const TOO_DEEP: &str =
    "the commands are nested too deeply to be checked; run the inner commands separately";

/// The reason for a command whose words have too many possible values.
const TOO_MANY_VALUES: &str = "the variables of the command have too many values to be checked";

/// The files that only a person may change, and the agents that only a person may start.
#[derive(Debug)]
pub(crate) struct Guard {
    own: Own,
    agents: Vec<String>,
}

impl Guard {
    /// Prepares the guard of a project.
    pub(crate) fn new(project: &Project) -> Self {
        let agents = project.agents.iter().map(|name| folded(name).into_owned());
        Self {
            own: Own::new(project),
            agents: agents.collect(),
        }
    }

    /// Returns the reason why the guard stops a call in `folder`; `None` if it does not. What a document declares
    /// about a tool only adds to what the guard inspects, with one exception: `reads` declares that the tool only reads
    /// its paths. It has no effect on [`WRITING_TOOLS`].
    pub(crate) fn holds(
        &self,
        folder: &Path,
        name: &str,
        tool: Option<&ToolArguments>,
        arguments: &Json,
    ) -> Option<String> {
        let found = arguments::found(name, tool, arguments);
        let mut folders = vec![folder.to_path_buf()];
        for target in &found.folders {
            folders.push(self.own.path(folder, target));
        }
        if folders.len() > MOST_FOLDERS {
            return Some(TOO_MANY_FOLDERS.to_owned());
        }
        // Some programs read the folder that they run in.
        let mut paths = found.paths.iter().chain(&found.folders);
        let is_secret = |path: &&Cow<'_, str>| {
            let mut folders = starts(&folders, path).iter();
            folders.any(|folder| self.own.is_secret(folder, path, Names::Plain))
        };
        if let Some(path) = paths.find(is_secret) {
            return Some(format!("the call reads {}, {SECRET}", quoted(path)));
        }
        let known_to_read = READING_TOOLS.contains(&name) || tool.is_some_and(|tool| tool.reads);
        if !known_to_read || WRITING_TOOLS.contains(&name) {
            let patches = found.patches.iter().flat_map(|text| patch::named(text));
            let mut paths = found.paths.iter().map(AsRef::as_ref).chain(patches);
            let named = paths.find(|path| self.is_named(&folders, path, Names::Plain));
            if let Some(path) = named {
                return Some(format!("the call writes {}, {OWN_FILE}", quoted(path)));
            }
        }
        let mut commands = found.commands.iter();
        commands.find_map(|text| self.command(text, &folders, 0))
    }

    /// Returns why the guard stops a command that starts in one of these folders.
    fn command(&self, text: &str, folders: &[PathBuf], depth: usize) -> Option<String> {
        let text = &*with_variables(text);
        let lexed = lex(text, DollarQuotes::Escapes);
        let held = self.lexed(text, &lexed, folders, depth);
        if held.is_some() || !(text.contains('$') && text.contains("$'")) {
            return held;
        }
        let lexed = lex(text, DollarQuotes::Plain);
        self.lexed(text, &lexed, folders, depth)
    }

    /// Returns why the guard stops one of the simple commands of a command.
    fn lexed(
        &self,
        text: &str,
        lexed: &Lexed,
        folders: &[PathBuf],
        depth: usize,
    ) -> Option<String> {
        let mut folders = folders.to_vec();
        let mut assigned = Assigned::default();
        let mut before = None;
        for piece in &lexed.pieces {
            assigned.learn(&piece.words);
            let filled = assigned.fill_piece(piece);
            if assigned.is_exhausted() {
                return Some(TOO_MANY_VALUES.to_owned());
            }
            let readings = || std::iter::once(piece).chain(&filled);
            let piped = before.filter(|_| piece.is_piped);
            let held = readings()
                .find_map(|reading| self.piece(reading, &lexed.bodies, piped, &folders, depth));
            let held = held.or_else(|| self.copied(piece, &assigned, &folders));
            if held.is_some() {
                return held;
            }
            if assigned.is_exhausted() {
                return Some(TOO_MANY_VALUES.to_owned());
            }
            if !readings().all(|reading| self.follow(&mut folders, reading)) {
                return Some(TOO_MANY_FOLDERS.to_owned());
            }
            before = Some(piece);
        }
        self.patched(text, lexed, &folders)
            .or_else(|| self.inner(lexed.nested.iter().map(String::as_str), &folders, depth))
    }

    /// Returns why the guard stops a command with a patch, such as `apply_patch`, in any of the folders that the
    /// command has entered.
    fn patched(&self, text: &str, lexed: &Lexed, folders: &[PathBuf]) -> Option<String> {
        let words = lexed.pieces.iter().flat_map(|piece| &piece.words);
        // A patch has several lines.
        let words = words.filter(|word| word.contains('\n'));
        let mut texts = words.map(String::as_str).chain(std::iter::once(text));
        texts.find_map(|text| {
            let mut paths = patch::named(text);
            paths.find_map(|path| self.written(folders, path))
        })
    }

    /// Returns why the guard stops one of the commands nested in another command, given the folders in which they may
    /// run.
    fn inner<'t>(
        &self,
        texts: impl Iterator<Item = &'t str>,
        folders: &[PathBuf],
        depth: usize,
    ) -> Option<String> {
        let mut texts = texts.peekable();
        if texts.peek().is_some() && depth >= MOST_NESTED {
            return Some(TOO_DEEP.to_owned());
        }
        texts.find_map(|text| self.command(text, folders, depth + 1))
    }

    fn is_named(&self, folders: &[PathBuf], path: &str, kind: Names) -> bool {
        let mut folders = starts(folders, path).iter();
        folders.any(|folder| self.own.is_named(folder, path, kind))
    }

    fn is_around(&self, folders: &[PathBuf], target: &str) -> bool {
        let mut folders = starts(folders, target).iter();
        folders.any(|folder| self.own.is_around(folder, target))
    }

    /// Returns why the guard stops a program whose last word contains a variable that a loop sets, so that the program
    /// copies to one target after another.
    fn copied(&self, piece: &Piece, assigned: &Assigned, folders: &[PathBuf]) -> Option<String> {
        if assigned.is_empty() {
            return None;
        }
        let words = programs::without_prefix(&piece.words);
        let (first, rest) = self.unwrapped(&words).split_first()?;
        if !programs::is_copier(&programs::base(first)) {
            return None;
        }
        let targets = assigned.fill(rest.last()?)?;
        let mut targets = targets.split_whitespace();
        targets.find_map(|target| self.written(folders, target))
    }

    fn written(&self, folders: &[PathBuf], target: &str) -> Option<String> {
        let named = self.is_named(folders, target, Names::Patterns);
        named.then(|| format!("the command writes {}, {OWN_FILE}", quoted(target)))
    }

    /// Follows a simple command if it changes the working folder. Returns `false` if there are too many possible
    /// folders.
    fn follow(&self, folders: &mut Vec<PathBuf>, piece: &Piece) -> bool {
        let words = programs::without_prefix(&piece.words);
        let words = words.strip_prefix(&["builtin"]).unwrap_or(&words);
        let words = words.strip_prefix(&["command"]).unwrap_or(words);
        let ["cd" | "chdir" | "pushd", arguments @ ..] = words else {
            return true;
        };
        let mut targets = arguments.iter().filter(|word| !word.starts_with('-'));
        match targets.next() {
            // A loop may enter several folders; of the further ones, only those with files of the gate matter.
            Some(target) => {
                let is_own = |target: &&&str| {
                    self.is_named(&folders[..1], target, Names::Patterns)
                        || self.is_around(&folders[..1], target)
                };
                let mut entered = vec![*target];
                entered.extend(targets.filter(is_own));
                entered
                    .into_iter()
                    .all(|target| self.enter(folders, target))
            }
            // `cd -` returns to a folder that is already in the list, and `cd` alone enters the home folder.
            None => words[0] == "pushd" || arguments.contains(&"-") || self.enter(folders, "~"),
        }
    }

    /// Enters a folder. The command that enters it may fail, so the previous folders stay in the list of possible
    /// working folders. Returns `false` if there are too many of them.
    fn enter(&self, folders: &mut Vec<PathBuf>, target: &str) -> bool {
        let entered = folders.iter().map(|folder| self.own.path(folder, target));
        for folder in entered.collect::<Vec<PathBuf>>() {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders.len() <= MOST_FOLDERS
    }
}

/// Returns the folders from which a word may lead to different places. An absolute path leads to the same place from
/// every folder.
fn starts<'f>(folders: &'f [PathBuf], word: &str) -> &'f [PathBuf] {
    if Path::new(word).is_absolute() {
        &folders[..folders.len().min(1)]
    } else {
        folders
    }
}

/// Replaces command substitutions that print a folder with the variables that contain the folder.
fn with_variables(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for (command, variable) in PRINTED_FOLDERS {
        if text.contains(command) {
            text = text.replace(command, variable).into();
        }
    }
    text
}
