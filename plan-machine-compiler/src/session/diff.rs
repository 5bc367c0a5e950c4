//! Compares two versions of a session document, including its calls document and its machines.

use super::model::{Member, Session};
use crate::calls;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::diff::{Change, Concern, Difference, Fact, Facts, Version, compare, diff};

/// Compares two versions of a session document. Machines are paired by the names that their specs give them, under
/// which their plans are stored.
#[must_use]
pub fn diff_sessions(old: &Session, new: &Session) -> Difference {
    let mut sink = Sink::default();
    let mut changes = compare(&facts(old), &facts(new));
    for before in &old.members {
        let mut members = new.members.iter();
        match members.find(|after| after.machine.name == before.machine.name) {
            Some(after) => changes.extend(of_machine(before, after, &mut sink)),
            None => removed(before, &mut sink),
        }
    }
    Difference::new(changes, sink)
}

fn of_machine(before: &Member, after: &Member, sink: &mut Sink) -> Vec<Change> {
    let found = diff(version(before), version(after));
    for diagnostic in found.diagnostics {
        sink.push(diagnostic);
    }
    let mut changes = found.changes;
    for change in &mut changes {
        change.machine = Some(after.name.clone());
    }
    changes
}

fn version(member: &Member) -> Version<'_> {
    Version {
        spec: &member.spec,
        machine: &member.machine,
    }
}

/// Reports that a machine was removed: a session that has plans of an unknown machine is not opened.
fn removed(member: &Member, sink: &mut Sink) {
    let name = &member.machine.name;
    let message =
        format!("the machine `{name}` was removed, but stored sessions may contain its plans");
    let help = format!(
        "keep the machine, or finish its plans before the new version opens their sessions; a Rust host can leave them stored with `Gate::builder().parks(\"{name}\")`"
    );
    let found = Diagnostic::new(Code::PM0801, member.span, message);
    sink.push(found.label("in the old version").help(help));
}

fn facts(session: &Session) -> Vec<Fact> {
    let mut facts = Facts::default();
    facts.add("session", "", vec![session.name.clone()]);
    for member in &session.members {
        let called = vec![format!("listed as `{}`", member.name)];
        facts.marked(Concern::Gating, "machine", &member.machine.name, called);
    }
    let prefix = session.prefix.as_char();
    facts.add("command prefix", "", vec![format!("`{prefix}`")]);
    if let Some(named) = &session.calls {
        calls::add_facts(&mut facts, &named.calls.document);
    }
    for invariant in &session.invariants {
        facts.add("invariant", &invariant.name, vec![invariant.text.clone()]);
    }
    facts.into_all()
}
