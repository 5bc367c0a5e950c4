//! What a session is sent: commands of users, and calls of models.

use std::collections::HashMap;

use super::answer::{Decided, Done};
use super::error::SessionError;
use super::repeat::{self, Was};
use super::sessions::Session;
use super::transact::{Known, Worked};
use crate::gate::{Answer, Decision, Gate, NoCommand, Surroundings, ToolCall};
use crate::journal::Kept;
use crate::machine::Outcome;
use plan_machine_kernel::json::Object;

impl Session {
    /// Sends a line that the user typed to the machine whose command it is, or to each of them where
    /// it is shared.
    ///
    /// # Errors
    ///
    /// Where no command matches, and where the session cannot answer.
    pub async fn command(
        &self,
        line: &str,
        around: &Surroundings,
    ) -> Result<Done<Vec<Answer>>, SessionError> {
        let done = self.line(line, around).await?;
        let answer = done.answer.map_err(SessionError::NoCommand)?;
        Ok(Done {
            answer,
            seq: done.seq,
            repeated: done.repeated,
        })
    }

    /// Decides about the calls of one model response, in order, and stores what came of them together.
    ///
    /// # Errors
    ///
    /// Where the session cannot answer.
    pub async fn decide(
        &self,
        calls: &[ToolCall],
        around: &Surroundings,
    ) -> Result<Done<Vec<Decided>>, SessionError> {
        let ids: Vec<&str> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
        self.attempt(around, &ids, |gate, known| {
            decide(gate, known, calls, around)
        })
        .await
    }

    /// Sends a line once: where it carries a call id and was sent before, the first answer stands.
    async fn line(
        &self,
        line: &str,
        around: &Surroundings,
    ) -> Result<Done<Result<Vec<Answer>, NoCommand>>, SessionError> {
        let ids: Vec<&str> = around.call_id.iter().map(String::as_str).collect();
        self.attempt(around, &ids, |gate, known| {
            let was = around.call_id.as_ref().and_then(|id| known.was.get(id));
            if let Some(was) = was {
                let answers = was.iter().cloned().map(Was::answer);
                return Worked {
                    repeated: true,
                    ..Worked::plain(Ok(without_effects(answers)))
                };
            }
            let answer = gate.command(line, around).map(without_effects);
            let (Some(id), Ok(answers)) = (&around.call_id, &answer) else {
                return Worked::plain(answer);
            };
            let mut seq = known.seq;
            let kept: Vec<Kept> = answers
                .iter()
                .map(|answer| kept(gate, answer, line, &mut seq))
                .collect();
            let taken = usize::try_from(seq - known.seq).unwrap_or_default();
            Worked {
                call_ids: vec![Some(id.clone()); taken],
                keep: vec![repeat::keep(id, line, around, kept)],
                repeated: false,
                answer,
            }
        })
        .await
    }
}

/// Answers as a session gives them: their effects are delivered by [`Session::effects`].
fn without_effects(answers: impl IntoIterator<Item = Answer>) -> Vec<Answer> {
    let mut answers: Vec<Answer> = answers.into_iter().collect();
    for answer in &mut answers {
        answer.outcome.take_effects();
    }
    answers
}

/// What is kept of an answer; `seq` counts the entries.
pub(super) fn kept(gate: &Gate, answer: &Answer, event: &str, seq: &mut u64) -> Kept {
    let machine = answer.machine.clone();
    match &answer.outcome {
        Outcome::Accepted(taken) if gate.reads(&machine, event) => Kept::Read {
            machine,
            taken: (**taken).clone(),
        },
        Outcome::Accepted(_) => {
            *seq += 1;
            Kept::Entry {
                machine,
                seq: *seq,
                recorded: false,
            }
        }
        Outcome::Run { tool, state } => Kept::Run {
            tool: tool.clone(),
            args: Object::new().into(),
            state: state.clone(),
        },
        Outcome::Denied(denial) => Kept::Denied {
            machine,
            denial: denial.clone(),
        },
    }
}

fn decide(
    gate: &mut Gate,
    known: &Known,
    calls: &[ToolCall],
    around: &Surroundings,
) -> Worked<Vec<Decided>> {
    let batch = gate.begin_batch();
    let mut worked = Worked::plain(Vec::new());
    let mut seq = known.seq;
    // Where a model repeats a call within one response, the first decision stands as well.
    let mut decided: HashMap<&str, Decision> = HashMap::new();
    for call in calls {
        let was = call.id.as_deref().and_then(|id| {
            let was = known.was.get(id).and_then(|was| was.first());
            let was = was.map(|was| was.clone().decision());
            was.or_else(|| decided.get(id).cloned())
        });
        if let Some(mut decision) = was {
            decision.drop_effects();
            worked.answer.push(Decided {
                decision,
                repeated: true,
            });
            continue;
        }
        let mut decision = gate.decide_in(&batch, call, around);
        decision.drop_effects();
        let reads = matches!(&decision, Decision::Applied { machine, .. } if gate.reads(machine, &call.name));
        if matches!(
            decision,
            Decision::Applied { .. } | Decision::Recorded { .. }
        ) && !reads
        {
            seq += 1;
            worked.call_ids.push(call.id.clone());
        }
        if let Some(id) = &call.id {
            let kept = kept_decision(&decision, reads, seq);
            worked
                .keep
                .push(repeat::keep(id, &call.name, around, vec![kept]));
            decided.insert(id, decision.clone());
        }
        worked.answer.push(Decided {
            decision,
            repeated: false,
        });
    }
    worked.repeated = !calls.is_empty() && worked.answer.iter().all(|decided| decided.repeated);
    worked
}

fn kept_decision(decision: &Decision, reads: bool, seq: u64) -> Kept {
    match decision {
        Decision::Applied { machine, taken } if reads => Kept::Read {
            machine: machine.to_string(),
            taken: taken.clone(),
        },
        Decision::Applied { machine, .. } => Kept::Entry {
            machine: machine.to_string(),
            seq,
            recorded: false,
        },
        Decision::Recorded { machine, .. } => Kept::Entry {
            machine: machine.to_string(),
            seq,
            recorded: true,
        },
        Decision::Run(tool) => Kept::Run {
            tool: tool.tool.clone(),
            args: tool.args.clone(),
            state: String::new(),
        },
        Decision::Denied(denial) => Kept::Denied {
            machine: String::new(),
            denial: denial.clone(),
        },
    }
}

#[cfg(all(test, feature = "interpret"))]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::interpret::Interpreted;
    use crate::session::{SessionIdentity, Sessions};
    use crate::store::Memory;

    const NOTE: &str = "
machine: Note
data: { text: string? }
commands: { begin: /note, end: /done }
tools:
  write: { doc: Keep a text., input: { text: string } }
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
        let note = Interpreted::read("note.yaml", NOTE).expect("a sound spec");
        let machines = Gate::new().with(note).join().expect("one machine");
        let sessions = Sessions::new(Arc::new(Memory::new()), machines);
        let identity = SessionIdentity::new("test", "the-session").expect("an identity");
        let session = sessions.session(&identity);
        let around = Surroundings::default();
        session.command("/note", &around).await.expect("begun");
        let write = |text: &str| {
            let args: Object = [("text", text)].into_iter().collect();
            ToolCall::new("write", args).once("call-1")
        };
        let calls = [write("one"), write("two")];
        let done = session.decide(&calls, &around).await.expect("decided");
        assert_eq!(done.seq, 2);
        let repeated: Vec<bool> = done.answer.iter().map(|one| one.repeated).collect();
        assert_eq!(repeated, [false, true]);
        assert_eq!(done.answer[0].decision, done.answer[1].decision);
    }
}
