//! `plan-machine tools`: the tools that a model may call in a state.

use std::path::PathBuf;

use clap::ValueEnum;
use plan_machine_compiler::emit::json_schema;
use plan_machine_compiler::model::{EventId, StateId};

use crate::output::{Exit, Failure, Out, pretty};
use crate::{leaf, spec};

/// Show the tools that a state advertises, in the format of a model's API.
///
/// For a machine with many instances, these are the tools in a session with one plan in that state: the
/// tools of the state, and those of `none`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine tools work_by_plan.yaml COLLECTING --shape anthropic")]
pub(crate) struct Args {
    /// The spec.
    file: PathBuf,
    #[command(flatten)]
    state: leaf::StateArgs,
    /// The API whose format is used.
    #[arg(long, value_enum, default_value_t = Shape::Openai)]
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    Openai,
    Anthropic,
    Mcp,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let machine = spec::machine(&args.file)?;
    let state = args.state.leaf(&machine, "tools", &args.file)?;
    let mut tools: Vec<EventId> = machine.advertised(state);
    if machine.is_many() {
        tools.extend(machine.advertised(StateId::NONE));
        tools.sort_unstable();
        tools.dedup();
    }
    let shape = match args.shape {
        Shape::Openai => json_schema::Shape::OpenAi,
        Shape::Anthropic => json_schema::Shape::Anthropic,
        Shape::Mcp => json_schema::Shape::Mcp,
    };
    Out::plain().line(pretty(&json_schema::tools(&machine, &tools, shape)))?;
    Ok(Exit::Fine)
}
