//! `plan-machine log show`: the timeline of a session.

use std::collections::BTreeSet;

use plan_machine_agents::audit::DeniedCall;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::journal::{self, AnswerRecord, AuditLine, Entry, MachineAnswer, Sender};
use plan_machine_sessions::store::{Row, StoredAnswer};

use super::denials::Denials;
use super::journal::{Journal, pending, problem_of_effects};
use super::open_store::{Log, identity};
use super::timeline::{self, Line, States};
use crate::output::{Exit, Failure, Out, complain};

/// Show what happened in a session, entry by entry.
///
/// Each line shows the number of the entry, its time, who sent what, the new state of each plan, and the reply,
/// followed by the effects. Denied calls, and calls that were allowed to run, appear between the entries if they had a
/// `call_id`. In a gated project, the other denied calls in the list of `plan-machine status --denied` appear there as
/// well, with their arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The session, as CHANNEL:CONVERSATION.
    session: String,
    /// Show only what happened after this entry.
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    after: u64,
    /// Show only who did what to which plan, and with which token.
    #[arg(long)]
    audit: bool,
}

/// The options of the timeline of a session, and the state that is collected from its entries.
struct Show<'a> {
    args: &'a Args,
    session: SessionIdentity,
    pending: BTreeSet<(u64, u32)>,
    /// Whether a host carries out the effects.
    has_host: bool,
    states: States,
    /// The denied calls that have not been shown yet.
    denials: Denials,
    whole: bool,
}

/// One line of output.
enum OutputLine {
    Human(Line),
    Json(Json),
}

pub(super) async fn run(log: &Log, args: &Args) -> Result<Exit, Failure> {
    let list = log.denials.as_deref().filter(|_| !args.audit);
    let (denials, whole) = match Denials::read(list, &args.session) {
        Ok(denials) => (denials, true),
        // The journal is still shown.
        Err(error) => {
            complain(&error);
            (Denials::default(), false)
        }
    };
    // If the gate was always closed, the store does not contain the session.
    let session = if denials.is_empty() {
        log.session(&args.session).await?
    } else {
        identity(&args.session)?
    };
    let mut out = if log.is_json() {
        Out::plain()
    } else {
        Out::coloured()
    };
    let mut show = Show {
        args,
        pending: BTreeSet::new(),
        has_host: log.has_host,
        session: session.clone(),
        states: States::default(),
        denials,
        whole,
    };
    let mut told = Vec::new();
    match log.read(pending(log, &session).await)? {
        Ok(open) => show.pending = open,
        // The entries are still shown.
        Err(problem) => show.damaged(args.after, &problem, log.is_json(), &mut told),
    }
    print(told, &mut out)?;
    let mut journal = Journal::new(log, &session);
    let mut next = journal.next().await?;
    while let Some(page) = next {
        let mut told = Vec::new();
        if let Some(given) = page.answers.get(&0) {
            show.answers(0, given, log.is_json(), &mut told);
        }
        for row in &page.rows {
            let read = journal.entry(row);
            show.entry(row, read, log.is_json(), &mut told);
            if let Some(given) = page.answers.get(&row.seq) {
                show.answers(row.seq, given, log.is_json(), &mut told);
            }
        }
        let following = journal.next().await;
        if matches!(following, Ok(None)) {
            show.denied(None, log.is_json(), &mut told);
        }
        print(told, &mut out)?;
        if out.is_gone() {
            break;
        }
        next = following?;
    }
    Ok(if show.whole { Exit::Fine } else { Exit::Spec })
}

fn print(told: Vec<OutputLine>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut human = Vec::new();
    for one in told {
        match one {
            OutputLine::Human(line) => human.push(line),
            OutputLine::Json(json) => out.line(json)?,
        }
    }
    for line in timeline::lines(&human) {
        out.line(line)?;
    }
    out.flush()
}

impl Show<'_> {
    fn entry(
        &mut self,
        row: &Row,
        read: Result<Entry, String>,
        json: bool,
        told: &mut Vec<OutputLine>,
    ) {
        if let Ok(entry) = &read {
            // The agent got a denial for a call that was recorded.
            let (step, reply) = (&entry.step, entry.step.acceptance.answer());
            let actor = step.actor.as_deref();
            self.denials.remove(step.at, actor, entry.event(), &reply);
        }
        match read {
            Ok(entry) if row.seq <= self.args.after => {
                self.states.pass(&entry);
                self.denials.take(Some(entry.step.at));
            }
            Ok(entry) => {
                self.denied(Some(entry.step.at), json, told);
                self.whole_entry(&entry, json, told);
            }
            Err(problem) => self.damaged(row.seq, &problem, json, told),
        }
    }

    fn whole_entry(&mut self, entry: &Entry, json: bool, told: &mut Vec<OutputLine>) {
        if json {
            told.push(OutputLine::Json(self.json(entry)));
        } else if self.args.audit {
            told.push(OutputLine::Human(timeline::deed(&AuditLine::of(entry))));
        } else {
            let pending = self.has_host.then_some(&self.pending);
            told.push(OutputLine::Human(self.states.line(entry, pending)));
        }
        if let Some(problem) = problem_of_effects(entry, &self.pending) {
            self.damaged(entry.seq, &problem, json, told);
        }
    }

    /// Prints the answers that were given when the session was at sequence number `seq`.
    fn answers(
        &mut self,
        seq: u64,
        given: &[StoredAnswer],
        json: bool,
        told: &mut Vec<OutputLine>,
    ) {
        if seq < self.args.after || self.args.audit {
            return;
        }
        for one in given {
            let read = if one.is_whole(&self.session) {
                AnswerRecord::read(&one.body).map_err(|why| why.to_string())
            } else {
                Err(format!(
                    "the answer to the call `{}` was altered",
                    Sender::id_in(&one.call_id)
                ))
            };
            match read {
                Ok(answered) => {
                    self.remove_denied(&answered);
                    let Some(line) = timeline::answer(answered.id(&one.call_id), &answered) else {
                        continue;
                    };
                    self.denied(Some(answered.at), json, told);
                    told.push(if json {
                        OutputLine::Json(answer_json(one))
                    } else {
                        OutputLine::Human(line)
                    });
                }
                Err(problem) => self.damaged(seq, &problem, json, told),
            }
        }
    }

    /// Removes the denied calls that an answer shows.
    fn remove_denied(&mut self, answered: &AnswerRecord) {
        for kept in &answered.answers {
            if let MachineAnswer::Denied { denial, .. } = kept {
                let (actor, call) = (answered.actor.as_deref(), &answered.call);
                let reason = denial.to_string();
                self.denials.remove(answered.at, actor, call, &reason);
            }
        }
    }

    /// Prints the denied calls before an instant, or all remaining ones, that neither an answer nor an entry shows.
    fn denied(&mut self, before: Option<Instant>, json: bool, told: &mut Vec<OutputLine>) {
        for call in self.denials.take(before) {
            told.push(if json {
                OutputLine::Json(denied_json(&call))
            } else {
                OutputLine::Human(timeline::denied(&call))
            });
        }
    }

    fn damaged(&mut self, seq: u64, problem: &str, json: bool, told: &mut Vec<OutputLine>) {
        self.whole = false;
        told.push(if json {
            let mut object = Object::new();
            object.push("seq", seq);
            object.push("damaged", problem);
            OutputLine::Json(object.into())
        } else {
            OutputLine::Human(timeline::damaged(seq, problem))
        });
    }

    fn json(&self, entry: &Entry) -> Json {
        let mut object = Object::new();
        if self.args.audit {
            return deed_json(&AuditLine::of(entry)).into();
        }
        object.push("entry", entry.to_json());
        let open = self.pending.range((entry.seq, 0)..=(entry.seq, u32::MAX));
        let open = open.map(|(_, position)| Json::from(u64::from(*position)));
        let open = self.has_host.then(|| Json::List(open.collect()));
        object.push("pending", open.unwrap_or_default());
        object.into()
    }
}

fn deed_json(deed: &AuditLine) -> Object {
    let mut object = Object::new();
    object.push("seq", deed.seq);
    object.push("at", deed.at.to_string());
    if let Some(actor) = &deed.actor {
        object.push("actor", actor.as_str());
    }
    object.push("machine", deed.machine.as_str());
    object.push("event", deed.event.as_str());
    let plans = deed.plans.iter().map(|(id, state)| {
        let mut plan = Object::new();
        plan.push("id", id.as_str());
        plan.push("state", state.as_str());
        Json::from(plan)
    });
    object.push("plans", plans.collect::<Vec<Json>>());
    if let Some(token) = &deed.token {
        object.push("token", token.as_str());
    }
    object
}

/// Returns an answer as stored, under its call id.
fn answer_json(given: &StoredAnswer) -> Json {
    let mut object = Object::new();
    object.push("call_id", given.call_id.as_str());
    object.push("after", given.seq);
    object.push("answer", journal::json(&given.body).unwrap_or_default());
    object.into()
}

/// Returns a denied call as JSON, with the values from the list of denied calls.
fn denied_json(call: &DeniedCall) -> Json {
    let mut object = Object::new();
    object.push("at", call.at.to_string());
    object.push("actor", call.actor.as_str());
    object.push("tool", call.tool.as_str());
    object.push("args", call.args.as_str());
    object.push("reason", call.reason.as_str());
    Object::from_iter([("denied", Json::from(object))]).into()
}
