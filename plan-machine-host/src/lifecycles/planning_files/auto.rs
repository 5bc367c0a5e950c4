//! Decides when planning files are opened automatically, and when a message asks for them.

/// The criteria for opening planning files: a message that meets them looks like work with many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutoFiles {
    /// Whether planning files are opened automatically at all.
    pub on: bool,
    /// The minimum number of words in the message.
    pub words: usize,
    /// The minimum number of list items in the message, as an alternative to the number of words.
    pub lines: usize,
}

impl Default for AutoFiles {
    fn default() -> Self {
        Self {
            on: true,
            words: 60,
            lines: 3,
        }
    }
}

impl AutoFiles {
    /// Returns whether a message opens planning files.
    #[must_use]
    pub fn opens_for(self, text: &str) -> bool {
        self.on
            && (text.lines().filter(|line| is_listed(line)).count() >= self.lines
                || text.split_whitespace().count() >= self.words)
    }
}

/// Returns whether a user asks for planning files. The model then learns about them before they are
/// open.
pub(super) fn asks_for_files(text: &str) -> bool {
    let text = text.to_lowercase();
    ["planning file", "plan file"]
        .iter()
        .any(|words| text.contains(words))
}

fn is_listed(line: &str) -> bool {
    let line = line.trim_start();
    let is_number = |number: &str| number.parse::<u8>().is_ok();
    line.starts_with("- ")
        || line.starts_with("* ")
        || line
            .split_once(". ")
            .is_some_and(|(number, _)| is_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_three_or_a_long_message_looks_like_work_of_many_steps() {
        let settings = AutoFiles::default();
        assert!(settings.opens_for("Please\n1. look\n2. think\n3. leap"));
        assert!(settings.opens_for(&"word ".repeat(80)));
        assert!(!settings.opens_for("What is the time?"));
        assert!(!settings.opens_for("- one\n- two"));
    }

    #[test]
    fn the_thresholds_are_settings() {
        let short = AutoFiles {
            words: 3,
            lines: 2,
            ..AutoFiles::default()
        };
        assert!(short.opens_for("one two three") && !short.opens_for("one two"));
        assert!(short.opens_for("- one\n- two") && !short.opens_for("- one"));
        let off = AutoFiles { on: false, ..short };
        assert!(!off.opens_for("one two three"));
    }
}
