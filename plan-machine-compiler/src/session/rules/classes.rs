//! PM1102, PM1104 and PM1105: the classes of the calls document and the entries of the machines.

use plan_machine_kernel::calls::Document;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::EventKind;
use crate::model::{Decision, EventId, Machine, StateId};
use crate::prove::compares_tool;
use crate::session::model::{Member, Session, SessionCalls};

pub(super) fn check(session: &Session, is_complete: bool, sink: &mut Sink) {
    let Some(calls) = &session.calls else {
        return;
    };
    for member in &session.members {
        same_name(calls, member, sink);
        undecided(calls, member, sink);
        compared(calls, member, sink);
        open_otherwise(calls, member, sink);
    }
    // If a machine has errors, it may be the only machine that names a class.
    if is_complete {
        unused(calls, session, sink);
    }
}

/// Reports a tool that a machine defines under the name of a class.
fn same_name(calls: &SessionCalls, member: &Member, sink: &mut Sink) {
    let events = member.machine.events.iter();
    let tools = events.filter(|event| matches!(event.kind, EventKind::Tool { .. }));
    for tool in tools.filter(|tool| document(calls).has_class(&tool.name)) {
        let message = format!(
            "`{}` defines the tool `{1}`, but `{1}` is a class of the calls document {2}",
            member.name,
            tool.name,
            document(calls).name
        );
        let found = Diagnostic::new(Code::PM1102, calls.span, message)
            .also(tool.span, format!("declared by `{}` here", member.name))
            .help("rename the tool or the class");
        sink.push(found);
    }
}

/// Reports a tool and its class if neither of their entries is stricter for every call.
fn undecided(calls: &SessionCalls, member: &Member, sink: &mut Sink) {
    let machine = &member.machine;
    for (tool, name) in externals(machine) {
        if document(calls).has_class(name) {
            continue;
        }
        for id in document(calls).classes_of(name) {
            let class = document(calls).class(id);
            let Some(entry) = external(machine, class) else {
                continue;
            };
            let mut leaves = machine.leaves().filter(|leaf| machine.can_hold(*leaf));
            let depends = |leaf: &StateId| !is_comparable(machine, *leaf, tool, entry);
            if let Some(leaf) = leaves.find(depends) {
                let message = format!(
                    "in `{}` of `{}`, the entries for the tool `{name}` and for its class `{class}` both have transitions",
                    machine.state(leaf).name,
                    member.name
                );
                let found = Diagnostic::new(Code::PM1102, calls.span, message)
                    .also(machine.event(tool).span, "the tool is declared here")
                    .also(machine.event(entry).span, "the class is declared here")
                    .help("the stricter entry decides, but which entry is stricter depends on the call: keep only one of them, or make one of them `run` or `deny`");
                sink.push(found);
            }
        }
    }
}

/// Reports an entry for a class if the entry compares `event.tool` with a name. In a proof about the machine,
/// `event.tool` is the name of the class, but in a real call, it is the name of one of the tools in the class.
fn compared(calls: &SessionCalls, member: &Member, sink: &mut Sink) {
    let machine = &member.machine;
    for (event, class) in externals(machine) {
        if !document(calls).has_class(class) {
            continue;
        }
        let compares = |leaf: &StateId| {
            let taken = machine.taken_for(*leaf, event).unwrap_or_default();
            taken
                .iter()
                .any(|id| compares_tool(machine.transition(*id)))
        };
        if let Some(leaf) = machine.leaves().find(compares) {
            let message = format!(
                "in `{}` of `{}`, the entry for the class `{class}` compares `event.tool` with a name",
                machine.state(leaf).name,
                member.name
            );
            let found = Diagnostic::new(Code::PM1102, calls.span, message)
                .also(machine.event(event).span, "the class is declared here")
                .help("give the tool a class of its own in the calls document");
            sink.push(found);
        }
    }
}

fn is_comparable(machine: &Machine, leaf: StateId, one: EventId, other: EventId) -> bool {
    let both = [one, other].map(|event| machine.decision(leaf, event));
    let steps = |one: &Decision| matches!(one, Decision::Choose(_) | Decision::Record(_));
    let chooses = |one: &Decision| matches!(one, Decision::Choose(_));
    !(both.iter().all(steps) && both.iter().any(chooses))
}

/// Reports a machine in which calls that no rule matches may run although calls of another class
/// may not.
fn open_otherwise(calls: &SessionCalls, member: &Member, sink: &mut Sink) {
    let (machine, document) = (&member.machine, document(calls));
    let otherwise = document.class(document.otherwise);
    let entry = external(machine, otherwise).unwrap_or_else(|| machine.other_tools());
    for class in document.classes.iter().filter(|class| *class != otherwise) {
        let named = external(machine, class);
        let closed = named.unwrap_or_else(|| machine.other_tools());
        let mut leaves = machine.leaves().filter(|leaf| machine.can_hold(*leaf));
        let opens = |leaf: &StateId| {
            let may_run = |event: EventId| machine.decision(*leaf, event).may_run();
            may_run(entry) && !may_run(closed)
        };
        let Some(leaf) = leaves.find(opens) else {
            continue;
        };
        let message = format!(
            "in `{}` of `{}`, calls of the class `{class}` may not run, but calls that match no rule in the calls \
             document `{}` may run",
            machine.state(leaf).name,
            member.name,
            document.name
        );
        let found = Diagnostic::new(Code::PM1105, calls.span, message);
        let found = match named {
            Some(event) => found.also(machine.event(event).span, "the class is declared here"),
            // The class is treated like other tools, so the machine must have an entry for `otherwise`.
            None => found.also(
                machine.event(entry).span,
                format!(
                    "only `{otherwise}` is declared here, and `{class}` is treated like other tools"
                ),
            ),
        };
        sink.push(found.help(format!(
            "a call that matches no rule has the class `{otherwise}`, which should have the fewest permissions: deny \
             `{otherwise}` in this state"
        )));
        return;
    }
}

/// Reports classes that no machine names.
fn unused(calls: &SessionCalls, session: &Session, sink: &mut Sink) {
    // The class that `otherwise` names needs no entry: it contains all calls that match no rule, so machines can handle
    // them like calls to other tools.
    let otherwise = document(calls).class(document(calls).otherwise);
    let classes = document(calls).classes.iter();
    for class in classes.filter(|class| *class != otherwise) {
        let names = |member: &Member| external(&member.machine, class).is_some();
        if !session.members.iter().any(names) {
            let message = format!(
                "no machine of this session has an entry for the class `{class}` of the calls document {}",
                document(calls).name
            );
            let found = Diagnostic::new(Code::PM1104, calls.span, message);
            sink.push(found.help("calls of this class are treated as calls to other tools: name the class in the `external_tools` of a machine, or use a calls document without this class"));
        }
    }
}

fn document(calls: &SessionCalls) -> &Document {
    &calls.calls.document
}

fn externals(machine: &Machine) -> impl Iterator<Item = (EventId, &str)> {
    let all = machine.event_ids();
    let external = all.filter(|event| matches!(machine.event(*event).kind, EventKind::External));
    external.map(|event| (event, machine.event(event).name.as_str()))
}

fn external(machine: &Machine, name: &str) -> Option<EventId> {
    let mut all = externals(machine);
    all.find_map(|(event, known)| (known == name).then_some(event))
}
