//! Replays the events of a session, and compares the results with the stored entries.

use plan_machine_kernel::digest::{Token, short};
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::time::Instant;

use super::entries;
use crate::error::UnreadableReason;
use crate::identity::SessionIdentity;
use crate::journal::{
    Chain, Digest, Entry, EntryKind, Format, Images, JournalPlans, Kind, PlanImages, Snapshot,
};
use crate::store::Row;
use plan_machine::gate::{Gate, MachineSet, Step};
use plan_machine::machine::{Acceptance, Outcome, PlanView, StoredPlans};

/// Verifies a session: replays its events one entry at a time, and compares the results with the entries.
#[derive(Debug)]
pub struct Verifier {
    pub(super) gate: Gate,
    pub(super) images: Images,
    machine_set: MachineSet,
    /// The digest of the last entry if that entry, or an entry since the last restart, cannot be read; `None` if all of
    /// them can be read.
    lost: Option<Digest>,
}

/// The result of replaying an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplayVerdict {
    /// The replay produced exactly the stored bytes, except that old formats have shorter tokens. An entry that
    /// restarts the session has nothing to replay.
    Same,
    /// The replay did not produce the stored bytes, or an entry before a restart is missing. The replay of later
    /// entries starts from the stored plans, so that each difference is reported only once.
    Differs(Box<ReplayDifference>),
}

/// How the result of a replay differs from the stored entry.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayDifference {
    /// The number of the entry.
    pub seq: u64,
    /// Whether the spec that wrote the entry differs from the spec that replayed it, or this program does not have the
    /// machine.
    pub other_spec: bool,
    /// A human-readable description of the difference.
    pub problem: String,
}

impl Verifier {
    /// Creates a verifier that starts before the first entry of a session.
    #[must_use]
    pub fn new(session: &SessionIdentity, machine_set: &MachineSet) -> Self {
        Self {
            gate: machine_set.gate(),
            images: Images::of(Snapshot::empty(session)),
            machine_set: machine_set.clone(),
            lost: None,
        }
    }

    /// Returns the content of the session after the last verified entry.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.images.snapshot
    }

    /// Returns the instant at which the next timer of the session is due after the last verified entry; `None` if no
    /// timer is running.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.gate.due()
    }

    /// Replays the next entry by the rules of its format. After an error, the following entries are not verified until
    /// an entry restarts the session.
    ///
    /// # Errors
    ///
    /// If the entry cannot be read, was altered, or does not follow the entry before it.
    pub fn next(&mut self, row: &Row) -> Result<(Entry, ReplayVerdict), UnreadableReason> {
        let verified = match self.lost {
            None => self.follow(row).or_else(|why| self.after_a_gap(row, why)),
            Some(before) => self.restart(before, row),
        };
        self.lost = verified.is_err().then_some(row.digest);
        verified
    }

    /// Continues at an entry by which a person restarted the session after an entry that cannot be read.
    fn restart(
        &mut self,
        before: Digest,
        row: &Row,
    ) -> Result<(Entry, ReplayVerdict), UnreadableReason> {
        let (chain, entry) = entries::next(Chain::at(before), row, &PlanImages::default())?;
        if !matches!(entry.kind, EntryKind::Restarted { .. }) {
            let problem = "the entry follows an unreadable entry, but does not restart the session";
            return Err(entries::altered(row, problem));
        }
        self.empty(&entry, chain);
        Ok((entry, ReplayVerdict::Same))
    }

    /// Continues at a restart that follows a missing entry. The digest of the restart cannot be checked, because it
    /// depends on the missing entry.
    fn after_a_gap(
        &mut self,
        row: &Row,
        why: UnreadableReason,
    ) -> Result<(Entry, ReplayVerdict), UnreadableReason> {
        let (UnreadableReason::Missing { .. }, Ok(entry)) = (&why, Entry::read(&row.body)) else {
            return Err(why);
        };
        if !matches!(entry.kind, EntryKind::Restarted { .. }) || entry.seq != row.seq {
            return Err(why);
        }
        self.empty(&entry, Chain::at(row.digest));
        let difference = ReplayDifference {
            seq: entry.seq,
            other_spec: false,
            problem: why.to_string(),
        };
        Ok((entry, ReplayVerdict::Differs(Box::new(difference))))
    }

    /// Removes all plans of the session, as a restart does.
    fn empty(&mut self, entry: &Entry, chain: Chain) {
        self.images.follow(entry, chain, 0);
        self.gate = self.machine_set.gate();
        self.gate.set_born(self.images.snapshot.born);
    }

    fn follow(&mut self, row: &Row) -> Result<(Entry, ReplayVerdict), UnreadableReason> {
        let (chain, entry) = entries::following(&self.images, row)?;
        let problem = match entry.kind {
            EntryKind::Taken => self.problem(&entry, &row.body),
            EntryKind::TurnBegan { .. } => self.problem_of_turn(&entry, &row.body),
            EntryKind::Abandoned { .. } => self.problem_of_end(&entry, &row.body),
            EntryKind::Restarted { .. } => {
                self.empty(&entry, chain);
                return Ok((entry, ReplayVerdict::Same));
            }
        };
        let ended = matches!(entry.kind, EntryKind::Abandoned { .. });
        self.images.follow(&entry, chain, row.body.len());
        let floor = self.follow_turn();
        self.forget_ended(&entry.step.machine);
        // If a person ended the plan, no step of its machine removed it, so the machine's plans are restored.
        if ended || problem.is_some() {
            self.resume(&entry.step.machine);
        }
        let Some(problem) = problem else {
            let verdict = floor.map(|difference| ReplayVerdict::Differs(Box::new(difference)));
            return Ok((entry, verdict.unwrap_or(ReplayVerdict::Same)));
        };
        let ours = self.gate.machines().iter();
        let ours = ours.map(|machine| machine.description());
        let same_spec = ours
            .filter(|machine| machine.name == entry.step.machine)
            .any(|machine| machine.is_of(&entry.step.fingerprint));
        let difference = ReplayDifference {
            seq: entry.seq,
            other_spec: !same_spec,
            problem,
        };
        Ok((entry, ReplayVerdict::Differs(Box::new(difference))))
    }

    /// Compares the stored snapshot of the last replayed entry with the turn and the plans that the entries produce,
    /// and describes the difference; `None` if there is none.
    #[must_use]
    pub fn problem_of_snapshot(&self, stored: &Snapshot) -> Option<String> {
        let rebuilt = &self.images.snapshot;
        let seq = stored.seq;
        if stored.chain != rebuilt.chain {
            return Some(format!(
                "the snapshot of entry {seq} belongs to another entry or another session"
            ));
        }
        if stored.turn != rebuilt.turn {
            return Some(format!(
                "the turn in the snapshot of entry {seq} differs from the turn that the entries produce"
            ));
        }
        let nothing = StoredPlans::default();
        let names = rebuilt.holdings.iter().chain(&stored.holdings);
        let mut names = names.map(|holding| &holding.machine);
        names.find_map(|machine| {
            let of = |snapshot: &'_ Snapshot| {
                let mut holdings = snapshot.holdings.iter();
                holdings.position(|holding| holding.machine == *machine)
            };
            let held = of(rebuilt).map_or(&nothing, |at| &rebuilt.holdings[at].stored);
            let kept = of(stored).map_or(&nothing, |at| &stored.holdings[at].stored);
            let known = self.gate.position(machine);
            let known = known.map(|at| &self.gate.machines()[at]);
            let led = JournalPlans {
                to: held,
                kind: known.map_or(Kind::Unknown, |machine| Kind::of(machine.description())),
                forgets: known.is_none_or(|machine| !machine.needs_ended()),
            };
            let difference = led.difference(kept)?;
            Some(format!(
                "the plans of {machine} in the snapshot of entry {seq} differ from the plans that the entries produce: \
                 {difference}"
            ))
        })
    }

    /// Makes the machine of an entry count editions by the rules that applied when the entry was written.
    fn count_editions(&mut self, entry: &Entry) {
        let Some(at) = self.gate.position(&entry.step.machine) else {
            return;
        };
        let mut holdings = self.images.snapshot.holdings.iter();
        let holding = holdings.find(|holding| holding.machine == entry.step.machine);
        let editions = if entry.format.editions_restart() {
            Editions::restarting()
        } else {
            let before = self.images.snapshot.editions;
            Editions::up_to(holding.map_or(before, |holding| holding.stored.editions))
        };
        self.gate.set_editions(at, editions);
    }

    fn problem(&mut self, entry: &Entry, body: &str) -> Option<String> {
        self.count_editions(entry);
        match self.gate.repeat(&entry.step) {
            None => Some(format!(
                "this program does not have the machine {}",
                entry.step.machine
            )),
            Some(Outcome::Denied(denial)) => {
                Some(format!("the event would now be denied: {denial}"))
            }
            Some(Outcome::Run { .. }) => Some(
                "the tool call would now be allowed to run instead of being recorded".to_owned(),
            ),
            Some(Outcome::Accepted(acceptance)) => {
                let again = Entry {
                    step: Step {
                        acceptance: *acceptance,
                        ..entry.step.clone()
                    },
                    ..entry.clone()
                };
                let same = is_same(entry.format, &again.to_text_onto(&self.images.past), body);
                (!same).then(|| what_differs(&entry.step.acceptance, &again.step.acceptance))
            }
        }
    }

    /// Checks an entry by which a person ended a damaged plan: it must contain the plan as the earlier entries left it.
    fn problem_of_end(&self, entry: &Entry, body: &str) -> Option<String> {
        let holdings = self.images.snapshot.holdings.iter();
        let mut plans = holdings
            .filter(|holding| holding.machine == entry.step.machine)
            .flat_map(|holding| &holding.stored.plans);
        let ended = entry.step.acceptance.ended.as_ref();
        let held = plans.find(|plan| ended.is_some_and(|ended| ended.id == plan.id));
        match (held, ended) {
            (Some(held), Some(ended))
                if is_same_plan(held, ended) && entry.to_text_onto(&self.images.past) == body =>
            {
                None
            }
            (Some(_), _) => Some(
                "the plan that the entry ends differs from the same plan in the earlier entries"
                    .to_owned(),
            ),
            (None, _) => Some("the session does not have the plan that the entry ends".to_owned()),
        }
    }

    /// Forgets ended plans, so that replaying a long history takes no more memory than replaying a short one.
    fn forget_ended(&mut self, machine: &str) {
        let Some(at) = self.gate.position(machine) else {
            return;
        };
        if !self.gate.machines()[at].needs_ended() {
            self.gate.forget_ended();
            self.images.forget_ended(machine);
        }
    }

    /// Restores the stored plans into a machine. A machine that cannot restore them keeps the plans that the replay
    /// produced, and the difference is reported for the next entry.
    fn resume(&mut self, machine: &str) {
        let born = self.images.snapshot.born;
        let holdings = self.images.snapshot.holdings.iter();
        if let Some(holding) = holdings
            .into_iter()
            .find(|holding| holding.machine == machine)
        {
            let _ = self.gate.restore(machine, &holding.stored);
        }
        self.gate.set_born(born);
    }
}

/// Returns whether the text that a replay produced is the stored text. If the format has short tokens, tokens are
/// compared in their short form.
fn is_same(format: Format, again: &str, stored: &str) -> bool {
    again == stored
        || format.shortens_tokens() && with_short_tokens(again) == with_short_tokens(stored)
}

/// Returns the text with all its tokens replaced with their short forms.
fn with_short_tokens(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let ends = |letter: char| !is_part(letter);
    let mut shortened = String::with_capacity(text.len());
    for piece in text.split_inclusive(ends) {
        let word = piece.trim_end_matches(ends);
        shortened.push_str(short(word));
        shortened.push_str(&piece[word.len()..]);
    }
    shortened
}

/// Returns whether two views of a plan are the same. A short token from an older format matches the long form of that
/// token.
fn is_same_plan(one: &PlanView, other: &PlanView) -> bool {
    let tokens = (one.token.parse::<Token>(), other.token.parse::<Token>());
    let fits = match tokens {
        (Ok(token), Ok(another)) => token.fits(another),
        _ => one.token == other.token,
    };
    let token = String::new();
    let without = |plan: &PlanView| PlanView {
        token: token.clone(),
        ..plan.clone()
    };
    fits && without(one) == without(other)
}

fn what_differs(stored: &Acceptance, now: &Acceptance) -> String {
    let plans = stored.plans == now.plans && stored.each == now.each;
    let parts = [
        ("the plans", "differ", plans),
        ("the plan that ended", "differs", stored.ended == now.ended),
        ("the effects", "differ", stored.effects == now.effects),
        ("the reply", "differs", stored.reply == now.reply),
    ];
    let found = parts.iter().filter(|(_, _, same)| !same);
    let differing: Vec<(&str, &str)> = found.map(|(part, verb, _)| (*part, *verb)).collect();
    if differing.is_empty() {
        return "the text of the entry differs, but the plans, effects and reply in it do not"
            .to_owned();
    }
    let states = |acceptance: &Acceptance| -> String {
        let states: Vec<&str> = acceptance.plans.iter().map(|plan| &*plan.state).collect();
        if states.is_empty() {
            "none".to_owned()
        } else {
            states.join(", ")
        }
    };
    let (was, is) = (states(stored), states(now));
    let moved = if was == is {
        String::new()
    } else {
        format!(" (stored state: {was}; replayed state: {is})")
    };
    format!("{}{moved}", clause(&differing))
}

/// Joins the names of the differing parts and adds the right form of the verb: "the reply differs", "the plans and the
/// reply differ".
fn clause(differing: &[(&str, &str)]) -> String {
    let parts: Vec<&str> = differing.iter().map(|(part, _)| *part).collect();
    let verb = match differing {
        [(_, only)] => only,
        _ => "differ",
    };
    format!("{} {verb}", parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::clause;

    #[test]
    fn the_verb_agrees_with_what_differs() {
        let ended = ("the plan that ended", "differs");
        assert_eq!(clause(&[ended]), "the plan that ended differs");
        assert_eq!(clause(&[("the effects", "differ")]), "the effects differ");
        let both = [ended, ("the reply", "differs")];
        assert_eq!(clause(&both), "the plan that ended and the reply differ");
    }
}
