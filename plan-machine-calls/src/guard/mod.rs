//! The guard: calls that would change the gate itself, or start an agent beside it.
//!
//! The guard reads commands with a lexer of its own that has an answer for every text, because a command that no parser
//! accepts must not pass for that reason. It looks for what a call *names*; a program that only might reach one of the
//! gate's files is left to the rules.

mod own;
mod programs;
mod text;

use std::path::{Path, PathBuf};

use plan_machine_kernel::calls::{READING_TOOLS, ToolArguments, WRITING_TOOLS};
use plan_machine_kernel::json::Json;

use crate::arguments;
use crate::project::Project;
use crate::refusal::quoted;
use own::Own;
use text::{Piece, lex};

/// How often a command may contain the text of another one.
const MOST_NESTED: usize = 4;
/// The most folders that are followed.
const MOST_FOLDERS: usize = 8;
/// The commands of `plan-machine` that change nothing.
const HARMLESS: [&str; 4] = ["check", "classify", "diff", "test"];

/// What is said about a file that is held.
const OWN_FILE: &str = "which belongs to the gate";

/// What only a person may touch.
#[derive(Debug)]
pub(crate) struct Guard {
    own: Own,
    agents: Vec<String>,
}

impl Guard {
    /// Prepares the guard of a project.
    pub(crate) fn new(project: &Project) -> Self {
        let agents = project.agents.iter().map(|name| name.to_lowercase());
        Self {
            own: Own::new(project),
            agents: agents.collect(),
        }
    }

    /// Returns why a call in `folder` is held, if it is. What a document declares about a tool can only add to what the
    /// guard looks at, except that `reads` says that a tool that the guard does not know only reads its paths.
    pub(crate) fn holds(
        &self,
        folder: &Path,
        name: &str,
        tool: Option<&ToolArguments>,
        arguments: &Json,
    ) -> Option<String> {
        let known_to_read = READING_TOOLS.contains(&name) || tool.is_some_and(|tool| tool.reads);
        if !known_to_read || WRITING_TOOLS.contains(&name) {
            for path in arguments::possible_paths(tool, arguments) {
                if self.own.is_named(folder, path) {
                    return Some(format!("the call writes {}, {OWN_FILE}", quoted(path)));
                }
            }
        }
        let commands = arguments::possible_commands(name, tool, arguments);
        commands
            .iter()
            .find_map(|text| self.command(text, folder, 0))
    }

    /// Returns why a command is held.
    fn command(&self, text: &str, folder: &Path, depth: usize) -> Option<String> {
        let lexed = lex(text);
        let mut folders = vec![folder.to_path_buf()];
        for piece in &lexed.pieces {
            for target in &piece.writes {
                if let Some(why) = self.written(&folders, target) {
                    return Some(why);
                }
            }
            let words = programs::without_prefix(&piece.words);
            if let Some(why) = self.words(&words, &folders, depth) {
                return Some(why);
            }
            if let Some(why) = self.fed(piece, &lexed.bodies, folder, depth) {
                return Some(why);
            }
            if let ["cd" | "pushd", target] = words[..] {
                self.enter(&mut folders, target);
            }
        }
        lexed
            .nested
            .iter()
            .filter(|_| depth < MOST_NESTED)
            .find_map(|text| self.command(text, folder, depth + 1))
    }

    /// Returns why the words of a simple command are held.
    fn words(&self, words: &[&str], folders: &[PathBuf], depth: usize) -> Option<String> {
        let (first, rest) = words.split_first()?;
        let program = programs::base(first);
        if self.is_agent(first) || self.is_agent(&program) {
            return Some(format!("the command runs {}, an agent", quoted(first)));
        }
        if program == "plan-machine" && !rest.first().is_some_and(|word| HARMLESS.contains(word)) {
            return Some("the command runs `plan-machine`, which only a person may".to_owned());
        }
        for target in programs::written(&program, rest) {
            if let Some(why) = self.written(folders, target) {
                return Some(why);
            }
        }
        if depth >= MOST_NESTED {
            return None;
        }
        if programs::is_shell(&program) {
            let folder = folders.first()?;
            let mut texts = rest.iter().filter(|word| word.contains(' '));
            return texts.find_map(|text| self.command(text, folder, depth + 1));
        }
        if programs::is_wrapper(&program) {
            let next = rest.iter().position(|word| self.starts_a_command(word))?;
            return self.words(&rest[next..], folders, depth + 1);
        }
        None
    }

    /// Returns why a text that is fed to a shell is held, such as the body of `bash <<END`.
    fn fed(&self, piece: &Piece, bodies: &[String], folder: &Path, depth: usize) -> Option<String> {
        let words = programs::without_prefix(&piece.words);
        let is_shell = words
            .first()
            .is_some_and(|word| programs::is_shell(&programs::base(word)));
        if !is_shell || depth >= MOST_NESTED {
            return None;
        }
        bodies
            .iter()
            .find_map(|text| self.command(text, folder, depth + 1))
    }

    fn written(&self, folders: &[PathBuf], target: &str) -> Option<String> {
        let named = folders
            .iter()
            .any(|folder| self.own.is_named(folder, target));
        named.then(|| format!("the command writes {}, {OWN_FILE}", quoted(target)))
    }

    /// Follows a change of the folder, which may fail.
    fn enter(&self, folders: &mut Vec<PathBuf>, target: &str) {
        let entered = folders.iter().map(|folder| self.own.path(folder, target));
        for folder in entered.collect::<Vec<PathBuf>>() {
            if folders.len() < MOST_FOLDERS && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }

    fn is_agent(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        // A package can have a version: `@openai/codex@latest`.
        let package = match word.rfind('@') {
            Some(at) if at > 0 => &word[..at],
            _ => &word,
        };
        self.agents.iter().any(|name| name == package)
    }

    fn starts_a_command(&self, word: &str) -> bool {
        let program = programs::base(word);
        self.is_agent(word)
            || self.is_agent(&program)
            || program == "plan-machine"
            || programs::is_known(&program)
    }
}
