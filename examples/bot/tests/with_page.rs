//! A bot that was built without its page starts the page from another build.

use std::ffi::OsStr;
use std::fs;

use plan_bot::start::with_page;

/// A program that replaces Cargo in this test: it prints its arguments, one per line.
const CARGO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../start/tests/cargo");

#[test]
fn the_bot_is_built_with_its_page_and_started_with_the_same_arguments() {
    let args = ["serve", "--listen", "a b"].map(Into::into);
    let output = with_page(OsStr::new(CARGO), args).output();
    let output = String::from_utf8(output.expect("it starts").stdout).expect("text");
    let mut lines = output.lines();
    assert_eq!(lines.next(), Some("run"));
    assert_eq!(lines.next(), Some("--manifest-path"));
    let manifest = lines.next().expect("the manifest");
    let manifest = fs::read_to_string(manifest).expect("a file");
    assert!(manifest.contains("name = \"plan-bot\""), "{manifest}");
    assert!(manifest.contains("\npage = ["), "{manifest}");
    let rest: Vec<&str> = lines.collect();
    assert_eq!(
        rest,
        ["--features", "page", "--", "serve", "--listen", "a b"]
    );
}
