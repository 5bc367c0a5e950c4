//! Checks a simple command: returns the reason if the guard stops it.

use std::borrow::Cow;
use std::path::PathBuf;

use super::names::{Names, folded, may_become};
use super::programs;
use super::text::Piece;
use super::{
    Guard, MOST_FOLDERS, MOST_NESTED, OWN_FILE, SECRET, TOO_DEEP, TOO_MANY_FOLDERS, starts,
};
use crate::patch;
use crate::refusal::quoted;

/// The program of the gate, and the smaller one that only answers the events of agents.
const OWN_PROGRAMS: [&str; 2] = [PLAN_MACHINE, HOOK];
const PLAN_MACHINE: &str = "plan-machine";
const HOOK: &str = "plan-machine-hook";
/// The commands of `plan-machine` that change nothing.
const HARMLESS: [&str; 4] = ["check", "classify", "diff", "test"];

impl Guard {
    /// Returns why the guard stops a simple command. Its input may be one of the `bodies`, or the output of the command
    /// `piped`.
    pub(super) fn piece(
        &self,
        piece: &Piece,
        bodies: &[String],
        piped: Option<&Piece>,
        folders: &[PathBuf],
        depth: usize,
    ) -> Option<String> {
        let words = programs::without_prefix(&piece.words);
        let mut targets = piece.writes.iter();
        targets
            .find_map(|target| self.written(folders, target))
            .or_else(|| self.secret(piece.words.iter().chain(&piece.reads), folders))
            .or_else(|| self.words(&words, folders, depth))
            .or_else(|| self.fed(piece, &words, bodies, piped, folders, depth))
    }

    /// Returns why the guard stops a simple command with words that name a file that no call may read. The program does
    /// not matter, because any program may print the file.
    fn secret(
        &self,
        words: impl IntoIterator<Item = impl AsRef<str>>,
        folders: &[PathBuf],
    ) -> Option<String> {
        let is_secret = |word: &str| {
            let mut folders = starts(folders, word).iter();
            folders.any(|folder| self.own.is_secret(folder, word, Names::Patterns))
        };
        let named = words.into_iter().find(|word| {
            let word = word.as_ref();
            let value = word.split_once('=').map(|(_, value)| value);
            // A value may follow a short flag without a space.
            let attached = word.strip_prefix('-').and_then(|flag| flag.get(1..));
            is_secret(word.trim_start_matches('@'))
                || value.is_some_and(is_secret)
                || attached.is_some_and(is_secret)
        })?;
        let named = quoted(named.as_ref());
        Some(format!("the command names {named}, {SECRET}"))
    }

    /// Returns why the guard stops the words of a simple command.
    fn words(&self, words: &[&str], folders: &[PathBuf], depth: usize) -> Option<String> {
        let (first, rest) = words.split_first()?;
        let program = programs::base(first);
        let places = self.places(words, folders);
        if places.len() > 2 * MOST_FOLDERS {
            return Some(TOO_MANY_FOLDERS.to_owned());
        }
        let secret = || match &places {
            Cow::Borrowed(_) => None,
            Cow::Owned(places) => self.secret(words, places),
        };
        self.own_program(first, &program, rest)
            .or_else(secret)
            .or_else(|| self.changed(&program, rest, &places))
            .or_else(|| self.started(&program, rest, &places, depth))
    }

    /// Returns the folders in which a program may work: `folders`, and those that its flags name. With `-C`, git works
    /// only in the named folders.
    fn places<'f>(&self, words: &[&str], folders: &'f [PathBuf]) -> Cow<'f, [PathBuf]> {
        let Some((first, rest)) = words.split_first() else {
            return folders.into();
        };
        let program = programs::base(first);
        if program != "git" {
            // The flags of the command that a program starts are not its own.
            let own = if programs::is_wrapper(&program) {
                &rest[..self.next(&program, rest)]
            } else {
                rest
            };
            let named = programs::folders(own);
            if named.is_empty() {
                return folders.into();
            }
            let mut places = folders.to_vec();
            // The caller stops a command with too many folders, so it does not matter which ones are left out.
            for target in named.iter().take(2 * MOST_FOLDERS + 1) {
                places.extend(folders.iter().map(|folder| self.own.path(folder, target)));
            }
            return places.into();
        }
        let git = programs::git(rest);
        if git.folders.is_empty() && git.trees.is_empty() && !git.is_whole {
            return folders.into();
        }
        let entered = |folder: &PathBuf| {
            let targets = git.folders.iter();
            targets.fold(folder.clone(), |at, target| self.own.path(&at, target))
        };
        let mut places: Vec<PathBuf> = folders.iter().map(entered).collect();
        // Git uses the last `--work-tree`.
        if let Some(tree) = git.trees.last() {
            let trees: Vec<PathBuf> = places.iter().map(|at| self.own.path(at, tree)).collect();
            places.extend(trees);
        }
        if git.is_whole {
            let top = places.iter().find_map(|place| self.own.top(place));
            places.extend(top.map(PathBuf::from));
        }
        places.into()
    }

    /// Returns why the guard stops an agent, or one of plan-machine's own programs.
    fn own_program(&self, first: &str, program: &str, rest: &[&str]) -> Option<String> {
        if self.is_agent(first) || self.is_agent(program) {
            return Some(format!("the command runs {}, an agent", quoted(first)));
        }
        if self.may_become_an_agent(program) {
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
        None
    }

    /// Returns why the guard stops a program that writes or removes the files in its arguments.
    fn changed(&self, program: &str, words: &[&str], folders: &[PathBuf]) -> Option<String> {
        let words = match program {
            "git" => programs::git(words).words,
            _ => words,
        };
        let mut written = programs::written(program, words).into_iter();
        if let Some(why) = written.find_map(|target| self.written(folders, target)) {
            return Some(why);
        }
        let mut created = programs::created(program, words).into_iter();
        if let Some(target) = created.find(|target| self.is_named(folders, target, Names::Plain)) {
            return Some(format!(
                "the command writes {}, {OWN_FILE}",
                quoted(&target)
            ));
        }
        self.removed(program, words, folders)
    }

    /// Returns why the guard stops a program that removes or moves a folder with files of the gate.
    fn removed(&self, program: &str, words: &[&str], folders: &[PathBuf]) -> Option<String> {
        let mut removed = programs::removed(program, words).into_iter();
        let target = removed.find(|target| self.is_around(folders, target))?;
        let target = quoted(target);
        Some(format!(
            "the command removes {target}, which contains files of the gate"
        ))
    }

    /// Returns why the guard stops a program that runs other commands.
    fn started(
        &self,
        program: &str,
        words: &[&str],
        folders: &[PathBuf],
        depth: usize,
    ) -> Option<String> {
        if program == "eval" {
            return self.inner(std::iter::once(words.join(" ").as_str()), folders, depth);
        }
        if programs::is_shell(program) {
            let texts: Vec<&str> = arguments(words).collect();
            // The shell may have split the value of a variable into several words.
            let all = Some(texts.join(" ")).filter(|_| texts.len() > 1);
            return self.inner(texts.into_iter().chain(all.as_deref()), folders, depth);
        }
        if program == "git" {
            let texts = programs::git_runs(programs::git(words).words);
            let texts = texts.iter().map(String::as_str);
            return self.inner(texts.filter(|text| !text.is_empty()), folders, depth);
        }
        let commands = match program {
            "find" => programs::find(words).commands,
            _ if programs::is_wrapper(program) => vec![&words[self.next(program, words)..]],
            _ => return None,
        };
        if depth >= MOST_NESTED && !commands.is_empty() {
            return Some(TOO_DEEP.to_owned());
        }
        let mut commands = commands.into_iter();
        let held = commands.find_map(|command| self.words(command, folders, depth + 1));
        if held.is_some() || program == "find" {
            return held;
        }
        // The flags of the command that a program starts are not its own.
        let own = &words[..self.next(program, words)];
        let mut texts = programs::texts(own);
        if matches!(program, "parallel" | "ssh" | "trap" | "watch") {
            texts.extend(arguments(own));
        }
        // A text of one word has already been checked with the other words.
        texts.retain(|text| text.contains(char::is_whitespace));
        self.inner(texts.into_iter(), folders, depth)
    }

    /// Returns the position of the first of these words that starts a command, or the number of words. The words follow
    /// the name of a program that starts commands.
    fn next(&self, program: &str, words: &[&str]) -> usize {
        let first = words.iter().position(|word| !word.starts_with('-'));
        // After the name of a package, a path in the project is an argument.
        let is_argument = |at: usize, word: &str| {
            matches!(program, "bunx" | "npx" | "pnpx" | "uvx")
                && first.is_some_and(|first| at > first)
                && word.contains('/')
                && !word.starts_with(['.', '/', '~', '@', '$'])
                && !word.contains("/.bin/")
        };
        let mut words_at = words.iter().enumerate();
        let next =
            words_at.position(|(at, word)| self.starts_a_command(word) && !is_argument(at, word));
        next.unwrap_or(words.len())
    }

    /// Returns why the guard stops a text that is the input of a program, such as the body of `bash <<END` or `patch
    /// <<END`, or the output of another command.
    fn fed(
        &self,
        piece: &Piece,
        words: &[&str],
        bodies: &[String],
        piped: Option<&Piece>,
        folders: &[PathBuf],
        depth: usize,
    ) -> Option<String> {
        let words = self.unwrapped(words);
        let (first, rest) = words.split_first()?;
        let program = programs::base(first);
        let is_reader = is_reader_of_names(&program);
        if !is_reader && !programs::is_shell(&program) && !programs::applies_patches(words) {
            return None;
        }
        let piped = piped.map(|piped| programs::without_prefix(&piped.words));
        let piped = piped.unwrap_or_default();
        let source = piped.first().map(|source| programs::base(source));
        let source = source.as_deref();
        // The output of most commands is not known, but `echo x` prints `x`, and `ls x` may print `x`.
        let printed = piped.get(1..).unwrap_or_default();
        let is_echoed = matches!(source, Some("echo" | "printf"));
        let texts = bodies.iter().chain(&piece.fed);
        if programs::is_shell(&program) {
            let printed = if is_echoed && reads_its_input(rest) {
                printed
            } else {
                &[]
            };
            let all = printed.join(" ");
            let texts = texts.map(String::as_str);
            let texts = texts.chain(printed.iter().copied());
            return self.inner(texts.chain(std::iter::once(&*all)), folders, depth);
        }
        let places = self.places(words, folders);
        if is_reader {
            let texts = texts.map(String::as_str).chain(printed.iter().copied());
            let names = texts.flat_map(str::split_whitespace);
            let is_list = source == Some("ls");
            // The shell expands the words of `echo` and `ls`.
            let kind = if is_echoed || is_list {
                Names::Patterns
            } else {
                Names::Plain
            };
            let hidden = (is_list && lists_hidden(printed)).then_some(".*");
            let names = names.chain(hidden).collect();
            return self.named(
                &program,
                rest,
                names,
                &places,
                (kind, is_echoed || piped.is_empty()),
            );
        }
        let mut paths = texts.flat_map(|text| patch::compared(text));
        paths.find_map(|path| self.written(&places, path))
    }

    /// Returns the words of a command without the wrapper programs that only start the command.
    pub(super) fn unwrapped<'a, 'w>(&self, mut words: &'a [&'w str]) -> &'a [&'w str] {
        while let Some((first, rest)) = words.split_first() {
            let program = programs::base(first);
            if !programs::is_wrapper(&program) || is_reader_of_names(&program) {
                break;
            }
            words = &rest[self.next(&program, rest)..];
        }
        words
    }

    /// Returns why the guard stops a program that gets these names as further arguments from the program `reader`.
    /// `kind` says how the names are read, and `is_exact` says whether the program certainly gets these names and no
    /// others.
    fn named(
        &self,
        reader: &str,
        words: &[&str],
        names: Vec<&str>,
        folders: &[PathBuf],
        (kind, is_exact): (Names, bool),
    ) -> Option<String> {
        let words = self.unwrapped(&words[self.next(reader, words)..]);
        let (first, rest) = words.split_first()?;
        let program = programs::base(first);
        let mut all = rest.to_vec();
        all.extend(names);
        if program == "git" {
            let words = programs::git(&all).words.to_vec();
            all = words;
        }
        let mut written = programs::written(&program, &all).into_iter();
        let target = written.find(|target| self.is_named(folders, target, kind));
        if let Some(target) = target {
            return Some(format!("the command writes {}, {OWN_FILE}", quoted(target)));
        }
        if is_exact {
            self.removed(&program, &all, folders)
        } else {
            None
        }
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
        may_become(program, agents.chain(OWN_PROGRAMS))
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

/// Returns whether a program adds names from its input to the arguments of a command.
fn is_reader_of_names(program: &str) -> bool {
    matches!(program, "parallel" | "xargs")
}

/// Returns the words that are not flags.
fn arguments<'w>(words: &[&'w str]) -> impl Iterator<Item = &'w str> {
    words.iter().copied().filter(|word| !word.starts_with('-'))
}

/// Returns whether `ls` lists the hidden files of the working folder.
fn lists_hidden(words: &[&str]) -> bool {
    let is_flag = |word: &&str| {
        matches!(*word, "--all" | "--almost-all")
            || (!word.starts_with("--") && word.contains(['A', 'a']))
    };
    let mut flags = words.iter().filter(|word| word.starts_with('-'));
    flags.any(is_flag) && arguments(words).all(|word| matches!(word, "." | "./"))
}

/// Returns whether a shell with these arguments runs the commands from its standard input. With other arguments, it runs
/// a script file or the command in an argument.
fn reads_its_input(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => return true,
            "--init-file" | "--rcfile" => {
                words.next();
            }
            word if word.starts_with("--") => {}
            word if word.starts_with(['-', '+']) => {
                if word.contains('s') {
                    return true;
                }
                if word.ends_with(['O', 'o']) {
                    words.next();
                }
            }
            _ => return false,
        }
    }
    true
}
