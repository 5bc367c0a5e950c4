//! `plan-machine prompt`: the prompt of a state.

use std::path::PathBuf;

use plan_machine_compiler::model::StateId;
use plan_machine_compiler::session::Session;

use crate::output::{ASIDE, Exit, Failure, Out, complain, styled};
use crate::session::SessionDocument;
use crate::{leaf, spec};

/// Show the prompt of a state, including the prompts that it inherits.
///
/// For a session document, STATE is a list such as `work.COLLECTING,notes.OPEN`; the other machines have no plan. Shows
/// the prompts of all machines, as the gate of the session returns them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine prompt work_by_plan.yaml COLLECTING
  plan-machine prompt coding.yaml work.COLLECTING,notes.OPEN")]
pub(crate) struct Args {
    /// The spec, or a session document.
    file: PathBuf,
    #[command(flatten)]
    state: leaf::StateArgs,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    if let Some(document) = SessionDocument::read(&args.file)? {
        let session = document.into_session()?;
        return joint(&session, &args.state.leaves(&session)?);
    }
    let machine = spec::machine(&args.file)?;
    let state = args.state.leaf(&machine, "prompt", &args.file)?;
    let (name, prompt) = (&machine.state(state).name, machine.prompt(state));
    if prompt.is_empty() {
        let spoken = machine
            .leaves()
            .filter(|leaf| !machine.prompt(*leaf).is_empty());
        let spoken = leaf::names(&machine, spoken);
        no_prompt(&format!("the state `{name}` has no prompt"), &spoken);
        return Ok(Exit::Fine);
    }
    show(&[prompt])
}

/// Shows the prompts of a session whose machines are in these states.
fn joint(session: &Session, states: &[StateId]) -> Result<Exit, Failure> {
    let prompts = of_session(session, states);
    if prompts.is_empty() {
        let spoken = session.members.iter().flat_map(|member| {
            let machine = &member.machine;
            let leaves = machine.leaves();
            let spoken = leaves.filter(move |leaf| !machine.prompt(*leaf).is_empty());
            spoken.map(move |leaf| format!("{}.{}", member.name, machine.state(leaf).name))
        });
        let spoken = spoken.collect::<Vec<String>>().join(", ");
        no_prompt("no machine has a prompt in these states", &spoken);
        return Ok(Exit::Fine);
    }
    show(&prompts)
}

/// Returns the prompts of all machines, machine by machine. As in a gate, a machine with many plans also has the prompt
/// of `none`.
fn of_session(session: &Session, states: &[StateId]) -> Vec<String> {
    let mut prompts = Vec::new();
    for (member, state) in session.members.iter().zip(states) {
        let machine = &member.machine;
        let none = machine.is_many() && *state != StateId::NONE;
        let states = none.then_some(StateId::NONE).into_iter().chain([*state]);
        let texts = states.map(|state| machine.prompt(state));
        prompts.extend(texts.filter(|text| !text.is_empty()));
    }
    prompts.dedup();
    prompts
}

/// Prints prompts, with an empty line between two of them.
fn show(prompts: &[String]) -> Result<Exit, Failure> {
    let mut out = Out::plain();
    for (at, prompt) in prompts.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let end = if prompt.ends_with('\n') { "" } else { "\n" };
        out.text(format_args!("{gap}{prompt}{end}"))?;
    }
    Ok(Exit::Fine)
}

/// Says that there is no prompt, and names the states that have one.
fn no_prompt(problem: &str, spoken: &str) {
    let note = styled(ASIDE, "note");
    complain(format_args!("{note}: {problem}"));
    if !spoken.is_empty() {
        complain(format_args!("  help: states with a prompt: {spoken}"));
    }
}
