//! Examples stay small enough to be read in one sitting.

use std::fs;
use std::path::Path;

use plan_machine_tests::root;

use crate::imports::files;

/// Returns the number of lines of an example outside its tests.
fn lines(example: &str) -> usize {
    let of_file = |file: &Path| {
        let text = fs::read_to_string(file).expect("a source file");
        text.lines()
            .take_while(|line| !line.starts_with("#[cfg(test)]"))
            .count()
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
