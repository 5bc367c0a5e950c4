//! The Rust names for the names in a document; these Rust names must be distinct.

use super::model::{Run, RunId, Scopes};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::apart::RustNames;
use crate::model::names::{is_never_a_name, type_name, value_name};
use crate::source::Span;

/// The names of types that every scopes module has, in the same namespace as the types of the runs.
const TYPES: [&str; 9] = [
    "AnyScope",
    "Identity",
    "Level",
    "Promotion",
    "RunKind",
    "Scope",
    "ScopeError",
    "ScopeKey",
    "WriteScope",
];
/// The names of fields and methods that an identity or a run has besides its parts; `run` is the field that
/// contains the kind of a stored run.
const FIELDS: [&str; 5] = ["clone", "identity", "new", "partition", "run"];

/// Returns the name of an id's type, for example `GoalId` for `goal`.
pub(super) fn id_type(id: &str) -> String {
    format!("{}Id", type_name(id))
}

/// Returns the name of an id's method, for example `goal_id` for `goal`.
pub(super) fn id_method(id: &str) -> String {
    format!("{}_id", value_name(id))
}

/// Returns the name of a read method, for example `read_goal` for `goal`.
pub(super) fn read_method(level: &str) -> String {
    format!("read_{}", value_name(level))
}

/// Returns the name of a write method, for example `write_decision` for `decision`.
pub(super) fn write_method(class: &str) -> String {
    format!("write_{}", value_name(class))
}

/// Returns the name of a promotion method, for example `promote_to_global` for `global`.
pub(super) fn promote_method(level: &str) -> String {
    format!("promote_to_{}", value_name(level))
}

/// Reports names that conflict with Rust, with an item that every module has, or with one another.
pub(super) fn check(scopes: &Scopes, sink: &mut Sink) {
    reserved(scopes, sink);
    parts_and_ids(scopes, sink);
    let mut levels = RustNames::new(sink);
    for level in &scopes.levels {
        levels.take("level", &level.name, type_name(&level.name), level.span);
    }
    let mut types = RustNames::new(sink);
    for id in &scopes.ids {
        types.take("id", &id.name, id_type(&id.name), id.span);
    }
    for run in &scopes.runs {
        types.take("run", &run.name, type_name(&run.name), run.span);
    }
    identity_methods(scopes, sink);
    for (id, run) in scopes.run_ids().zip(&scopes.runs) {
        run_methods(scopes, id, run, sink);
    }
}

fn reserved(scopes: &Scopes, sink: &mut Sink) {
    let mut refuse = |kind: &str, name: &str, span: Span| {
        let message = format!(
            "`{name}` is reserved in the generated Rust code, so it cannot be the name of {kind}"
        );
        let help = format!("use another name, such as `the_{}`", value_name(name));
        sink.push(Diagnostic::new(Code::PM0105, span, message).help(help));
    };
    if is_never_a_name(&value_name(&scopes.name)) {
        refuse("a scopes document", &scopes.name, scopes.span);
    }
    let parts = scopes.identity.iter().map(|part| (&part.name, part.span));
    let ids = scopes.ids.iter().map(|id| (&id.name, id.span));
    for (name, span) in parts.chain(ids) {
        let rust = value_name(name);
        if FIELDS.contains(&rust.as_str()) || is_never_a_name(&rust) {
            refuse("a part of a key", name, span);
        }
    }
    for level in &scopes.levels {
        if is_never_a_name(&value_name(&level.name)) {
            refuse("a level", &level.name, level.span);
        }
    }
    for run in &scopes.runs {
        let rust = type_name(&run.name);
        if TYPES.contains(&rust.as_str()) || is_never_a_name(&rust) {
            refuse("a run", &run.name, run.span);
        }
    }
}

/// Reports names that are both a part of the identity and an id.
fn parts_and_ids(scopes: &Scopes, sink: &mut Sink) {
    for part in &scopes.identity {
        let mut ids = scopes.ids.iter();
        if let Some(id) = ids.find(|id| value_name(&id.name) == value_name(&part.name)) {
            let message = format!(
                "`{}` is both a part of the identity and an id of a run",
                id.name
            );
            let found = Diagnostic::new(Code::PM0104, id.span, message);
            let help = "every run already has the parts of the identity: remove the name from `ids`, or rename one of the two";
            sink.push(found.also(part.span, "first declared here").help(help));
        }
    }
}

fn identity_methods(scopes: &Scopes, sink: &mut Sink) {
    let mut methods = self::methods(sink);
    for part in &scopes.identity {
        methods.take("part", &part.name, value_name(&part.name), part.span);
    }
    let levels = scopes.levels.iter();
    for level in levels.filter(|level| level.needs_only_the_identity()) {
        methods.take("level", &level.name, read_method(&level.name), level.span);
        if level.promoted.is_some() {
            methods.take(
                "level",
                &level.name,
                promote_method(&level.name),
                level.span,
            );
        }
    }
}

fn run_methods(scopes: &Scopes, id: RunId, run: &Run, sink: &mut Sink) {
    let mut methods = self::methods(sink);
    for id in run.ids.iter().map(|id| &scopes[*id]) {
        methods.take("id", &id.name, id_method(&id.name), id.span);
    }
    for level in run.reads.iter().map(|level| &scopes[level.node]) {
        methods.take("level", &level.name, read_method(&level.name), level.span);
    }
    for write in &run.writes {
        methods.take(
            "class",
            &write.class,
            write_method(&write.class),
            write.span,
        );
    }
    for level in scopes.level_ids().filter(|to| scopes.promotes(id, *to)) {
        let level = &scopes[level];
        methods.take(
            "level",
            &level.name,
            promote_method(&level.name),
            level.span,
        );
    }
}

/// Collects the names of methods. Levels and ids that conflict as methods also conflict as types, so their conflict is
/// reported once, for the types.
fn methods(sink: &mut Sink) -> RustNames<'_> {
    RustNames::new(sink).told_elsewhere(&["level", "id"])
}
