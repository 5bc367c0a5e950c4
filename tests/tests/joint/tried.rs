//! Decides what an invariant claims about a tool by asking the real gate. If alternatives decide what happens to each
//! call, or if calls have classes, calls are made to copies of the gate.

use plan_machine::description::{EventKind, Handling};
use plan_machine::gate::{Decision, EventContext, Gate, Shape, ToolCall};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;

/// The classes of generated sessions, in the order of their calls document.
pub(super) const CLASSES: [&str; 3] = ["reads", "notes", "writes"];

/// The host tools of generated sessions, and the classes that calls to them can have.
pub(super) const TOOLS: [(&str, &[usize]); 5] = [
    ("shell", &[0, 2]),
    ("make", &[2]),
    ("fetch", &[2]),
    ("Read", &[0]),
    ("Edit", &[1, 2]),
];

/// A claim of an invariant about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Runs,
    Records,
    Denies,
    /// The model sees the tool. Only the tools of machines can have this claim.
    Advertises,
}

impl Asked {
    /// The claims that are possible about a host tool.
    pub(super) const OF_HOST_TOOLS: [Self; 3] = [Self::Runs, Self::Records, Self::Denies];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Records => "records",
            Self::Denies => "denies",
            Self::Advertises => "advertises",
        }
    }

    /// Returns whether the claim is true of a gate. The tools of machines have names such as `t0`.
    pub(super) fn is_true(self, gate: &Gate, subject: &str) -> bool {
        if subject.starts_with('t') {
            return is_advertised(gate, subject) == matches!(self, Self::Runs | Self::Advertises);
        }
        if has_classes(gate) {
            return self.is_true_of_calls(gate, subject);
        }
        let tool = if subject == "other_tools" {
            "make"
        } else {
            subject
        };
        match gate.handling_of(tool) {
            Handling::Runs => self == Self::Runs,
            Handling::Takes => self == Self::Records,
            Handling::Denies | Handling::Nothing => self == Self::Denies,
            Handling::MayRun | Handling::MayRecord => self.is_true_of_calls(gate, subject),
        }
    }

    fn is_true_of_calls(self, gate: &Gate, subject: &str) -> bool {
        let mut made = decisions(gate, subject).into_iter();
        match self {
            Self::Denies => made.all(|one| one == Self::Denies),
            wanted => made.any(|one| one == wanted),
        }
    }

    /// Returns what the gate would decide about a call that is the first one of a turn.
    pub(super) fn of_first(gate: &Gate, call: &ToolCall, around: &EventContext) -> Self {
        Self::of(&copied(gate).decide(std::slice::from_ref(call), around)[0])
    }

    /// Returns what was decided about a call to a host tool.
    pub(super) fn of(decision: &Decision) -> Self {
        match decision {
            Decision::Run(_) => Self::Runs,
            Decision::Recorded { .. } => Self::Records,
            Decision::Denied(_) => Self::Denies,
            other => panic!("{other:?}"),
        }
    }
}

fn is_advertised(gate: &Gate, tool: &str) -> bool {
    let advertised = gate.advertised(Shape::Mcp);
    let tools = advertised.as_list().unwrap_or_default().iter();
    let mut names = tools.filter_map(|tool| tool.as_object()?.get("name")?.as_text());
    names.any(|name| name == tool)
}

pub(super) fn has_classes(gate: &Gate) -> bool {
    !gate.machine_set().classes().is_empty()
}

/// Returns whether a claim about a tool, a class or `other_tools` concerns a call to a tool, given the class of the call.
pub(super) fn is_about(gate: &Gate, subject: &str, tool: &str, class: Option<&str>) -> bool {
    let mut machines = gate.machines().iter();
    let mut is_named = || {
        machines.any(|machine| {
            let mut events = machine.description().events.iter();
            events.any(|event| event.name == tool && matches!(event.kind, EventKind::External))
        })
    };
    subject == tool || class == Some(subject) || (subject == "other_tools" && !is_named())
}

/// Returns what the gate decides about every call that a claim concerns and the generated machines distinguish.
fn decisions(gate: &Gate, subject: &str) -> Vec<Asked> {
    let plain = EventContext::at(gate.clock().unwrap_or(START_OF_TIME));
    let mut contexts = vec![plain.clone()];
    if has_alternatives(gate) {
        contexts.push(plain.with("safe", true));
    }
    let mut all = Vec::new();
    let mut copy = None;
    for call in calls(gate, subject) {
        for around in &contexts {
            let tried: &mut Gate = copy.get_or_insert_with(|| copied(gate));
            let decision = tried.decide(std::slice::from_ref(&call), around);
            let is_unchanged = match &decision[0] {
                Decision::Run(allowed) => allowed.counted().is_empty(),
                other => matches!(other, Decision::Denied(_)),
            };
            all.push(Asked::of(&decision[0]));
            copy = copy.filter(|_| is_unchanged);
        }
    }
    all
}

/// Returns whether the machines of a gate have alternatives for host tools; they read the context.
pub(super) fn has_alternatives(gate: &Gate) -> bool {
    let mut machines = gate.machines().iter();
    machines.any(|machine| machine.description().context.contains("safe"))
}

/// Returns every call that a claim concerns and the generated machines distinguish.
fn calls(gate: &Gate, subject: &str) -> Vec<ToolCall> {
    let mut all = Vec::new();
    let args = arguments(gate);
    if !has_classes(gate) {
        for (tool, _) in &TOOLS[..3] {
            if is_about(gate, subject, tool, None) {
                all.extend(args.iter().map(|args| ToolCall::new(*tool, args.clone())));
            }
        }
        return all;
    }
    for (tool, classes) in TOOLS {
        let stated = classes
            .iter()
            .flat_map(|class| args.iter().map(|args| with_class(args.clone(), *class)));
        for args in stated.chain(args.iter().cloned()) {
            if is_about(gate, subject, tool, Some(class_of(tool, &args))) {
                all.push(ToolCall::new(tool, args));
            }
        }
    }
    all
}

/// Returns the calls to host tools that the generated machines distinguish: the tool, its arguments and, in a session
/// with classes, the class of the call.
pub(super) fn host_calls(gate: &Gate) -> Vec<(&'static str, Object, Option<&'static str>)> {
    let mut all = Vec::new();
    for args in arguments(gate) {
        if has_classes(gate) {
            for (tool, classes) in TOOLS {
                let classes = classes.iter().map(|class| Some(CLASSES[*class]));
                all.extend(classes.map(|class| (tool, args.clone(), class)));
            }
        } else {
            all.extend(["shell", "make"].map(|tool| (tool, args.clone(), None)));
        }
    }
    all
}

/// Returns the class of a call to one of the host tools: the one that it states, if calls to the tool can have it.
pub(super) fn class_of(tool: &str, args: &Object) -> &'static str {
    let mut known = TOOLS.iter().filter(|(name, _)| *name == tool);
    let possible = known.next().map_or(&[2][..], |(_, classes)| classes);
    let stated = args.get("class").and_then(Json::as_int);
    let stated = stated.and_then(|class| usize::try_from(class).ok());
    let class = stated.filter(|class| possible.contains(class));
    CLASSES[class.unwrap_or(possible[0])]
}

/// Returns the arguments that the machines distinguish: those that a plan has stored, and others.
fn arguments(gate: &Gate) -> Vec<Object> {
    if !has_alternatives(gate) {
        return vec![Object::new()];
    }
    let plans = gate.machines().iter().flat_map(|machine| machine.plans());
    let stored = plans.filter_map(|plan| plan.data.get("seen").and_then(Json::as_object).cloned());
    let mut all: Vec<Object> = [Object::new(), other_arguments()].into_iter().collect();
    all.extend(stored);
    all
}

/// Returns arguments that are not empty, unlike those of a call without arguments.
pub(super) fn other_arguments() -> Object {
    let mut args = Object::new();
    args.insert("a", 1_i64);
    args
}

/// Returns the arguments of a call that states its class.
pub(super) fn with_class(mut args: Object, class: usize) -> Object {
    args.insert("class", i64::try_from(class).expect("a small number"));
    args
}

/// Returns a gate in the same state, as at the beginning of a turn.
pub(super) fn copied(gate: &Gate) -> Gate {
    let mut copy = gate.machine_set().gate();
    for machine in gate.machines() {
        let restored = copy.restore(machine.description().name, &machine.stored());
        assert!(restored.expect("plans of the same machine"));
    }
    copy.set_clock(gate.clock());
    copy
}
