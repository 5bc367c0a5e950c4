//! Serialization of scopes for generated code: identities and runs are records with string fields, ids are strings, and
//! levels and run kinds are serialized by name.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Deserializer};

/// Serializes a record with string fields.
///
/// # Errors
/// If the serializer returns an error.
pub fn write_texts<S: Serializer>(
    serializer: S,
    name: &'static str,
    texts: &[(&'static str, &str)],
) -> Result<S::Ok, S::Error> {
    let mut record = serializer.serialize_struct(name, texts.len())?;
    for (field, text) in texts {
        record.serialize_field(field, *text)?;
    }
    record.end()
}

/// Deserializes a record with string fields; the values are in the order of `fields`.
///
/// # Errors
/// If the deserializer returns an error, or a field is missing, unknown or duplicate.
pub fn read_texts<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
    name: &'static str,
    fields: &'static [&'static str; N],
) -> Result<[String; N], D::Error> {
    deserializer.deserialize_struct(name, fields, Texts { name, fields })
}

struct Texts<const N: usize> {
    name: &'static str,
    fields: &'static [&'static str; N],
}

impl<const N: usize> Texts<N> {
    /// Returns all values, or the name of the first field that is missing.
    fn whole(&self, found: [Option<String>; N]) -> Result<[String; N], &'static str> {
        let names = self.fields.iter();
        if let Some((missing, _)) = names.zip(&found).find(|(_, text)| text.is_none()) {
            return Err(missing);
        }
        Ok(found.map(Option::unwrap_or_default))
    }
}

impl<'de, const N: usize> Visitor<'de> for Texts<N> {
    type Value = [String; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a `{}` record", self.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [const { None }; N];
        while let Some(key) = map.next_key::<String>()? {
            let place = self.fields.iter().position(|field| *field == key);
            let (Some(name), Some(slot)) = (
                place.and_then(|at| self.fields.get(at)),
                place.and_then(|at| found.get_mut(at)),
            ) else {
                return Err(Error::unknown_field(&key, self.fields));
            };
            if slot.replace(map.next_value()?).is_some() {
                return Err(Error::duplicate_field(name));
            }
        }
        self.whole(found).map_err(Error::missing_field)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut found = [const { None }; N];
        for slot in &mut found {
            *slot = items.next_element()?;
        }
        self.whole(found).map_err(Error::missing_field)
    }
}

/// Deserializes a string.
///
/// # Errors
/// If the deserializer returns an error.
pub fn read_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer)
}

/// Deserializes one of several values by its name.
///
/// # Errors
/// If the deserializer returns an error, or the name is unknown.
pub fn read_choice<'de, D: Deserializer<'de>, T: Copy>(
    deserializer: D,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    let found = all.iter().copied().find(|one| name(*one) == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        let names = names.join("`, `");
        Error::custom(format_args!("`{text}` is not one of `{names}`"))
    })
}

/// Checks that a record is of the expected kind.
///
/// # Errors
/// If the record is of another kind.
pub fn is_kind<E: Error>(found: &str, wanted: &'static str) -> Result<(), E> {
    if found == wanted {
        return Ok(());
    }
    Err(Error::custom(format_args!(
        "expected the kind `{wanted}`, found `{found}`"
    )))
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error as Told, MapDeserializer, SeqDeserializer};

    use super::*;

    fn read(pairs: &[(&'static str, &'static str)]) -> Result<[String; 2], Told> {
        let map = MapDeserializer::new(pairs.iter().copied());
        read_texts(map, "Identity", &["channel", "conversation"])
    }

    #[test]
    fn a_record_is_read_in_any_order() {
        let read = read(&[("conversation", "4711"), ("channel", "web")]);
        assert_eq!(read, Ok(["web".to_owned(), "4711".to_owned()]));
    }

    #[test]
    fn a_field_that_is_missing_unknown_or_duplicate_is_reported() {
        let told = |pairs: &[_]| read(pairs).expect_err("an invalid record").to_string();
        assert_eq!(told(&[("channel", "web")]), "missing field `conversation`");
        let twice = [("channel", "web"), ("channel", "sms")];
        assert_eq!(told(&twice), "duplicate field `channel`");
        assert!(told(&[("chanel", "web")]).starts_with("unknown field `chanel`"));
    }

    #[test]
    fn a_record_without_names_is_read_in_order() {
        let read = |items: &[&'static str]| {
            let items = SeqDeserializer::<_, Told>::new(items.iter().copied());
            read_texts(items, "Identity", &["channel", "conversation"])
        };
        assert_eq!(
            read(&["web", "4711"]),
            Ok(["web", "4711"].map(str::to_owned))
        );
        assert!(read(&["web"]).is_err());
    }

    #[test]
    fn a_name_is_one_of_those_there_are() {
        let read = |text: &'static str| {
            let text = IntoDeserializer::<Told>::into_deserializer(text);
            read_choice(text, &["goal", "task"], |name| name)
        };
        assert_eq!(read("task"), Ok("task"));
        let told = read("tsak").expect_err("an unknown name").to_string();
        assert_eq!(told, "`tsak` is not one of `goal`, `task`");
    }
}
