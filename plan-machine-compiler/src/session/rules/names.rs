//! PM0105 and PM0106: the Rust names of a session and its machines.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::apart::RustNames;
use crate::model::names::{is_never_a_name, value_name};
use crate::session::model::Session;

pub(super) fn check(session: &Session, sink: &mut Sink) {
    let members = session.members.iter();
    let names = members.map(|member| (&member.name, member.span));
    for (name, span) in names.chain([(&session.name, session.span)]) {
        if is_never_a_name(&value_name(name)) {
            let message = format!("`{name}` is reserved in the generated Rust code");
            let help = format!("use another name, such as `the_{}`", value_name(name));
            sink.push(Diagnostic::new(Code::PM0105, span, message).help(help));
        }
    }
    let mut names = RustNames::new(sink);
    for member in &session.members {
        names.take(
            "machine",
            &member.name,
            value_name(&member.name),
            member.span,
        );
    }
}
