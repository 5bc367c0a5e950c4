//! A folder for a bot that follows a script.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread::{self, JoinHandle};

use tempfile::TempDir;

/// A model that works in a turn or in a run until it is interrupted, and answers every other message.
pub(crate) const SCRIPT: &str = r#"
- user: Work.
  model:
    - calls:
        - shell: { command: "echo begun > begun; exec sleep 600" }
- contains: Continue with
  model:
    - calls:
        - shell: { command: "echo begun > begun; exec sleep 600" }
- default:
    - text: "**Yes.**"
"#;

/// A folder for a bot. The script can open the pipes `begun`, `go` and `held` in its workspace.
pub(crate) struct Work(TempDir);

impl Work {
    pub(crate) fn by(script: &str) -> Self {
        let work = Self(TempDir::new().expect("a folder"));
        fs::write(work.path("script.yaml"), script).expect("written");
        fs::create_dir(work.path("workspace")).expect("made");
        for pipe in ["begun", "go", "held"] {
            let made = Command::new("mkfifo").arg(work.pipe(pipe)).status();
            assert!(made.expect("mkfifo runs").success());
        }
        work
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn pipe(&self, name: &str) -> PathBuf {
        self.path("workspace").join(name)
    }

    /// Returns the arguments of a bot that keeps its data here.
    pub(crate) fn places(&self) -> Vec<String> {
        let named = [("--data", "data"), ("--workspace", "workspace")];
        let pairs =
            named.map(|(flag, name)| [flag.to_owned(), self.path(name).display().to_string()]);
        pairs.concat()
    }

    /// Returns the arguments of a bot that plays the script here.
    pub(crate) fn args(&self) -> Vec<String> {
        let mut args = self.places();
        args.push(format!("--script={}", self.path("script.yaml").display()));
        args.push("--allow-shell".to_owned());
        args
    }

    /// Waits until something is written to `begun`.
    pub(crate) fn wait_until_begun(&self) {
        let text = fs::read_to_string(self.pipe("begun")).expect("read");
        assert_eq!(text, "begun\n");
    }

    /// Waits, in the background of the test, until every process that has opened `held` for writing has ended.
    pub(crate) fn until_all_are_gone(&self) -> JoinHandle<()> {
        let held = self.pipe("held");
        thread::spawn(move || assert_eq!(fs::read_to_string(held).expect("read"), ""))
    }

    /// Releases all readers of `go`.
    pub(crate) fn go(&self) {
        fs::write(self.pipe("go"), "go\n").expect("written");
    }
}
