//! The content of a store: entries, snapshots and answers.

use std::cell::Cell;
use std::fmt::Debug;

use plan_machine_sessions::journal::{AnswerRecord, Entry, ReadError, Snapshot};
use plan_machine_tests::fuzz::{Target, shape, signature};

use crate::text;

const WORDS: &[&str] = &[
    "format",
    "seq",
    "at",
    "actor",
    "machine",
    "version",
    "fingerprint",
    "do",
    "tool",
    "with",
    "plan_id",
    "context",
    "call_id",
    "new_id",
    "plans",
    "slot",
    "data",
    "state",
    "revision",
    "edition",
    "previous",
    "effects",
    "reply",
    "abandon",
    "why",
    "chain",
    "born",
    "machines",
    "session",
    "answers",
    "denied",
    "kind",
];

/// Fuzzes a reader with stored data: everything that it reads must be written back in an equivalent form. Fails if it
/// reads none of the inputs.
fn try_reader<T: PartialEq + Debug>(
    name: &'static str,
    read: impl Fn(&str) -> Result<T, ReadError>,
    write: impl Fn(&T) -> String,
) {
    let target = Target {
        name,
        documents: Vec::new(),
        words: WORDS,
        longest: 12_000,
    };
    let accepted = Cell::new(0_u64);
    target.run(|input| match read(&text(input)) {
        Ok(found) => {
            accepted.set(accepted.get() + 1);
            let written = write(&found);
            let again = read(&written).expect("written data can be read");
            assert_eq!(again, found, "{written}");
            assert_eq!(write(&again), written);
            signature(&written.replace(|letter: char| letter.is_alphanumeric(), ""))
        }
        Err(misread) => {
            let told = format!("{misread:?}");
            assert!(told.len() < 20_000, "{}", told.len());
            signature(&shape(&told))
        }
    });
    assert!(accepted.get() > 0, "`{name}` reads none of the inputs");
}

#[test]
fn an_entry_of_a_journal_is_read_or_refused() {
    try_reader("entry", Entry::read, Entry::to_text);
}

#[test]
fn a_snapshot_is_read_or_refused() {
    try_reader("snapshot", Snapshot::read, Snapshot::to_text);
}

#[test]
fn a_stored_answer_is_read_or_rejected() {
    try_reader("answer", AnswerRecord::read, AnswerRecord::to_text);
}
