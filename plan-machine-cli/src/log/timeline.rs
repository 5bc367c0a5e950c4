//! Formats entries and answers as lines for people.

use std::collections::{BTreeMap, BTreeSet};

use plan_machine::machine::PlanView;
use plan_machine_agents::audit::DeniedCall;
use plan_machine_kernel::digest;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::visible::visible_line;
use plan_machine_sessions::journal::{AnswerRecord, AuditLine, Entry, EntryKind, MachineAnswer};

use crate::output::{ASIDE, BAD, GOOD, WARN, styled, time};

/// The maximum number of characters of a reply that are shown.
const SHORT: usize = 60;

/// A line of a timeline: aligned cells, and the text that follows them.
pub(super) struct Line {
    pub(super) cells: Vec<String>,
    pub(super) rest: String,
    /// The lines below this line, such as effects.
    pub(super) below: Vec<String>,
}

/// The last known state of each plan, from the entries so far.
#[derive(Default)]
pub(super) struct States(BTreeMap<(String, String), String>);

impl States {
    /// Formats the state change of each plan in an entry: `plan-1: COLLECTING → READY`.
    fn moves(&mut self, entry: &Entry) -> String {
        let acceptance = &entry.step.acceptance;
        let ended = acceptance.ended.iter().map(|plan| (plan, true));
        let plans = ended.chain(acceptance.plans.iter().map(|plan| (plan, false)));
        let moves: Vec<String> = plans
            .map(|(plan, ended)| {
                let mark = if ended { ", ended" } else { "" };
                format!("{}{mark}", self.moved(entry, plan))
            })
            .collect();
        if moves.is_empty() {
            "-".to_owned()
        } else {
            moves.join("; ")
        }
    }

    fn moved(&mut self, entry: &Entry, plan: &PlanView) -> String {
        let key = (entry.step.machine.to_string(), plan.id.as_str().to_owned());
        let before = self.0.insert(key, plan.state.to_string());
        let (id, now) = (plain(plan.id.as_str()), plain(&plan.state));
        match before {
            Some(before) if before != plan.state => format!("{id}: {} → {now}", plain(&before)),
            None if entry.step.new_id.as_ref() == Some(&plan.id) => format!("{id}: none → {now}"),
            _ => format!("{id}: {now}"),
        }
    }

    /// Records the states in an entry that is not shown.
    pub(super) fn pass(&mut self, entry: &Entry) {
        self.moves(entry);
    }

    /// Formats an entry as a line. `pending` contains the effects that have not been carried out yet; `None` if no host
    /// carries them out.
    pub(super) fn line(&mut self, entry: &Entry, pending: Option<&BTreeSet<(u64, u32)>>) -> Line {
        let step = &entry.step;
        let token = step
            .acceptance
            .plans
            .first()
            .map(|plan| plan.token.as_str());
        let token = token.map_or(String::new(), |token| {
            format!("token {}", plain(digest::short(token)))
        });
        let effects = (0_u32..).zip(&step.acceptance.effects).map(|(at, effect)| {
            let mark = pending.map(|pending| match pending.get(&(entry.seq, at)) {
                Some(_) => format!("  {}", styled(WARN, "pending")),
                None => format!("  {}", styled(GOOD, "done")),
            });
            let fields = short(&Json::Object(effect.fields.clone()));
            format!(
                "{} {} {fields}{}",
                styled(ASIDE, "effect"),
                plain(&effect.name),
                mark.unwrap_or_default()
            )
        });
        Line {
            below: effects.collect(),
            cells: vec![
                entry.seq.to_string(),
                time(step.at),
                actor(step.actor.as_deref()),
                plain(entry.event()),
                self.moves(entry),
                token,
            ],
            rest: match &entry.kind {
                EntryKind::Taken => match &step.acceptance.runs {
                    Some(tool) => format!("{} {}", styled(GOOD, "run"), plain(tool)),
                    None => short(&step.acceptance.reply),
                },
                EntryKind::TurnBegan { turn, .. } => short(&Json::from(turn.as_str())),
                EntryKind::Abandoned { why } | EntryKind::Restarted { why } => {
                    short(&Json::from(why.as_str()))
                }
            },
        }
    }
}

/// Formats an answer that is not an entry: the answer to a call that was denied, was allowed to
/// run, or only read something. Returns `None` if the journal's entries already contain the whole
/// answer.
pub(super) fn answer(call_id: &str, answered: &AnswerRecord) -> Option<Line> {
    let told: Vec<String> = answered
        .answers
        .iter()
        .filter_map(|kept| match kept {
            MachineAnswer::Entry { .. } => None,
            MachineAnswer::Read { acceptance, .. } => {
                Some(format!("read {}", short(&acceptance.reply)))
            }
            MachineAnswer::Run { tool, .. } => {
                Some(format!("{} {}", styled(GOOD, "run"), plain(tool)))
            }
            MachineAnswer::Denied { denial, .. } => {
                let why = plain(&denial.to_string());
                Some(format!("{} {why}", styled(BAD, "denied")))
            }
        })
        .collect();
    if told.is_empty() {
        return None;
    }
    Some(Line {
        cells: vec![
            String::new(),
            time(answered.at),
            actor(answered.actor.as_deref()),
            plain(&answered.call),
        ],
        rest: format!("{} (call {})", told.join("; "), plain(call_id)),
        below: Vec::new(),
    })
}

/// Formats a denied call that the journal does not contain.
pub(super) fn denied(call: &DeniedCall) -> Line {
    let args = short(&Json::from(call.args.as_str()));
    Line {
        cells: vec![
            String::new(),
            time(call.at),
            actor(Some(call.actor.as_str())),
            plain(&call.tool),
        ],
        rest: format!("{} {}", styled(BAD, "denied"), plain(&call.reason)),
        below: vec![format!("{} {args}", styled(ASIDE, "args"))],
    }
}

/// Formats an entry for an auditor: the actor, the event, the plan, and the token that was sent.
pub(super) fn deed(deed: &AuditLine) -> Line {
    let plans = deed.plans.iter().map(|(id, state)| {
        let (id, state) = (plain(id.as_str()), plain(state));
        format!("{id} {state}")
    });
    let token = deed
        .token
        .as_deref()
        .map(|token| plain(digest::short(token)));
    Line {
        cells: vec![
            deed.seq.to_string(),
            time(deed.at),
            actor(deed.actor.as_deref()),
            plain(&deed.event),
            plans.collect::<Vec<_>>().join(", "),
        ],
        rest: token.map_or("no token".to_owned(), |token| format!("token {token}")),
        below: Vec::new(),
    }
}

/// Formats an entry that cannot be read.
pub(super) fn damaged(seq: u64, problem: &str) -> Line {
    Line {
        cells: vec![seq.to_string()],
        rest: styled(BAD, format!("damaged: {}", plain(problem))),
        below: Vec::new(),
    }
}

/// Aligns the lines of a page in columns.
pub(super) fn lines(lines: &[Line]) -> Vec<String> {
    let cells: Vec<Vec<String>> = lines.iter().map(|line| line.cells.clone()).collect();
    let mut shown = Vec::new();
    for (start, line) in aligned(&cells).into_iter().zip(lines) {
        let whole = format!("{start}  {}", line.rest);
        shown.push(whole.trim_end().to_owned());
        let below = line.below.iter();
        shown.extend(below.map(|text| format!("    {text}")));
    }
    shown
}

/// Aligns cells in columns; rows may have different lengths.
pub(super) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            let width = cell.chars().count();
            match widths.get_mut(at) {
                Some(widest) => *widest = width.max(*widest),
                None => widths.push(width),
            }
        }
    }
    let one = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(one).collect()
}

fn actor(actor: Option<&str>) -> String {
    actor.map_or("-".to_owned(), plain)
}

/// Returns stored text on one line, with invisible and control characters escaped.
pub(super) fn plain(text: &str) -> String {
    visible_line(text)
}

/// Formats a value briefly; strings are not quoted.
fn short(json: &Json) -> String {
    let whole = match json.as_text() {
        Some(text) => plain(text),
        None => plain(&json.to_string()),
    };
    match whole.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_could_steer_a_terminal_is_written_out() {
        let seen = "a‹U+001B›[2Jb‹U+009B›\\n‹U+200B›c";
        assert_eq!(plain("a\u{1b}[2Jb\u{9b}\n\u{200b}c"), seen);
    }

    #[test]
    fn a_long_reply_is_cut_between_letters() {
        let long = Json::from("ä".repeat(100));
        assert_eq!(short(&long), format!("{}…", "ä".repeat(60)));
        assert_eq!(short(&Json::from(vec![Json::Int(1)])), "[1]");
    }

    #[test]
    fn empty_columns_take_no_room() {
        let rows = [vec!["a".to_owned(), String::new(), "b".to_owned()]];
        assert_eq!(aligned(&rows), ["a  b"]);
    }
}
