//! The user's commands: the command with the most literal words wins, and a shared command goes to every machine that
//! has it.

use std::error::Error;
use std::fmt;

use plan_machine_kernel::command::Pattern;
use plan_machine_kernel::messages;
use plan_machine_kernel::session::{OfferedCommand, takers};

use super::event_context::EventContext;
use super::limits;
use super::state::Gate;
use crate::core::description::{Description, EventKind};
use crate::dynamic::command::call_of_line;
use crate::dynamic::machine::{CallKind, Outcome};

/// One machine's answer to a command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandAnswer {
    /// The name of the machine.
    pub machine: String,
    /// The result of the event.
    pub outcome: Outcome,
}

/// The error for a line that is not a command of the session's machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCommand(String);

impl fmt::Display for UnknownCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for UnknownCommand {}

impl UnknownCommand {
    pub(super) fn new(message: String) -> Self {
        Self(message)
    }
}

impl Gate {
    /// Sends a line that the user typed to the machine whose command matches the line, or to all machines that share
    /// the command. A shared command is answered by the machines that accept it, or by all of them if none accepts it.
    ///
    /// # Errors
    ///
    /// If no command matches the line, or if the line is too long. If no command matches, the message names the most
    /// similar command, if there is one.
    pub fn command(
        &mut self,
        line: &str,
        around: &EventContext,
    ) -> Result<Vec<CommandAnswer>, UnknownCommand> {
        limits::text("the line", line).map_err(|invalid| UnknownCommand(invalid.to_string()))?;
        self.catch_up(around.now);
        let (takers, specified) = self.machines_for(line)?;
        let mut answers = Vec::new();
        for at in takers {
            let machine = &self.machines[at];
            let plans = machine.plans();
            let is_plan =
                |word: &str| plans.iter().any(|plan| plan.id == word) || self.has_given(word);
            let call =
                call_of_line(machine.description(), is_plan, &specified).map_err(UnknownCommand)?;
            let mut outcome = self.step(at, &call, around);
            self.reword_outcome(&mut outcome);
            let machine = self.machines[at].description().name.to_owned();
            answers.push((call.what, CommandAnswer { machine, outcome }));
        }
        let is_accepted =
            |(_, answer): &(CallKind, CommandAnswer)| !matches!(answer.outcome, Outcome::Denied(_));
        if answers.iter().any(is_accepted) && answers.len() > 1 {
            answers.retain(is_accepted);
        }
        // The event is logged under the name of the command, because a typed line may contain anything.
        for (CallKind::Event(event) | CallKind::HostTool(event), answer) in &answers {
            self.note_outcome(event, &answer.outcome);
        }
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }

    /// Returns the indices of the machines that a line is addressed to, and the line as specs write it.
    ///
    /// # Errors
    ///
    /// If no command matches the line; the message names the most similar command, if there is one.
    #[doc(hidden)]
    pub fn machines_for(&self, line: &str) -> Result<(Vec<usize>, String), UnknownCommand> {
        let specified = self.as_specified(line)?;
        let takers = self.takers(&specified).map_err(|UnknownCommand(message)| {
            let message = message.replacen(specified.trim(), line.trim(), 1);
            UnknownCommand(self.as_typed(&message).into_owned())
        })?;
        Ok((takers, specified.into_owned()))
    }

    /// Returns the machines that a line is addressed to: those whose commands match the line best.
    fn takers(&self, line: &str) -> Result<Vec<usize>, UnknownCommand> {
        let mut all: Vec<(usize, Pattern, bool)> = Vec::new();
        for (at, machine) in self.machines.iter().enumerate() {
            all.extend(
                patterns(machine.description())
                    .into_iter()
                    .map(|(pattern, shared)| (at, pattern, shared)),
            );
        }
        let offered: Vec<OfferedCommand<'_>> = all
            .iter()
            .map(|(machine, pattern, shared)| OfferedCommand {
                machine: *machine,
                pattern,
                shared: *shared,
            })
            .collect();
        let accepts = |at: usize, name: &str, word: &str| {
            let is_plan = || {
                let plans = self.machines[at].plans();
                plans.iter().any(|plan| plan.id == word) || self.has_given(word)
            };
            name != "plan_id" || is_plan()
        };
        let takers = takers(&offered, line, &accepts);
        if takers.is_empty() {
            let patterns = all.iter().map(|(_, pattern, _)| pattern);
            return Err(UnknownCommand(messages::no_command(line, patterns)));
        }
        Ok(takers)
    }
}

fn patterns(machine: &Description) -> Vec<(Pattern, bool)> {
    let commands = machine.events.iter().filter_map(|event| match event.kind {
        EventKind::Command { text, shared, .. } => Some((Pattern::parse(text).ok()?, shared)),
        _ => None,
    });
    commands.collect()
}
