//! The built-in types of the spec language.

use std::fmt::Write;

use plan_machine_kernel::digest::Digester;
use plan_machine_kernel::json::{Json, write_string};
use plan_machine_kernel::messages::{self, reason};
use plan_machine_kernel::stored;
use plan_machine_kernel::time::Instant;

use super::{BoundViolation, Bounds, Problems, Unit, Value, ValuePath};
use crate::core::id::Id;

fn unfit<T>(at: &ValuePath<'_>, why: &str, problems: &mut Problems) -> Option<T> {
    problems.push(messages::unfit(at, why));
    None
}

impl Value for String {
    fn encode(&self) -> Json {
        Json::from(self.as_str())
    }

    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self> {
        match json.as_text() {
            Some(text) => Some(text.to_owned()),
            None => unfit(at, reason::TEXT, problems),
        }
    }

    // Writing to a digester never fails.
    fn digest(&self, out: &mut Digester) {
        let _ = write_string(out, self);
    }

    #[inline]
    fn own_bounds(&self, bounds: Bounds, at: &ValuePath<'_>, problems: &mut Problems) {
        bounds.text(self, at, problems);
    }
}

impl Value for Id {
    fn encode(&self) -> Json {
        Json::from(self.as_str())
    }

    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self> {
        match json.as_text() {
            Some(text) => Some(Id::from(text)),
            None => unfit(at, reason::TEXT, problems),
        }
    }

    fn digest(&self, out: &mut Digester) {
        let _ = write_string(out, self.as_str());
    }
}

impl Value for i64 {
    fn encode(&self) -> Json {
        Json::Int(*self)
    }

    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self> {
        match json.as_int() {
            Some(number) => Some(number),
            None => unfit(at, reason::INT, problems),
        }
    }

    fn digest(&self, out: &mut Digester) {
        let _ = write!(out, "{self}");
    }
}

impl Value for bool {
    fn encode(&self) -> Json {
        Json::Bool(*self)
    }

    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self> {
        match json.as_bool() {
            Some(truth) => Some(truth),
            None => unfit(at, reason::BOOL, problems),
        }
    }

    fn digest(&self, out: &mut Digester) {
        let _ = write!(out, "{self}");
    }
}

impl Value for Instant {
    fn encode(&self) -> Json {
        Json::Text(self.to_string())
    }

    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self> {
        let Some(text) = json.as_text() else {
            return unfit(at, reason::TIME, problems);
        };
        match Instant::parse(text) {
            Ok(instant) => Some(instant),
            Err(why) => unfit(at, &reason::instant(why), problems),
        }
    }

    fn digest(&self, out: &mut Digester) {
        let _ = write_string(out, &self.to_string());
    }
}

impl Value for Json {
    // A JSON value has a default bound, which also applies to items of a list.
    const BOUNDED: bool = true;

    fn encode(&self) -> Json {
        self.clone()
    }

    fn decode(json: &Json, _at: &ValuePath<'_>, _problems: &mut Problems) -> Option<Self> {
        Some(json.clone())
    }

    fn digest(&self, out: &mut Digester) {
        let _ = self.write_canonical(out);
    }

    fn own_bounds(&self, bounds: Bounds, at: &ValuePath<'_>, problems: &mut Problems) {
        if bounds.max.is_some() {
            bounds.count(self.canonical_len(), Unit::Bytes, at, problems);
        } else if problems.count_unstated() {
            let bytes = self.canonical_len();
            if u64::try_from(bytes).is_ok_and(|bytes| bytes > stored::MOST_JSON) {
                problems.push_break(at, BoundViolation::TooLongJson { bytes });
            }
        }
    }
}

impl<T: Value> Value for Vec<T> {
    const BOUNDED: bool = T::BOUNDED;

    fn encode(&self) -> Json {
        Json::List(self.iter().map(Value::encode).collect())
    }

    fn decode(json: &Json, at: &ValuePath<'_>, problems: &mut Problems) -> Option<Self> {
        let Some(items) = json.as_list() else {
            return unfit(at, reason::LIST, problems);
        };
        let before = problems.len();
        let read = items.iter().enumerate();
        let read: Vec<T> = read
            .filter_map(|(index, item)| {
                let at = at.item(index);
                let value = T::decode(item, &at, problems)?;
                value.own_bounds(Bounds::NONE, &at, problems);
                Some(value)
            })
            .collect();
        (problems.len() == before).then_some(read)
    }

    fn digest(&self, out: &mut Digester) {
        let _ = out.write_char('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                let _ = out.write_char(',');
            }
            item.digest(out);
        }
        let _ = out.write_char(']');
    }

    #[inline]
    fn own_bounds(&self, bounds: Bounds, at: &ValuePath<'_>, problems: &mut Problems) {
        bounds.count(self.len(), Unit::Items, at, problems);
    }

    fn inner_bounds(&self, at: &ValuePath<'_>, problems: &mut Problems) {
        for (index, item) in self.iter().enumerate() {
            item.check(Bounds::NONE, &at.item(index), problems);
        }
    }
}
