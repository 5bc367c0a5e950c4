//! `plan-machine log end`: ends a plan that programs can no longer use.

use std::sync::Arc;

use plan_machine::gate::{EventContext, Gate};
use plan_machine_sessions::journal::Snapshot;
use plan_machine_sessions::{SessionIdentity, Sessions};

use super::open_store::Log;
use super::timeline::plain;
use crate::output::{Exit, Failure, Out};

/// End a damaged plan that blocks its session.
///
/// A plan is damaged if its record does not match the spec of its machine: a field is missing, or the
/// state is unknown. The machine then accepts no events, and its error messages name this command. The
/// journal keeps the plan as it was stored, and records who ended it and why. This command does not read
/// a spec, so it ends a plan even if the plan is not damaged: end such a plan with the commands of its
/// machine instead.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The session, as CHANNEL:CONVERSATION.
    session: String,
    /// The plan, such as plan-1.
    plan: String,
    /// The reason, which is stored in the journal.
    #[arg(long, value_name = "TEXT")]
    why: String,
    /// The actor who ends the plan, as stored in the journal.
    #[arg(long, value_name = "NAME", default_value = "plan-machine log")]
    actor: String,
    /// The machine of the plan, if several machines have a plan with this id.
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
}

pub(super) async fn run(log: &Log, args: &Args) -> Result<Exit, Failure> {
    if args.why.trim().is_empty() {
        return Err(
            Failure::usage("`--why` is blank").help("give the reason why the plan is being ended")
        );
    }
    let session = log.session(&args.session).await?;
    let machine = machine(log, &session, args).await?;
    let none = Gate::builder()
        .join()
        .map_err(|conflict| log.failed(conflict))?;
    let sessions = Sessions::new(Arc::clone(&log.store), none);
    let around = EventContext::now().by(args.actor.as_str());
    let ended = sessions.session(&session);
    let ended = ended
        .abandon(&machine, &args.plan, &args.why, &around)
        .await;
    let seq = ended.map_err(|error| log.failed(error))?;
    let mut out = Out::coloured();
    out.line(format_args!(
        "ended {} of {} in `{session}` with entry {seq}",
        plain(&args.plan),
        plain(&machine),
    ))?;
    Ok(Exit::Fine)
}

/// Returns the machine that the plan belongs to.
async fn machine(log: &Log, session: &SessionIdentity, args: &Args) -> Result<String, Failure> {
    let held = Snapshot::load(&*log.store, session).await;
    let held = held.map_err(|error| log.failed(error))?;
    let holds = |plan: &str| -> Vec<String> {
        let holdings = held.holdings.iter();
        let named = holdings.filter(|holding| {
            let wanted = args
                .machine
                .as_ref()
                .is_none_or(|name| *name == holding.machine);
            wanted && holding.stored.plans.iter().any(|known| known.id == plan)
        });
        named.map(|holding| holding.machine.clone()).collect()
    };
    match &holds(&args.plan)[..] {
        [machine] => Ok(machine.clone()),
        [] => {
            let plans = held
                .holdings
                .iter()
                .flat_map(|holding| &holding.stored.plans);
            let plans: Vec<String> = plans.map(|plan| plain(plan.id.as_str())).collect();
            let there = if plans.is_empty() {
                "the session has no plans".to_owned()
            } else {
                format!("plans in the session: {}", plans.join(", "))
            };
            let missing = format!("`{session}` has no plan `{}`", plain(&args.plan));
            Err(Failure::usage(missing).help(there))
        }
        several => {
            let unclear = format!("{} each have a plan `{}`", several.join(" and "), args.plan);
            Err(Failure::usage(unclear).help("choose one with `--machine NAME`"))
        }
    }
}
