//! Decides what an invariant claims about a tool by asking the real gate. If alternatives decide what happens to each
//! call, calls are made to copies of the gate.

use plan_machine::description::Handling;
use plan_machine::gate::{Decision, EventContext, Gate, Shape, ToolCall};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;

/// What an invariant claims about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Runs,
    Records,
    Denies,
}

impl Asked {
    pub(super) const ALL: [Self; 3] = [Self::Runs, Self::Records, Self::Denies];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Records => "records",
            Self::Denies => "denies",
        }
    }

    /// Returns whether the claim is true of a gate. The tools of machines have names such as `t0`.
    pub(super) fn is_true(self, gate: &Gate, tool: &str) -> bool {
        if tool.starts_with('t') {
            return is_advertised(gate, tool) == (self == Self::Runs);
        }
        let names: &[&str] = match tool {
            "other_tools" => &["make", "fetch"],
            _ => &[tool],
        };
        match gate.handling_of(names[0]) {
            Handling::Runs => self == Self::Runs,
            Handling::Takes => self == Self::Records,
            Handling::Denies | Handling::Nothing => self == Self::Denies,
            Handling::MayRun | Handling::MayRecord => self.is_true_of_calls(gate, names),
        }
    }

    fn is_true_of_calls(self, gate: &Gate, names: &[&str]) -> bool {
        let all = names.iter().flat_map(|name| decisions(gate, name));
        let mut made = all.map(|decision| match decision {
            Decision::Run(_) => Self::Runs,
            Decision::Recorded { .. } => Self::Records,
            Decision::Denied(_) => Self::Denies,
            other => panic!("{other:?}"),
        });
        match self {
            Self::Denies => made.all(|one| one == Self::Denies),
            wanted => made.any(|one| one == wanted),
        }
    }
}

fn is_advertised(gate: &Gate, tool: &str) -> bool {
    let advertised = gate.advertised(Shape::Mcp);
    let tools = advertised.as_list().unwrap_or_default().iter();
    let mut names = tools.filter_map(|tool| tool.as_object()?.get("name")?.as_text());
    names.any(|name| name == tool)
}

/// Returns the decisions about every call to a tool that the generated machines distinguish.
fn decisions(gate: &Gate, name: &str) -> Vec<Decision> {
    let mut all = Vec::new();
    let plain = EventContext::at(gate.clock().unwrap_or(START_OF_TIME));
    for args in arguments(gate) {
        for around in [plain.clone(), plain.clone().with("safe", true)] {
            let call = ToolCall::new(name, args.clone());
            all.extend(copied(gate).decide(&[call], &around));
        }
    }
    all
}

/// Returns the arguments that the machines distinguish: those that a plan has stored, and others.
fn arguments(gate: &Gate) -> Vec<Object> {
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

/// Returns a gate in the same state.
fn copied(gate: &Gate) -> Gate {
    let mut copy = gate.machine_set().gate();
    for machine in gate.machines() {
        let restored = copy.restore(machine.description().name, &machine.stored());
        assert!(restored.expect("plans of the same machine"));
    }
    copy.set_clock(gate.clock());
    copy
}
