//! A scopes document as written, before its names are resolved.

use super::model::Verb;
use crate::source::{Span, Spanned};
use crate::syntax::ast::Name;

/// A whole document.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) name: Option<Name>,
    pub(super) doc: Option<Name>,
    pub(super) identity: Vec<Name>,
    pub(super) legacy: Option<Name>,
    pub(super) levels: Vec<Level>,
    pub(super) runs: Vec<Run>,
    pub(super) invariants: Vec<Invariant>,
}

/// A level of memory.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) name: Name,
    pub(super) doc: Option<Name>,
    /// The segments of the key; empty if the key could not be read.
    pub(super) key: Vec<Spanned<Segment>>,
    /// The location of `promoted`, if the level is promoted.
    pub(super) promoted: Option<Span>,
}

/// A segment of a key, between two colons.
#[derive(Debug)]
pub(super) enum Segment {
    Word(String),
    Part(String),
}

/// A kind of run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) name: Name,
    pub(super) doc: Option<Name>,
    pub(super) ids: Vec<Name>,
    pub(super) reads: Vec<Name>,
    /// The classes that the run writes, each with its level.
    pub(super) writes: Vec<(Name, Name)>,
}

/// An invariant, such as `RUN never reads LEVEL`.
#[derive(Debug)]
pub(super) struct Invariant {
    pub(super) name: Name,
    pub(super) run: Name,
    pub(super) verb: Verb,
    pub(super) level: Name,
}
