//! YAML as an editor sees it: YAML's core schema determines the types of scalars.

use std::collections::BTreeMap;

use granit_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

enum Open {
    Sequence(Vec<Value>),
    Mapping(Map<String, Value>, Option<String>),
}

/// Returns the first document of a YAML text; `None` if the text is not YAML.
pub(super) fn value(text: &str) -> Option<Value> {
    let mut open: Vec<(usize, Open)> = Vec::new();
    let mut anchors = BTreeMap::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.ok()?;
        let (anchor, done) = match event {
            Event::Scalar(text, style, anchor, _) => (anchor, scalar(&text, style)),
            Event::Alias(anchor) => (0, anchors.get(&anchor).cloned()?),
            Event::SequenceStart(_, anchor, _) => {
                open.push((anchor, Open::Sequence(Vec::new())));
                continue;
            }
            Event::MappingStart(_, anchor, _) => {
                open.push((anchor, Open::Mapping(Map::new(), None)));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop()? {
                (anchor, Open::Sequence(items)) => (anchor, Value::from(items)),
                (anchor, Open::Mapping(entries, _)) => (anchor, Value::from(entries)),
            },
            _ => continue,
        };
        if anchor != 0 {
            anchors.insert(anchor, done.clone());
        }
        match open.last_mut() {
            None => return Some(done),
            Some((_, Open::Sequence(items))) => items.push(done),
            Some((_, Open::Mapping(entries, key))) => match key.take() {
                Some(key) => {
                    entries.insert(key, done);
                }
                // A key is always a string, whatever it looks like.
                None => *key = Some(done.as_str().map_or(done.to_string(), str::to_owned)),
            },
        }
    }
    None
}

pub(super) fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => number(text).unwrap_or_else(|| text.into()),
    }
}

fn number(text: &str) -> Option<Value> {
    let digits = text.trim_start_matches(['+', '-']);
    let begins = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !begins || digits.len() + 1 < text.len() {
        return None;
    }
    let whole = text.parse::<i64>().map(Value::from);
    whole.or_else(|_| text.parse::<f64>().map(Value::from)).ok()
}

#[test]
fn scalars_have_the_types_that_an_editor_gives_them() {
    let text =
        "{ a: 3, b: \"3\", c: yes, d: true, e: , f: -1.5, g: 'null', h: v1, on: &x [1], i: *x }";
    let expected = serde_json::json!({
        "a": 3, "b": "3", "c": "yes", "d": true, "e": null, "f": -1.5, "g": "null", "h": "v1",
        "on": [1], "i": [1],
    });
    assert_eq!(value(text), Some(expected));
    assert_eq!(value("[1"), None);
}
