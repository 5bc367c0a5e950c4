//! Writes and applies changes to a plan's data. An entry contains the changes instead of all the data.
//!
//! | changed value | written as |
//! |---|---|
//! | any value, replaced | `{"is":VALUE}` |
//! | an object | `{"keys":{KEY:CHANGE},"gone":[KEY],"new":[[PLACE,KEY,VALUE]]}` |
//! | a list | `{"items":[[PLACE,CHANGE]],"cut":[PLACE,MANY],"put":[VALUE]}` |
//! | a string | `{"text":[BYTES,BYTES,MIDDLE]}`: how many bytes stay at the start and at the end, and the new middle |
//!
//! `PLACE` is a zero-based index, and `MANY` a number of items. A change that cannot be expressed this way, such as a
//! new order of keys, is written as a replacement of the whole value.

use std::fmt::Write;

use plan_machine_kernel::json::{Json, Object, write_string};

use super::fields::Bad;
use super::same::identical;
use super::template::{self, Sources};

/// The maximum depth at which nested values are compared; a deeper value that changed is written in full. The change to
/// one level of a value is written as several levels of JSON, and the nesting depth of stored text is limited.
const DEEPEST: usize = 6;

/// A string is written as a change only if at least this many bytes, and at least half of the new string, stay the
/// same.
const KEPT: usize = 64;

/// Writes the change that turns one object into another.
pub(super) fn write(
    text: &mut String,
    old: &Object,
    new: &Object,
    sources: Sources<'_>,
    left: &mut usize,
) {
    Writer {
        text,
        sources,
        left,
    }
    .object(old, new, 0);
}

struct Writer<'w, 's> {
    text: &'w mut String,
    sources: Sources<'s>,
    left: &'w mut usize,
}

impl Writer<'_, '_> {
    fn value(&mut self, old: &Json, new: &Json, depth: usize) {
        match (old, new) {
            _ if depth == DEEPEST => self.whole(new),
            (Json::Object(old), Json::Object(new)) => self.object(old, new, depth),
            (Json::List(old), Json::List(new)) => self.list(old, new, depth),
            (Json::Text(old), Json::Text(new)) => self.string(old, new),
            _ => self.whole(new),
        }
    }

    fn whole(&mut self, new: &Json) {
        self.text.push_str("{\"is\":");
        template::write(self.text, new, self.sources, self.left);
        self.text.push('}');
    }

    fn object(&mut self, old: &Object, new: &Object, depth: usize) {
        if !in_order(old, new) {
            self.text.push_str("{\"is\":");
            template::write_object(self.text, new, self.sources, self.left);
            return self.text.push('}');
        }
        let changed = new.iter().filter_map(|(key, value)| {
            let before = old.get(key)?;
            (!identical(before, value)).then_some((key, before, value))
        });
        let changed: Vec<(&str, &Json, &Json)> = changed.collect();
        let gone = old
            .iter()
            .map(|(key, _)| key)
            .filter(|key| new.get(key).is_none());
        let gone: Vec<&str> = gone.collect();
        let added = new
            .iter()
            .enumerate()
            .filter(|(_, (key, _))| old.get(key).is_none());
        let added: Vec<(usize, (&str, &Json))> = added.collect();
        let mut parts = Parts::begin(self.text);
        if !changed.is_empty() {
            parts.next(self.text, "keys");
            self.listed('{', '}', &changed, |writer, (key, before, value)| {
                let _ = write_string(writer.text, key);
                writer.text.push(':');
                writer.value(before, value, depth + 1);
            });
        }
        if !gone.is_empty() {
            parts.next(self.text, "gone");
            self.listed('[', ']', &gone, |writer, key| {
                let _ = write_string(writer.text, key);
            });
        }
        if !added.is_empty() {
            parts.next(self.text, "new");
            self.listed('[', ']', &added, |writer, (at, (key, value))| {
                let _ = write!(writer.text, "[{at},");
                let _ = write_string(writer.text, key);
                writer.text.push(',');
                template::write(writer.text, value, writer.sources, writer.left);
                writer.text.push(']');
            });
        }
        self.text.push('}');
    }

    fn list(&mut self, old: &[Json], new: &[Json], depth: usize) {
        let shorter = old.len().min(new.len());
        let same = |(old, new): &(&Json, &Json)| identical(old, new);
        let start = old.iter().zip(new).take_while(same).count();
        let ends = old.iter().rev().zip(new.iter().rev());
        let end = ends.take(shorter - start).take_while(same).count();
        // The items that changed in place come first, followed by those that were removed and inserted.
        let both = shorter - start - end;
        let changed = (start..start + both).filter(|at| !identical(&old[*at], &new[*at]));
        let changed: Vec<usize> = changed.collect();
        let (from, cut) = (start + both, old.len() - start - both - end);
        let put = &new[from..new.len() - end];
        let mut parts = Parts::begin(self.text);
        if !changed.is_empty() {
            parts.next(self.text, "items");
            self.listed('[', ']', &changed, |writer, at| {
                let _ = write!(writer.text, "[{at},");
                writer.value(&old[*at], &new[*at], depth + 1);
                writer.text.push(']');
            });
        }
        if cut > 0 || !put.is_empty() {
            parts.next(self.text, "cut");
            let _ = write!(self.text, "[{from},{cut}]");
        }
        if !put.is_empty() {
            parts.next(self.text, "put");
            self.listed('[', ']', put, |writer, item| {
                template::write(writer.text, item, writer.sources, writer.left);
            });
        }
        self.text.push('}');
    }

    fn string(&mut self, old: &str, new: &str) {
        let start = common(old.bytes().zip(new.bytes()));
        let start = (0..=start)
            .rev()
            .find(|at| old.is_char_boundary(*at) && new.is_char_boundary(*at));
        let start = start.unwrap_or(0);
        let rest = old.len().min(new.len()) - start;
        let end = common(old.bytes().rev().zip(new.bytes().rev()).take(rest));
        let fits = |end: &usize| {
            old.is_char_boundary(old.len() - end) && new.is_char_boundary(new.len() - end)
        };
        let end = (0..=end).rev().find(fits).unwrap_or(0);
        if start + end < KEPT.max(new.len() / 2) {
            return self.whole(&Json::Text(new.to_owned()));
        }
        let _ = write!(self.text, "{{\"text\":[{start},{end},");
        let _ = write_string(self.text, &new[start..new.len() - end]);
        self.text.push_str("]}");
    }

    fn listed<T>(
        &mut self,
        open: char,
        close: char,
        items: &[T],
        mut write: impl FnMut(&mut Self, &T),
    ) {
        self.text.push(open);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            write(self, item);
        }
        self.text.push(close);
    }
}

/// Separates the optional parts of a change with commas. The field is `true` once a part has been written.
struct Parts(bool);

impl Parts {
    fn begin(text: &mut String) -> Self {
        text.push('{');
        Self(false)
    }

    fn next(&mut self, text: &mut String, key: &str) {
        if std::mem::replace(&mut self.0, true) {
            text.push(',');
        }
        let _ = write!(text, "\"{key}\":");
    }
}

fn common(pairs: impl Iterator<Item = (u8, u8)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

/// Returns whether the keys that both objects contain have the same order in both.
fn in_order(old: &Object, new: &Object) -> bool {
    let kept = old
        .iter()
        .map(|(key, _)| key)
        .filter(|key| new.get(key).is_some());
    let stayed = new
        .iter()
        .map(|(key, _)| key)
        .filter(|key| old.get(key).is_some());
    kept.eq(stayed)
}

/// Applies a change to the old object.
pub(super) fn read(change: &Json, old: &Object, sources: Sources<'_>) -> Result<Object, Bad> {
    match value(change, &Json::Object(old.clone()), sources)? {
        Json::Object(new) => Ok(new),
        _ => Err("a change turns the data of a plan into a value that is not an object".to_owned()),
    }
}

fn value(change: &Json, old: &Json, sources: Sources<'_>) -> Result<Json, Bad> {
    let change = change.as_object().ok_or_else(wrong)?;
    if let Some(new) = change.get("is") {
        return template::read(new, sources);
    }
    match old {
        Json::Object(old) => object(change, old, sources).map(Json::Object),
        Json::List(old) => list(change, old, sources).map(Json::List),
        Json::Text(old) => string(change, old).map(Json::Text),
        _ => Err(wrong()),
    }
}

fn wrong() -> Bad {
    "a change does not match the value that it applies to".to_owned()
}

fn object(change: &Object, old: &Object, sources: Sources<'_>) -> Result<Object, Bad> {
    let keys = change.get("keys").and_then(Json::as_object);
    let gone = change
        .get("gone")
        .and_then(Json::as_list)
        .unwrap_or_default();
    let added = change
        .get("new")
        .and_then(Json::as_list)
        .unwrap_or_default();
    let mut pairs: Vec<(String, Json)> = Vec::new();
    for (key, before) in old.iter() {
        if gone.iter().any(|gone| gone.as_text() == Some(key)) {
            continue;
        }
        let new = match keys.and_then(|keys| keys.get(key)) {
            Some(change) => value(change, before, sources)?,
            None => before.clone(),
        };
        pairs.push((key.to_owned(), new));
    }
    for one in added {
        let Some([at, Json::Text(key), new]) = one.as_list() else {
            return Err(wrong());
        };
        let at = place(at)
            .filter(|at| *at <= pairs.len())
            .ok_or_else(wrong)?;
        pairs.insert(at, (key.clone(), template::read(new, sources)?));
    }
    Ok(pairs.into_iter().collect())
}

fn list(change: &Object, old: &[Json], sources: Sources<'_>) -> Result<Vec<Json>, Bad> {
    let mut items = old.to_vec();
    for one in change
        .get("items")
        .and_then(Json::as_list)
        .unwrap_or_default()
    {
        let Some([at, change]) = one.as_list() else {
            return Err(wrong());
        };
        let item = place(at)
            .and_then(|at| items.get_mut(at))
            .ok_or_else(wrong)?;
        *item = value(change, item, sources)?;
    }
    if let Some(cut) = change.get("cut") {
        let Some([from, many]) = cut.as_list() else {
            return Err(wrong());
        };
        let range = place(from).zip(place(many)).and_then(|(from, many)| {
            let to = from.checked_add(many)?;
            (to <= items.len()).then_some(from..to)
        });
        let put = change
            .get("put")
            .and_then(Json::as_list)
            .unwrap_or_default();
        let put = put.iter().map(|item| template::read(item, sources));
        let put: Vec<Json> = put.collect::<Result<_, _>>()?;
        items.splice(range.ok_or_else(wrong)?, put);
    }
    Ok(items)
}

fn string(change: &Object, old: &str) -> Result<String, Bad> {
    let Some([start, end, Json::Text(middle)]) = change.get("text").and_then(Json::as_list) else {
        return Err(wrong());
    };
    let (start, end) = place(start).zip(place(end)).ok_or_else(wrong)?;
    let kept = old
        .get(..start)
        .zip(old.len().checked_sub(end).and_then(|at| old.get(at..)));
    let (before, after) = kept.ok_or_else(wrong)?;
    Ok(format!("{before}{middle}{after}"))
}

fn place(json: &Json) -> Option<usize> {
    json.as_int().and_then(|at| usize::try_from(at).ok())
}

#[cfg(test)]
mod tests {
    use super::super::same::{PATIENCE, identical_objects};
    use super::*;

    /// A pseudorandom generator that produces the same numbers on every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::from(self.0.to_le_bytes()[0]) % most
        }

        fn text(&mut self) -> String {
            let words = [
                "a",
                "=",
                "==",
                "is",
                "long enough to be worth it é",
                "日本語",
                "\"\\\n",
            ];
            let many = self.below(8);
            (0..many).map(|_| words[self.below(7)]).collect()
        }

        fn value(&mut self, depth: u32) -> Json {
            match self.below(if depth == 0 { 6 } else { 10 }) {
                0 => Json::Null,
                1 => Json::from(self.below(2) == 0),
                2 => Json::from(self.below(256) as u64),
                3 => Json::Float([0.5, 1.0, 2.25][self.below(3)]),
                4 | 5 => Json::from(self.text()),
                6 | 7 => {
                    let many = self.below(5);
                    Json::List((0..many).map(|_| self.value(depth - 1)).collect())
                }
                _ => Json::Object(self.object(depth - 1)),
            }
        }

        fn object(&mut self, depth: u32) -> Object {
            let mut object = Object::new();
            for _ in 0..self.below(5) {
                let key = ["a", "b", "=", "==", "keys", "is"][self.below(6)];
                object.insert(key, self.value(depth));
            }
            object
        }

        /// Returns the value with random changes.
        fn changed(&mut self, value: &Json, depth: u32) -> Json {
            if depth == 0 || self.below(6) == 0 {
                return self.value(depth);
            }
            match value {
                Json::Object(old) => {
                    let kept = old.iter().filter(|_| self.below(5) > 0);
                    let mut kept: Vec<(String, Json)> = kept
                        .map(|(key, value)| (key.to_owned(), value.clone()))
                        .collect();
                    for (_, value) in &mut kept {
                        if self.below(3) == 0 {
                            *value = self.changed(value, depth - 1);
                        }
                    }
                    if self.below(3) == 0 {
                        let at = self.below(kept.len() + 1);
                        kept.insert(
                            at,
                            (format!("new {}", self.below(99)), self.value(depth - 1)),
                        );
                    }
                    if self.below(9) == 0 {
                        kept.reverse();
                    }
                    Json::Object(kept.into_iter().collect())
                }
                Json::List(old) => {
                    let mut items = old.clone();
                    for item in &mut items {
                        if self.below(4) == 0 {
                            *item = self.changed(item, depth - 1);
                        }
                    }
                    let at = self.below(items.len() + 1);
                    match self.below(3) {
                        0 => items.insert(at, self.value(depth - 1)),
                        1 if at < items.len() => drop(items.remove(at)),
                        _ => {}
                    }
                    Json::List(items)
                }
                Json::Text(old) => Json::from(format!("{old}{}{old}", self.text())),
                _ => self.value(depth),
            }
        }
    }

    #[test]
    fn a_change_makes_the_same_bytes_of_what_it_was_written_onto() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut changes, mut wholes) = (0, 0);
        for _ in 0..3000 {
            let old = random.object(4);
            let Json::Object(new) = random.changed(&Json::Object(old.clone()), 5) else {
                continue;
            };
            let mut with = random.object(2);
            if random.below(2) == 0 {
                with.insert("sent", Json::Object(new.clone()));
            }
            let sources = Sources {
                with: Some(&with),
                plans: &[],
            };
            let mut text = String::new();
            write(&mut text, &old, &new, sources, &mut PATIENCE.clone());
            let change = Json::parse(&text).expect("JSON");
            let read = read(&change, &old, sources).expect("a change");
            assert!(
                identical_objects(&read, &new),
                "the change {text} turned {old} into {read} instead of {new}"
            );
            let mut whole = String::new();
            template::write_object(&mut whole, &new, sources, &mut PATIENCE.clone());
            let json = Json::parse(&whole).expect("JSON");
            let members = json.as_object().expect("an object");
            let read = template::read_object(members, sources).expect("a value");
            assert!(
                identical_objects(&read, &new),
                "{new} was written as {whole} and read back as {read}"
            );
            changes += text.len();
            wholes += new.to_string().len();
        }
        assert!(
            changes < wholes,
            "the changes have {changes} bytes, the whole objects {wholes}"
        );
    }

    #[test]
    fn a_change_that_does_not_fit_is_an_error_and_no_panic() {
        let mut random = Random(77);
        for _ in 0..3000 {
            let (old, new, other) = (random.object(4), random.object(4), random.object(4));
            let mut text = String::new();
            write(
                &mut text,
                &old,
                &new,
                Sources::default(),
                &mut PATIENCE.clone(),
            );
            let change = Json::parse(&text).expect("JSON");
            let _ = read(&change, &other, Sources::default());
            let _ = read(&random.changed(&change, 4), &old, Sources::default());
        }
    }
}
