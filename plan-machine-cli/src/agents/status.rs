//! `plan-machine status`: what the agents' sessions are doing, and which plans wait for a person.

use std::io::{self, IsTerminal as _};

use plan_machine_agents::agents;
use plan_machine_agents::ancestors::Ancestry;
use plan_machine_agents::audit;
use plan_machine_agents::keeper::{Delivery, Keeper, SessionView};
use plan_machine_kernel::denial::DenialKind;

use super::site::{Place, failed, failed_files, session};
use crate::output::{Exit, Failure, Out, count, time};

/// The maximum number of sessions without a waiting plan that are listed.
const LISTED: usize = 20;

/// Show the sessions of a project's agents, and the plans that wait for you.
///
/// A plan can be approved only after it was shown to you. It counts as shown if this command prints it on a terminal
/// that was not started by an agent.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine status
  plan-machine status --session codex:019a8e3e-5b7c")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// Show only this session.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// List the calls that were denied.
    #[arg(long)]
    denied: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    if args.denied {
        return denied(args);
    }
    let chosen = args.session.as_deref().map(session).transpose()?;
    args.place.with_keeper(async |keeper| {
        let sessions = match chosen {
            Some(session) => vec![session],
            None => keeper
                .all_sessions()
                .await
                .map_err(|error| failed(&error))?,
        };
        let is_one = args.session.is_some();
        let (mut waiting, mut others) = (Vec::new(), Vec::new());
        for session in &sessions {
            let view = keeper.view(session).await.map_err(|error| failed(&error))?;
            if view.cards.is_empty() && !is_one {
                others.push(view);
            } else {
                waiting.push(view);
            }
        }
        show(keeper, &waiting, &others)
    })
}

fn show(keeper: &Keeper, waiting: &[SessionView], others: &[SessionView]) -> Result<Exit, Failure> {
    let mut out = Out::coloured();
    for view in waiting {
        out.line(format_args!("{}", view.session))?;
        for line in view.states.lines().chain(view.problem.as_deref()) {
            out.line(format_args!("  {line}"))?;
        }
        for card in &view.cards {
            out.line(format_args!("\n{}\n", card.terminal_text))?;
        }
    }
    let surplus = others.len().saturating_sub(LISTED);
    for view in &others[surplus..] {
        let states = view.problem.as_deref().unwrap_or(&view.states);
        out.line(format_args!(
            "{}  {}",
            view.session,
            states.replace('\n', ", ")
        ))?;
    }
    if surplus > 0 {
        out.line(format_args!("… and {}", count(surplus, "other session")))?;
    }
    if waiting.is_empty() && others.is_empty() {
        out.line("no sessions yet")?;
    }
    out.flush()?;
    if !out.is_gone() {
        deliver(keeper, waiting)?;
    }
    Ok(Exit::Fine)
}

/// Records that the cards were shown, if a person has seen them.
fn deliver(keeper: &Keeper, waiting: &[SessionView]) -> Result<(), Failure> {
    let is_person = || agents::run_by(&Ancestry::current()).is_none();
    if !io::stdout().is_terminal() || !is_person() {
        return Ok(());
    }
    let mut deliveries = Vec::new();
    for view in waiting {
        let cards = view.cards.iter();
        deliveries.extend(cards.map(|card| Delivery::of(&view.session, card, "terminal")));
    }
    let stored = keeper.delivered(&deliveries);
    stored.map_err(|error| failed_files(&error))
}

/// Lists the denied calls.
fn denied(args: &Args) -> Result<Exit, Failure> {
    let (_, site) = args.place.site()?;
    let calls =
        audit::read(&site.state.join("audit.jsonl")).map_err(|error| failed_files(&error))?;
    let mut out = Out::coloured();
    for call in calls {
        if args
            .session
            .as_ref()
            .is_some_and(|session| *session != call.session)
        {
            continue;
        }
        let (at, session, actor) = (time(call.at), &call.session, &call.actor);
        out.line(format_args!(
            "{at}  {session}  {actor}  {} {}",
            call.tool, call.args
        ))?;
        let reason = in_words(&call.reason).replace('\n', "\n    ");
        out.line(format_args!("    {reason}"))?;
    }
    out.flush()?;
    Ok(Exit::Fine)
}

/// Returns the reason for a denial without the kind of the denial, because the kind only helps models.
fn in_words(reason: &str) -> &str {
    let known = |kind: &str| DenialKind::ALL.iter().any(|one| one.as_str() == kind);
    match reason.split_once(": ") {
        Some((kind, text)) if known(kind) => text,
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn a_reason_for_a_person_does_not_begin_with_the_kind_of_the_denial() {
        assert_eq!(in_words("not_allowed: Only reads run."), "Only reads run.");
        assert_eq!(in_words("rule 3: `rm`"), "rule 3: `rm`");
    }
}
