//! The ancestors of this process. They show whether an agent runs a command that is only for people.
//!
//! Linux lists processes in `/proc`. On other systems, only the variables that agents set for the commands that they
//! run are known.

use std::fs;
use std::path::Path;

/// The maximum number of ancestors that are inspected.
const MOST: usize = 64;

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// The id of the process.
    pub pid: u32,
    /// The name that the system shows for the process.
    pub name: String,
    /// The file that the process runs, if it is known.
    pub file: Option<String>,
    /// The words of the command line.
    pub args: Vec<String>,
    /// Whether its standard output is a terminal.
    pub on_terminal: bool,
    /// Whether a terminal controls it; `None` if that is not known.
    pub has_terminal: Option<bool>,
}

/// The ancestors of a process, from its parent upwards, and the variables of its environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// The ancestors, from the parent upwards.
    pub processes: Vec<Process>,
    /// The names of the variables that are set.
    pub variables: Vec<String>,
}

impl Ancestry {
    /// Returns the ancestry of this process.
    #[must_use]
    pub fn current() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        Self {
            processes: ancestors(Path::new("/proc"), std::process::id()),
            variables: variables.collect(),
        }
    }
}

impl Process {
    /// Returns whether the process runs one of these programs, or is an interpreter that runs one of them. A program is
    /// given as the name of a file (`codex`), or as part of a path with a slash in it (`@openai/codex`).
    #[must_use]
    pub fn runs(&self, programs: &[&str]) -> bool {
        let known = |word: &str| programs.iter().any(|program| names(word, program));
        let file = self.file.as_deref().unwrap_or_default();
        known(file) || known(&self.name) || self.words().any(known)
    }

    /// Returns the words of the command line that may name the program: the first one, and the script of an
    /// interpreter. The text after `-c` of a shell is not a script.
    fn words(&self) -> impl Iterator<Item = &str> {
        let mut args = self.args.iter().map(String::as_str);
        let first = args.next().unwrap_or_default();
        let is = |known: &[&str]| known.iter().any(|name| names(first, name));
        let rest: Vec<&str> = if is(&INTERPRETERS) {
            args.filter(|arg| !arg.starts_with('-')).take(2).collect()
        } else if is(&SHELLS) {
            args.take(1).collect()
        } else {
            Vec::new()
        };
        std::iter::once(first).chain(rest)
    }
}

/// Programs that run a script, which may come after options.
const INTERPRETERS: [&str; 8] = [
    "bun", "deno", "env", "node", "nodejs", "npx", "python", "python3",
];

/// Programs that run a script if their first argument is not an option.
const SHELLS: [&str; 5] = ["bash", "dash", "fish", "sh", "zsh"];

/// Returns whether a word of a command line names a program.
fn names(word: &str, program: &str) -> bool {
    if program.contains('/') {
        return word.contains(program);
    }
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let stem = [".exe", ".js", ".mjs", ".cjs", ".cmd"]
        .iter()
        .find_map(|end| file.strip_suffix(end));
    stem.unwrap_or(file) == program
}

/// Reads the ancestors of a process. If the system does not list them all, the result is shorter, or empty.
fn ancestors(proc: &Path, of: u32) -> Vec<Process> {
    let mut found = Vec::new();
    let mut at = parent(proc, of);
    while let Some(pid) = at {
        if pid == 0 || found.len() == MOST {
            break;
        }
        found.push(process(proc, pid));
        at = parent(proc, pid);
    }
    found
}

/// Returns the parent of a process.
fn parent(proc: &Path, pid: u32) -> Option<u32> {
    stat(proc, pid, 1)?.parse().ok()
}

/// Returns the value at an index in `stat`; the value after the name of the process has index 0. The name is in
/// parentheses and may contain anything.
fn stat(proc: &Path, pid: u32, at: usize) -> Option<String> {
    let stat = fs::read_to_string(proc.join(pid.to_string()).join("stat")).ok()?;
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(at).map(str::to_owned)
}

fn process(proc: &Path, pid: u32) -> Process {
    let folder = proc.join(pid.to_string());
    let name = fs::read_to_string(folder.join("comm")).unwrap_or_default();
    let line = fs::read(folder.join("cmdline")).unwrap_or_default();
    let args = line.split(|byte| *byte == 0).filter(|arg| !arg.is_empty());
    let target = |path: &str| {
        let found = fs::read_link(folder.join(path)).ok()?;
        Some(found.display().to_string())
    };
    let output = target("fd/1").unwrap_or_default();
    Process {
        pid,
        name: name.trim_end().to_owned(),
        file: target("exe"),
        args: args
            .map(|arg| String::from_utf8_lossy(arg).into_owned())
            .collect(),
        has_terminal: stat(proc, pid, 4).map(|terminal| terminal != "0"),
        on_terminal: output.starts_with("/dev/pts/") || output.starts_with("/dev/tty"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(args: &[&str]) -> Process {
        Process {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            ..Process::default()
        }
    }

    #[test]
    fn a_program_is_found_by_its_file_its_script_and_its_package() {
        let codex = ["codex", "@openai/codex"];
        for args in [
            &["codex", "exec", "go"][..],
            &["/usr/local/bin/codex"],
            &["node", "/x/bin/codex.js"],
            &["node", "/x/node_modules/@openai/codex/bin/run.js"],
            &["bun", "run", "/opt/codex"],
        ] {
            assert!(running(args).runs(&codex), "{args:?}");
        }
        for args in [
            &["bash"][..],
            &["vim", "codex.md"],
            &["/opt/codex-tools/x"],
            &["my-codex"],
            &["bash", "-lc", "codex"],
        ] {
            assert!(!running(args).runs(&codex), "{args:?}");
        }
    }

    #[test]
    fn a_process_that_renames_itself_is_found_by_its_file() {
        let process = Process {
            name: "MainThread".to_owned(),
            file: Some("/usr/bin/opencode".to_owned()),
            ..running(&["innocent"])
        };
        assert!(process.runs(&["opencode"]));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_ancestors() {
        let ancestry = Ancestry::current();
        assert!(!ancestry.processes.is_empty());
        assert!(ancestry.variables.iter().any(|name| name == "PATH"));
    }
}
