//! The state named on the command line.

use std::path::Path;

use plan_machine_compiler::model::{Machine, StateId};
use plan_machine_compiler::session::Session;

use crate::output::{Failure, did_you_mean};

/// The argument of commands that refer to one state.
#[derive(Debug, clap::Args)]
pub(crate) struct StateArgs {
    /// The state: one that a plan can be in, or `none`.
    #[arg(value_name = "STATE")]
    state: Option<String>,
    /// The state, given as an option instead of an argument.
    #[arg(
        long = "state",
        value_name = "STATE",
        conflicts_with = "state",
        hide = true
    )]
    option: Option<String>,
}

impl StateArgs {
    /// Returns the named state; `command` is the command that needs the state.
    pub(crate) fn leaf(
        &self,
        machine: &Machine,
        command: &str,
        file: &Path,
    ) -> Result<StateId, Failure> {
        match self.state.as_ref().or(self.option.as_ref()) {
            Some(name) => named(machine, name),
            None => Err(missing(machine, command, file)),
        }
    }
}

impl StateArgs {
    /// Returns the state of each machine of a session; machines that are not named have no plan.
    pub(crate) fn leaves(&self, session: &Session) -> Result<Vec<StateId>, Failure> {
        let mut states = vec![StateId::NONE; session.members.len()];
        let written = self.state.as_ref().or(self.option.as_ref());
        for part in written.into_iter().flat_map(|all| all.split(',')) {
            let Some((machine, state)) = part.trim().split_once('.') else {
                let message = format!("`{part}` is not a state of a machine");
                let help = "write `MACHINE.STATE`, and separate several with commas";
                return Err(Failure::usage(message).help(help));
            };
            let Some(at) = session.position(machine) else {
                let known = session.members.iter().map(|member| member.name.as_str());
                let near = did_you_mean(machine, known);
                let message = format!("{} has no machine `{machine}`{near}", session.name);
                return Err(Failure::usage(message));
            };
            states[at] = named(session.machine(at), state)?;
        }
        Ok(states)
    }
}

/// Returns the leaf state with this name, which may be `none`.
fn named(machine: &Machine, name: &str) -> Result<StateId, Failure> {
    let Some(state) = machine.state_named(name) else {
        let known = machine.states.iter().map(|state| state.name.as_str());
        let near = did_you_mean(name, known);
        let message = format!("{} has no state `{name}`{near}", machine.name);
        let leaves = names(machine, machine.leaves());
        return Err(Failure::usage(message).help(format!("available states: {leaves}")));
    };
    if machine.state(state).is_leaf() {
        return Ok(state);
    }
    let leaves = names(machine, machine.leaves_under(state).into_iter());
    let message = format!("`{name}` contains other states, so a plan is never in `{name}` itself");
    Err(Failure::usage(message).help(format!("leaf states in `{name}`: {leaves}")))
}

/// Returns the error for a command line that does not name a state.
fn missing(machine: &Machine, command: &str, file: &Path) -> Failure {
    let leaves = names(machine, machine.leaves());
    let first = machine
        .leaves()
        .find(|leaf| !machine.prompt(*leaf).is_empty());
    let example = &machine.state(first.unwrap_or(StateId::NONE)).name;
    Failure::usage(format!("expected a state of {}: {leaves}", machine.name)).help(format!(
        "name a state, for example: `plan-machine {command} {} {example}`",
        file.display()
    ))
}

/// Formats the names of states as a comma-separated list.
pub(crate) fn names(machine: &Machine, ids: impl Iterator<Item = StateId>) -> String {
    let names = ids.map(|id| machine.state(id).name.as_str());
    names.collect::<Vec<&str>>().join(", ")
}
