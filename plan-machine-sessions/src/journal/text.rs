//! Writes JSON text for the store, key by key. No JSON value is built first, which saves time for every accepted event.

use std::fmt::Write;

use plan_machine_kernel::json::{Json, Object, ParseError, write_string};

use plan_machine::machine::PlanView;

/// The maximum nesting depth of lists and objects in stored text. It is greater than the limit for JSON from outside,
/// because stored text contains that JSON inside further objects.
pub const MAX_DEPTH: usize = 256;

/// The maximum nesting depth of an entry. It is smaller than [`MAX_DEPTH`], because a snapshot contains the plans of an
/// entry inside further objects.
pub(crate) const ENTRY_DEPTH: usize = MAX_DEPTH - 16;

/// Parses stored text as JSON.
///
/// # Errors
///
/// If the text is not valid JSON, or is nested more than [`MAX_DEPTH`] levels deep; the error describes the problem and
/// its location.
pub fn json(text: &str) -> Result<Json, ParseError> {
    Json::parse_within(text, MAX_DEPTH)
}

/// Returns the nesting depth of lists and objects in JSON text that this module wrote.
pub(crate) fn depth(text: &str) -> usize {
    let (mut depth, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// An object that is being written.
pub(super) struct Pairs<'t> {
    text: &'t mut String,
    any: bool,
}

/// Writes an object.
pub(super) fn object(text: &mut String, write: impl FnOnce(&mut Pairs<'_>)) {
    text.push('{');
    write(&mut Pairs { text, any: false });
    // `write` has returned, so `text` is no longer borrowed.
    text.push('}');
}

// Writing to a String cannot fail.
impl Pairs<'_> {
    /// Writes a key without escaping it: all keys are plain words.
    fn key(&mut self, key: &str) -> &mut String {
        if std::mem::replace(&mut self.any, true) {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(key);
        self.text.push_str("\":");
        self.text
    }

    pub(super) fn text(&mut self, key: &str, value: &str) {
        let _ = write_string(self.key(key), value);
    }

    pub(super) fn maybe_text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// Writes a number, or any other value whose `Display` output is valid JSON.
    pub(super) fn plain(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = write!(self.key(key), "{value}");
    }

    /// Writes a string whose content does not need escaping.
    pub(super) fn quoted(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = write!(self.key(key), "\"{value}\"");
    }

    pub(super) fn json(&mut self, key: &str, value: &Json) {
        let _ = value.write(self.key(key));
    }

    /// Writes a value with a function that appends the JSON text of the value.
    pub(super) fn written(&mut self, key: &str, write: impl FnOnce(&mut String)) {
        write(self.key(key));
    }

    pub(super) fn members(&mut self, key: &str, value: &Object) {
        let _ = value.write(self.key(key));
    }

    pub(super) fn object(&mut self, key: &str, write: impl FnOnce(&mut Pairs<'_>)) {
        object(self.key(key), write);
    }

    pub(super) fn list<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut String, T),
    ) {
        let text = self.key(key);
        text.push('[');
        for (position, item) in items.into_iter().enumerate() {
            if position > 0 {
                text.push(',');
            }
            write(text, item);
        }
        text.push(']');
    }

    pub(super) fn texts(&mut self, key: &str, items: &[String]) {
        self.list(key, items, |text, item| {
            let _ = write_string(text, item);
        });
    }

    pub(super) fn plans(&mut self, key: &str, plans: &[PlanView]) {
        self.list(key, plans, |text, item| {
            object(text, |pairs| plan(pairs, item));
        });
    }
}

/// Writes a plan in the form that [`plan_machine::machine::view`] reads.
pub(super) fn plan(pairs: &mut Pairs<'_>, plan: &PlanView) {
    plan_head(pairs, plan);
    pairs.members("data", &plan.data);
}

/// Writes all fields of a plan except its data.
pub(super) fn plan_head(pairs: &mut Pairs<'_>, plan: &PlanView) {
    pairs.text("id", plan.id.as_str());
    pairs.maybe_text(
        "previous",
        plan.previous.as_ref().map(plan_machine::Id::as_str),
    );
    pairs.text("state", &plan.state);
    pairs.plain("revision", plan.revision);
    pairs.plain("edition", plan.edition);
    pairs.text("token", &plan.token);
    if !plan.timers.is_empty() {
        pairs.members("timers", &plan.timers);
    }
}

#[cfg(test)]
mod tests {
    use super::depth;

    #[test]
    fn the_depth_of_a_text_is_that_of_its_lists_and_objects() {
        assert_eq!(depth("1"), 0);
        assert_eq!(depth(r#"{"a":[{}],"b":[]}"#), 3);
        assert_eq!(depth(r#"["[[[","\"[[",[]]"#), 2);
    }
}
