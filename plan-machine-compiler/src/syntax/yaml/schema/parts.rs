//! Building blocks of schemas.

use plan_machine_kernel::json::{Json, Object};

/// A name with its schema: a key of a map, or a definition.
pub(crate) type Entry = (&'static str, Object);

/// Returns the schema of a whole document, with the definitions that it refers to.
pub(crate) fn whole(title: &str, document: Object, definitions: Object) -> Json {
    let mut schema = Object::new();
    schema.push("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.push("title", title);
    for (key, value) in document {
        schema.push(key, value);
    }
    schema.push("$defs", definitions);
    schema.into()
}

/// Returns a list of strings.
pub(crate) fn texts(texts: &[&str]) -> Json {
    let texts: Vec<Json> = texts.iter().map(|text| Json::from(*text)).collect();
    texts.into()
}

/// Returns the schema of a value of one of these types.
pub(crate) fn types(types: &[&str]) -> Object {
    [("type", texts(types))].into_iter().collect()
}

/// Returns the schema of a value of one of these types that, if it is a string, matches the pattern.
pub(crate) fn pattern(kinds: &[&str], pattern: &str) -> Object {
    let mut schema = types(kinds);
    schema.push("pattern", pattern);
    schema
}

/// Returns a reference to the definition with this name.
pub(crate) fn reference(name: &str) -> Object {
    let place = format!("#/$defs/{name}");
    [("$ref", place)].into_iter().collect()
}

/// Adds the description that an editor shows.
pub(crate) fn about(words: &str, schema: Object) -> Object {
    let mut described: Object = [("description", words)].into_iter().collect();
    for (key, value) in schema {
        described.insert(key, value);
    }
    described
}

/// Returns a reference to a definition, with the description that an editor shows here.
pub(crate) fn a(name: &str, words: &str) -> Object {
    about(words, reference(name))
}

/// Returns a key whose value matches a definition.
pub(crate) fn one(key: &'static str, definition: &str, words: &str) -> Entry {
    (key, a(definition, words))
}

/// Returns a key whose value is a list of values that match a definition.
pub(crate) fn list(key: &'static str, definition: &str, words: &str) -> Entry {
    (key, about(words, list_of(reference(definition))))
}

/// Returns a key whose value is a map from names to values that match a definition.
pub(crate) fn map(key: &'static str, definition: &str, words: &str) -> Entry {
    (key, about(words, map_of(reference(definition))))
}

/// Returns the schema of a choice between words.
pub(crate) fn one_of_words(words: &[&str]) -> Object {
    [("enum", texts(words))].into_iter().collect()
}

/// Returns a schema that accepts whatever one of the schemas accepts.
pub(crate) fn any_of(schemas: impl IntoIterator<Item = Object>) -> Object {
    let schemas: Vec<Json> = schemas.into_iter().map(Json::from).collect();
    [("anyOf", schemas)].into_iter().collect()
}

/// Returns the schema of a list.
pub(crate) fn list_of(item: Object) -> Object {
    let mut schema = Object::new();
    schema.push("type", "array");
    schema.push("items", item);
    schema
}

/// Returns the schema of a non-empty list.
pub(crate) fn some_of(item: Object) -> Object {
    let mut schema = list_of(item);
    schema.push("minItems", 1_i64);
    schema
}

/// Returns the schema of a map with only these keys; a missing value is an empty map.
pub(crate) fn closed(keys: impl IntoIterator<Item = Entry>) -> Object {
    let mut schema = types(&["object", "null"]);
    schema.push("properties", keys.into_iter().collect::<Object>());
    schema.push("additionalProperties", false);
    schema
}

/// Returns the same schema with required keys, so that a missing value is rejected.
pub(crate) fn requiring(keys: &[&str], closed: Object) -> Object {
    let mut schema = closed;
    schema.insert("type", "object");
    schema.push("required", texts(keys));
    schema
}

/// Returns the same schema, requiring exactly one of these keys.
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

/// Returns the same schema, rejecting the keys `others` in a map that has one of the keys `keys`.
pub(crate) fn excluding(keys: &[&'static str], others: &[&'static str], closed: Object) -> Object {
    let rejected: Object = others.iter().map(|other| (*other, false)).collect();
    let without: Object = [("properties", rejected)].into_iter().collect();
    let each: Object = keys.iter().map(|key| (*key, without.clone())).collect();
    let mut schema = closed;
    schema.push("dependentSchemas", each);
    schema
}

/// Returns the schema of a map whose keys are names; a missing value is an empty map.
pub(crate) fn map_of(value: Object) -> Object {
    let mut schema = types(&["object", "null"]);
    schema.push("propertyNames", reference("name"));
    schema.push("additionalProperties", value);
    schema
}

/// Returns the schema of a map whose keys are arbitrary strings.
pub(crate) fn free_map_of(value: Object) -> Object {
    let mut schema = types(&["object", "null"]);
    schema.push("additionalProperties", value);
    schema
}

/// Returns the same schema of a map, requiring at least one entry.
pub(crate) fn not_empty(map: Object) -> Object {
    let mut schema = map;
    schema.insert("type", "object");
    schema.push("minProperties", 1_i64);
    schema
}
