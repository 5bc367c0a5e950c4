//! The examples stay short: each has a maximum number of lines.

use std::fs;
use std::path::Path;

use plan_machine_tests::root;

use crate::imports::files;

/// Returns the number of lines of an example outside its tests.
fn lines(example: &str) -> usize {
    let of_file = |file: &Path| {
        let text = fs::read_to_string(file).expect("a source file");
        // A test module ends with a brace at the beginning of a line, or on the line of its declaration if its code is
        // in a separate file.
        let mut is_in_tests = false;
        let outside = text.lines().filter(|line| {
            let begins = line.starts_with("#[cfg(test)]");
            let is_test = begins || is_in_tests;
            let ends = line.starts_with('}') || line.ends_with(';') && !line.starts_with(' ');
            is_in_tests = begins || is_in_tests && !ends;
            !is_test
        });
        outside.count()
    };
    let sources = files(&root().join("examples").join(example).join("src"));
    sources.iter().map(|file| of_file(file)).sum()
}

#[test]
fn the_examples_can_be_read_in_one_sitting() {
    for (example, most) in [("small", 150), ("bot", 1200)] {
        let lines = lines(example);
        assert!(0 < lines && lines <= most, "{example}: {lines} lines");
    }
}
