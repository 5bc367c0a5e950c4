//! The messages that the host shows to a newcomer.

use std::process::{Command, Output};

fn host(args: &[&str]) -> Output {
    let run = Command::new(env!("CARGO_BIN_EXE_example-host"))
        .args(args)
        .output();
    run.expect("it runs")
}

#[test]
fn help_shows_how_it_is_used() {
    for help in ["--help", "-h"] {
        let said = host(&[help]);
        let text = String::from_utf8_lossy(&said.stdout);
        assert!(said.status.success(), "{said:?}");
        assert!(text.contains("Usage: example-host [ADDRESS]"), "{text}");
        assert!(said.stderr.is_empty(), "{said:?}");
    }
}

#[test]
fn what_it_does_not_take_is_an_error_in_words() {
    for (args, expected) in [
        (&["--store"][..], "error: unknown option `--store`\n"),
        (
            &["one", "two"],
            "error: expected at most one argument, found 2\n",
        ),
        (&["nowhere:at-all"], "error: "),
    ] {
        let said = host(args);
        let text = String::from_utf8_lossy(&said.stderr);
        assert!(!said.status.success(), "{said:?}");
        assert!(text.starts_with(expected), "{text}");
        assert!(!text.contains("Error("), "{text}");
        assert!(said.stdout.is_empty(), "{said:?}");
    }
}
