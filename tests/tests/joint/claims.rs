//! Random invariants of generated sessions. The code that evaluates them is separate from the compiler, and reads only
//! what the gate itself shows.

use plan_machine::gate::Gate;
use plan_machine_kernel::json::Json;
use plan_machine_tests::dice::Dice;

use super::made::{Made, STATES};
use super::tried::{Asked, CLASSES, is_about};

/// The kind of generated sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The states of the machines decide what happens to calls.
    Plain,
    /// The machines also have alternatives for host tools.
    Counting,
    /// The calls have classes, and the machines have entries for them.
    Classes,
}

impl Kind {
    /// Returns the tools and classes that invariants about host tools can name.
    fn asked(self) -> &'static [&'static str] {
        match self {
            Self::Plain | Self::Counting => &["shell", "other_tools"],
            Self::Classes => &["shell", "other_tools", CLASSES[0], CLASSES[1], CLASSES[2]],
        }
    }
}

/// A part of a condition.
#[derive(Clone, Debug)]
enum Part {
    State(usize, String),
    /// The number `n` of a machine is at least this.
    Number(usize, i64),
    Tool(Asked, String),
}

impl Part {
    fn random(dice: &mut Dice, machines: usize) -> Self {
        if dice.below(3) == 0 {
            let tools = ["shell", "other_tools", "t0", "t1", "t2"];
            let tool = *dice.pick(&tools[..2 + machines]);
            let asked = if tool.starts_with('t') && dice.below(2) == 0 {
                Asked::Advertises
            } else {
                Asked::Runs
            };
            return Self::Tool(asked, tool.to_owned());
        }
        let states = [STATES[0], STATES[1], STATES[2], "none"];
        let state = (*dice.pick(&states)).to_owned();
        Self::State(dice.below(machines), state)
    }

    fn about_tools(dice: &mut Dice, kind: Kind) -> Self {
        let tool = dice.pick(kind.asked());
        Self::Tool(*dice.pick(&Asked::OF_HOST_TOOLS), (*tool).to_owned())
    }

    fn text(&self) -> String {
        match self {
            Self::State(machine, state) => format!("m{machine}.{state}"),
            Self::Number(machine, least) => format!("(m{machine}.n >= {least})"),
            Self::Tool(asked, tool) => format!("{} {tool}", asked.word()),
        }
    }

    /// Returns whether the part is true; `None` if it depends on the data of a missing plan.
    fn truth(&self, gate: &Gate) -> Option<bool> {
        match self {
            Self::State(machine, state) => Some(is_in(gate, *machine, state)),
            Self::Number(machine, least) => number(gate, *machine).map(|n| n >= *least),
            Self::Tool(asked, tool) => Some(asked.is_true(gate, tool)),
        }
    }
}

/// `a and b`, with parts that may be negated.
#[derive(Clone, Debug)]
pub(super) struct Condition(Vec<(Part, bool)>);

impl Condition {
    fn random(dice: &mut Dice, machines: usize, kind: Kind) -> Self {
        let parts = (0..2 + dice.below(2)).map(|at| {
            let part = match kind {
                Kind::Counting | Kind::Classes if at == 0 => Part::about_tools(dice, kind),
                Kind::Counting if dice.below(2) == 0 => {
                    let least = i64::try_from(1 + dice.below(2)).expect("a small number");
                    Part::Number(dice.below(machines), least)
                }
                _ => Part::random(dice, machines),
            };
            (part, dice.below(4) == 0)
        });
        Self(parts.collect())
    }

    fn text(&self) -> String {
        let parts = self.0.iter().map(|(part, negated)| {
            let not = if *negated { "not " } else { "" };
            format!("{not}{}", part.text())
        });
        format!("({})", parts.collect::<Vec<_>>().join(" and "))
    }

    /// Returns whether the condition is true, according to what the gate itself shows; `None` if that depends on the
    /// data of a missing plan.
    fn truth(&self, gate: &Gate) -> Option<bool> {
        let mut whole = Some(true);
        for (part, negated) in &self.0 {
            match part.truth(gate).map(|truth| truth != *negated) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => whole = None,
            }
        }
        whole
    }
}

/// An event of a machine, or `timer`.
pub(super) type Named = (usize, &'static str);

/// An invariant.
#[derive(Clone, Debug)]
pub(super) enum Claim {
    Never(Condition),
    /// `always P implies E`.
    Always(Condition, Condition),
    OnlyIn(Named, Condition),
    /// Calls to a host tool, or of a class, run or are recorded only where the condition is true.
    ToolOnlyIn(&'static str, Condition),
    OnlyBy(Condition, Vec<Named>),
}

impl Claim {
    pub(super) fn random(dice: &mut Dice, made: &Made, kind: Kind) -> Self {
        let machines = made.names().count();
        let condition = Condition::random(dice, machines, kind);
        let mut event = || {
            let machine = dice.below(machines);
            let timed = made.is_timed(machine) && dice.below(2) == 0;
            let event = if timed {
                "timer"
            } else {
                *dice.pick(&["c0", "c1", "c2"])
            };
            (machine, event)
        };
        let (one, other) = (event(), event());
        match dice.below(6) {
            0 => Self::OnlyIn(one, condition),
            1 => Self::OnlyBy(condition, vec![one, other]),
            2 => {
                let tool: &&str = dice.pick(kind.asked());
                Self::ToolOnlyIn(tool, condition)
            }
            3 => Self::Always(condition, Condition::random(dice, machines, kind)),
            _ => Self::Never(condition),
        }
    }

    pub(super) fn text(&self) -> String {
        let shown = |(machine, event): &Named| format!("m{machine}.{event}");
        match self {
            Self::Never(condition) => format!("never {}", condition.text()),
            Self::Always(premise, condition) => {
                format!("always ({} implies {})", premise.text(), condition.text())
            }
            Self::OnlyIn(event, condition) => {
                format!("{} only in {}", shown(event), condition.text())
            }
            Self::ToolOnlyIn(tool, condition) => format!("{tool} only in {}", condition.text()),
            Self::OnlyBy(condition, by) => {
                let by: Vec<String> = by.iter().map(shown).collect();
                format!("{} only by {}", condition.text(), by.join(" or "))
            }
        }
    }

    /// Returns whether the claim is `never …` or `always …`, and the current states and data break it.
    pub(super) fn is_broken_in(&self, gate: &Gate) -> bool {
        matches!(self, Self::Never(_) | Self::Always(..)) && self.is_true(gate)
    }

    /// Returns whether the condition of the claim is true; for `always P implies E`, whether it is broken. A condition
    /// that depends on the data of a missing plan is not true, and breaks nothing.
    pub(super) fn is_true(&self, gate: &Gate) -> bool {
        match self {
            Self::Never(condition)
            | Self::OnlyIn(_, condition)
            | Self::ToolOnlyIn(_, condition)
            | Self::OnlyBy(condition, _) => condition.truth(gate) == Some(true),
            Self::Always(premise, condition) => {
                premise.truth(gate) == Some(true) && condition.truth(gate) == Some(false)
            }
        }
    }
}

/// What happened in a step of a run.
pub(super) struct Done {
    pub(super) was_true: bool,
    pub(super) is_true: bool,
    /// The machines and events that took steps.
    pub(super) taken: Vec<(usize, String)>,
    /// The host tool that ran or was recorded, and the class of the call.
    pub(super) called: Option<(String, Option<&'static str>)>,
}

impl Done {
    /// Returns whether a step breaks a claim; `None` if several timers have fired, because nothing shows what was true
    /// between them. Several machines may count the same call, which is one step.
    pub(super) fn breaks(&self, claim: &Claim, gate: &Gate) -> Option<bool> {
        let is_of = |named: &Named| {
            let mut taken = self.taken.iter();
            taken.any(|(machine, event)| {
                let is_meant = match named.1 {
                    "timer" => is_timer(event),
                    name => event == name,
                };
                *machine == named.0 && is_meant
            })
        };
        match claim {
            Claim::Never(_) | Claim::Always(..) => Some(self.is_true),
            _ if self.taken.len() > 1 && self.taken.iter().any(|(_, event)| is_timer(event)) => {
                None
            }
            Claim::OnlyIn(event, _) => Some(is_of(event) && !self.was_true),
            Claim::ToolOnlyIn(subject, _) => {
                let mut called = self.called.iter();
                let is_meant = called.any(|(tool, class)| is_about(gate, subject, tool, *class));
                Some(is_meant && !self.was_true)
            }
            Claim::OnlyBy(_, by) => Some(!self.was_true && self.is_true && !by.iter().any(is_of)),
        }
    }
}

fn is_timer(event: &str) -> bool {
    event.contains(" after ")
}

fn is_in(gate: &Gate, machine: usize, state: &str) -> bool {
    let running = &gate.machines()[machine];
    let tables = running.description();
    if tables.is_many() {
        let plans = running.plans();
        let mut live = plans.iter().filter(|plan| &*plan.state != "END");
        return match state {
            "none" => live.next().is_none(),
            _ => live.any(|plan| &*plan.state == state),
        };
    }
    tables.state(running.batch_start().place()).name == state
}

/// Returns the number `n` of the plan in the slot of a machine.
fn number(gate: &Gate, machine: usize) -> Option<i64> {
    let stored = gate.machines()[machine].stored();
    let plan = &stored.plans[stored.slot?];
    plan.data.get("n").and_then(Json::as_int)
}
