//! Keys, by which a search distinguishes sessions.

use std::time::Duration;

use super::super::abstraction::Abs;
use super::super::config::Config;
use super::super::relevance::Relevant;
use super::search::Search;
use crate::model::value::Value;
use crate::semantics::{Record, Sandbox};

/// A key that is equal for two sessions if a search does not need to distinguish them.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(in crate::prove) struct Key {
    place: Place,
    /// The plan, the number and the remaining time of each timer that is running.
    timers: Vec<(usize, u16, Duration)>,
}

/// The part of a key that distinguishes one tracked record from another.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Place {
    /// There is no record.
    Empty,
    /// The record has this configuration.
    Abstract(Config),
    /// The record has exactly this data, in this state.
    Exact(Vec<u8>),
}

impl Key {
    /// Returns the size of the data in the key. The size of a configuration does not depend on the data.
    pub(super) fn size(&self) -> usize {
        match &self.place {
            Place::Exact(data) => data.len(),
            Place::Empty | Place::Abstract(_) => 0,
        }
    }
}

impl Search<'_> {
    /// Returns the key of a session, which ignores the fields that are not `influential`.
    pub(in crate::prove) fn key(
        &self,
        sandbox: &Sandbox<'_>,
        influential: &[bool],
        exact: bool,
    ) -> Key {
        let place = match self.tracked(sandbox.held()) {
            None => Place::Empty,
            Some(record) if exact => Place::Exact(exactly(record, influential)),
            Some(record) => {
                let mut config = self.abstracted(record);
                reduce(&mut config, self.relevant, influential);
                Place::Abstract(config)
            }
        };
        Key {
            place,
            timers: sandbox.time_left(),
        }
    }
}

/// Forgets what a configuration says about the fields that are not influential.
fn reduce(config: &mut Config, relevant: &Relevant, influential: &[bool]) {
    let lists = relevant.cells.measures.iter();
    let lists = lists.map(|measure| influential[measure.tally.field.index()]);
    let known = influential.iter().copied().chain(lists);
    for (value, _) in config
        .data
        .iter_mut()
        .zip(known)
        .filter(|(_, known)| !known)
    {
        *value = Abs::Anything;
    }
    for (pair, related) in relevant.pairs.iter().zip(&mut config.related) {
        if !pair.fields().all(|field| influential[field.index()]) {
            *related = None;
        }
    }
}

/// Returns the state and the influential data of a record, as bytes.
fn exactly(record: &Record, influential: &[bool]) -> Vec<u8> {
    let mut bytes = record.leaf().0.to_le_bytes().to_vec();
    bytes.push(u8::from(record.previous.is_some()));
    let fields = record.data.iter().zip(influential);
    for (value, _) in fields.filter(|(_, influential)| **influential) {
        encode(value, &mut bytes);
    }
    bytes
}

/// Appends a value. No encoding is a prefix of another encoding, so values that follow each other stay distinguishable.
fn encode(value: &Value, bytes: &mut Vec<u8>) {
    let mut put = |kind: u8, content: &[u8]| {
        bytes.push(kind);
        bytes.extend_from_slice(content);
    };
    match value {
        Value::Unset => put(0, &[]),
        Value::Bool(truth) => put(1, &[u8::from(*truth)]),
        Value::Int(number) => put(2, &number.to_le_bytes()),
        Value::Enum(place) => put(3, &place.to_le_bytes()),
        Value::Time(instant) => put(4, &instant.since_1970().as_nanos().to_le_bytes()),
        Value::Text(text) => {
            put(5, &text.len().to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        Value::List(values) | Value::Record(values) => {
            put(6, &values.len().to_le_bytes());
            for value in values {
                encode(value, bytes);
            }
        }
        Value::Json(json) => {
            let text = json.to_string();
            put(7, &text.len().to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
}
