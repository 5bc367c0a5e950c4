//! PM0405: every field is written somewhere.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Change, ChangeKind, Machine};

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    let mut written = vec![false; machine.data.len()];
    let transitions = machine.transitions.iter();
    for change in transitions.flat_map(|transition| &transition.changes) {
        written[change.field.index()] |= gives_another_value(machine, change);
    }
    for (field, _) in machine
        .data
        .iter()
        .zip(&written)
        .filter(|(_, written)| !**written)
    {
        let message = format!("no transition ever gives `{}` a value", field.name);
        sink.push(
            Diagnostic::new(Code::PM0405, field.span, message)
                .label("always keeps its initial value")
                .help("write to the field in some transition (`set`, `append`, …), or remove the field")
                .help("if the host provides the value, declare the field under `context`"),
        );
    }
}

/// Returns whether a change can give a field a value other than its initial one.
fn gives_another_value(machine: &Machine, change: &Change) -> bool {
    match change.kind {
        ChangeKind::Clear => false,
        // Removing and updating need existing items, which only a default provides.
        ChangeKind::Remove(_) | ChangeKind::Update { .. } => {
            machine.field(change.field).default.is_some()
        }
        ChangeKind::Set(_) | ChangeKind::Insert(..) | ChangeKind::Append(_) => true,
    }
}
