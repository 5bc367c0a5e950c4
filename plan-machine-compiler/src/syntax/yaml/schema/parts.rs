//! The parts of schemas.

use plan_machine_kernel::json::{Json, Object};

/// A name with its schema: a key of a map, or a definition.
pub(crate) type Entry = (&'static str, Object);

/// A list of texts.
pub(crate) fn texts(texts: &[&str]) -> Json {
    let texts: Vec<Json> = texts.iter().map(|text| Json::from(*text)).collect();
    texts.into()
}

/// A value of one of these types.
pub(crate) fn types(types: &[&str]) -> Object {
    [("type", texts(types))].into_iter().collect()
}

/// Returns what is defined under this name.
pub(crate) fn reference(name: &str) -> Object {
    let place = format!("#/$defs/{name}");
    [("$ref", place)].into_iter().collect()
}

/// Adds what an editor shows about it.
pub(crate) fn about(words: &str, schema: Object) -> Object {
    let mut described: Object = [("description", words)].into_iter().collect();
    for (key, value) in schema {
        described.insert(key, value);
    }
    described
}

/// Returns what is defined under a name, with what an editor shows at this place.
pub(crate) fn a(name: &str, words: &str) -> Object {
    about(words, reference(name))
}

/// One of a few words.
pub(crate) fn one_of_words(words: &[&str]) -> Object {
    [("enum", texts(words))].into_iter().collect()
}

/// Accepts what one of the schemas accepts.
pub(crate) fn any_of(schemas: impl IntoIterator<Item = Object>) -> Object {
    let schemas: Vec<Json> = schemas.into_iter().map(Json::from).collect();
    [("anyOf", schemas)].into_iter().collect()
}

/// A list.
pub(crate) fn list_of(item: Object) -> Object {
    let mut schema = Object::new();
    schema.push("type", "array");
    schema.push("items", item);
    schema
}

/// A list that is not empty.
pub(crate) fn some_of(item: Object) -> Object {
    let mut schema = list_of(item);
    schema.push("minItems", 1_i64);
    schema
}

/// A map with these keys and no others; a missing value is an empty map.
pub(crate) fn closed(keys: impl IntoIterator<Item = Entry>) -> Object {
    let mut schema = types(&["object", "null"]);
    schema.push("properties", keys.into_iter().collect::<Object>());
    schema.push("additionalProperties", false);
    schema
}

/// The same with required keys, so that a missing value is not enough.
pub(crate) fn requiring(keys: &[&str], closed: Object) -> Object {
    let mut schema = closed;
    schema.insert("type", "object");
    schema.push("required", texts(keys));
    schema
}

/// The same with exactly one of these keys.
pub(crate) fn requiring_one_of(keys: &[&str], closed: Object) -> Object {
    let mut schema = closed;
    schema.insert("type", "object");
    let each = keys.iter().map(|key| {
        let one: Object = [("required", texts(&[key]))].into_iter().collect();
        Json::from(one)
    });
    schema.push("oneOf", each.collect::<Vec<Json>>());
    schema
}

/// A map of names; a missing value is an empty map.
pub(crate) fn map_of(value: Object) -> Object {
    let mut schema = types(&["object", "null"]);
    schema.push("propertyNames", reference("name"));
    schema.push("additionalProperties", value);
    schema
}

/// A map with free texts for keys.
pub(crate) fn free_map_of(value: Object) -> Object {
    let mut schema = types(&["object", "null"]);
    schema.push("additionalProperties", value);
    schema
}
