//! PM0802: stored records must still be valid. The new type of a field must accept all old values, no new field may be
//! required without a default, no bound may become tighter, and no state may require more fields.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;
use crate::model::shown_type;
use crate::model::types::{Field, Type};
use crate::model::{FieldId, TypeId};

pub(super) fn check(old: &Machine, new: &Machine, sink: &mut Sink) {
    let mut both = Both {
        old,
        new,
        open: VecDeque::new(),
        known: HashSet::new(),
    };
    both.fields(&old.data, &new.data, "", sink);
    while let Some((was, is, within)) = both.open.pop_front() {
        let (was, is) = (old.type_def(was), new.type_def(is));
        both.fields(was.fields(), is.fields(), &within, sink);
    }
    needs(old, new, sink);
}

/// The two versions; every value of the old version must be valid in the new version.
struct Both<'m> {
    old: &'m Machine,
    new: &'m Machine,
    /// The pairs of record types that are still to be compared, each with the path to its fields.
    open: VecDeque<(TypeId, TypeId, String)>,
    /// The pairs of record types that have been or will be compared. Each pair is compared only once, at its shortest
    /// path: records may contain lists of their own type, so a pair can occur at infinitely many paths.
    known: HashSet<(TypeId, TypeId)>,
}

impl Both<'_> {
    fn fields(&mut self, old: &[Field], new: &[Field], within: &str, sink: &mut Sink) {
        for field in new {
            match old.iter().find(|known| known.name == field.name) {
                Some(known) => self.field(known, field, within, sink),
                None if field.start().is_none() => {
                    let message = format!(
                        "the new field `{within}{}` has no default, but stored records do not contain the field",
                        field.name
                    );
                    let help = "give the field a `default`, or make it optional";
                    sink.push(Diagnostic::new(Code::PM0802, field.span, message).help(help));
                }
                None => {}
            }
        }
        // A record that is nested in a list or a field is read strictly, so a removed field is rejected.
        if !within.is_empty() {
            for field in old
                .iter()
                .filter(|field| !new.iter().any(|known| known.name == field.name))
            {
                let message = format!(
                    "`{within}{}` was removed, but stored records may contain it",
                    field.name
                );
                sink.push(
                    Diagnostic::new(Code::PM0802, field.span, message).label("in the old version"),
                );
            }
        }
    }

    fn field(&mut self, old: &Field, new: &Field, within: &str, sink: &mut Sink) {
        let name = format!("{within}{}", new.name);
        if !self.fits(&old.ty, &new.ty, &name, sink) {
            let message = format!(
                "the type of `{name}` changed from `{}` to `{}`, so stored records cannot be read",
                shown_type(self.old, &old.ty),
                shown_type(self.new, &new.ty)
            );
            let found = Diagnostic::new(Code::PM0802, new.span, message);
            sink.push(
                found.help("keep the field unchanged, and add another field with the new type"),
            );
            return;
        }
        let shorter = new
            .max
            .is_some_and(|max| old.max.is_none_or(|was| max < was));
        if shorter || (new.nonblank && !old.nonblank) {
            let message = format!(
                "the bounds of `{name}` are tighter than before ({} → {}), so stored records may violate them",
                described(self.old, old),
                described(self.new, new)
            );
            let found = Diagnostic::new(Code::PM0802, new.span, message);
            sink.push(
                found.help(
                    "instead, tighten the bounds of the inputs that are written to the field",
                ),
            );
        }
    }

    /// Reports enum values that were removed.
    fn values(&self, was: TypeId, is: TypeId, name: &str, sink: &mut Sink) {
        let (was, def) = (self.old.type_def(was), self.new.type_def(is));
        for value in was
            .values()
            .iter()
            .filter(|value| !def.values().contains(value))
        {
            let message = format!(
                "the value `{value}` of `{}` was removed, but stored records may contain it in `{name}`",
                was.name
            );
            let help = "keep the value, even if nothing sets it any more";
            sink.push(Diagnostic::new(Code::PM0802, def.span, message).help(help));
        }
    }

    /// Returns whether every value of the old type is a value of the new type.
    fn fits(&mut self, old: &Type, new: &Type, name: &str, sink: &mut Sink) -> bool {
        match (old, new) {
            (Type::Optional(old), Type::Optional(new)) | (Type::List(old), Type::List(new)) => {
                self.fits(old, new, name, sink)
            }
            (old, Type::Optional(new)) if !old.is_optional() => self.fits(old, new, name, sink),
            (_, Type::Json) => !old.is_optional(),
            (Type::Enum(was), Type::Enum(is)) => {
                self.values(*was, *is, name, sink);
                true
            }
            (Type::Record(was), Type::Record(is)) => {
                if self.known.insert((*was, *is)) {
                    self.open.push_back((*was, *is, format!("{name}.")));
                }
                true
            }
            (old, new) => old == new,
        }
    }
}

/// Formats a field's type and bounds as they are written in a spec.
fn described(machine: &Machine, field: &Field) -> String {
    let mut words = shown_type(machine, &field.ty);
    if field.nonblank {
        words.push_str(", nonblank");
    }
    if let Some(max) = field.max {
        // Writing to a String cannot fail.
        let _ = write!(words, ", max {max}");
    }
    words
}

/// Reports states that newly require a field, because a stored record in such a state might not have the field.
fn needs(old: &Machine, new: &Machine, sink: &mut Sink) {
    for leaf in new.leaves_of_records() {
        let state = new.state(leaf);
        let Some(before) = old
            .state_named(&state.name)
            .filter(|id| old.state(*id).is_leaf())
        else {
            continue;
        };
        let had: Vec<&str> = old
            .has(before)
            .map(|field| old.field(field).name.as_str())
            .collect();
        let mut asked: Vec<FieldId> = new.has(leaf).collect();
        asked.sort();
        asked.dedup();
        for field in asked.into_iter().map(|field| new.field(field)) {
            let was_certain = old
                .data
                .iter()
                .any(|known| known.name == field.name && !known.ty.is_optional());
            if had.contains(&field.name.as_str()) || was_certain {
                continue;
            }
            let message = format!(
                "a plan in {} must now have `{}`, but a record stored in this state may lack it",
                state.name, field.name
            );
            let help = "add a new state that has the field, and use that state from now on";
            sink.push(Diagnostic::new(Code::PM0802, state.span, message).help(help));
        }
    }
}
