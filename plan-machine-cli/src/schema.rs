//! `plan-machine schema`: the JSON schema of specs.

use plan_machine_compiler::syntax::yaml::json_schema;

use crate::output::{Exit, Failure, Out, pretty};

/// Print the JSON schema of spec files, for editors.
///
/// With it an editor completes keys, shows what they mean, and marks unknown ones while you type.
/// It knows shapes, not names: `check` tells the rest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  plan-machine schema > plan-machine.schema.json

Then begin a spec with this line, which VS Code's YAML extension and others understand:
  # yaml-language-server: $schema=./plan-machine.schema.json")]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    Out::plain().line(pretty(&json_schema()))?;
    Ok(Exit::Fine)
}
