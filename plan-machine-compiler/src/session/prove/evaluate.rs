//! Evaluates claims about a session, given the situation of each machine.

use plan_machine_kernel::session::{Disposition, Dispositions, SessionRule};

use crate::operators::Gate;
use crate::prove::Possible;
use crate::prove::situations::{CallDecisions, Situation};
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

    /// Returns the possible values of a claim about a tool. A claim about a host tool is a claim about its calls: that
    /// some call would run or be recorded, or that all of them would be denied.
    fn tool(&self, gate: Gate, tool: Tool) -> Possible {
        if tool.owner.is_some() {
            return (self.is_open(tool) == (gate != Gate::Denies)).into();
        }
        match gate {
            Gate::Runs => self.some_call(tool, Disposition::runs),
            Gate::Records => self.some_call(tool, |joint| joint == Disposition::Record),
            _ => self
                .some_call(tool, |joint| joint != Disposition::Deny)
                .not(),
        }
    }

    /// Returns whether the session's decision about some call to a host tool satisfies `wanted`. If the alternatives of
    /// several machines depend on the call, this may not be known: one machine may deny exactly the call that another
    /// machine lets run.
    fn some_call(&self, tool: Tool, wanted: impl Fn(Disposition) -> bool) -> Possible {
        let joint = self.joint(tool);
        let each = || self.decisions(tool).enumerate();
        // At least one call leads to this decision of the machine, whatever the other machines decide about that call.
        let with_others = |at: usize, one: Disposition| {
            let others = each().filter(|(other, _)| *other != at);
            let others = others.map(|(_, decided)| decided.possible);
            Dispositions::joint(others.chain([one.into()]))
        };
        let certain = || {
            each().any(|(at, decided)| {
                let mut certain = decided.certain.iter();
                certain.any(|one| with_others(at, one).iter().all(&wanted))
            })
        };
        let possible = joint.iter().any(&wanted);
        Possible {
            yes: possible,
            no: !possible || !(joint.iter().all(&wanted) || certain()),
            absent: false,
        }
    }

    /// Returns what each machine decides about a tool.
    fn decisions(&self, tool: Tool) -> impl Iterator<Item = CallDecisions> {
        let each = self.situations.iter();
        each.map(move |situation| situation.tools[tool.question])
    }

    /// Returns what the machines may decide together about a host tool.
    pub(super) fn joint(&self, tool: Tool) -> Dispositions {
        Dispositions::joint(self.decisions(tool).map(|one| one.possible))
    }

    /// Returns whether a machine's own tool could be accepted, or a host tool could run or be recorded.
    pub(super) fn is_open(&self, tool: Tool) -> bool {
        let Some((owner, external)) = tool.owner else {
            return !self.joint(tool).is(Disposition::Deny);
        };
        let own = self.situations[owner].tools[tool.question];
        let mut others = self.decisions(tool).enumerate();
        let prevented =
            others.any(|(at, other)| at != owner && self.rule.prevents(external, other.possible));
        !own.possible.is(Disposition::Deny) && !prevented
    }
}
