//! Modes: which plan machine a session has. Runs and planning files stand beside any of them.

use std::fmt;
use std::str::FromStr;

use plan_machine::Machine as _;
use plan_machine::command::Pattern;
use plan_machine::description::{Description, EventKind};
use plan_machine::gate::{Conflict, Gate, MachineSet};
use plan_specs::{auto_run, plan_builder, plan_mode, planning_files, work_by_plan};
use serde::{Deserialize, Serialize};

use crate::damaged;
use crate::tools::ToolInfo;

/// How a session plans.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One Markdown plan; tools run meanwhile.
    #[default]
    WorkByPlan,
    /// Calls become steps of a plan instead of deeds.
    PlanMode,
    /// Plans that are built piece by piece, any number of them.
    PlanBuilder,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::WorkByPlan, Self::PlanMode, Self::PlanBuilder];

    /// Its name, which is that of its spec.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WorkByPlan => "work_by_plan",
            Self::PlanMode => "plan_mode",
            Self::PlanBuilder => "plan_builder",
        }
    }

    /// The machine of its plans.
    #[must_use]
    pub const fn machine(self) -> &'static str {
        match self {
            Self::WorkByPlan => "WorkByPlan",
            Self::PlanMode => "PlanMode",
            Self::PlanBuilder => "PlanBuilder",
        }
    }

    /// Whether a machine is one of another mode: its plans stay as they are until that is back.
    #[must_use]
    pub fn parks(self, machine: &str) -> bool {
        let others = Self::ALL.into_iter().filter(|other| *other != self);
        others.map(Self::machine).any(|other| other == machine)
    }

    /// Whether a line begins with a command of its plans. The first word alone belongs to all of them.
    #[must_use]
    pub fn has(self, line: &str) -> bool {
        self.commands().any(|command| command.begins(line) > 1)
    }

    /// The modes that have a command with which a line begins.
    #[must_use]
    pub fn with(line: &str) -> Vec<Self> {
        let all = Self::ALL.into_iter();
        all.filter(|mode| mode.has(line)).collect()
    }

    /// The words that come second in the commands of its plans: `approve` of `/plan approve`.
    pub(crate) fn seconds(self) -> impl Iterator<Item = &'static str> {
        let seconds = self.texts().filter_map(|text| {
            let mut words = text.split_whitespace();
            words.next().filter(|first| *first == "/plan")?;
            words.next()
        });
        seconds.filter(|second| !second.starts_with('{'))
    }

    fn commands(self) -> impl Iterator<Item = Pattern> {
        self.texts().filter_map(|text| Pattern::parse(text).ok())
    }

    /// The tables of a session's machines: of its plans, and of what is beside them.
    pub(crate) fn descriptions(self) -> [&'static Description; 3] {
        let plans = match self {
            Self::WorkByPlan => work_by_plan::Machine.description(),
            Self::PlanMode => plan_mode::Machine.description(),
            Self::PlanBuilder => plan_builder::Machine.description(),
        };
        let runs = auto_run::Machine.description();
        [plans, runs, planning_files::Machine.description()]
    }

    /// The commands of its plans, as its spec has them.
    fn texts(self) -> impl Iterator<Item = &'static str> {
        let [machine, ..] = self.descriptions();
        machine.events.iter().filter_map(|event| match event.kind {
            EventKind::Command { text, .. } => Some(text),
            _ => None,
        })
    }

    /// The machines of a session in this mode, beside the host's tools.
    ///
    /// # Errors
    ///
    /// Where a tool of the host has the name of a machine's.
    pub fn machines(self, tools: &[ToolInfo]) -> Result<MachineSet, Conflict> {
        let assembly = match self {
            Self::WorkByPlan => Gate::builder().with(work_by_plan::Machine),
            Self::PlanMode => Gate::builder().with(plan_mode::Machine),
            Self::PlanBuilder => Gate::builder().with(plan_builder::Machine),
        };
        let assembly = assembly
            .with(auto_run::Machine)
            .names("AutoRun", "run")
            .with(planning_files::Machine);
        let others = Self::ALL.into_iter().filter(|other| *other != self);
        let assembly = others.fold(assembly, |assembly, other| assembly.parks(other.machine()));
        let assembly = tools.iter().fold(assembly, |assembly, tool| {
            assembly.host_tool(tool.name, tool.description, tool.schema.clone())
        });
        assembly.ends_damaged_plans_by(damaged::END).join()
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        all.find(|mode| mode.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("unknown mode `{text}`; the modes are {names}")
        })
    }
}
