//! The command `plan-machine`: checks, runs, draws and explains the specs of agents' plans.
//!
//! This is a thin wrapper: most commands read a spec, call the compiler, and print the result; the others use stores or
//! the gate of an agent. There is one file or folder per command; [`output`] contains the shared code for printing,
//! failures and the exit status, [`spec`] reads specs, and [`store`] opens stores.

mod agents;
mod check;
mod classify;
mod diagram;
mod diff;
mod expand;
mod explain;
mod generate;
mod leaf;
mod lines;
mod log;
mod mutate;
mod new;
mod output;
mod prompt;
mod run;
mod rust;
mod schema;
mod session;
mod spec;
mod store;
mod table;
mod test;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use output::{Exit, Failure};

/// Check, run and draw the specs of agents' plans.
///
/// A spec defines the lifecycle of a plan (drafted, approved and carried out) and which tools a
/// model may use in each state. Some commands report the errors of a spec, run it, and draw it.
/// Other commands install a gate for coding agents, and show stored sessions.
#[derive(Debug, Parser)]
#[command(name = "plan-machine", version, after_long_help = FIRST_STEPS, after_help = "`plan-machine --help` shows the first steps.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const FIRST_STEPS: &str = "\
First steps:
  1. Write a spec, note.yaml:

       machine: Note
       data: { text: string? }
       commands: { begin: /note, end: /done }
       tools:
         write: { doc: Store the text of the note., input: { text: string } }
       states:
         none: { on: { begin: OPEN } }
         OPEN:
           on:
             write: { set: { text: event.text } }
             end: { to: CLOSED, next: none }
         CLOSED: { final: true }

  2. Check the spec:       plan-machine check note.yaml
  3. Draw its states:      plan-machine diagram note.yaml --format svg -o note.svg
     or print a table:     plan-machine table note.yaml
  4. Run it, and type      plan-machine run note.yaml
     /note and then ?

Exit status: 0 success; 1 a problem was found, such as a spec with errors, a scenario that fails,
a mutant that survives or a damaged session; 2 wrong usage, or a file that cannot be read.";

#[derive(Debug, Subcommand)]
enum Command {
    New(new::Args),
    Check(check::Args),
    Classify(classify::Args),
    Run(run::Args),
    Log(log::Args),
    Test(test::Args),
    Mutate(mutate::Args),
    Diagram(diagram::Args),
    Table(table::Args),
    Tools(tools::Args),
    Prompt(prompt::Args),
    Expand(expand::Args),
    Generate(generate::Args),
    Diff(diff::Args),
    Explain(explain::Args),
    Schema(schema::Args),
    Init(agents::init::Args),
    Doctor(agents::doctor::Args),
    Hook(agents::hook::Args),
    #[cfg(feature = "mcp")]
    Mcp(agents::mcp::Args),
    Status(agents::status::Args),
    Approve(agents::approve::Args),
    Reject(agents::reject::Args),
    #[command(name = "command")]
    Typed(agents::command::Args),
    Trust(agents::trust::Args),
    #[cfg(feature = "server")]
    Serve(agents::serve::Args),
}

fn dispatch(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::New(args) => new::run(args),
        Command::Check(args) => check::run(args),
        Command::Classify(args) => classify::run(args),
        Command::Run(args) => run::run(args),
        Command::Log(args) => log::run(args),
        Command::Test(args) => test::run(args),
        Command::Mutate(args) => mutate::run(args),
        Command::Diagram(args) => diagram::run(args),
        Command::Table(args) => table::run(args),
        Command::Tools(args) => tools::run(args),
        Command::Prompt(args) => prompt::run(args),
        Command::Expand(args) => expand::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Init(args) => agents::init::run(args),
        Command::Doctor(args) => agents::doctor::run(args),
        Command::Hook(args) => agents::hook::run(args),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => agents::mcp::run(args),
        Command::Status(args) => agents::status::run(args),
        Command::Approve(args) => agents::approve::run(args),
        Command::Reject(args) => agents::reject::run(args),
        Command::Typed(args) => agents::command::run(args),
        Command::Trust(args) => agents::trust::run(args),
        #[cfg(feature = "server")]
        Command::Serve(args) => agents::serve::run(args),
    }
}

fn main() -> ExitCode {
    dispatch(&Cli::parse().command)
        .unwrap_or_else(|failure| failure.tell())
        .into()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            let example = format!("plan-machine {}", command.get_name());
            assert!(
                help.is_some_and(|help| help.contains(&example)),
                "{} has no example",
                command.get_name()
            );
        }
    }
}
