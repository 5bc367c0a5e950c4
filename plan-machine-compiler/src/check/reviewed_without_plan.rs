//! PM0505: no `reviewed` command is handled in `none`. (Name resolution checks that only commands are `reviewed`.)

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
                    .label("handled in `none`")
                    .also(event.span, "declared `reviewed`")
                    .help("handle the command in states in which a person has seen the plan, and start plans with \
                        another command"),
            );
        }
    }
}
