//! `plan-machine log verify`: replays events and compares the results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use plan_machine::gate::{Gate, MachineSet};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::journal::{Entry, EntryKind, Sender, Snapshot};
use plan_machine_sessions::store::{StoreErrorKind, StoredAnswer, StoredSession};
use plan_machine_sessions::{ReplayDifference, ReplayVerdict, Verifier};
use plan_machine_sessions::{SessionError, SessionIdentity, UnreadableReason};

use super::journal::{Journal, pending, problem_of_effects};
use super::open_store::{Log, entries, unlisted};
use super::timeline::plain;
use crate::output::{BAD, Exit, Failure, GOOD, Out, WARN, styled};
use crate::session::SessionDocument;
use crate::spec;

/// The maximum number of differences in a session that are shown to people.
const SHOWN: usize = 10;

/// Replay all events of a session with these specs, and report each result that differs from the stored result.
///
/// If the result of an entry differs, either the entry or the spec was changed; the report says whether the entry was
/// written with the same spec. The command also checks that the digests of entries, snapshots and answers are correct,
/// that every pending effect exists in its entry, and that the store lists when the next timer is due (unless the specs
/// are those of several modes). The exit status is 1 if any of these checks fails.
#[derive(Debug, clap::Args)]
#[command(override_usage = "plan-machine log [--store STORE] verify SESSION|--all SPEC...")]
pub(super) struct Args {
    /// The session, as CHANNEL:CONVERSATION, followed by its session document or the specs of its machines; with
    /// `--all`, only the documents.
    #[arg(required = true, value_name = "SESSION|SPEC")]
    named: Vec<String>,
    /// Verify all sessions.
    #[arg(long)]
    all: bool,
}

/// The findings of the verification of a session.
#[derive(Default)]
struct Report {
    verified: usize,
    /// Whether the machines belong to several modes. The store lists only the timers of the mode that the session is
    /// in, and the entries do not say which mode that is.
    of_modes: bool,
    /// The number of entries that were written with another spec but have the same result.
    by_other_spec: usize,
    differences: Vec<(ReplayDifference, String)>,
    /// Descriptions of the alterations that were found.
    altered: Vec<String>,
    /// Why an entry cannot be verified, and how many entries have been skipped because of it so far. Verification
    /// continues at the next entry that restarts the session.
    gap: Option<(String, usize)>,
}

pub(super) async fn run(log: &Log, args: &Args) -> Result<Exit, Failure> {
    let (session, specs) = match args.named.split_first() {
        Some((session, specs)) if !args.all => (Some(session.as_str()), specs),
        _ => (None, &args.named[..]),
    };
    if specs.is_empty() {
        let missing = Failure::usage("expected the specs to verify against");
        return Err(missing.help(
            "at the end of the command, name the session document or the specs of the session's machines",
        ));
    }
    let (machines, of_one_mode) = machines(specs)?;
    let chosen = log.chosen(session).await?;
    // A damaged session may list any number of entries, so the sum must not overflow.
    let many = chosen.iter().map(|listed| listed.seq);
    let progress = progress(many.fold(0, u64::saturating_add));
    let mut out = if log.is_json() {
        Out::plain()
    } else {
        Out::coloured()
    };
    let mut exit = Exit::Fine;
    for problem in log.read(log.store.check().await)? {
        exit = Exit::Spec;
        progress.suspend(|| store_line(log, &problem, &mut out))?;
    }
    if session.is_none() {
        for lost in log.unlisted().await? {
            exit = Exit::Spec;
            let problem = format!("{}: {}", lost.name, unlisted(&lost));
            progress.suspend(|| store_line(log, &problem, &mut out))?;
        }
    }
    for listed in chosen {
        let report = verify(log, &listed.session, &machines, of_one_mode, &progress).await?;
        if !report.is_fine() {
            exit = Exit::Spec;
        }
        progress.suspend(|| {
            if log.is_json() {
                out.line(report.json(&listed.session))
            } else {
                report.human(&listed.session, &mut out)
            }
        })?;
        if out.is_gone() {
            break;
        }
    }
    progress.finish_and_clear();
    out.flush()?;
    Ok(exit)
}

/// Returns the machines of the specs. They may conflict with each other, because a session can have them at different
/// times, such as the machines of two modes. An entry is replayed with the machine that took the step.
///
/// Also returns whether a session can have all of them at the same time.
fn machines(specs: &[String]) -> Result<(MachineSet, bool), Failure> {
    let mut parts = Gate::builder().any_host_tool();
    let mut together = Gate::builder().any_host_tool();
    let mut known = BTreeSet::new();
    for path in specs {
        let path = Path::new(path);
        // A session document names all machines of the session.
        let machines = match SessionDocument::read(path)? {
            None => vec![spec::machine(path)?],
            Some(document) => {
                let session = document.into_session()?;
                parts = parts.command_prefix(session.prefix);
                together = together.command_prefix(session.prefix);
                let members = session.members.iter();
                members.map(|member| member.machine.clone()).collect()
            }
        };
        for machine in machines {
            if !known.insert(machine.name.clone()) {
                let twice = format!("the machine {} is named twice", machine.name);
                return Err(Failure::usage(twice).help("verify against one of its specs at a time"));
            }
            together = together.with(InterpretedMachine::of(machine.clone()));
            parts = parts.with(InterpretedMachine::of(machine));
        }
    }
    Ok((parts.join_for_replay(), together.join().is_ok()))
}

/// Shows progress on standard error, but only if that is a terminal.
fn progress(entries: u64) -> ProgressBar {
    let bar = ProgressBar::new(entries);
    match ProgressStyle::with_template("{bar:30} {pos} of {len} entries") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Prints a problem that affects the store itself and not a single session.
fn store_line(log: &Log, problem: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    if log.is_json() {
        let mut object = Object::new();
        object.push("store", log.name.as_str());
        object.push("ok", false);
        object.push("damaged", problem);
        return out.line(Json::from(object));
    }
    let (name, problem) = (plain(&log.name), plain(problem));
    out.line(format_args!("{name}: {}", styled(BAD, problem)))
}

/// Verifies a session; damage to the session itself is part of the report and does not affect other sessions.
async fn verify(
    log: &Log,
    session: &SessionIdentity,
    machines: &MachineSet,
    of_one_mode: bool,
    progress: &ProgressBar,
) -> Result<Report, Failure> {
    let mut report = Report {
        of_modes: !of_one_mode,
        ..Report::default()
    };
    let judged = judge(log, session, machines, progress, &mut report).await;
    report.close_gap();
    match judged {
        Err(SessionError::Unreadable { why, .. }) => report.told(why.to_string()),
        Err(SessionError::Store(error)) if error.kind == StoreErrorKind::Damaged => {
            report.told(error.to_string());
        }
        Err(other) => return Err(log.failed(other)),
        Ok(()) => {}
    }
    Ok(report)
}

async fn judge(
    log: &Log,
    session: &SessionIdentity,
    machines: &MachineSet,
    progress: &ProgressBar,
    report: &mut Report,
) -> Result<(), SessionError> {
    let mut verifier = Verifier::new(session, machines);
    let mut journal = Journal::new(log, session);
    let read = log.store.read(session).await?;
    let snapshot = report.snapshot(session, &read);
    let open = pending(log, session).await?;
    let open = open.unwrap_or_else(|problem| {
        report.told(problem);
        BTreeSet::new()
    });
    let mut calls = Calls::default();
    while let Some(page) = journal.page().await? {
        report.answers(session, page.answers.values().flatten());
        calls.answered(page.answers.values().flatten());
        for row in page.rows {
            match verifier.next(&row) {
                Ok((entry, verdict)) => {
                    report.close_gap();
                    report.judged(machines, &entry, verdict);
                    calls.called(&entry);
                    let due = snapshot.as_ref().filter(|one| one.seq == entry.seq);
                    let problem = due.and_then(|one| verifier.problem_of_snapshot(one));
                    report.altered.extend(problem);
                    report.altered.extend(problem_of_effects(&entry, &open));
                }
                Err(why) => report.skip(&why),
            }
            progress.inc(1);
        }
    }
    let is_lost = report.gap.is_some();
    report.close_gap();
    report.altered.extend(calls.without_answer());
    if is_lost {
        return Ok(());
    }
    let due = log.store.due_at(session).await?;
    report
        .altered
        .extend(report.problem_of_timers(verifier.due(), due));
    Snapshot::load(&*log.store, session).await.map(drop)
}

/// The calls of a session. An entry of a call is stored together with the answer to the call; without the answer, a
/// repetition of the call would take effect again.
#[derive(Default)]
struct Calls {
    called: BTreeMap<String, u64>,
    answered: BTreeSet<String>,
}

impl Calls {
    fn called(&mut self, entry: &Entry) {
        if let Some(id) = &entry.call_id {
            self.called.entry(id.clone()).or_insert(entry.seq);
        }
    }

    fn answered<'a>(&mut self, given: impl Iterator<Item = &'a StoredAnswer>) {
        for one in given {
            // Before format 3, the key of an answer was the id alone.
            let ids = [one.call_id.as_str(), Sender::id_in(&one.call_id)];
            self.answered.extend(ids.map(str::to_owned));
        }
    }

    /// Describes the calls whose answers are missing.
    fn without_answer(&self) -> impl Iterator<Item = String> {
        let calls = self.called.iter();
        let missing = calls.filter(|(id, _)| !self.answered.contains(*id));
        missing.map(|(id, seq)| {
            format!("the answer to the call `{id}` of entry {seq} is missing; the call could be made again")
        })
    }
}

impl Report {
    fn is_fine(&self) -> bool {
        self.differences.is_empty() && self.altered.is_empty()
    }

    /// Returns the stored snapshot, which is then compared with the result of the entries. A snapshot that does not
    /// name its session is compared as well, although sessions never use it.
    fn snapshot(&mut self, session: &SessionIdentity, read: &StoredSession) -> Option<Snapshot> {
        match Snapshot::bound(session, read) {
            Ok(Some(bound)) => Some(bound),
            Ok(None) => Snapshot::read(&read.snapshot.as_ref()?.body).ok(),
            Err(why) => {
                self.altered.push(why.to_string());
                None
            }
        }
    }

    /// Describes how the instant of the next timer in the store differs from the one that the entries produce. An earlier
    /// instant does no harm: the session is woken once, and nothing fires. Another spec may have other timers.
    fn problem_of_timers(&self, next: Option<Instant>, stored: Option<Instant>) -> Option<String> {
        let is_known = self.by_other_spec == 0 && self.differences.is_empty() && !self.of_modes;
        let next = next.filter(|_| is_known)?;
        // Stores round instants up to a millisecond.
        let latest = next.since_1970() + Duration::from_millis(1);
        match stored {
            Some(stored) if stored.since_1970() <= latest => None,
            Some(stored) => Some(format!(
                "the next timer is due at {next}, but the store lists the session as due only at {stored}"
            )),
            None => Some(format!(
                "the next timer is due at {next}, but the store does not list the session as due"
            )),
        }
    }

    fn told(&mut self, problem: String) {
        if !self.altered.contains(&problem) {
            self.altered.push(problem);
        }
    }

    /// Skips an entry that cannot be read, or that follows such an entry.
    fn skip(&mut self, why: &UnreadableReason) {
        let (_, skipped) = self.gap.get_or_insert_with(|| (why.to_string(), 0));
        *skipped += 1;
    }

    /// Reports the entries that were skipped, if any.
    fn close_gap(&mut self) {
        if let Some((why, skipped)) = self.gap.take() {
            let were = if skipped == 1 { "was" } else { "were" };
            self.told(format!("{why}; {} {were} not verified", entries(skipped)));
        }
    }

    fn judged(&mut self, machines: &MachineSet, entry: &Entry, verdict: ReplayVerdict) {
        let writer = writer(machines, entry);
        match verdict {
            ReplayVerdict::Same => {
                self.verified += 1;
                self.by_other_spec += usize::from(writer.is_some());
            }
            ReplayVerdict::Differs(difference) => {
                let writer = writer.unwrap_or("written with the same spec");
                self.differences.push((*difference, writer.to_owned()));
            }
        }
    }

    fn answers<'a>(
        &mut self,
        session: &SessionIdentity,
        given: impl Iterator<Item = &'a StoredAnswer>,
    ) {
        for one in given.filter(|one| !one.is_whole(session)) {
            let call = Sender::id_in(&one.call_id);
            let problem = format!("the answer to the call `{call}` was altered");
            self.altered.push(problem);
        }
    }

    fn human(&self, session: &SessionIdentity, out: &mut Out<'_>) -> Result<(), Failure> {
        let mark = if self.is_fine() {
            styled(GOOD, "ok")
        } else {
            styled(BAD, "differs")
        };
        let others = match self.by_other_spec {
            0 => String::new(),
            some => format!(", {some} of them written with another spec"),
        };
        let differing = match self.differences.len() {
            0 => String::new(),
            some => format!("; {} with a different result", entries(some)),
        };
        let name = plain(&session.to_string());
        let verified = entries(self.verified);
        out.line(format_args!(
            "{name}: {mark}, {verified} verified{others}{differing}"
        ))?;
        for (difference, writer) in self.differences.iter().take(SHOWN) {
            let (seq, problem) = (difference.seq, plain(&difference.problem));
            let writer = styled(WARN, writer);
            out.line(format_args!("  entry {seq} ({writer}): {problem}"))?;
        }
        if let Some(more) = self.differences.len().checked_sub(SHOWN + 1) {
            out.line(format_args!("  … and {} more", entries(more + 1)))?;
        }
        for problem in &self.altered {
            out.line(format_args!("  {}", styled(BAD, plain(problem))))?;
        }
        Ok(())
    }

    fn json(&self, session: &SessionIdentity) -> Json {
        let differences = self.differences.iter().map(|(difference, writer)| {
            let mut object = Object::new();
            object.push("seq", difference.seq);
            object.push("other_spec", difference.other_spec);
            object.push("writer", writer.as_str());
            object.push("problem", difference.problem.as_str());
            Json::from(object)
        });
        let altered = self.altered.iter().map(|text| Json::from(text.as_str()));
        let mut object = Object::new();
        object.push("session", session.to_string());
        object.push("ok", self.is_fine());
        object.push("verified", self.verified as u64);
        object.push("by_other_spec", self.by_other_spec as u64);
        object.push("differences", differences.collect::<Vec<Json>>());
        object.push("altered", altered.collect::<Vec<Json>>());
        object.into()
    }
}

/// Describes the spec with which an entry was written, if the entry is replayed with another spec.
fn writer(machines: &MachineSet, entry: &Entry) -> Option<&'static str> {
    let step = &entry.step;
    if matches!(
        entry.kind,
        EntryKind::Restarted { .. } | EntryKind::TurnBegan { .. }
    ) {
        return None;
    }
    let mut known = machines.machines();
    let Some(judge) = known.find(|machine| machine.name == step.machine) else {
        return Some("written with an unknown machine");
    };
    if judge.is_of(&step.fingerprint) {
        return None;
    }
    Some(match step.version.cmp(&judge.version) {
        std::cmp::Ordering::Greater => "written with a newer version of the spec",
        std::cmp::Ordering::Less => "written with an older version of the spec",
        std::cmp::Ordering::Equal => "written with another spec of the same version",
    })
}
