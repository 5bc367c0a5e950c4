//! `plan-machine table`: how every state handles every event.

use std::path::PathBuf;

use plan_machine_compiler::emit;
use plan_machine_kernel::visible::visible;

use crate::output::{Exit, Failure, Out};
use crate::spec;

/// The width if the output is not a terminal.
const WIDTH: usize = 100;

/// Show what each state does with each event, and what happens to each tool.
///
/// Two tables: state × event, and which tools a state advertises, runs, records and denies.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine table work_by_plan.yaml")]
pub(crate) struct Args {
    /// The spec.
    file: PathBuf,
    /// The longest line; by default the terminal's width, or 100.
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let machine = spec::machine(&args.file)?;
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = args.width.or_else(terminal).unwrap_or(WIDTH);
    Out::plain().text(visible(&emit::table(&machine, width)))?;
    Ok(Exit::Fine)
}
