//! A call that comes again is answered as it was the first time.

use std::collections::HashMap;

use plan_machine_kernel::json::Json;

use super::commit::Keep;
use super::error::{SessionError, Unreadable};
use super::identity::SessionIdentity;
use super::load;
use crate::gate::{Answer, Decision, Surroundings};
use crate::host_tool::HostTool;
use crate::journal::{Answered, Kept, Misread};
use crate::machine::{Denial, Outcome, Taken};
use crate::store::{Given, Store};

/// What was answered to a call.
#[derive(Clone, Debug)]
pub(super) enum Was {
    Taken {
        machine: String,
        taken: Taken,
        recorded: bool,
    },
    Run {
        tool: String,
        args: Json,
        state: String,
    },
    Denied {
        machine: String,
        denial: Denial,
    },
}

impl Was {
    pub(super) fn decision(self) -> Decision {
        match self {
            Was::Taken {
                machine,
                taken,
                recorded: true,
            } => Decision::Recorded {
                machine: machine.into(),
                taken,
            },
            Was::Taken {
                machine,
                taken,
                recorded: false,
            } => Decision::Applied {
                machine: machine.into(),
                taken,
            },
            Was::Run { tool, args, .. } => Decision::Run(HostTool::new(tool, args)),
            Was::Denied { denial, .. } => Decision::Denied(denial),
        }
    }

    pub(super) fn answer(self) -> Answer {
        let (machine, outcome) = match self {
            Was::Taken { machine, taken, .. } => (machine, Outcome::Accepted(Box::new(taken))),
            Was::Run { tool, state, .. } => (String::new(), Outcome::Run { tool, state }),
            Was::Denied { machine, denial } => (machine, Outcome::Denied(denial)),
        };
        Answer { machine, outcome }
    }
}

/// What was answered to calls of these ids.
pub(super) async fn look_up(
    store: &dyn Store,
    session: &SessionIdentity,
    call_ids: &[&str],
) -> Result<HashMap<String, Vec<Was>>, SessionError> {
    let mut found = HashMap::new();
    for id in call_ids {
        if let Some(given) = store.answer(session, id).await? {
            found.insert((*id).to_owned(), resolve(store, session, &given).await?);
        }
    }
    Ok(found)
}

async fn resolve(
    store: &dyn Store,
    session: &SessionIdentity,
    given: &Given,
) -> Result<Vec<Was>, SessionError> {
    let altered = |seq: u64, problem: String| SessionError::Unreadable {
        session: session.clone(),
        why: Unreadable::Altered { seq, problem },
    };
    if !given.is_whole(session) {
        let problem = format!(
            "the answer to the call `{}` is not as it was written",
            given.call_id
        );
        return Err(altered(given.seq, problem));
    }
    let kept = Answered::read(&given.body).map_err(|why| match why {
        Misread::Newer { found } => SessionError::Unreadable {
            session: session.clone(),
            why: Unreadable::NewerFormat {
                seq: given.seq,
                found,
            },
        },
        other => altered(given.seq, other.to_string()),
    })?;
    let mut all = Vec::new();
    for kept in kept.answers {
        all.push(match kept {
            Kept::Read { machine, taken } => Was::Taken {
                machine,
                taken,
                recorded: false,
            },
            Kept::Run { tool, args, state } => Was::Run { tool, args, state },
            Kept::Denied { machine, denial } => Was::Denied { machine, denial },
            Kept::Entry {
                machine,
                seq,
                recorded,
            } => {
                let rows = store.history(session, seq.saturating_sub(1), 1).await?;
                let entries = load::entries(store, session, &rows).await?;
                let entry = entries.into_iter().find(|entry| entry.seq == seq);
                let entry = entry.ok_or_else(|| altered(seq, "it is missing".to_owned()))?;
                Was::Taken {
                    machine,
                    taken: entry.step.taken,
                    recorded,
                }
            }
        });
    }
    Ok(all)
}

/// The answers to a call as they are kept.
pub(super) fn keep(call_id: &str, what: &str, around: &Surroundings, answers: Vec<Kept>) -> Keep {
    let answered = Answered {
        at: around.now,
        actor: around.actor.clone(),
        call: what.to_owned(),
        answers,
    };
    Keep {
        call_id: call_id.to_owned(),
        body: answered.to_text(),
    }
}
