//! Names of the spec as Rust names.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use crate::model::machine::Machine;
use crate::model::names::{is_never_a_name, is_word_of_rust, type_name, value_name};
use crate::model::{EffectId, EventId, FieldId, HandlerId, StateId, TransitionId, TypeId};

/// Returns an identifier; a Rust keyword becomes a raw identifier. Keywords that cannot be raw identifiers are not
/// allowed in a spec, so they appear only in the output for a spec with errors.
pub(crate) fn ident(name: &str) -> Ident {
    if is_never_a_name(name) {
        format_ident!("{name}_")
    } else if is_word_of_rust(name) {
        Ident::new_raw(name, Span::call_site())
    } else {
        Ident::new(name, Span::call_site())
    }
}

/// Returns the name of the module of a document or of one of its parts.
#[cfg(feature = "sessions")]
pub(crate) fn module(name: &str) -> Ident {
    ident(&value_name(name))
}

/// Returns the name of a record or enum type.
pub(super) fn of_type(machine: &Machine, id: TypeId) -> Ident {
    ident(&type_name(&machine.type_def(id).name))
}

/// Returns the name of a leaf, used as a variant of `State` and as a marker type.
pub(super) fn of_state(machine: &Machine, id: StateId) -> Ident {
    ident(&type_name(&machine.state(id).name))
}

/// Returns the name of an event, used as a variant of `Event` and as a payload type.
pub(super) fn of_event(machine: &Machine, id: EventId) -> Ident {
    ident(&type_name(&machine.event(id).name))
}

/// Returns the name of the method for an event.
pub(super) fn method(machine: &Machine, id: EventId) -> Ident {
    ident(&value_name(&machine.event(id).name))
}

/// Returns the name of an effect, used as a variant of `Effect`.
pub(super) fn of_effect(machine: &Machine, id: EffectId) -> Ident {
    ident(&type_name(&machine.effect(id).name))
}

/// Returns the name of a data field.
pub(super) fn of_data(machine: &Machine, id: FieldId) -> Ident {
    field(&machine.field(id).name)
}

/// Returns the name of any field.
pub(super) fn field(name: &str) -> Ident {
    ident(&value_name(name))
}

/// Returns the name of the variable that contains a field while its struct is being read; no other
/// variable has a name of this form.
pub(super) fn read(name: &str) -> Ident {
    format_ident!("read_{}", value_name(name))
}

/// Returns the name of an enum value.
pub(super) fn of_value(name: &str) -> Ident {
    ident(&type_name(name))
}

/// Returns the name of the function that dispatches the events of a state.
pub(super) fn dispatcher(machine: &Machine, id: StateId) -> Ident {
    ident(&value_name(&machine.state(id).name))
}

/// Returns the name of a handler's function, for example `approve_in_ready`. If two functions would
/// have the same name, such as those for the event `a` in the state `b_in_c` and for the event
/// `a_in_b` in the state `c`, each name gets the number of its handler as a suffix. No name in a
/// spec can have such a suffix.
pub(super) fn handler(machine: &Machine, id: HandlerId) -> Ident {
    let name = |id: HandlerId| {
        let handler = machine.handler(id);
        let event = match machine.timer(handler.event) {
            // No name in a spec contains two underscores in a row.
            Some(timer) => format!("after__{}", timer.period),
            None => value_name(&machine.event(handler.event).name),
        };
        let state = value_name(&machine.state(handler.state).name);
        format!("{event}_in_{state}")
    };
    let own = name(id);
    let ambiguous = own.find("_in_") != own.rfind("_in_");
    let mut all = (0..machine.handlers.len()).map(HandlerId::at);
    if ambiguous && all.any(|other| other != id && name(other) == own) {
        return format_ident!("{own}__{}", id.index());
    }
    format_ident!("{own}")
}

/// Returns the name of an alternative's function: the name of its handler, followed by a number if the handler has
/// several alternatives.
pub(super) fn transition(machine: &Machine, id: TransitionId) -> Ident {
    let handler = machine.transition(id).handler;
    let name = self::handler(machine, handler);
    let all = match &machine.handler(handler).kind {
        crate::model::machine::HandlerKind::Transitions(all) => &all[..],
        _ => &[],
    };
    match all.iter().position(|other| *other == id) {
        Some(at) if all.len() > 1 => format_ident!("{name}__{}", at + 1),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::ident;

    #[test]
    fn words_of_rust_become_identifiers() {
        let shown =
            ["type", "Self", "self", "crate", "super", "ready"].map(|word| ident(word).to_string());
        assert_eq!(
            shown,
            ["r#type", "Self_", "self_", "crate_", "super_", "ready"]
        );
    }
}
