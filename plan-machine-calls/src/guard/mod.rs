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
use names::{Names, folded, may_become};
use own::Own;
use text::{DollarQuotes, Lexed, Piece, lex};
use variables::Assigned;

/// The maximum depth of commands in the texts of other commands.
const MOST_NESTED: usize = 4;
/// The maximum number of folders that are tracked.
const MOST_FOLDERS: usize = 32;
/// The program of the gate, and the smaller one that only answers the events of agents.
const OWN_PROGRAMS: [&str; 2] = [PLAN_MACHINE, HOOK];
const PLAN_MACHINE: &str = "plan-machine";
const HOOK: &str = "plan-machine-hook";
/// The commands of `plan-machine` that change nothing.
const HARMLESS: [&str; 4] = ["check", "classify", "diff", "test"];

/// The description of a file that no call may read, for use in a reason.
const SECRET: &str = "which holds secrets";

/// The description of a file of the gate, for use in a reason.
const OWN_FILE: &str = "which belongs to the gate";

/// The reason for a command whose folder is not certain.
const TOO_MANY_FOLDERS: &str = "the command changes its folder too often to be checked";

/// The reason for a command that is not read completely.
const TOO_DEEP: &str = "the command contains too many nested commands to be checked";

/// The files that only a person may change, and the agents that only a person may start.
#[derive(Debug)]
pub(crate) struct Guard {
    own: Own,
    agents: Vec<String>,
}

impl Guard {
    /// Prepares the guard of a project.
    pub(crate) fn new(project: &Project) -> Self {
        let agents = project.agents.iter().map(|name| folded(name));
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
            let mut folders = folders.iter();
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
        for piece in &lexed.pieces {
            assigned.learn(&piece.words);
            let filled = || piece.with(|word| assigned.fill(word));
            let held = self
                .piece(piece, &lexed.bodies, &folders, depth)
                .or_else(|| self.piece(&filled()?, &lexed.bodies, &folders, depth));
            if held.is_some() {
                return held;
            }
            let words = programs::without_prefix(&piece.words);
            if let ["cd" | "chdir" | "pushd", arguments @ ..] = &words[..] {
                let mut targets = arguments.iter().filter(|word| !word.starts_with('-'));
                if targets
                    .next()
                    .is_some_and(|target| !self.enter(&mut folders, target))
                {
                    return Some(TOO_MANY_FOLDERS.to_owned());
                }
            }
        }
        self.patched(text, lexed, &folders)
            .or_else(|| self.inner(lexed.nested.iter().map(String::as_str), &folders, depth))
    }

    /// Returns why the guard stops a simple command.
    fn piece(
        &self,
        piece: &Piece,
        bodies: &[String],
        folders: &[PathBuf],
        depth: usize,
    ) -> Option<String> {
        let words = programs::without_prefix(&piece.words);
        let mut targets = piece.writes.iter();
        targets
            .find_map(|target| self.written(folders, target))
            .or_else(|| self.secret(piece, folders))
            .or_else(|| self.words(&words, folders, depth))
            .or_else(|| self.fed(piece, &words, bodies, folders, depth))
    }

    /// Returns why the guard stops a simple command that names a file that no call may read. The program does not
    /// matter, because any program may print the file.
    fn secret(&self, piece: &Piece, folders: &[PathBuf]) -> Option<String> {
        let mut words = piece.words.iter().chain(&piece.reads);
        let is_secret = |word: &str| {
            let mut folders = folders.iter();
            folders.any(|folder| self.own.is_secret(folder, word, Names::Patterns))
        };
        let named = words.find(|word| {
            let value = word.split_once('=').map(|(_, value)| value);
            is_secret(word.trim_start_matches('@')) || value.is_some_and(is_secret)
        })?;
        Some(format!("the command names {}, {SECRET}", quoted(named)))
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

    /// Returns why the guard stops the words of a simple command.
    fn words(&self, words: &[&str], folders: &[PathBuf], depth: usize) -> Option<String> {
        let (first, rest) = words.split_first()?;
        let program = programs::base(first);
        if self.is_agent(first) || self.is_agent(&program) {
            return Some(format!("the command runs {}, an agent", quoted(first)));
        }
        if self.may_become_an_agent(&program) {
            let program = quoted(first);
            return Some(format!(
                "the shell may expand {program} to the name of an agent or of plan-machine's own programs"
            ));
        }
        if program == HOOK {
            return Some("the command runs `plan-machine-hook`, which only agents run".to_owned());
        }
        if program == PLAN_MACHINE && !rest.first().is_some_and(|word| HARMLESS.contains(word)) {
            return Some(
                "the command runs `plan-machine`; only a person may run it, except for `check`, `classify`, `diff` and `test`"
                    .to_owned(),
            );
        }
        for target in programs::written(&program, rest) {
            if let Some(why) = self.written(folders, target) {
                return Some(why);
            }
        }
        for target in programs::removed(&program, rest) {
            let mut folders = folders.iter();
            if folders.any(|folder| self.own.is_around(folder, target)) {
                let target = quoted(target);
                return Some(format!(
                    "the command removes {target}, which contains files of the gate"
                ));
            }
        }
        if program == "eval" {
            return self.inner(std::iter::once(rest.join(" ").as_str()), folders, depth);
        }
        if programs::is_shell(&program) {
            let texts = rest.iter().filter(|word| !word.starts_with('-'));
            return self.inner(texts.copied(), folders, depth);
        }
        if programs::is_wrapper(&program) {
            if depth >= MOST_NESTED {
                return Some(TOO_DEEP.to_owned());
            }
            let next = rest.iter().position(|word| self.starts_a_command(word))?;
            return self.words(&rest[next..], folders, depth + 1);
        }
        None
    }

    /// Returns why the guard stops a text that is the input of a program, such as the body of `bash <<END` or `patch
    /// <<END`.
    fn fed(
        &self,
        piece: &Piece,
        words: &[&str],
        bodies: &[String],
        folders: &[PathBuf],
        depth: usize,
    ) -> Option<String> {
        let first = words.first()?;
        let texts = bodies.iter().chain(&piece.fed).map(String::as_str);
        if programs::is_shell(&programs::base(first)) {
            return self.inner(texts, folders, depth);
        }
        if !programs::applies_patches(words) {
            return None;
        }
        let mut paths = texts.flat_map(patch::compared);
        paths.find_map(|path| self.written(folders, path))
    }

    fn is_named(&self, folders: &[PathBuf], path: &str, kind: Names) -> bool {
        let mut folders = folders.iter();
        folders.any(|folder| self.own.is_named(folder, path, kind))
    }

    fn written(&self, folders: &[PathBuf], target: &str) -> Option<String> {
        let named = self.is_named(folders, target, Names::Patterns);
        named.then(|| format!("the command writes {}, {OWN_FILE}", quoted(target)))
    }

    /// Follows a command that changes the working folder to `target`. That command may fail, so the previous folders
    /// stay in the list of possible working folders. Returns `false` if there are too many of them.
    fn enter(&self, folders: &mut Vec<PathBuf>, target: &str) -> bool {
        let entered = folders.iter().map(|folder| self.own.path(folder, target));
        for folder in entered.collect::<Vec<PathBuf>>() {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders.len() <= MOST_FOLDERS
    }

    fn is_agent(&self, word: &str) -> bool {
        let word = folded(word);
        // A package can have a version: `@openai/codex@latest`.
        let package = match word.rfind('@') {
            Some(at) if at > 0 => &word[..at],
            _ => &word,
        };
        self.agents.iter().any(|name| name == package)
    }

    fn may_become_an_agent(&self, program: &str) -> bool {
        let agents = self.agents.iter().map(String::as_str);
        let mut programs = agents.chain(OWN_PROGRAMS);
        programs.any(|name| may_become(program, name))
    }

    fn starts_a_command(&self, word: &str) -> bool {
        let program = programs::base(word);
        self.is_agent(word)
            || self.is_agent(&program)
            || OWN_PROGRAMS.contains(&&*program)
            || self.may_become_an_agent(&program)
            || programs::is_known(&program)
    }
}
