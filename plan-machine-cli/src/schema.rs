//! `plan-machine schema`: the JSON schema of specs.

use plan_machine_compiler::{calls, scopes, session, syntax::yaml};

use crate::output::{Exit, Failure, Out, pretty};

/// Print the JSON schema of spec files, for editors.
///
/// With the schema, an editor completes keys, shows their descriptions, and marks unknown keys while you
/// type. The schema does not check names, such as those of states and events: `check` does.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine schema > plan-machine.schema.json
  plan-machine schema --scopes > plan-machine-scopes.schema.json
  plan-machine schema --calls > plan-machine-calls.schema.json
  plan-machine schema --session > plan-machine-session.schema.json

Then begin a spec with this line, which VS Code's YAML extension and others understand:
  # yaml-language-server: $schema=./plan-machine.schema.json")]
pub(crate) struct Args {
    /// Print the schema of scopes documents instead.
    #[arg(long)]
    scopes: bool,
    /// Print the schema of calls documents instead.
    #[arg(long, conflicts_with = "scopes")]
    calls: bool,
    /// Print the schema of session documents instead.
    #[arg(long, conflicts_with_all = ["scopes", "calls"])]
    session: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let schema = if args.scopes {
        scopes::json_schema()
    } else if args.calls {
        calls::json_schema()
    } else if args.session {
        session::json_schema()
    } else {
        yaml::json_schema()
    };
    Out::plain().line(pretty(&schema))?;
    Ok(Exit::Fine)
}
