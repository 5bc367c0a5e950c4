//! PM0803: a spec whose meaning has changed must have a new version.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;

pub(super) fn check(old: &Machine, new: &Machine, sink: &mut Sink) {
    if old.version != new.version || old.fingerprint == new.fingerprint {
        return;
    }
    let message = format!(
        "the meaning has changed, but the version is still {}",
        new.version
    );
    let help = format!(
        "write `version: {}` so that stored records tell the two apart",
        new.version + 1
    );
    sink.push(Diagnostic::new(Code::PM0803, new.span, message).help(help));
}
