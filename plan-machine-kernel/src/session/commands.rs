//! Finds the machines that a typed line is for.

use crate::command::{Pattern, best_match};

/// A command of a machine in a session.
#[derive(Clone, Copy, Debug)]
pub struct OfferedCommand<'p> {
    /// The index of the machine.
    pub machine: usize,
    /// The text of the command.
    pub pattern: &'p Pattern,
    /// Whether the command goes to every machine that has it.
    pub shared: bool,
}

/// Returns the machines that a line is for: those whose commands match the line best. `accepts` returns whether a word
/// can be the value of an argument of a machine's command. The result is empty if no command matches, or if the line
/// starts like a longer command of another machine: `/plan approve nonsense` is a mistyped approval,
/// not a title for the command `/plan {title...}` of another machine.
pub fn takers(
    all: &[OfferedCommand<'_>],
    line: &str,
    accepts: &dyn Fn(usize, &str, &str) -> bool,
) -> Vec<usize> {
    let matches = |offered: &&OfferedCommand<'_>| {
        let fits = |name: &str, word: &str| accepts(offered.machine, name, word);
        best_match([((), offered.pattern)], line, &fits).is_some()
    };
    let mut matching: Vec<&OfferedCommand<'_>> = all.iter().filter(matches).collect();
    let literals = matching.iter().map(|offered| offered.pattern.literals());
    let Some(most) = literals.max() else {
        return Vec::new();
    };
    matching.retain(|offered| offered.pattern.literals() == most);
    let takes = |machine: usize| matching.iter().any(|taker| taker.machine == machine);
    let mut others = all.iter().filter(|offered| !takes(offered.machine));
    if others.any(|offered| offered.pattern.begins(line) > most) {
        return Vec::new();
    }
    if !matching.iter().all(|offered| offered.shared) {
        matching.truncate(1);
    }
    matching
        .into_iter()
        .map(|offered| offered.machine)
        .collect()
}
