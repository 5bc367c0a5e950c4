//! `plan-machine prompt`: what a model is told in a state.

use std::path::PathBuf;

use crate::output::{ASIDE, Exit, Failure, Out, complain, styled};
use crate::{leaf, spec};

/// Show the prompt text of a state, with what it inherits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine prompt work_by_plan.yaml --state COLLECTING")]
pub(crate) struct Args {
    /// The spec.
    file: PathBuf,
    /// The state: one that a plan can be in, or `none`.
    #[arg(long, value_name = "NAME")]
    state: String,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let machine = spec::machine(&args.file)?;
    let state = leaf::named(&machine, &args.state)?;
    let prompt = machine.prompt(state);
    if prompt.is_empty() {
        let note = styled(ASIDE, "note");
        complain(format_args!("{note}: {} has no prompt", args.state));
        return Ok(Exit::Fine);
    }
    let end = if prompt.ends_with('\n') { "" } else { "\n" };
    Out::plain().text(prompt + end)?;
    Ok(Exit::Fine)
}
