//! Evaluates claims about a session, given the situation of each machine.

use plan_machine_kernel::session::{Disposition, Dispositions, SessionRule};

use crate::operators::Gate;
use crate::prove::Possible;
use crate::prove::situations::Situation;
use crate::session::model::{Claim, Tool};

/// One situation for each machine of the session.
#[derive(Clone, Copy)]
pub(super) struct Combination<'a> {
    pub(super) rule: SessionRule,
    pub(super) situations: &'a [&'a Situation],
}

impl Combination<'_> {
    /// Returns the possible values of a claim.
    pub(super) fn value(&self, claim: &Claim) -> Possible {
        match claim {
            Claim::Constant(truth) => (*truth).into(),
            Claim::Condition(machine, condition) => self.situations[*machine].truths[*condition],
            Claim::Tool(gate, tool) => self.tool(*gate, *tool),
            Claim::Not(inner) => self.value(inner).not(),
            Claim::And(left, right) => self.value(left).and(self.value(right)),
            Claim::Or(left, right) => self.value(left).or(self.value(right)),
        }
    }

    /// Returns the possible values of a claim about a tool. If alternatives determine what happens to each call to a
    /// host tool, both values may be possible.
    fn tool(&self, gate: Gate, tool: Tool) -> Possible {
        if tool.owner.is_some() {
            return (self.is_open(tool) == (gate != Gate::Denies)).into();
        }
        let claimed = |one: Disposition| match gate {
            Gate::Runs => one.runs(),
            Gate::Records => one == Disposition::Record,
            _ => one == Disposition::Deny,
        };
        let joint = self.joint(tool);
        Possible {
            yes: joint.iter().any(claimed),
            no: !joint.iter().all(claimed),
            absent: false,
        }
    }

    /// Returns what the machines may decide together about a host tool.
    pub(super) fn joint(&self, tool: Tool) -> Dispositions {
        let each = self.situations.iter();
        Dispositions::joint(each.map(|situation| situation.tools[tool.question]))
    }

    /// Returns whether a machine's own tool could be accepted, or a host tool could run or be recorded.
    pub(super) fn is_open(&self, tool: Tool) -> bool {
        let Some((owner, external)) = tool.owner else {
            return !self.joint(tool).is(Disposition::Deny);
        };
        let own = self.situations[owner].tools[tool.question];
        let mut others = self.situations.iter().enumerate();
        let prevented = others.any(|(at, other)| {
            at != owner && self.rule.prevents(external, other.tools[tool.question])
        });
        !own.is(Disposition::Deny) && !prevented
    }
}
