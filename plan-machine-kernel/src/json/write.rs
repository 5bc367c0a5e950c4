//! The two writers: a compact writer, which keeps the insertion order, and a canonical writer.

use std::cmp::Ordering;
use std::fmt::{self, Write};

use super::{Json, Object};

/// The form in which a value is written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// For people and for other programs: parsing the output returns the same value, so `3.0` stays `3.0`.
    Compact,
    /// For digests.
    Canonical,
    /// Has the same length as the canonical form, but the keys may be in any order. It is used to measure the length.
    Measured,
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl Json {
    /// Writes the same output as [`Display`](fmt::Display), but without a formatter.
    ///
    /// # Errors
    ///
    /// If `out` returns an error.
    pub fn write(&self, out: &mut impl Write) -> fmt::Result {
        value(out, self, Form::Compact)
    }

    /// Returns the canonical form of RFC 8785: keys sorted by UTF-16 code units, numbers as in ECMAScript. There is one
    /// exception, which keeps different plans distinct: integers beyond 2^53 are written exactly, whereas ECMAScript
    /// would round them.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        // Writing to a `String` cannot fail.
        let _ = self.write_canonical(&mut out);
        out
    }

    /// Returns the length of the canonical form in bytes, without writing it.
    ///
    /// ```
    /// use plan_machine_kernel::json::Json;
    ///
    /// let value = Json::parse(r#"{"b": 1e2, "a": "\u0001"}"#)?;
    /// assert_eq!(value.canonical_len(), value.canonical().len());
    /// # Ok::<(), plan_machine_kernel::json::ParseError>(())
    /// ```
    #[must_use]
    pub fn canonical_len(&self) -> usize {
        let mut length = Length(0);
        // Counting cannot fail.
        let _ = value(&mut length, self, Form::Measured);
        length.0
    }

    /// Writes the canonical form piece by piece.
    ///
    /// # Errors
    ///
    /// If `out` returns an error.
    pub fn write_canonical(&self, out: &mut impl Write) -> fmt::Result {
        value(out, self, Form::Canonical)
    }
}

impl Object {
    /// Writes the same output as [`Display`](fmt::Display), but without a formatter.
    ///
    /// # Errors
    ///
    /// If `out` returns an error.
    pub fn write(&self, out: &mut impl Write) -> fmt::Result {
        object(out, self, Form::Compact)
    }
}

/// Counts the bytes that are written.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

fn value(out: &mut impl Write, json: &Json, form: Form) -> fmt::Result {
    match json {
        Json::Null => out.write_str("null"),
        Json::Bool(truth) => write!(out, "{truth}"),
        Json::Int(number) => write!(out, "{number}"),
        Json::Uint(number) => write!(out, "{number}"),
        Json::Float(number) => float(out, *number, form),
        Json::Text(text) => write_string(out, text),
        Json::List(items) => list(out, items, form),
        Json::Object(members) => object(out, members, form),
    }
}

fn float(out: &mut impl Write, number: f64, form: Form) -> fmt::Result {
    if !number.is_finite() {
        return out.write_str("null");
    }
    let mut buffer = ryu_js::Buffer::new();
    let written = buffer.format_finite(number);
    let looks_whole = written
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    if form != Form::Compact || !looks_whole {
        return out.write_str(written);
    }
    // ECMAScript writes negative zero as `0`.
    let sign = if number == 0.0 && number.is_sign_negative() {
        "-"
    } else {
        ""
    };
    write!(out, "{sign}{written}.0")
}

fn list(out: &mut impl Write, items: &[Json], form: Form) -> fmt::Result {
    out.write_char('[')?;
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.write_char(',')?;
        }
        value(out, item, form)?;
    }
    out.write_char(']')
}

fn object(out: &mut impl Write, members: &Object, form: Form) -> fmt::Result {
    match form {
        Form::Compact | Form::Measured => pairs(out, members.iter(), form),
        Form::Canonical => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(one, _), (other, _)| by_code_units(one, other));
            pairs(out, sorted.into_iter(), form)
        }
    }
}

fn pairs<'a>(
    out: &mut impl Write,
    pairs: impl Iterator<Item = (&'a str, &'a Json)>,
    form: Form,
) -> fmt::Result {
    out.write_char('{')?;
    for (position, (key, member)) in pairs.enumerate() {
        if position > 0 {
            out.write_char(',')?;
        }
        write_string(out, key)?;
        out.write_char(':')?;
        value(out, member, form)?;
    }
    out.write_char('}')
}

/// Compares strings by UTF-16 code units. The order differs from that of `str` when a character outside the Basic
/// Multilingual Plane is compared with a character near the end of that plane.
fn by_code_units(one: &str, other: &str) -> Ordering {
    one.encode_utf16().cmp(other.encode_utf16())
}

/// Writes a string in quotes. The output is the same in compact and in canonical JSON.
///
/// # Errors
///
/// If `out` returns an error.
pub fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = first_escaped(rest.as_bytes()) {
        out.write_str(&rest[..at])?;
        // Characters that need an escape are ASCII, so each is one byte long.
        match rest.as_bytes()[at] {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            0x08 => out.write_str("\\b")?,
            b'\t' => out.write_str("\\t")?,
            b'\n' => out.write_str("\\n")?,
            0x0c => out.write_str("\\f")?,
            b'\r' => out.write_str("\\r")?,
            control => write!(out, "\\u{control:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

/// Returns the position of the first byte that must be escaped. Eight bytes are examined at a time, because every step
/// writes strings and most of their bytes need no escape.
fn first_escaped(text: &[u8]) -> Option<usize> {
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let escaped = escaped(u64::from_le_bytes(*word));
        if escaped != 0 {
            return Some(at * 8 + escaped.trailing_zeros() as usize / 8);
        }
    }
    let at = rest
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
    Some(words.len() * 8 + at)
}

/// Sets the highest bit of the lowest byte that must be escaped. The bits above it are meaningless, because the
/// subtractions borrow from the higher bytes.
fn escaped(word: u64) -> u64 {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = EACH << 7;
    let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
    let is = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    (below(word, 0x20) | is(b'"') | is(b'\\')) & HIGH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical_of(text: &str) -> String {
        Json::parse(text).expect(text).canonical()
    }

    #[test]
    fn numbers_are_written_as_the_canonical_form_asks() {
        for (text, written) in [
            ("3.0", "3"),
            ("-0.0", "0"),
            ("1e21", "1e+21"),
            ("1E-7", "1e-7"),
            ("0.000001", "0.000001"),
            ("333333333.33333329", "333333333.3333333"),
            ("9007199254740993", "9007199254740993"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(canonical_of(text), written);
        }
    }

    #[test]
    fn keys_are_sorted_by_utf_16_code_units() {
        let written = canonical_of(
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
        );
        assert_eq!(
            written,
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}"
        );
    }

    #[test]
    fn only_what_must_be_escaped_is() {
        let text = Json::from("\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}\"\\/é€😀\u{2028}");
        assert_eq!(
            text.canonical(),
            "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\\\"\\\\/é€😀\u{2028}\""
        );
        assert_eq!(text.to_string(), text.canonical());
    }

    #[test]
    fn what_is_escaped_is_found_wherever_it_is() {
        for escaped in [0, 0x1f, b'\n', b'"', b'\\'] {
            for plain in [b' ', b'!', b'#', b'[', b']', 0x7f] {
                for at in 0..20 {
                    let mut text = [plain; 20];
                    text[at..].fill(escaped);
                    assert_eq!(
                        first_escaped(&text),
                        Some(at),
                        "byte {escaped} at {at} among bytes {plain}"
                    );
                    assert_eq!(first_escaped(&text[..at]), None);
                }
            }
        }
        assert_eq!(first_escaped("é€😀\u{2028}é€😀\u{ff}".as_bytes()), None);
    }

    #[test]
    fn people_see_the_order_of_insertion() {
        let value = Json::parse(r#" {"b": [1, 2.50, -0.0, null], "a": {}} "#).expect("valid");
        assert_eq!(value.to_string(), r#"{"b":[1,2.5,-0.0,null],"a":{}}"#);
    }

    #[test]
    fn a_number_that_json_cannot_say_is_null() {
        assert_eq!(Json::Float(f64::NAN).to_string(), "null");
        assert_eq!(Json::Float(f64::INFINITY).canonical(), "null");
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            any::<f64>().prop_filter_map("not finite", Json::float),
            any::<String>().prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|pairs| Json::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same_value(json in any_json()) {
            prop_assert_eq!(Json::parse(&json.to_string()), Ok(json));
        }

        #[test]
        fn the_canonical_form_of_the_canonical_form_is_itself(json in any_json()) {
            let canonical = json.canonical();
            prop_assert_eq!(canonical_of(&canonical), canonical);
        }

        #[test]
        fn any_text_is_read_or_refused(text in r#"[\[\]{}",:0-9eE.+\\u tfn-]{0,40}"#) {
            let _ = Json::parse(&text);
        }
    }
}
