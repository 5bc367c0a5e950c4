//! PM0803: a spec whose meaning has changed must have a new version.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;

pub(super) fn check(old: &Machine, new: &Machine, sink: &mut Sink) {
    if old.version != new.version || old.fingerprint == new.fingerprint {
        return;
    }
    let message = format!(
        "the meaning of the spec has changed, but the version is still {}",
        new.version
    );
    let help = format!(
        "set `version: {}`, so that the stored records of the two versions can be distinguished",
        new.version + 1
    );
    sink.push(Diagnostic::new(Code::PM0803, new.span, message).help(help));
}
