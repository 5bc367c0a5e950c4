//! Handles repeated calls. A call that is repeated with the same id gets the same answer as the first time; a different
//! call with that id is refused.

use std::collections::HashMap;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::digest::sha256_hex;
use plan_machine_kernel::json::{Json, Object};

use super::draft::Keep;
use crate::error::{SessionError, UnreadableReason};
use crate::identity::SessionIdentity;
use crate::journal::{AnswerRecord, CallDigest, Entry, MachineAnswer, ReadError, Sender, SentCall};
use crate::read;
use crate::store::{Store, StoredAnswer};
use plan_machine::description::{Description, EventKind};
use plan_machine::gate::{CommandAnswer, Decision, EarlierDecision, EventContext, ToolCall};
use plan_machine::machine::{Acceptance, Call, CallKind, Denial, Outcome, ShownToken};

/// The id of a call, together with its sender: the ids of different senders are unrelated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CallKey {
    pub(super) sender: Sender,
    pub(super) id: String,
}

impl CallKey {
    pub(super) fn new(sender: Sender, id: &str) -> Self {
        Self {
            sender,
            id: id.to_owned(),
        }
    }

    /// Returns the key under which the answer is stored.
    fn stored(&self) -> String {
        self.sender.key(&self.id)
    }
}

/// The parts of a call that must be the same when the call is repeated.
#[derive(Clone, Debug)]
pub(super) struct CallContent {
    /// The name of the event or tool, or the typed line. It is also stored with the answer.
    name: String,
    /// The arguments as a journal stores them; `None` for a typed line, which has no separate arguments.
    args: Option<Object>,
    digest: CallDigest,
}

impl CallContent {
    /// Returns the parts that must be the same when a model repeats a call.
    pub(super) fn tool(call: &ToolCall) -> Self {
        let all = Object::from_iter([
            ("tool", Json::from(call.name.as_str())),
            ("with", call.args.clone().into()),
        ]);
        Self::of(&call.name, Some(call.args.clone()), all)
    }

    /// Returns the parts that must be the same when a person repeats a typed line.
    pub(super) fn line(line: &str) -> Self {
        Self::of(line, None, Object::from_iter([("line", line)]))
    }

    /// Returns the parts that must be the same when an event is sent to one machine again.
    pub(super) fn event(machine: &str, call: &Call) -> Self {
        let (kind, name) = match &call.what {
            CallKind::Event(name) => ("do", name),
            CallKind::HostTool(name) => ("tool", name),
        };
        let mut all = Object::new();
        all.push("machine", machine);
        all.push(kind, &**name);
        all.push("with", call.with.clone());
        if let Some(plan) = &call.plan_id {
            all.push("plan_id", plan.as_str());
        }
        if let Some(revision) = call.expect_revision {
            all.push("expect_revision", revision);
        }
        match &call.token {
            ShownToken::Missing => {}
            ShownToken::Current => all.push("token", true),
            ShownToken::Shown(token) => all.push("token", token.as_str()),
        }
        Self::of(name, Some(call.with.clone()), all)
    }

    fn of(name: &str, args: Option<Object>, all: Object) -> Self {
        Self {
            name: name.to_owned(),
            args,
            digest: CallDigest(sha256_hex(&Json::from(all).canonical())),
        }
    }
}

/// Returns the kind of sender that an event comes from: people send commands, the host sends signals, and models send
/// all other events.
pub(super) fn sender(machine: &Description, what: &CallKind) -> Sender {
    let (CallKind::Event(name) | CallKind::HostTool(name)) = what;
    match machine.event_named(name).map(|at| &machine.event(at).kind) {
        Some(EventKind::Command { .. }) => Sender::Person,
        Some(EventKind::Signal) => Sender::Host,
        _ => Sender::Model,
    }
}

/// The earlier answer to a call with an id.
#[derive(Clone, Debug)]
pub(super) struct Earlier {
    call: String,
    actor: Option<String>,
    /// The digest of the call; absent if the answer was stored in format 1 or 2.
    digest: Option<CallDigest>,
    pub(super) was: Vec<EarlierAnswer>,
}

/// The relation between a call and an earlier call with the same id.
enum Match {
    Same,
    /// The earlier call came from another actor, in an old format in which all senders shared one namespace of ids.
    Unrelated,
    Other,
}

impl Earlier {
    fn of(answered: AnswerRecord, was: Vec<EarlierAnswer>) -> Self {
        Self {
            call: answered.call,
            actor: answered.actor,
            digest: answered.sent.map(|sent| sent.digest),
            was,
        }
    }

    /// Returns the record of an answer that was just given.
    pub(super) fn now(
        called: &CallContent,
        around: &EventContext,
        was: Vec<EarlierAnswer>,
    ) -> Self {
        Self {
            call: called.name.clone(),
            actor: around.actor.clone(),
            digest: Some(called.digest.clone()),
            was,
        }
    }

    fn matches(&self, called: &CallContent, around: &EventContext) -> Match {
        if let Some(digest) = &self.digest {
            let same = *digest == called.digest;
            return if same { Match::Same } else { Match::Other };
        }
        // Formats 1 and 2 stored the names of calls, but arguments only for calls that were accepted or allowed to run.
        // Arguments that were not stored count as equal, so that a call that may already have been made is not made
        // again.
        let same_args = |was: &EarlierAnswer| match (was.args(), &called.args) {
            (Some(before), Some(now)) => before == now,
            _ => true,
        };
        if self.call == called.name && self.was.iter().all(same_args) {
            Match::Same
        } else if self.actor == around.actor {
            Match::Other
        } else {
            Match::Unrelated
        }
    }
}

/// The earlier answer of one machine to a call.
#[derive(Clone, Debug)]
pub(super) enum EarlierAnswer {
    Taken {
        machine: String,
        acceptance: Box<Acceptance>,
        recorded: bool,
        /// The arguments of the call, if they were read from an entry.
        args: Option<Object>,
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

impl EarlierAnswer {
    /// Converts a decision that was just made; `None` if the decision itself repeats an earlier one.
    pub(super) fn of(decision: &Decision) -> Option<Self> {
        let earlier = |machine: &str, acceptance: &Acceptance, recorded| Self::Taken {
            machine: machine.to_owned(),
            acceptance: Box::new(acceptance.clone()),
            recorded,
            args: None,
        };
        Some(match decision {
            Decision::Applied {
                machine,
                acceptance: by,
            } => earlier(machine, by, false),
            Decision::Recorded {
                machine,
                acceptance: by,
            } => earlier(machine, by, true),
            Decision::Run(allowed) => Self::Run {
                tool: allowed.tool().to_owned(),
                args: allowed.args().clone(),
                state: String::new(),
            },
            Decision::Denied(denial) => Self::Denied {
                machine: String::new(),
                denial: denial.clone(),
            },
            Decision::Repeated(_) => return None,
        })
    }

    /// Converts the result of an event that was just sent.
    pub(super) fn outcome(machine: &str, outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Accepted(acceptance) => {
                Self::accepted(machine, (**acceptance).clone(), false, None)
            }
            Outcome::Run { tool, state } => Self::Run {
                tool: tool.clone(),
                args: Json::Null,
                state: state.clone(),
            },
            Outcome::Denied(denial) => Self::Denied {
                machine: machine.to_owned(),
                denial: denial.clone(),
            },
        }
    }

    /// Returns the earlier answer of a machine that accepted a call. A call that the machine
    /// counted was allowed to run, but the answer to a repeated call is not permission to run it
    /// again.
    fn accepted(
        machine: &str,
        acceptance: Acceptance,
        recorded: bool,
        args: Option<Object>,
    ) -> Self {
        match acceptance.runs {
            Some(tool) => Self::Run {
                tool,
                args: args.map_or(Json::Null, Json::from),
                state: String::new(),
            },
            None => Self::Taken {
                machine: machine.to_owned(),
                acceptance: Box::new(acceptance),
                recorded,
                args,
            },
        }
    }

    fn args(&self) -> Option<&Object> {
        match self {
            EarlierAnswer::Taken { args, .. } => args.as_ref(),
            EarlierAnswer::Run { args, .. } => args.as_object(),
            EarlierAnswer::Denied { .. } => None,
        }
    }

    /// Returns the earlier decision, without its effects, which only `Session::effects` delivers.
    pub(super) fn decision(self) -> EarlierDecision {
        match self {
            EarlierAnswer::Taken {
                machine,
                mut acceptance,
                recorded,
                ..
            } => {
                acceptance.effects.clear();
                let (machine, acceptance) = (machine.into(), *acceptance);
                if recorded {
                    EarlierDecision::Recorded {
                        machine,
                        acceptance,
                    }
                } else {
                    EarlierDecision::Applied {
                        machine,
                        acceptance,
                    }
                }
            }
            EarlierAnswer::Run { tool, .. } => EarlierDecision::LetRun { tool },
            EarlierAnswer::Denied { denial, .. } => EarlierDecision::Denied(denial),
        }
    }

    /// Returns the earlier result of an event. If a tool was allowed to run, the result is now a denial, so that the
    /// tool does not run a second time.
    pub(super) fn answer(self) -> CommandAnswer {
        let (machine, outcome) = match self {
            EarlierAnswer::Taken {
                machine,
                acceptance,
                ..
            } => (machine, Outcome::Accepted(acceptance)),
            EarlierAnswer::Run { tool, state, .. } => {
                let denial = Denial {
                    kind: DenialKind::Refused,
                    messages: vec![EarlierDecision::LetRun { tool }.answer()],
                    state,
                    allowed_in: Vec::new(),
                };
                (String::new(), Outcome::Denied(denial))
            }
            EarlierAnswer::Denied { machine, denial } => (machine, Outcome::Denied(denial)),
        };
        CommandAnswer { machine, outcome }
    }
}

/// The earlier answers to calls, by call id.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    answers: HashMap<CallKey, Earlier>,
    /// The answers that formats 1 and 2 stored by id alone, without the sender.
    old: HashMap<String, Earlier>,
}

impl Remembered {
    /// Returns the earlier answers to this call; `None` if there are none.
    ///
    /// # Errors
    ///
    /// If the call id was used for a different call.
    pub(super) fn answers(
        &self,
        key: &CallKey,
        called: &CallContent,
        around: &EventContext,
    ) -> Result<Option<&[EarlierAnswer]>, SessionError> {
        let own = self.answers.get(key);
        let Some(earlier) = own.or_else(|| self.old.get(&key.id)) else {
            return Ok(None);
        };
        match earlier.matches(called, around) {
            Match::Same => Ok(Some(&earlier.was)),
            Match::Unrelated if own.is_none() => Ok(None),
            Match::Other | Match::Unrelated => Err(SessionError::OtherCall {
                sender: key.sender,
                call_id: key.id.clone(),
                before: earlier.call.clone(),
                now: called.name.clone(),
            }),
        }
    }

    /// Adds an answer that was just given.
    pub(super) fn add(&mut self, key: CallKey, earlier: Earlier) {
        self.answers.insert(key, earlier);
    }
}

/// Reads the earlier answers to calls with these ids from the store.
pub(super) async fn look_up(
    store: &dyn Store,
    session: &SessionIdentity,
    keys: &[CallKey],
) -> Result<Remembered, SessionError> {
    let mut found = Remembered::default();
    for key in keys {
        if let Some(given) = store.answer(session, &key.stored()).await? {
            let earlier = resolve(store, session, &given).await?;
            found.answers.insert(key.clone(), earlier);
        }
        if !found.answers.contains_key(key)
            && !found.old.contains_key(&key.id)
            && let Some(given) = store.answer(session, &key.id).await?
        {
            let earlier = resolve(store, session, &given).await?;
            // An answer without a digest has an old format, in which answers were stored by id alone. An answer with a
            // digest belongs to a different call, whose key happens to equal this id: for example, `model:x` is the key
            // of the id `x` of a model.
            if earlier.digest.is_none() {
                found.old.insert(key.id.clone(), earlier);
            }
        }
    }
    Ok(found)
}

/// Reads a stored answer.
pub(super) fn record(
    session: &SessionIdentity,
    given: &StoredAnswer,
) -> Result<AnswerRecord, SessionError> {
    let call_id = || Sender::id_in(&given.call_id).to_owned();
    let altered = |problem: String| {
        let call_id = call_id();
        read::unreadable(
            session,
            UnreadableReason::AlteredAnswer { call_id, problem },
        )
    };
    if !given.is_whole(session) {
        let problem = "its digest does not match its text";
        return Err(altered(problem.to_owned()));
    }
    AnswerRecord::read(&given.body).map_err(|why| match why {
        ReadError::Newer { found } => {
            let call_id = call_id();
            read::unreadable(session, UnreadableReason::NewerAnswer { call_id, found })
        }
        other => altered(other.to_string()),
    })
}

async fn resolve(
    store: &dyn Store,
    session: &SessionIdentity,
    given: &StoredAnswer,
) -> Result<Earlier, SessionError> {
    let mut kept = record(session, given)?;
    let mut all = Vec::new();
    for kept in std::mem::take(&mut kept.answers) {
        all.push(match kept {
            MachineAnswer::Read {
                machine,
                acceptance,
            } => EarlierAnswer::Taken {
                machine,
                acceptance: Box::new(acceptance),
                recorded: false,
                args: None,
            },
            MachineAnswer::Run { tool, args, state } => EarlierAnswer::Run { tool, args, state },
            MachineAnswer::Denied { machine, denial } => EarlierAnswer::Denied { machine, denial },
            MachineAnswer::Entry {
                machine,
                seq,
                recorded,
            } => {
                let entry = match answered_in(store, session, seq).await {
                    Ok(entry) => entry,
                    Err(error) => return Err(read::in_history(store, session, error).await),
                };
                let args = as_sent(&entry.step.call);
                EarlierAnswer::accepted(&machine, entry.step.acceptance, recorded, Some(args))
            }
        });
    }
    Ok(Earlier::of(kept, all))
}

/// Reads the entry that contains the answer to a call.
async fn answered_in(
    store: &dyn Store,
    session: &SessionIdentity,
    seq: u64,
) -> Result<Entry, SessionError> {
    let rows = store.history(session, seq.saturating_sub(1), 1).await?;
    let entries = read::entries(store, session, &rows).await?;
    let entry = entries.into_iter().find(|entry| entry.seq == seq);
    entry.ok_or_else(|| read::unreadable(session, UnreadableReason::Missing { seq }))
}

/// Returns the arguments of a call as a model sent them. For a machine's own tool, they include the id of the plan.
fn as_sent(call: &Call) -> Object {
    let mut args = call.with.clone();
    if let Some(plan) = &call.plan_id {
        args.insert("plan_id", plan.as_str());
    }
    args
}

/// Returns the answers to a call in the form that is stored.
pub(super) fn keep(
    key: &CallKey,
    called: &CallContent,
    around: &EventContext,
    answers: Vec<MachineAnswer>,
) -> Keep {
    let answered = AnswerRecord {
        at: around.now,
        actor: around.actor.clone(),
        call: called.name.clone(),
        sent: Some(SentCall {
            sender: key.sender,
            digest: called.digest.clone(),
        }),
        answers,
    };
    Keep {
        call_id: key.stored(),
        body: answered.to_text(),
    }
}
