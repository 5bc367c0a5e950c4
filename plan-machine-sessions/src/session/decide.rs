//! Handles commands typed by people, and tool calls from models.

use super::answer::Committed;
use super::repeat::{self, CallContent, CallKey, Earlier, EarlierAnswer, Remembered};
use super::sessions::Session;
use super::transact::{AttemptOutcome, AttemptStart};
use crate::error::SessionError;
use crate::journal::{MachineAnswer, Sender};
use crate::observe;
use plan_machine::gate::{
    CommandAnswer, Decision, DecisionPoint, EventContext, Gate, GateEvent, ToolCall,
};
use plan_machine::machine::{Denial, Outcome};
use plan_machine_kernel::json::Object;

impl Session {
    /// Sends a line typed by the user to the machine that defines the command, or to all machines that define it if the
    /// command is shared. If a line is sent again with the same call id, the session returns the same answer.
    ///
    /// # Errors
    ///
    /// If no command matches the line, the call id was used for a different line, or the session cannot answer.
    pub async fn command(
        &self,
        line: &str,
        around: &EventContext,
    ) -> Result<Committed<Vec<CommandAnswer>>, SessionError> {
        let id = around.call_id.as_deref();
        let key = id.map(|id| CallKey::new(Sender::Person, id));
        let done = self
            .attempt(around, key.as_slice(), |gate, known| {
                answer_line(gate, known, line, key.as_ref(), around)
            })
            .await?;
        Ok(Committed {
            answer: done.answer?,
            seq: done.seq,
            repeated: done.repeated,
        })
    }

    /// Returns the answers to a line if all machines that it is addressed to deny it now. The denials are reported in
    /// the same way as by [`command`](Self::command). A line that a machine would accept, or that matches no command,
    /// is not sent, and the result is `None`.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn refusal(
        &self,
        line: &str,
        around: &EventContext,
    ) -> Result<Option<Vec<CommandAnswer>>, SessionError> {
        let refused =
            |gate: &mut Gate, _: &AttemptStart| AttemptOutcome::plain(refused(gate, line, around));
        Ok(self.attempt(around, &[], refused).await?.answer)
    }

    /// Decides on the calls of one model response, in order, and stores the results together. An allowed call must be
    /// [confirmed](Self::confirm) before it runs.
    ///
    /// # Errors
    ///
    /// If a call id was used for a different call, or the session cannot answer. In either case, none of the calls may
    /// run.
    pub async fn decide(
        &self,
        calls: &[ToolCall],
        around: &EventContext,
    ) -> Result<Committed<Vec<Decision>>, SessionError> {
        let ids = calls.iter().filter_map(|call| call.id.as_deref());
        let keys: Vec<CallKey> = ids.map(|id| CallKey::new(Sender::Model, id)).collect();
        let (done, head) = self
            .attempt_with_head(around, &keys, |gate, known| {
                match deny_other_calls(known, calls, around) {
                    Ok(()) => decide(gate, known, calls, around).map(Ok),
                    Err(error) => AttemptOutcome::plain(Err(error)),
                }
            })
            .await?;
        let mut decisions = done.answer?;
        for (call, decision) in calls.iter().zip(&mut decisions) {
            observe::decided(self.identity(), call, decision);
            if let Decision::Run(allowed) = decision {
                allowed.decided_at(DecisionPoint {
                    session: self.identity().to_string(),
                    seq: head.seq,
                    digest: head.digest,
                });
            }
        }
        Ok(Committed {
            answer: decisions,
            seq: done.seq,
            repeated: done.repeated,
        })
    }

    /// Reports a tool call that the host itself has denied, in the same way as the calls that the session denies.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn report_denial(
        &self,
        call: &ToolCall,
        denial: Denial,
        around: &EventContext,
    ) -> Result<(), SessionError> {
        let machines = self.at_gate(|gate| gate.machine_set().clone()).await?;
        let (session, actor) = (self.identity(), around.actor.as_deref());
        let happened = GateEvent::Denied {
            event: call.name.clone(),
            denial: denial.clone(),
        };
        observe::span(session)
            .in_scope(|| observe::told(session, actor, &machines, &[], &[happened]));
        observe::decided(session, call, &Decision::Denied(denial));
        Ok(())
    }
}

fn answer_line(
    gate: &mut Gate,
    known: &AttemptStart,
    line: &str,
    key: Option<&CallKey>,
    around: &EventContext,
) -> AttemptOutcome<Result<Vec<CommandAnswer>, SessionError>> {
    let called = CallContent::line(line);
    match key.map(|key| known.was.answers(key, &called, around)) {
        Some(Err(error)) => return AttemptOutcome::plain(Err(error)),
        Some(Ok(Some(was))) => {
            let answers = was.iter().cloned().map(EarlierAnswer::answer);
            return AttemptOutcome {
                repeated: true,
                ..AttemptOutcome::plain(Ok(without_effects(answers)))
            };
        }
        Some(Ok(None)) | None => {}
    }
    let answers = match gate.command(line, around) {
        Ok(answers) => without_effects(answers),
        Err(error) => return AttemptOutcome::plain(Err(SessionError::NoCommand(error))),
    };
    let Some(key) = key else {
        return AttemptOutcome::plain(Ok(answers));
    };
    let mut seq = known.seq;
    let kept: Vec<MachineAnswer> = answers
        .iter()
        .map(|answer| kept(gate, answer, line, &mut seq))
        .collect();
    let count = usize::try_from(seq - known.seq).unwrap_or_default();
    AttemptOutcome {
        call_ids: vec![Some(key.id.clone()); count],
        keep: vec![repeat::keep(key, &called, around, kept)],
        repeated: false,
        notes_due: false,
        answer: Ok(answers),
    }
}

/// Sends a line to the gate if a copy of the gate denies the line.
fn refused(gate: &mut Gate, line: &str, around: &EventContext) -> Option<Vec<CommandAnswer>> {
    let is_denied = |answer: &CommandAnswer| matches!(answer.outcome, Outcome::Denied(_));
    let answers = copy(gate)?.command(line, around).ok()?;
    if !answers.iter().all(is_denied) {
        return None;
    }
    gate.command(line, around).ok()
}

/// Returns a copy of the gate, with the same plans. Steps that the copy takes are not recorded.
fn copy(gate: &Gate) -> Option<Gate> {
    let mut copy = gate.machine_set().gate();
    for (at, running) in gate.machines().iter().enumerate() {
        let machine = running.description().name;
        copy.restore_sound(machine, &gate.stored(at)).ok()?;
    }
    copy.set_born(gate.born());
    copy.set_clock(gate.clock());
    copy.set_turn(gate.turn().cloned());
    Some(copy)
}

/// Removes the effects from answers, because only [`Session::effects`] delivers effects.
fn without_effects(answers: impl IntoIterator<Item = CommandAnswer>) -> Vec<CommandAnswer> {
    let mut answers: Vec<CommandAnswer> = answers.into_iter().collect();
    for answer in &mut answers {
        answer.outcome.take_effects();
    }
    answers
}

/// Returns an answer in the form that is stored. If the answer belongs to a new entry, `seq` is increased to the number
/// of that entry.
pub(super) fn kept(
    gate: &Gate,
    answer: &CommandAnswer,
    event: &str,
    seq: &mut u64,
) -> MachineAnswer {
    let machine = answer.machine.clone();
    match &answer.outcome {
        Outcome::Accepted(acceptance) if gate.reads(&machine, event) => MachineAnswer::Read {
            machine,
            acceptance: (**acceptance).clone(),
        },
        Outcome::Accepted(_) => {
            *seq += 1;
            MachineAnswer::Entry {
                machine,
                seq: *seq,
                recorded: false,
            }
        }
        Outcome::Run { tool, state } => MachineAnswer::Run {
            tool: tool.clone(),
            args: Object::new().into(),
            state: state.clone(),
        },
        Outcome::Denied(denial) => MachineAnswer::Denied {
            machine,
            denial: denial.clone(),
        },
    }
}

/// Returns an error if a call id was used for a different call, in an earlier response or in the same response. This is
/// checked before any decision is made.
fn deny_other_calls(
    known: &AttemptStart,
    calls: &[ToolCall],
    around: &EventContext,
) -> Result<(), SessionError> {
    let mut here = Remembered::default();
    for call in calls {
        let Some((key, called)) = identified(call) else {
            continue;
        };
        known.was.answers(&key, &called, around)?;
        here.answers(&key, &called, around)?;
        here.add(key, Earlier::now(&called, around, Vec::new()));
    }
    Ok(())
}

/// Returns the id of a call, and the parts of the call that must be the same when it is repeated; `None` if the call
/// has no id.
fn identified(call: &ToolCall) -> Option<(CallKey, CallContent)> {
    let id = call.id.as_deref()?;
    Some((CallKey::new(Sender::Model, id), CallContent::tool(call)))
}

fn decide(
    gate: &mut Gate,
    known: &AttemptStart,
    calls: &[ToolCall],
    around: &EventContext,
) -> AttemptOutcome<Vec<Decision>> {
    let batch = gate.begin_batch();
    let mut worked = AttemptOutcome::plain(Vec::new());
    let mut seq = known.seq;
    // A model may repeat a call within one response, so the answers of this response are also searched.
    let mut here = Remembered::default();
    for call in calls {
        let identified = identified(call);
        let was = identified.as_ref().and_then(|(key, called)| {
            let mut all = [&known.was, &here].into_iter();
            let was = all.find_map(|one| one.answers(key, called, around).ok()?);
            was?.first().cloned()
        });
        if let Some(was) = was {
            worked.answer.push(Decision::Repeated(was.decision()));
            continue;
        }
        let mut decision = gate.decide_in(&batch, call, around);
        decision.drop_effects();
        let reads = matches!(&decision, Decision::Applied { machine, .. } if gate.reads(machine, &call.name));
        let is_accepted = matches!(
            decision,
            Decision::Applied { .. } | Decision::Recorded { .. }
        );
        let entries = match &decision {
            Decision::Run(allowed) => allowed.counted().len(),
            _ => usize::from(is_accepted && !reads),
        };
        seq += entries as u64;
        worked.call_ids.extend(vec![call.id.clone(); entries]);
        if let Some((key, called)) = identified {
            let kept = kept_decision(&decision, reads, seq);
            let keep = repeat::keep(&key, &called, around, kept.into_iter().collect());
            worked.keep.push(keep);
            let was = EarlierAnswer::of(&decision).into_iter().collect();
            here.add(key, Earlier::now(&called, around, was));
        }
        worked.answer.push(decision);
    }
    for decision in &mut worked.answer {
        if let Decision::Run(allowed) = decision {
            gate.allow_from_here(allowed);
        }
    }
    let repeated = |decision: &Decision| matches!(decision, Decision::Repeated(_));
    worked.repeated = !calls.is_empty() && worked.answer.iter().all(repeated);
    worked
}

fn kept_decision(decision: &Decision, reads: bool, seq: u64) -> Option<MachineAnswer> {
    Some(match decision {
        Decision::Applied {
            machine,
            acceptance,
        } if reads => MachineAnswer::Read {
            machine: machine.to_string(),
            acceptance: acceptance.clone(),
        },
        Decision::Applied { machine, .. } => MachineAnswer::Entry {
            machine: machine.to_string(),
            seq,
            recorded: false,
        },
        Decision::Recorded { machine, .. } => MachineAnswer::Entry {
            machine: machine.to_string(),
            seq,
            recorded: true,
        },
        Decision::Run(allowed) => MachineAnswer::Run {
            tool: allowed.tool().to_owned(),
            args: allowed.args().clone(),
            state: String::new(),
        },
        Decision::Denied(denial) => MachineAnswer::Denied {
            machine: String::new(),
            denial: denial.clone(),
        },
        Decision::Repeated(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::Memory;
    use crate::{SessionIdentity, Sessions};
    use plan_machine::interpret::InterpretedMachine;

    const NOTE: &str = "
machine: Note
data: { text: string? }
commands: { begin: /note, end: /done }
tools:
  write: { doc: Keep some text., input: { text: string } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      write: { set: { text: event.text } }
      end: { to: CLOSED, next: none }
  CLOSED: { final: true }
";

    #[tokio::test]
    async fn an_id_that_comes_twice_in_one_response_is_decided_once() {
        let note = InterpretedMachine::read("note.yaml", NOTE).expect("a valid spec");
        let machines = Gate::builder()
            .with(note)
            .join()
            .expect("a set with one machine");
        let sessions = Sessions::new(Arc::new(Memory::new()), machines);
        let identity = SessionIdentity::new("test", "the-session").expect("a valid identity");
        let session = sessions.session(&identity);
        let around = EventContext::default();
        session
            .command("/note", &around)
            .await
            .expect("the command is accepted");
        let write = |text: &str| {
            let args: Object = [("text", text)].into_iter().collect();
            ToolCall::new("write", args).once("call-1")
        };
        let calls = [write("one"), write("one")];
        let done = session
            .decide(&calls, &around)
            .await
            .expect("the calls are decided");
        assert_eq!(done.seq, 2);
        assert!(matches!(done.answer[0], Decision::Applied { .. }));
        let Decision::Repeated(earlier) = &done.answer[1] else {
            panic!("{done:?}");
        };
        assert_eq!(Some(earlier.answer()), done.answer[0].answer());
        let others = [write("one"), write("two")];
        let error = session.decide(&others, &around).await;
        let error = error.expect_err("one id was used for two different calls");
        assert!(matches!(error, SessionError::OtherCall { .. }), "{error}");
        let again = [write("three").once("call-2"), write("four").once("call-2")];
        assert!(session.decide(&again, &around).await.is_err());
        assert_eq!(
            session.seq().await,
            Ok(2),
            "no call of the rejected responses was stored"
        );
    }
}
