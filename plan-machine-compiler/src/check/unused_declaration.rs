//! PM0407: every type and effect is used.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::TypeId;
use crate::model::machine::Machine;
use crate::model::types::Type;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    let used = used_types(machine);
    let within = types_within_types(machine);
    let types = machine.types.iter().zip(used.iter().zip(&within));
    for (ty, (_, within)) in types.filter(|(_, (used, _))| !**used) {
        let message = if *within {
            format!("only unused types have fields of the type `{}`", ty.name)
        } else {
            format!("no field has the type `{}`", ty.name)
        };
        let help = "use the type in `data`, `context`, an input, an effect or a type that is used, or remove the type";
        sink.push(
            Diagnostic::new(Code::PM0407, ty.span, message)
                .label("never used")
                .help(help),
        );
    }
    let emitted = emitted(machine);
    for (effect, _) in machine
        .effects
        .iter()
        .zip(&emitted)
        .filter(|(_, emitted)| !**emitted)
    {
        let message = format!("nothing emits the effect `{}`", effect.name);
        let help =
            "`emit` the effect in a transition, an `enter` or an `exit`, or remove the effect";
        sink.push(
            Diagnostic::new(Code::PM0407, effect.span, message)
                .label("never emitted")
                .help(help),
        );
    }
}

/// Returns, for each type, whether it is used by anything other than an unused type.
fn used_types(machine: &Machine) -> Vec<bool> {
    let mut used = vec![false; machine.types.len()];
    let fields = machine.data.iter().chain(&machine.context);
    let fields = fields.chain(machine.events.iter().flat_map(|event| &event.input));
    let fields = fields.chain(machine.effects.iter().flat_map(|effect| &effect.fields));
    let mut open: Vec<TypeId> = fields.filter_map(|field| named(&field.ty)).collect();
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut used[id.index()], true) {
            let parts = machine.type_def(id).fields().iter();
            open.extend(parts.filter_map(|field| named(&field.ty)));
        }
    }
    used
}

/// Returns, for each type, whether some declared type has a field of that type.
fn types_within_types(machine: &Machine) -> Vec<bool> {
    let mut within = vec![false; machine.types.len()];
    for ty in &machine.types {
        for id in ty.fields().iter().filter_map(|field| named(&field.ty)) {
            within[id.index()] = true;
        }
    }
    within
}

/// Returns the declared type that a type is or, as a list or an optional, contains.
fn named(ty: &Type) -> Option<TypeId> {
    match ty {
        Type::Enum(id) | Type::Record(id) => Some(*id),
        Type::List(inner) | Type::Optional(inner) => named(inner),
        _ => None,
    }
}

fn emitted(machine: &Machine) -> Vec<bool> {
    let mut emitted = vec![false; machine.effects.len()];
    let emits = machine
        .transitions
        .iter()
        .flat_map(|transition| &transition.emit);
    let moves = machine
        .states
        .iter()
        .flat_map(|state| state.enter.iter().chain(&state.exit));
    for emit in emits.chain(moves) {
        emitted[emit.effect.index()] = true;
    }
    emitted
}
