//! PM1102: a field of the context that two machines declare with different types. The host sends one context with every
//! event, so no value could have both types.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::shown_type;
use crate::session::model::Session;

pub(super) fn check(session: &Session, sink: &mut Sink) {
    let members = &session.members;
    for (at, one) in members.iter().enumerate() {
        for field in &one.machine.context {
            for other in &members[at + 1..] {
                let mut fields = other.machine.context.iter();
                let Some(theirs) = fields.find(|theirs| theirs.name == field.name) else {
                    continue;
                };
                let ours = shown_type(&one.machine, field.ty.required());
                let other_type = shown_type(&other.machine, theirs.ty.required());
                if ours == other_type {
                    continue;
                }
                let message = format!(
                    "the context field `{}` has the type `{ours}` in `{}` and the type `{other_type}` in `{}`",
                    field.name, one.name, other.name
                );
                let found = Diagnostic::new(Code::PM1102, other.span, message)
                    .also(field.span, format!("declared by `{}` here", one.name))
                    .also(theirs.span, format!("declared by `{}` here", other.name))
                    .help("the host sends one context to all machines: rename one of the fields");
                sink.push(found);
            }
        }
    }
}
