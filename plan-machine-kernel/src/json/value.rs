//! The types of JSON values and objects. A value can contain objects, and an object contains values.

use std::borrow::Cow;
use std::collections::BTreeMap;

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

/// The key of an entry. Most keys are known at compile time and need not be copied.
type Key = Cow<'static, str>;

/// A JSON object. Keys are written in insertion order; equality ignores the order.
#[derive(Clone, Debug, Default)]
pub struct Object {
    pairs: Vec<(Key, Json)>,
}

impl Object {
    /// Returns an empty object.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a key and returns the old value; an existing key keeps its position.
    pub fn insert(&mut self, key: impl Into<Key>, value: impl Into<Json>) -> Option<Json> {
        let (key, value) = (key.into(), value.into());
        if let Some((_, old)) = self.pairs.iter_mut().find(|(known, _)| *known == key) {
            return Some(std::mem::replace(old, value));
        }
        self.pairs.push((key, value));
        None
    }

    /// Adds a key that is known to be new. This is not checked, so that building a large object takes linear time; a
    /// key that is pushed twice is written twice.
    pub fn push(&mut self, key: impl Into<Key>, value: impl Into<Json>) {
        self.pairs.push((key.into(), value.into()));
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.iter()
            .find_map(|(known, value)| (known == key).then_some(value))
    }

    /// Removes a key and returns its value; the other keys keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let at = self.pairs.iter().position(|(known, _)| known == key)?;
        Some(self.pairs.remove(at).1)
    }

    /// Returns the keys and values in insertion order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.pairs.iter().map(|(key, value)| (&**key, value))
    }

    /// Returns the number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether the object has no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn sorted(&self) -> Vec<(&str, &Json)> {
        let mut pairs: Vec<_> = self.iter().collect();
        pairs.sort_by_key(|(key, _)| *key);
        pairs
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.sorted() == other.sorted()
    }
}

impl IntoIterator for Object {
    type Item = (Key, Json);
    type IntoIter = std::vec::IntoIter<(Key, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.pairs.into_iter()
    }
}

impl<K: Into<Key>, V: Into<Json>> FromIterator<(K, V)> for Object {
    /// If a key occurs several times, the object has its last value, at the position of its first occurrence.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut places = BTreeMap::new();
        let mut object = Self::new();
        for (key, value) in pairs {
            let (key, value) = (key.into(), value.into());
            let place = *places.entry(key.clone()).or_insert(object.len());
            match object.pairs.get_mut(place) {
                Some((_, old)) => *old = value,
                None => object.push(key, value),
            }
        }
        object
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

    #[test]
    fn a_key_set_again_keeps_its_place() {
        let mut object: Object = [("a", 1_i64), ("b", 2)].into_iter().collect();
        assert_eq!(object.insert("a", 3_i64), Some(Json::Int(1)));
        assert_eq!(object.insert("c", 4_i64), None);
        let keys: Vec<_> = object.iter().collect();
        assert_eq!(
            keys,
            [
                ("a", &Json::Int(3)),
                ("b", &Json::Int(2)),
                ("c", &Json::Int(4))
            ]
        );
    }

    #[test]
    fn the_last_of_two_values_of_a_key_counts() {
        let object: Object = [("a", 1_i64), ("b", 2), ("a", 3)].into_iter().collect();
        assert_eq!(
            object.into_iter().collect::<Vec<_>>(),
            [("a".into(), Json::Int(3)), ("b".into(), Json::Int(2))]
        );
    }

    #[test]
    fn order_does_not_matter_to_equality() {
        let one: Object = [("a", 1_i64), ("b", 2)].into_iter().collect();
        let other: Object = [("b", 2_i64), ("a", 1)].into_iter().collect();
        let third: Object = [("b", 2_i64), ("c", 1)].into_iter().collect();
        assert_eq!(one, other);
        assert_ne!(one, third);
    }

    #[test]
    fn a_removed_key_is_gone() {
        let mut object: Object = [("a", 1_i64), ("b", 2)].into_iter().collect();
        assert_eq!(object.remove("a"), Some(Json::Int(1)));
        assert_eq!(object.remove("a"), None);
        assert_eq!(
            (object.len(), object.get("a"), object.get("b")),
            (1, None, Some(&Json::Int(2)))
        );
        assert!(!object.is_empty());
    }
}
