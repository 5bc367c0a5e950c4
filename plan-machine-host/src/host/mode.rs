//! Modes: which machines a conversation has, and their handlers.

use std::fmt;
use std::sync::Arc;

use plan_machine::command::Pattern;
use plan_machine::description::{Description, EventKind, Next};
use plan_machine::gate::{CommandPrefix, Conflict, GateBuilder, MachineSet};

use super::parts::{AnyHandler, Attendant, Mode, Modes};
use crate::error::HostError;
use crate::tools::ToolInfo;

/// The command that ends a damaged plan.
pub(super) const END: &str = "/plan end {plan}";

/// The words of [`END`], without its argument.
pub(super) const END_WORDS: &str = "/plan end";

impl Mode {
    pub(super) fn new(name: &'static str, plans: Arc<dyn AnyHandler>) -> Self {
        Self {
            name,
            handlers: vec![plans],
        }
    }

    /// Returns the name of the mode.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the tables of the mode's machines; the machine of the plans comes first.
    pub fn tables(&self) -> impl Iterator<Item = &'static Description> {
        self.handlers.iter().map(|handler| handler.tables())
    }

    /// Returns the table of the plans' machine.
    #[must_use]
    pub fn plans(&self) -> &'static Description {
        self.handlers[0].tables()
    }

    /// Returns whether a line starts with a command of the plans. The first word alone is not enough, because all plan
    /// commands start with the same word.
    #[must_use]
    pub fn has(&self, line: &str) -> bool {
        let mut commands = self.texts().filter_map(|text| Pattern::parse(text).ok());
        commands.any(|command| command.begins(line) > 1)
    }

    /// Returns the second words of those plan commands that start with the given word: `approve` for `/plan approve`.
    pub fn seconds<'w>(&self, word: &'w str) -> impl Iterator<Item = &'static str> + use<'w> {
        let seconds = self.texts().filter_map(move |text| {
            let mut words = text.split_whitespace();
            words.next().filter(|first| *first == word)?;
            words.next()
        });
        seconds.filter(|second| !second.starts_with('{'))
    }

    /// Returns the first plan command that starts with these two words, as written in the spec.
    pub(crate) fn command_with(&self, word: &str, second: &str) -> Option<&'static str> {
        self.texts().find(|text| {
            let mut words = text.split_whitespace();
            words.next() == Some(word) && words.next() == Some(second)
        })
    }

    /// Returns whether a tool belongs to a machine and can change its plans.
    pub(super) fn changes_plans(&self, tool: &str) -> bool {
        self.tables().any(|machine| {
            let events = (0_u16..).zip(machine.events);
            let mut own = events.filter(|(_, event)| {
                event.name == tool && matches!(event.kind, EventKind::Tool { .. })
            });
            own.any(|(at, _)| !only_reads(machine, at))
        })
    }

    /// Returns the machine whose plans a line asks about. Such a line is a command without arguments that either only
    /// reads the plans or decides on a reviewed plan.
    pub(super) fn asked_about(&self, line: &str) -> Option<&'static Description> {
        let typed = line.split_whitespace().count();
        self.tables().find(|machine| {
            let mut events = (0_u16..).zip(machine.events);
            events.any(|(at, event)| {
                let EventKind::Command { text, reviewed, .. } = event.kind else {
                    return false;
                };
                let is_typed = Pattern::parse(text).is_ok_and(|text| text.begins(line) == typed);
                is_typed && (reviewed || only_reads(machine, at))
            })
        })
    }

    /// Returns the commands of the plans, as written in the spec.
    fn texts(&self) -> impl Iterator<Item = &'static str> + use<> {
        let events = self.plans().events.iter();
        events.filter_map(|event| match event.kind {
            EventKind::Command { text, .. } => Some(text),
            _ => None,
        })
    }

    /// Explains how to send text that looks like a command as ordinary text, if a machine accepts any text after
    /// `/plan`.
    pub(super) fn otherwise(&self, words: &str) -> Option<String> {
        let mut handlers = self.handlers.iter();
        handlers.find_map(|handler| handler.otherwise(words))
    }

    /// Describes how a person starts a plan in this mode.
    #[must_use]
    pub fn begins(&self) -> &'static str {
        let invitation = self.handlers[0].invitation();
        invitation.map_or("", |(_, begins)| begins)
    }

    /// Returns the noun for a plan of a machine, such as `plan` or `run`.
    pub(super) fn noun(&self, machine: &str) -> &'static str {
        self.handler_of(machine)
            .map_or("plan", |handler| handler.noun())
    }

    pub(super) fn handlers(&self) -> &[Arc<dyn AnyHandler>] {
        &self.handlers
    }

    /// Returns the handler of the plans.
    pub(super) fn handler(&self) -> &dyn AnyHandler {
        &*self.handlers[0]
    }

    pub(super) fn handler_of(&self, machine: &str) -> Option<&dyn AnyHandler> {
        let mut handlers = self.handlers.iter();
        let found = handlers.find(|handler| handler.tables().name == machine);
        found.map(|handler| &**handler)
    }
}

/// Returns whether an event never changes a plan, never frees the slot or starts a plan in it, and never emits an
/// effect.
fn only_reads(machine: &Description, event: u16) -> bool {
    let mut its = machine.transitions.iter().filter(|one| one.event == event);
    its.all(|one| {
        let keeps = one.to.is_none() && matches!(one.next, Next::Same);
        keeps && one.writes.is_empty() && one.emits.is_empty()
    })
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl Modes {
    /// Combines the modes with the handlers that they all share.
    pub(super) fn new(mut modes: Vec<Mode>, in_every_mode: &[Arc<dyn AnyHandler>]) -> Self {
        for mode in &mut modes {
            mode.handlers.extend(in_every_mode.iter().cloned());
        }
        Self(modes)
    }

    /// Checks that no two modes have different machines of the same name. A session keeps its plans under the names of
    /// their machines when its conversation changes to another mode.
    ///
    /// # Errors
    ///
    /// If two modes have such machines.
    pub(super) fn check_names(&self) -> Result<(), HostError> {
        let mut known: Vec<(&Mode, &Description)> = Vec::new();
        let all = self
            .iter()
            .flat_map(|mode| mode.tables().map(move |table| (mode, table)));
        for (mode, table) in all {
            match known.iter().find(|(_, first)| first.name == table.name) {
                None => known.push((mode, table)),
                Some((_, first)) if first.fingerprint == table.fingerprint => {}
                Some((first, _)) => {
                    return Err(HostError::input(format!(
                        "the modes `{first}` and `{mode}` have different machines with the same name, `{}`: rename one of them",
                        table.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Returns all modes.
    pub fn iter(&self) -> impl Iterator<Item = &Mode> {
        self.0.iter()
    }

    /// Returns the names of all modes.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(Mode::name).collect()
    }

    /// Returns the mode with this name.
    ///
    /// # Errors
    ///
    /// If there is no such mode; the error lists the modes.
    pub fn named(&self, name: &str) -> Result<&Mode, HostError> {
        self.iter().find(|mode| mode.name == name).ok_or_else(|| {
            let names = self.names().join(", ");
            HostError::input(format!("unknown mode `{name}`; available modes: {names}"))
        })
    }

    /// Returns the modes that have a command with which the line starts.
    #[must_use]
    pub fn with(&self, line: &str) -> Vec<&Mode> {
        self.iter().filter(|mode| mode.has(line)).collect()
    }

    /// Returns whether a machine belongs to another mode. Its plans are then left alone until the conversation returns
    /// to that mode.
    pub(super) fn parks(&self, mode: &Mode, machine: &str) -> bool {
        let has = |one: &Mode| one.tables().any(|table| table.name == machine);
        !has(mode) && self.iter().any(has)
    }

    /// Returns the machines of a session in a mode, together with the host's tools. `gate` has the machines of the
    /// mode's session document, or no machines if the mode has no such document.
    pub(super) fn machines(
        &self,
        mode: &Mode,
        gate: GateBuilder,
        tools: &[ToolInfo],
    ) -> Result<MachineSet, Conflict> {
        let gate = mode
            .handlers
            .iter()
            .fold(gate, |gate, handler| handler.join(gate));
        let all = self.iter().flat_map(Mode::tables).map(|table| table.name);
        let others = all.filter(|machine| self.parks(mode, machine));
        let gate = others.fold(gate, GateBuilder::parks);
        let gate = tools.iter().fold(gate, |gate, tool| {
            gate.host_tool(tool.name, tool.description, tool.schema.clone())
        });
        // All commands begin with `/`, as the host's own commands do, even if the session document sets another prefix.
        let gate = gate.command_prefix(CommandPrefix::default());
        gate.ends_damaged_plans_by(END).join()
    }

    /// Returns the handlers of all modes, and each handler only once. Some replacements for missing handlers are
    /// omitted, because they do nothing.
    pub(super) fn all_handlers(&self) -> Vec<&dyn AnyHandler> {
        let plans = self.iter().map(|mode| &*mode.handlers[0]);
        let in_every_mode = self.0.first().into_iter();
        let in_every_mode =
            in_every_mode.flat_map(|mode| mode.handlers[1..].iter().map(|one| &**one));
        plans.chain(in_every_mode).collect()
    }

    /// Returns the handlers' own commands, and their descriptions.
    pub(super) fn commands(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
        let handlers = self.all_handlers().into_iter();
        handlers.flat_map(Attendant::commands)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::parts::{ContentFuture, Conversation, Handler};
    use super::*;
    use crate::lifecycles::{PlanBuilder, PlanMode, WorkByPlan};

    plan_machine::machine! {
        machine Paper;
        command begin = "/paper on";
        command leave = "/paper leave";
        command again = "/paper again";
        command status = "/paper status";
        tool drop_paper;
        tool next_paper;
        tool read_paper;
        tool end_paper;
        state none { on begin => WRITING; }
        state WRITING {
            on end_paper => DONE;
            on status { reply "It is being written."; }
            on read_paper { reply "It is being written."; }
        }
        final state DONE {
            on leave next none;
            on again next fresh WRITING;
            on drop_paper next none;
            on next_paper next fresh WRITING;
        }
    }

    struct Papers;

    impl Attendant for Papers {}

    impl Handler for Papers {
        type Machine = paper::Machine;

        fn effect<'a>(&'a self, _: &'a Conversation<'a>, _: paper::Effect) -> ContentFuture<'a> {
            Box::pin(async { Ok(Vec::new()) })
        }
    }

    #[test]
    fn an_event_that_only_frees_or_refills_the_slot_is_a_change() {
        let mode = Mode::new("papers", Arc::new(Papers));
        for tool in ["drop_paper", "next_paper", "end_paper"] {
            assert!(mode.changes_plans(tool), "{tool}");
        }
        assert!(!mode.changes_plans("read_paper"));
        for line in ["/paper leave", "/paper again"] {
            assert!(mode.asked_about(line).is_none(), "{line}");
        }
        assert!(mode.asked_about("/paper status").is_some());
    }

    /// Returns the modes of the shipped specs, without additional machines.
    pub(crate) fn modes_of_shipped_specs() -> Modes {
        let plans: [(_, Arc<dyn AnyHandler>); 3] = [
            ("work_by_plan", Arc::new(WorkByPlan::default())),
            ("plan_mode", Arc::new(PlanMode)),
            ("plan_builder", Arc::new(PlanBuilder::default())),
        ];
        let modes = plans.map(|(name, plans)| Mode::new(name, plans));
        Modes::new(modes.into(), &[])
    }
}
