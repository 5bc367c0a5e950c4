//! Objects that preserve the order of their keys.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Json;

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
