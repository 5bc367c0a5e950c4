//! Calls that have an answer but no entry: those that ran, and those that were denied.

use std::collections::HashSet;

use plan_machine::machine::CallKind;
use plan_machine_agents::audit::{DeniedCall, remove_line};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::visible::{visible, visible_line};
use plan_machine_sessions::journal::{AnswerRecord, Entry, MachineAnswer, Sender};

use super::maybe::maybe;
use crate::content::shortened_json;

/// The maximum length of each text in an argument, in characters.
const LONGEST: usize = 2000;

/// Returns the rows of a timeline for answers with the ids of their calls. Counted calls are left out, because the rows
/// of their entries already show them. Denied calls that are among `listed` are also left out, because the rows of the
/// listed calls also show the arguments.
pub(super) fn answer_rows(
    answers: &[(String, AnswerRecord)],
    entries: &[Entry],
    listed: &[&DeniedCall],
) -> Vec<(Instant, Json)> {
    let counted = entries
        .iter()
        .filter(|entry| entry.step.acceptance.runs.is_some());
    let counted: HashSet<&str> = counted
        .filter_map(|entry| entry.call_id.as_deref())
        .collect();
    let mut listed = listed.to_vec();
    let mut rows = Vec::new();
    for (call_id, record) in answers.iter().filter(|(_, record)| is_of_a_model(record)) {
        for answer in &record.answers {
            let row = match answer {
                MachineAnswer::Run { .. } if counted.contains(call_id.as_str()) => continue,
                MachineAnswer::Run { tool, args, .. } => ran(record, call_id, tool, args),
                MachineAnswer::Denied { denial, .. } => {
                    let reason = denial.to_string();
                    let actor = record.actor.as_deref();
                    if remove_line(&mut listed, record.at, actor, &record.call, &reason) {
                        continue;
                    }
                    denied(record, call_id, &reason)
                }
                _ => continue,
            };
            rows.push((record.at, row));
        }
    }
    rows
}

/// Returns the listed calls without those that these entries have recorded. Some agents get the text of a recorded call
/// as the reason for a denial, so their hooks list the recorded call as denied.
pub(super) fn without_recorded<'d>(
    listed: &'d [DeniedCall],
    entries: &[Entry],
) -> Vec<&'d DeniedCall> {
    let mut listed: Vec<&DeniedCall> = listed.iter().collect();
    for entry in entries {
        let step = &entry.step;
        if let CallKind::HostTool(tool) = &step.call.what {
            let reply = step.acceptance.answer();
            remove_line(&mut listed, step.at, step.actor.as_deref(), tool, &reply);
        }
    }
    listed
}

/// Returns whether a model has sent a call. Answers in an old format do not say who has sent the call; they count as
/// answers to a model.
fn is_of_a_model(record: &AnswerRecord) -> bool {
    let sent = record.sent.as_ref();
    sent.is_none_or(|sent| sent.sender == Sender::Model)
}

fn ran(record: &AnswerRecord, call_id: &str, tool: &str, args: &Json) -> Json {
    let mut object = row("run", record, call_id, tool);
    object.push("args", shortened_json(args, LONGEST));
    object.into()
}

fn denied(record: &AnswerRecord, call_id: &str, reason: &str) -> Json {
    let mut object = row("denied", record, call_id, &record.call);
    object.push("args", "");
    object.push("reason", visible(reason));
    object.into()
}

fn row(kind: &'static str, record: &AnswerRecord, call_id: &str, tool: &str) -> Object {
    let mut object = Object::new();
    object.push("kind", kind);
    object.push("seq", Json::Null);
    object.push("at", record.at.to_string());
    object.push("actor", maybe(record.actor.as_deref().map(visible_line)));
    object.push("tool", visible_line(tool));
    object.push("callId", visible_line(call_id));
    object
}

#[cfg(test)]
mod tests {
    use plan_machine::machine::Denial;
    use plan_machine_kernel::denial::DenialKind;

    use super::*;

    fn denial_of(call: &str, at: u32) -> AnswerRecord {
        AnswerRecord {
            at: Instant::at_second(at),
            actor: Some("codex".to_owned()),
            call: call.to_owned(),
            sent: None,
            answers: vec![MachineAnswer::Denied {
                machine: String::new(),
                denial: Denial {
                    kind: DenialKind::NotAllowed,
                    messages: vec!["not now".to_owned()],
                    state: String::new(),
                    allowed_in: Vec::new(),
                },
            }],
        }
    }

    fn listed(tool: &str, at: u32) -> DeniedCall {
        DeniedCall {
            at: Instant::at_second(at),
            session: "codex:first-talk".to_owned(),
            actor: "codex".to_owned(),
            tool: tool.to_owned(),
            args: "{}".to_owned(),
            reason: "not_allowed: not now".to_owned(),
        }
    }

    #[test]
    fn a_denied_call_that_is_listed_has_no_second_row() {
        let answers = [
            ("call-1".to_owned(), denial_of("write", 100)),
            ("call-2".to_owned(), denial_of("write", 101)),
            ("call-3".to_owned(), denial_of("write", 200)),
            ("call-4".to_owned(), denial_of("shell", 200)),
        ];
        let listed = [
            listed("write", 101),
            listed("write", 199),
            listed("write", 400),
        ];
        let listed: Vec<&DeniedCall> = listed.iter().collect();
        let rows = answer_rows(&answers, &[], &listed);
        let ids: Vec<String> = rows.iter().map(|(_, row)| row.to_string()).collect();
        assert_eq!(ids.len(), 3, "{ids:?}");
        for (row, id) in ids.iter().zip(["call-2", "call-3", "call-4"]) {
            assert!(row.contains(id), "{row}");
        }
    }
}
