//! `plan-machine doctor`: checks that the gate works.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use plan_machine_agents::agents::AGENTS;
use plan_machine_agents::doctor::{self, Finding, Status};
use plan_machine_agents::install::{InstallRecord, Scope};

use super::init::{Places, failed};
use super::site::failed_files;
use crate::output::{ASIDE, BAD, Exit, Failure, GOOD, Out, WARN, styled};

/// Check that the gate works.
///
/// A gate that is missing looks like a gate that allows everything. This command checks the configuration, the hook,
/// the documents and the store, and asks the agent itself, if the agent can answer without a model. There is one line
/// for each check. The line says what is wrong and how to fix it, or what to do next, such as starting the agent so
/// that it calls the hook once. The exit status is 0 only if no check finds a problem.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine doctor
  plan-machine doctor --agent codex")]
pub(crate) struct Args {
    /// The agent; by default, every agent for which the gate is installed.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(AGENTS.map(|agent| agent.name())))]
    agent: Option<String>,
    /// Check the configuration of the user.
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// The project folder; by default, the current folder.
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let places = Places::find(args.project.as_deref())?;
    let scope = if args.user {
        Scope::User
    } else {
        Scope::Project
    };
    let names = match &args.agent {
        Some(name) => vec![name.clone()],
        None => installed(&places, scope)?,
    };
    let mut out = Out::coloured();
    let (mut is_well, mut is_pending) = (true, false);
    for name in &names {
        let target = places.target(name, scope)?;
        let site = target.site().map_err(|error| failed(&error))?;
        for finding in doctor::examine(&target, &site) {
            is_well &= finding.status != Status::Wrong;
            is_pending |= finding.status == Status::Pending;
            show(name, &finding, &mut out)?;
        }
    }
    match (is_well, is_pending) {
        (true, false) => out.line(styled(GOOD, "no problems found"))?,
        (true, true) => out.line(styled(
            WARN,
            "no problems found so far; do what is marked with `next`, and run this command again",
        ))?,
        (false, _) => {}
    }
    out.flush()?;
    Ok(Exit::of(is_well))
}

/// Returns the agents for which the gate is installed.
fn installed(places: &Places, scope: Scope) -> Result<Vec<String>, Failure> {
    let any = places.target(AGENTS[0].name(), scope)?;
    let site = any.site().map_err(|error| failed(&error))?;
    let record = InstallRecord::read(&site).map_err(|error| failed_files(&error))?;
    if record.agents.is_empty() {
        let none = Failure::usage("no agent is gated here");
        return Err(none.help("`plan-machine init --agent NAME` gates an agent; `plan-machine doctor --user` checks the user configuration"));
    }
    Ok(record.agents)
}

fn show(agent: &str, finding: &Finding, out: &mut Out<'_>) -> Result<(), Failure> {
    let mark = match finding.status {
        Status::Well => styled(GOOD, "ok   "),
        Status::Pending => styled(WARN, "next "),
        Status::Skipped => styled(ASIDE, "-    "),
        Status::Wrong => styled(BAD, "WRONG"),
    };
    let fix = match (finding.fix.as_str(), finding.status) {
        ("", _) => String::new(),
        (next, Status::Pending) => format!("; {next}"),
        (fix, _) => format!("; {}: {fix}", styled(ASIDE, "fix")),
    };
    out.line(format_args!(
        "{mark} {agent} {}: {}{fix}",
        finding.check, finding.found
    ))?;
    Ok(())
}
