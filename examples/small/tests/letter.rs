//! The example sends a letter only after a person has approved it.

use std::io::Write;
use std::process::{Command, Stdio};

/// Returns the output of the example, given a person's answer.
fn printed(answer: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_example-small"));
    program.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut program = program.spawn().expect("it starts");
    let mut asked = program.stdin.take().expect("a pipe");
    asked.write_all(answer.as_bytes()).expect("it reads");
    drop(asked);
    let output = program.wait_with_output().expect("it ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_letter_is_sent_once_a_person_has_agreed() {
    let printed = printed("yes\n");
    let denied = "not_allowed: `send` is not available in DRAFTING";
    assert!(printed.starts_with(denied), "{printed}");
    assert!(
        printed.contains("the garden is yours on Sunday."),
        "{printed}"
    );
    assert!(
        printed.ends_with("The letter is on its way.\n"),
        "{printed}"
    );
}

#[test]
fn a_letter_is_not_sent_otherwise() {
    for answer in ["no\n", ""] {
        let printed = printed(answer);
        assert!(printed.ends_with("The letter was not sent.\n"), "{printed}");
        assert!(!printed.contains("on its way"), "{printed}");
    }
}
