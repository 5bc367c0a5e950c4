//! The commands that agents run for their events.

use super::error::InstallError;
use crate::hook::{NO, YES};

/// Returns the command that an agent runs before each tool call. Only a hook that answered can let the call run: the
/// call is denied if the program is missing, crashes, is killed, or is another program.
///
/// Agents run the command with the user's own shell, so the script is one word in single quotes for `sh`, and has no
/// character that another shell treats differently.
///
/// # Errors
///
/// If the path of the program cannot be quoted.
pub fn tool_command(program: &str, agent: &str) -> Result<String, InstallError> {
    let program = quotable(program)?;
    Ok(format!(
        "/bin/sh -c '\"{program}\" hook --agent {agent} --wrapped; s=$?; \
         case $s in {YES}) exit 0;; {NO}) exit 2;; esac; \
         echo \"plan-machine: the gate is closed because its program failed (status $s); run plan-machine doctor in a terminal\" >&2; \
         exit 2'"
    ))
}

/// Returns the command for events other than tool calls. If the program cannot answer, the event proceeds and grants
/// nothing.
///
/// # Errors
///
/// If the path of the program cannot be quoted.
pub fn event_command(program: &str, agent: &str) -> Result<String, InstallError> {
    let program = quotable(program)?;
    Ok(format!(
        "/bin/sh -c '\"{program}\" hook --agent {agent} --wrapped; s=$?; case $s in {NO}) exit 2;; esac; exit 0'"
    ))
}

/// Returns whether a command is one of ours, whatever the path of the program is.
#[must_use]
pub fn is_ours(command: &str) -> bool {
    command.contains("plan-machine") && command.contains(" hook --agent ")
}

fn quotable(program: &str) -> Result<&str, InstallError> {
    let is_plain = |letter: char| letter.is_alphanumeric() || " /._-+@".contains(letter);
    if program.is_empty() || !program.chars().all(is_plain) {
        return Err(InstallError::Program(program.to_owned()));
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(command: &str, shell: &str) -> Option<(i32, String, String)> {
        let run = std::process::Command::new(shell)
            .args(["-c", command])
            .output()
            .ok()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Some((run.status.code()?, text(run.stdout), text(run.stderr)))
    }

    fn script(folder: &std::path::Path, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.join(name);
        std::fs::write(&path, text).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("made executable");
        path.display().to_string()
    }

    #[cfg(unix)]
    #[test]
    fn only_a_hook_that_answered_lets_a_call_run() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("a folder/plan-machine-test");
        std::fs::create_dir_all(folder.join("directory")).expect("a folder");
        let cases = [
            ("yes", "#!/bin/sh\nexit 77\n", 0),
            ("no", "#!/bin/sh\necho no >&2\nexit 78\n", 2),
            ("blank", "#!/bin/sh\nexit 2\n", 2),
            ("empty", "", 2),
            ("other", "#!/bin/sh\nexit 0\n", 2),
            ("crash", "#!/bin/sh\nexit 101\n", 2),
            ("killed", "#!/bin/sh\nkill -9 $$\n", 2),
            ("garbage", "\u{7f}ELF", 2),
        ];
        // Shells that are not installed are skipped.
        for shell in ["sh", "bash", "dash", "zsh", "fish"] {
            for (name, text, expected) in cases {
                let command = tool_command(&script(&folder, name, text), "codex").expect("a path");
                let Some((status, stdout, stderr)) = status(&command, shell) else {
                    continue;
                };
                assert_eq!((status, stdout.as_str()), (expected, ""), "{shell} {name}");
                assert_eq!(
                    stderr.trim().is_empty(),
                    expected == 0,
                    "{shell} {name}: {stderr}"
                );
            }
            for gone in ["missing", "directory"] {
                let program = folder.join(gone).display().to_string();
                let command = tool_command(&program, "codex").expect("a path");
                if let Some((status, _, stderr)) = status(&command, shell) {
                    assert_eq!(status, 2);
                    assert!(stderr.contains("the gate is closed"), "{stderr}");
                }
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_failed_hook_lets_other_events_go_on() {
        let place = tempfile::tempdir().expect("a folder");
        let cases = [
            ("crash", "#!/bin/sh\nexit 101\n", 0),
            ("blocked", "#!/bin/sh\necho card >&2\nexit 78\n", 2),
        ];
        for (name, text, expected) in cases {
            let program = script(place.path(), name, text);
            let command = event_command(&program, "codex").expect("a path");
            assert_eq!(
                status(&command, "sh").expect("a shell").0,
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn a_path_that_shells_read_differently_is_refused() {
        for program in [
            "", "/a/'b'", "/a/$HOME", "/a/`x`", "/a/\"", "/a\\b", "/a\nb", "/a;b",
        ] {
            assert!(tool_command(program, "codex").is_err(), "{program}");
        }
        assert!(is_ours(
            &tool_command("/usr/bin/plan-machine", "codex").expect("a path")
        ));
        assert!(!is_ours("my-hook --agent codex"));
    }
}
