//! Serialization of JSON values, instants, tokens and kinds of denial in any serde format.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::denial::DenialKind;
use crate::digest::Token;
use crate::json::{Json, Object};
use crate::time::Instant;

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => to.serialize_unit(),
            Json::Bool(truth) => to.serialize_bool(*truth),
            Json::Int(number) => to.serialize_i64(*number),
            Json::Uint(number) => to.serialize_u64(*number),
            Json::Float(number) => to.serialize_f64(*number),
            Json::Text(text) => to.serialize_str(text),
            Json::List(items) => to.collect_seq(items),
            Json::Object(object) => object.serialize(to),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyJson)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Json::deserialize(from)? {
            Json::Object(object) => Ok(object),
            _ => Err(de::Error::custom("expected an object")),
        }
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
        Json::deserialize(from)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Json, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Json, E> {
        Json::float(number).ok_or_else(|| E::custom("JSON cannot represent this number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut object = Object::new();
        while let Some((key, value)) = entries.next_entry::<String, Json>()? {
            if object.insert(key, value).is_some() {
                return Err(de::Error::custom("duplicate key in an object"));
            }
        }
        Ok(Json::Object(object))
    }
}

macro_rules! by_text {
    ($($kind:ty),*) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                text.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

by_text!(Instant, Token, DenialKind);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_goes_through_another_reader_and_comes_back() {
        let text = r#"{"b":[1,-2,2.5,18446744073709551615,null,true],"a":{"x":"é"}}"#;
        let value: Json = serde_json::from_str(text).expect("valid");
        assert_eq!(serde_json::to_string(&value).expect("written"), text);
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused() {
        assert!(serde_json::from_str::<Json>(r#"{"a":1,"a":2}"#).is_err());
    }

    #[test]
    fn instants_tokens_and_kinds_are_texts() {
        let instant: Instant = serde_json::from_str("\"2026-01-01T00:00:00Z\"").expect("valid");
        assert_eq!(
            serde_json::to_string(&instant).expect("written"),
            "\"2026-01-01T00:00:00Z\""
        );
        assert!(serde_json::from_str::<Token>("\"1-02c18244\"").is_ok());
        assert!(serde_json::from_str::<Token>("\"1\"").is_err());
        assert!(serde_json::from_str::<DenialKind>("\"stale\"").is_ok());
    }
}
