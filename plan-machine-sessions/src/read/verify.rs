//! Replays a session's events and compares the results.

use plan_machine_kernel::digest::{Token, short};
use plan_machine_kernel::edition::Editions;

use super::entries;
use crate::error::UnreadableReason;
use crate::identity::SessionIdentity;
use crate::journal::{
    Chain, Digest, Entry, EntryKind, Format, Images, Kind, Led, PlanImages, Snapshot,
};
use crate::store::Row;
use plan_machine::gate::{Gate, MachineSet, Step};
use plan_machine::machine::{Acceptance, Outcome, PlanView, StoredPlans};

/// Replays the events of a session, one entry at a time.
#[derive(Debug)]
pub struct Verifier {
    gate: Gate,
    images: Images,
    machine_set: MachineSet,
    /// The digest of the last entry, if it or an earlier one cannot be read.
    lost: Option<Digest>,
}

/// The result of replaying an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplayVerdict {
    /// It produced the same bytes.
    Same,
    /// It produced something else. Later entries are compared starting from the stored content, so that each difference
    /// is reported once.
    Differs(Box<ReplayDifference>),
}

/// How a replay differs from what is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayDifference {
    /// The entry.
    pub seq: u64,
    /// Whether the entry was written by a different spec than the one that replayed it.
    pub other_spec: bool,
    /// A human-readable description.
    pub problem: String,
}

impl Verifier {
    /// Starts before the first entry of a session.
    #[must_use]
    pub fn new(session: &SessionIdentity, machine_set: &MachineSet) -> Self {
        Self {
            gate: machine_set.gate(),
            images: Images::of(Snapshot::empty(session)),
            machine_set: machine_set.clone(),
            lost: None,
        }
    }

    /// Returns the content of the session after the last entry.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.images.snapshot
    }

    /// Replays the next entry by the rules of its format. After an error, entries are not verified until one restarts
    /// the session.
    ///
    /// # Errors
    ///
    /// If an entry cannot be read, does not follow the last one, or was altered.
    pub fn next(&mut self, row: &Row) -> Result<(Entry, ReplayVerdict), UnreadableReason> {
        let verified = match self.lost {
            None => self.follow(row).or_else(|why| self.after_a_gap(row, why)),
            Some(before) => self.restart(before, row),
        };
        self.lost = verified.is_err().then_some(row.digest);
        verified
    }

    /// Continues where a person restarted the session: the restart follows an entry that cannot be read.
    fn restart(
        &mut self,
        before: Digest,
        row: &Row,
    ) -> Result<(Entry, ReplayVerdict), UnreadableReason> {
        let (chain, entry) = entries::next(Chain::at(before), row, &PlanImages::default())?;
        if !matches!(entry.kind, EntryKind::Restarted { .. }) {
            let problem = "it follows an entry that cannot be read";
            return Err(entries::altered(row, problem));
        }
        self.empty(&entry, chain);
        Ok((entry, ReplayVerdict::Same))
    }

    /// Continues at a restart that follows a missing entry, whose digest cannot be compared.
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

    /// Empties the session: after a restart it has no plans.
    fn empty(&mut self, entry: &Entry, chain: Chain) {
        self.images.follow(entry, chain, 0);
        self.gate = self.machine_set.gate();
        self.gate.set_born(self.images.snapshot.born);
    }

    fn follow(&mut self, row: &Row) -> Result<(Entry, ReplayVerdict), UnreadableReason> {
        let (chain, entry) = entries::following(&self.images, row)?;
        let problem = match entry.kind {
            EntryKind::Taken => self.problem(&entry, &row.body),
            EntryKind::Abandoned { .. } => self.problem_of_end(&entry, &row.body),
            EntryKind::Restarted { .. } => {
                self.empty(&entry, chain);
                return Ok((entry, ReplayVerdict::Same));
            }
        };
        let ended = entry.kind != EntryKind::Taken;
        self.images.follow(&entry, chain, row.body.len());
        self.forget_ended(&entry.step.machine);
        // A plan that was ended from outside leaves its machine without a step of that machine.
        if ended || problem.is_some() {
            self.resume(&entry.step.machine);
        }
        let Some(problem) = problem else {
            return Ok((entry, ReplayVerdict::Same));
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

    /// Describes the problem with the stored snapshot of the last replayed entry, if its plans differ from those that
    /// the entries lead to.
    #[must_use]
    pub fn problem_of_snapshot(&self, stored: &Snapshot) -> Option<String> {
        let rebuilt = &self.images.snapshot;
        let seq = stored.seq;
        if stored.chain != rebuilt.chain {
            return Some(format!(
                "the snapshot of entry {seq} belongs to another entry or another session"
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
            let led = Led {
                to: held,
                kind: known.map_or(Kind::Unknown, |machine| Kind::of(machine.description())),
                forgets: known.is_none_or(|machine| !machine.needs_ended()),
            };
            let difference = led.difference(kept)?;
            Some(format!(
                "the snapshot of entry {seq} contains other plans of {machine} than its entries: {difference}"
            ))
        })
    }

    /// Makes the machine of an entry count editions as it did when the entry was written.
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
            None => Some(format!("there is no machine {}", entry.step.machine)),
            Some(Outcome::Denied(denial)) => Some(format!("it would be denied now: {denial}")),
            Some(Outcome::Run { .. }) => Some("it is a tool call that would run now".to_owned()),
            Some(Outcome::Accepted(taken)) => {
                let again = Entry {
                    step: Step {
                        taken: *taken,
                        ..entry.step.clone()
                    },
                    ..entry.clone()
                };
                let same = is_same(entry.format, &again.to_text_onto(&self.images.past), body);
                (!same).then(|| what_differs(&entry.step.taken, &again.step.taken))
            }
        }
    }

    /// Checks an entry that ends a plan: it must contain the plan as the earlier entries left it.
    fn problem_of_end(&self, entry: &Entry, body: &str) -> Option<String> {
        let holdings = self.images.snapshot.holdings.iter();
        let mut plans = holdings
            .filter(|holding| holding.machine == entry.step.machine)
            .flat_map(|holding| &holding.stored.plans);
        let ended = entry.step.taken.ended.as_ref();
        let held = plans.find(|plan| ended.is_some_and(|ended| ended.id == plan.id));
        match (held, ended) {
            (Some(held), Some(ended))
                if is_same_plan(held, ended) && entry.to_text_onto(&self.images.past) == body =>
            {
                None
            }
            (Some(_), _) => Some("the plan that it ends differs".to_owned()),
            (None, _) => Some("the session has no plan that it could end".to_owned()),
        }
    }

    /// Forgets ended plans, so that replaying a long history takes no more memory than a short one.
    fn forget_ended(&mut self, machine: &str) {
        let Some(at) = self.gate.position(machine) else {
            return;
        };
        if !self.gate.machines()[at].needs_ended() {
            self.gate.forget_ended();
            self.images.forget_ended(machine);
        }
    }

    /// Continues with the stored plans. A machine that cannot restore them keeps its own, and the next entry reports
    /// the difference.
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

/// Tells whether a replay produces the stored text. If the format has short tokens, all tokens are compared in their
/// short form.
fn is_same(format: Format, again: &str, stored: &str) -> bool {
    again == stored
        || format.shortens_tokens() && with_short_tokens(again) == with_short_tokens(stored)
}

/// Returns a text with all its tokens in their short form.
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

/// Tells whether two images show the same plan; older images have short tokens.
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
        return "the order of its fields differs".to_owned();
    }
    let states = |taken: &Acceptance| -> String {
        let states: Vec<&str> = taken.plans.iter().map(|plan| &*plan.state).collect();
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
        format!(" (in {was} then, in {is} now)")
    };
    format!("{}{moved}", clause(&differing))
}

/// Describes what differs, with the right verb form: "the reply differs", "the plans and the reply differ".
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
