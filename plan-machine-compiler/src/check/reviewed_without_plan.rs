//! PM0505: a `reviewed` command is not handled in `none`. (Name resolution checks that it is a
//! command.)

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::StateId;
use crate::model::machine::{Command, EventKind, HandlerKind, Machine};

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for (event, handler) in &machine.state(StateId::NONE).on {
        let (event, handler) = (machine.event(*event), machine.handler(*handler));
        let reviewed = matches!(
            event.kind,
            EventKind::Command(Command { reviewed: true, .. })
        );
        if reviewed && matches!(handler.kind, HandlerKind::Transitions(_)) {
            let message = format!(
                "`{}` is reviewed, but in `none` there is no plan to review",
                event.name
            );
            sink.push(
                Diagnostic::new(Code::PM0505, handler.span, message)
                    .label("handled here, where no plan has been shown")
                    .also(event.span, "declared `reviewed`")
                    .help("handle it in the states whose plan a person has seen, and start plans with another command"),
            );
        }
    }
}
