//! Canonical JSON, written piece by piece into a digest.

use std::fmt::Write;

use plan_machine_kernel::digest::Digester;

use crate::core::value::Value;

/// Writes a string as canonical JSON.
pub fn digest_text(text: &str, out: &mut Digester) {
    // Writing to a digester never fails.
    let _ = plan_machine_kernel::json::write_string(out, text);
}

/// Writes an object as canonical JSON, one member at a time; the caller passes the keys in sorted order.
pub struct Members<'o> {
    out: &'o mut Digester,
    empty: bool,
}

impl<'o> Members<'o> {
    /// Begins an object: writes `{`.
    pub fn begin(out: &'o mut Digester) -> Self {
        let _ = out.write_char('{');
        Self { out, empty: true }
    }

    /// Writes a key, which the caller passes in the form `"key":`, and returns the digester, to which the value must be
    /// written next.
    pub fn key(&mut self, key: &str) -> &mut Digester {
        if !std::mem::take(&mut self.empty) {
            let _ = self.out.write_char(',');
        }
        let _ = self.out.write_str(key);
        self.out
    }

    /// Writes a key, which the caller passes in the form `"key":`, and its value.
    pub fn member(&mut self, key: &str, value: &impl Value) {
        value.digest(self.key(key));
    }

    /// Ends the object: writes `}`.
    pub fn end(self) {
        let _ = self.out.write_char('}');
    }
}

/// Writes a list as canonical JSON, one item at a time.
pub fn digest_list<T>(items: &[T], out: &mut Digester, item: impl Fn(&T, &mut Digester)) {
    let _ = out.write_char('[');
    for (index, one) in items.iter().enumerate() {
        if index > 0 {
            let _ = out.write_char(',');
        }
        item(one, out);
    }
    let _ = out.write_char(']');
}
