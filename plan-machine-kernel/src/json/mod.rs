//! JSON values: a strict parser, a compact writer, and the canonical form that digests are computed from.
//!
//! ```
//! use plan_machine_kernel::json::Json;
//!
//! let value = Json::parse(r#"{"b": 1e2, "a": 9007199254740993}"#)?;
//! assert_eq!(value.to_string(), r#"{"b":100.0,"a":9007199254740993}"#);
//! assert_eq!(value.canonical(), r#"{"a":9007199254740993,"b":100}"#);
//! # Ok::<(), plan_machine_kernel::json::ParseError>(())
//! ```

mod object;
mod parse;
mod write;

pub use object::Object;
pub use parse::{MAX_DEPTH, ParseError};
pub use write::write_string;

/// A JSON value. Integers stay exact over the whole range of `i64` and `u64`.
#[derive(Clone, Debug, Default)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits in an `i64`.
    Int(i64),
    /// An integer above `i64::MAX`. Smaller integers are always [`Json::Int`], so that each integer has one
    /// representation.
    Uint(u64),
    /// Any other number. [`Json::float`] and the parser accept only finite numbers; the writers write any number that
    /// is not finite as `null`.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Object),
}

/// Two values are equal if their canonical forms are equal: `1` and `1.0` are the same number.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(one), Json::Bool(other)) => one == other,
            (Json::Int(one), Json::Int(other)) => one == other,
            (Json::Uint(one), Json::Uint(other)) => one == other,
            (Json::Float(one), Json::Float(other)) => one == other,
            (Json::Int(_) | Json::Uint(_), Json::Float(_))
            | (Json::Float(_), Json::Int(_) | Json::Uint(_)) => {
                self.canonical() == other.canonical()
            }
            (Json::Text(one), Json::Text(other)) => one == other,
            (Json::List(one), Json::List(other)) => one == other,
            (Json::Object(one), Json::Object(other)) => one == other,
            _ => false,
        }
    }
}

impl Json {
    /// Parses one JSON text according to RFC 8259, but more strictly: nothing but white space around the value, no
    /// duplicate keys, no lone surrogates, no numbers outside the range of `f64`, no integers outside the ranges of
    /// `i64` and `u64` that an `f64` would not preserve digit for digit, and at most [`MAX_DEPTH`] levels of nesting.
    ///
    /// # Errors
    ///
    /// If the text is not such a JSON text; the error says what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse::parse(text, MAX_DEPTH)
    }

    /// Parses one JSON text like [`parse`](Self::parse), with a different limit on its nesting. This is for texts that
    /// the program itself wrote: an external value that is stored inside further objects must remain readable.
    ///
    /// # Errors
    ///
    /// If the text is not such a JSON text; the error says what is wrong and where.
    pub fn parse_within(text: &str, depth: usize) -> Result<Self, ParseError> {
        parse::parse(text, depth)
    }

    /// Returns the canonical form of RFC 8785: keys sorted by UTF-16 code units, numbers as in ECMAScript. There is one
    /// exception, which keeps different plans distinct: integers beyond 2^53 are written exactly, whereas ECMAScript
    /// would round them.
    #[must_use]
    pub fn canonical(&self) -> String {
        write::canonical(self)
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
        write::canonical_len(self)
    }

    /// Writes the canonical form piece by piece.
    ///
    /// # Errors
    ///
    /// If `out` returns an error.
    pub fn write_canonical(&self, out: &mut impl std::fmt::Write) -> std::fmt::Result {
        write::write_canonical(out, self)
    }

    /// Returns a floating-point number, or `None` for values that JSON cannot represent (NaN and the infinities).
    #[must_use]
    pub fn float(number: f64) -> Option<Self> {
        number.is_finite().then_some(Self::Float(number))
    }

    /// Returns the string, if this value is a string.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the object, if this value is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the items, if this value is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the integer, if this value is an integer that fits in an `i64`; `3.0` is not an integer.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the boolean, if this value is a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// Returns whether this value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Json {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Self::Uint(number), Self::Int)
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        Self::List(items)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsigned_number_is_kept_apart_only_where_it_must_be() {
        assert_eq!(Json::from(7_u64), Json::Int(7));
        assert_eq!(Json::from(u64::MAX), Json::Uint(u64::MAX));
    }

    #[test]
    fn what_json_cannot_say_is_not_a_number() {
        assert_eq!(Json::float(f64::NAN), None);
        assert_eq!(Json::float(f64::NEG_INFINITY), None);
        assert_eq!(Json::float(0.5), Some(Json::Float(0.5)));
    }

    #[test]
    fn accessors_give_only_their_own_kind() {
        let value = Json::Float(3.0);
        assert_eq!(value.as_int(), None);
        assert_eq!(value.as_text(), None);
        assert_eq!(value.as_bool(), None);
        assert_eq!(value.as_list(), None);
        assert_eq!(value.as_object(), None);
        assert_eq!(
            Json::from(vec![Json::Null]).as_list(),
            Some([Json::Null].as_slice())
        );
        assert!(Json::Null.is_null());
    }
}
