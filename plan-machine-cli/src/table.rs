//! `plan-machine table`: how every state handles every event.

use std::path::PathBuf;

use plan_machine_compiler::emit;
use plan_machine_kernel::visible::visible;

use crate::output::{Exit, Failure, Out};
use crate::session::SessionDocument;
use crate::spec;

/// The maximum width of a line if the output is not a terminal.
const WIDTH: usize = 100;

/// Show how each state handles each event and each tool.
///
/// Prints two tables: states × events, and the tools that each state advertises, runs, records and denies. For a session
/// document, prints the tables of each machine.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine table work_by_plan.yaml")]
pub(crate) struct Args {
    /// The spec, or a session document.
    file: PathBuf,
    /// The maximum width of a line; by default, the width of the terminal, or 100.
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = args.width.or_else(terminal).unwrap_or(WIDTH);
    let mut out = Out::plain();
    let Some(document) = SessionDocument::read(&args.file)? else {
        let machine = spec::machine(&args.file)?;
        out.text(visible(&emit::table(&machine, width)))?;
        return Ok(Exit::Fine);
    };
    for (at, member) in document.into_session()?.members.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        out.line(format_args!(
            "{gap}{}: {}\n",
            member.name, member.machine.name
        ))?;
        out.text(visible(&emit::table(&member.machine, width)))?;
    }
    Ok(Exit::Fine)
}
