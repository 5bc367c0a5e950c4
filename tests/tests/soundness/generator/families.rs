//! Generates comparisons of strings, and several conditions on one list.

use super::*;

impl Maker<'_, '_> {
    /// Returns a comparison of a text with another text, with the payload, with the context or with a literal.
    pub(super) fn compared(&mut self, found: &Field, scope: Scope<'_>) -> String {
        let mut others = self.readable(scope, Kind::Text);
        others.retain(|other| other.path != found.path);
        let other = if others.is_empty() || self.dice.one_in(4) {
            (*self.dice.pick(&["\"x\"", "\"y\"", "\"\""])).to_owned()
        } else {
            let other = self.dice.pick(&others);
            if other.optional {
                format!("({} ?? \"x\")", other.path)
            } else {
                other.path.clone()
            }
        };
        let op = *self.dice.pick(&["==", "!="]);
        let path = &found.path;
        match (found.optional, self.dice.roll(3)) {
            (false, _) => format!("{path} {op} {other}"),
            (true, 0) => format!("({path} is set and {path} {op} {other})"),
            (true, 1) => format!("({path} is not set or {path} {op} {other})"),
            (true, _) => format!("({path} ?? \"y\") {op} {other}"),
        }
    }

    /// Returns a combination of two or three conditions on one list. Some combinations always hold,
    /// and others only look as if they do.
    pub(super) fn list_law(&mut self, path: &str) -> String {
        let mut law = self.list_question(path);
        for _ in 0..=self.dice.roll(2) {
            let op = *self.dice.pick(&["or", "or", "and", "implies"]);
            let other = self.list_question(path);
            law = format!("({law} {op} {other})");
        }
        law
    }

    /// Returns a comparison of a length or a count, with a constant or with another length or count.
    pub(super) fn counted(&mut self, path: &str) -> String {
        let op = *self.dice.pick(&["<", "<=", ">", "==", "!="]);
        let number = self.count(path);
        let other = if self.dice.one_in(6) {
            self.count(path)
        } else {
            (*self.dice.pick(&["0", "1", "1", "2", "3"])).to_owned()
        };
        format!("({number} {op} {other})")
    }

    /// Returns the length of a list, or the number of items that satisfy a condition.
    pub(super) fn count(&mut self, path: &str) -> String {
        if self.dice.one_in(3) {
            return format!("len({path})");
        }
        let asked = *self.dice.pick(&[
            "item.done",
            "not item.done",
            "item.hue == red",
            "(item.done or item.hue == red)",
            "item.shade is set",
        ]);
        format!("(count {path} where {asked})")
    }

    fn list_question(&mut self, path: &str) -> String {
        let asked = *self.dice.pick(&[
            "item.done",
            "not item.done",
            "item.hue == red",
            "item.hue != red",
            "(item.done or item.hue == red)",
            "(item.done and item.hue != red)",
            "item.shade is set",
        ]);
        match self.dice.roll(10) {
            0 => format!("({path} is empty)"),
            1 => format!("(len({path}) > 0)"),
            2 => format!("((count {path} where {asked}) == 0)"),
            3 => format!("((count {path} where {asked}) >= 1)"),
            4 => format!("((count {path} where {asked}) < 2)"),
            5 | 6 => format!("(any {path} where {asked})"),
            7 => format!("(every {path} where {asked})"),
            8 => format!("(no {path} where {asked})"),
            _ => {
                let op = *self.dice.pick(&["==", "<", "<=", "!="]);
                format!("((count {path} where {asked}) {op} len({path}))")
            }
        }
    }
}
