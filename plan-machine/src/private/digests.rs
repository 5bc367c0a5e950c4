//! Canonical JSON, written piece by piece into a digest.

use std::fmt::Write;

use plan_machine_kernel::digest::Digester;

use crate::core::value::Value;

/// Writes a text of canonical JSON.
pub fn digest_text(text: &str, out: &mut Digester) {
    // A digester accepts any input.
    let _ = plan_machine_kernel::json::write_string(out, text);
}

/// An object of canonical JSON, written member by member; the keys come sorted.
pub struct Members<'o> {
    out: &'o mut Digester,
    empty: bool,
}

impl<'o> Members<'o> {
    /// `{`
    pub fn begin(out: &'o mut Digester) -> Self {
        let _ = out.write_char('{');
        Self { out, empty: true }
    }

    /// Writes `"key":`, to be followed by what is written to the digester.
    pub fn key(&mut self, key: &str) -> &mut Digester {
        if !std::mem::take(&mut self.empty) {
            let _ = self.out.write_char(',');
        }
        let _ = self.out.write_str(key);
        self.out
    }

    /// `"key":value`
    pub fn member(&mut self, key: &str, value: &impl Value) {
        value.digest(self.key(key));
    }

    /// `}`
    pub fn end(self) {
        let _ = self.out.write_char('}');
    }
}

/// Writes a list of canonical JSON, item by item.
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
