//! The shell command that agents run: a call is also denied if the program is missing, was replaced or was killed.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use plan_machine_agents::install;

use crate::bench::{Bench, Reply};

/// Runs a command through a shell, as agents do.
fn shell(bench: &Bench, text: &str, event: &str) -> Reply {
    let mut command = bench.command(Path::new("/bin/sh"));
    let mut child = command.args(["-c", text]).spawn().expect("a shell");
    let mut input = child.stdin.take().expect("its input");
    // A command that does not exist reads nothing.
    let _ = input.write_all(event.as_bytes());
    drop(input);
    Reply::of(child.wait_with_output().expect("an output"))
}

fn tool_command(program: &str) -> String {
    install::tool_command(program, "claude-code").expect("a plain path")
}

fn event(bench: &Bench, tool: &str, id: &str) -> String {
    let fields = format!(r#""tool_name":"{tool}","tool_input":{{}},"tool_use_id":"{id}""#);
    bench.event("PreToolUse", &fields)
}

#[test]
fn answers_pass_through_the_shell() {
    let bench = Bench::new();
    let command = tool_command(env!("CARGO_BIN_EXE_plan-machine-hook"));
    shell(&bench, &command, &event(&bench, "Read", "c1")).is_silent();
    shell(&bench, &command, &event(&bench, "Write", "c2")).denies("only in EXECUTING");
}

#[test]
fn a_program_that_cannot_answer_denies() {
    let bench = Bench::new();
    let place = bench.project();
    let program = |name: &str, text: &str| {
        let file = place.join(name);
        fs::write(&file, text).expect("a program");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&file, executable).expect("an executable file");
        }
        file
    };
    fs::create_dir(place.join("folder")).expect("a folder");
    for file in [
        place.join("missing"),
        place.join("folder"),
        program("killed", "#!/bin/sh\nkill -9 $$\n"),
        program("aborted", "#!/bin/sh\nkill -ABRT $$\n"),
        program("failed", "#!/bin/sh\nexit 1\n"),
        program("strange", "#!/bin/sh\nexit 127\n"),
        program("another", "#!/bin/sh\nexit 0\n"),
        program("silent", "#!/bin/sh\nexit 2\n"),
        program("empty", ""),
        program("garbage", "\u{1}\u{2}\u{3}"),
    ] {
        let command = tool_command(&file.display().to_string());
        let reply = shell(&bench, &command, &event(&bench, "Read", "c1"));
        assert_eq!(reply.status, 2, "{}: {reply:?}", file.display());
        assert!(reply.stderr.contains("the gate is closed"), "{reply:?}");
        // A prompt reaches the model and grants nothing.
        let command = install::event_command(&file.display().to_string(), "claude-code")
            .expect("a plain path");
        assert_eq!(
            shell(&bench, &command, "{}").status,
            0,
            "{}",
            file.display()
        );
    }
}
