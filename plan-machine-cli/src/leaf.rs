//! `--state NAME`: the state that a command is about.

use plan_machine_compiler::model::{Machine, StateId};

use crate::output::{Failure, did_you_mean};

/// The leaf of a name, `none` included.
pub(crate) fn named(machine: &Machine, name: &str) -> Result<StateId, Failure> {
    let names = |ids: Vec<StateId>| {
        let names = ids.into_iter().map(|id| machine.state(id).name.as_str());
        names.collect::<Vec<&str>>().join(", ")
    };
    let Some(state) = machine.state_named(name) else {
        let known = machine.states.iter().map(|state| state.name.as_str());
        let near = did_you_mean(name, known);
        let message = format!("{} has no state `{name}`{near}", machine.name);
        let leaves = names(machine.leaves().collect());
        return Err(Failure::usage(message).help(format!("its states are {leaves}")));
    };
    if machine.state(state).is_leaf() {
        return Ok(state);
    }
    let leaves = names(machine.leaves_under(state));
    let message = format!("`{name}` holds other states, and a plan is always in one of those");
    Err(Failure::usage(message).help(format!("name one of {leaves}")))
}
