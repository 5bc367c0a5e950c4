//! `plan-machine tools`: the tools that a model may call in a state.

use std::path::PathBuf;

use clap::ValueEnum;
use plan_machine_compiler::emit::json_schema;
use plan_machine_compiler::model::{EventId, StateId};
use plan_machine_compiler::session::Session;
use plan_machine_kernel::json::Json;

use crate::output::{Exit, Failure, Out, pretty};
use crate::session::SessionDocument;
use crate::{leaf, spec};

/// Show the tools that a state advertises, in the format of a model's API.
///
/// For a machine with many instances, these are the tools in a session with one plan in that state: the
/// tools of the state, and those of `none`.
///
/// For a session document, STATE is a list such as `work.COLLECTING,notes.OPEN`; the other machines have no plan. Tools
/// that another machine denies are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine tools work_by_plan.yaml COLLECTING --shape anthropic
  plan-machine tools coding.yaml work.COLLECTING,notes.OPEN")]
pub(crate) struct Args {
    /// The spec, or a session document.
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
    let shape = match args.shape {
        Shape::Openai => json_schema::Shape::OpenAi,
        Shape::Anthropic => json_schema::Shape::Anthropic,
        Shape::Mcp => json_schema::Shape::Mcp,
    };
    if let Some(document) = SessionDocument::read(&args.file)? {
        let session = document.into_session()?;
        let tools = of_session(&session, &args.state.leaves(&session)?, shape);
        Out::plain().line(pretty(&tools))?;
        return Ok(Exit::Fine);
    }
    let machine = spec::machine(&args.file)?;
    let state = args.state.leaf(&machine, "tools", &args.file)?;
    let mut tools: Vec<EventId> = machine.advertised(state);
    if machine.is_many() {
        tools.extend(machine.advertised(StateId::NONE));
        tools.sort_unstable();
        tools.dedup();
    }
    Out::plain().line(pretty(&json_schema::tools(&machine, &tools, shape)))?;
    Ok(Exit::Fine)
}

/// Returns the tools of all machines, machine by machine.
fn of_session(session: &Session, states: &[StateId], shape: json_schema::Shape) -> Json {
    let each = session.members.iter().zip(session.advertised(states));
    let lists = each.map(|(member, tools)| json_schema::tools(&member.machine, &tools, shape));
    let tools = lists.flat_map(|list| match list {
        Json::List(tools) => tools,
        _ => Vec::new(),
    });
    Json::List(tools.collect())
}
