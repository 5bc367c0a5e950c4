//! `plan-machine prompt`: the prompt of a state.

use std::path::PathBuf;

use crate::output::{ASIDE, Exit, Failure, Out, complain, styled};
use crate::{leaf, spec};

/// Show the prompt of a state, including the prompts that it inherits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine prompt work_by_plan.yaml COLLECTING")]
pub(crate) struct Args {
    /// The spec.
    file: PathBuf,
    #[command(flatten)]
    state: leaf::StateArgs,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let machine = spec::machine(&args.file)?;
    let state = args.state.leaf(&machine, "prompt", &args.file)?;
    let (name, prompt) = (&machine.state(state).name, machine.prompt(state));
    if prompt.is_empty() {
        let note = styled(ASIDE, "note");
        complain(format_args!("{note}: the state `{name}` has no prompt"));
        let spoken = machine
            .leaves()
            .filter(|leaf| !machine.prompt(*leaf).is_empty());
        let spoken = leaf::names(&machine, spoken);
        if !spoken.is_empty() {
            complain(format_args!("  help: states with a prompt: {spoken}"));
        }
        return Ok(Exit::Fine);
    }
    let end = if prompt.ends_with('\n') { "" } else { "\n" };
    Out::plain().text(prompt + end)?;
    Ok(Exit::Fine)
}
