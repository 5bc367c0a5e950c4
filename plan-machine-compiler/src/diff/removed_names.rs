//! PM0801: the machine, and each state and field that a stored record may contain, must still exist.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;
use crate::source::Span;

pub(super) fn check(old: &Machine, new: &Machine, sink: &mut Sink) {
    if old.name != new.name {
        let (before, now) = (&old.name, &new.name);
        let message = format!(
            "the machine `{before}` is now called `{now}`, but stored sessions may contain plans of `{before}`"
        );
        let help = format!(
            "keep the name `{before}`, or finish all plans before the new version opens their sessions"
        );
        sink.push(Diagnostic::new(Code::PM0801, new.span, message).help(help));
    }
    let leaves = |machine: &Machine| -> Vec<(String, Span)> {
        let leaves = machine.leaves_of_records();
        leaves
            .map(|leaf| (machine.state(leaf).name.clone(), machine.state(leaf).span))
            .collect()
    };
    gone("state", &leaves(old), &leaves(new), sink);
    let fields = |machine: &Machine| -> Vec<(String, Span)> {
        machine
            .data
            .iter()
            .map(|field| (field.name.clone(), field.span))
            .collect()
    };
    gone("field", &fields(old), &fields(new), sink);
}

fn gone(what: &str, old: &[(String, Span)], new: &[(String, Span)], sink: &mut Sink) {
    let came: Vec<&str> = new
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| !old.iter().any(|(known, _)| known == name))
        .collect();
    for (name, span) in old {
        if new.iter().any(|(known, _)| known == name) {
            continue;
        }
        let message = format!("the {what} `{name}` was removed, but stored records may contain it");
        let found = Diagnostic::new(Code::PM0801, *span, message)
            .label("in the old version")
            .did_you_mean_one_of(sink, name, came.iter().copied())
            .help(format!("keep the {what} and its name, or finish the plans that use it before the new version reads them"));
        sink.push(found);
    }
}
