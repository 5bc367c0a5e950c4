//! A snapshot: the content of a session after one of its entries, so that this entry and all earlier ones need not be
//! read.

use plan_machine_kernel::json::Json;
use plan_machine_kernel::time::Instant;

use super::chain::Chain;
use super::compare::{JournalPlans, Kind};
use super::entry::{Entry, EntryKind};
use super::fields::{Bad, Fields};
use super::format::{Format, ReadError};
use super::past::{Image, PlanImages};
use super::same::identical_objects;
use super::text::{self, Pairs};
use super::turn;
use crate::identity::SessionIdentity;
use plan_machine::Id;
use plan_machine::description::Description;
use plan_machine::gate::Turn;
use plan_machine::machine::{PlanView, StoredPlans};

/// The content of a session after an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The format that the snapshot is written in.
    pub format: Format,
    /// The identity of the session, as `channel:conversation`; absent if the snapshot was written in format 1 or 2.
    pub session: Option<String>,
    /// The number of the entry.
    pub seq: u64,
    /// The hash chain after the entry.
    pub chain: Chain,
    /// The number of plans that have been started in the session; after a restart, an upper bound.
    pub born: u64,
    /// The plans of each machine.
    pub holdings: Vec<MachineSnapshot>,
    /// The highest edition that any plan may have had before the session was restarted. Machines that have had no plans
    /// since then continue counting from this edition.
    pub editions: Option<u64>,
    /// The turn that the session is in; `None` if no turn has begun.
    pub turn: Option<Turn>,
    /// The latest time of all entries. It is stored only if a machine has timers: the time of such a session never goes
    /// back, so no later event can have an earlier time.
    pub clock: Option<Instant>,
}

/// The plans of one machine in a snapshot, and the version of the machine that wrote them.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSnapshot {
    /// The name of the machine.
    pub machine: String,
    /// The version of the machine that wrote the plans.
    pub version: u64,
    /// The fingerprint of the machine's spec when the plans were last written.
    pub fingerprint: String,
    /// The plans of the machine.
    pub stored: StoredPlans,
    /// The bases of the changes to the machine's long plans.
    pub bases: Vec<ChangeBase>,
}

/// The base of the changes to a plan: the content of the plan after the entry that last changed it. The next changes
/// are relative to this content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeBase {
    /// The id of the plan.
    pub plan: Id,
    /// The number of the entry that last changed the plan.
    pub seq: u64,
    /// The total size in bytes of the entries that record changes to the plan since the plan was last written in full.
    pub bytes: u64,
}

impl Snapshot {
    /// Returns the snapshot before the first entry of a session.
    #[must_use]
    pub fn empty(session: &SessionIdentity) -> Self {
        Self {
            format: Format::CURRENT,
            session: Some(session.to_string()),
            seq: 0,
            chain: Chain::start(session),
            born: 0,
            holdings: Vec::new(),
            editions: None,
            turn: None,
            clock: None,
        }
    }

    /// Describes the first difference between plans that were stored elsewhere and the plans of the session; `None` if
    /// they match. Tokens are not compared, because they are derived from the other fields.
    #[must_use]
    pub fn difference(&self, machine: &Description, kept: &StoredPlans) -> Option<String> {
        let mut holdings = self.holdings.iter();
        let holding = holdings.find(|holding| holding.machine == machine.name);
        let nothing = StoredPlans {
            editions: self.editions,
            ..StoredPlans::default()
        };
        let led = JournalPlans {
            to: holding.map_or(&nothing, |holding| &holding.stored),
            kind: Kind::of(machine),
            forgets: false,
        };
        led.difference(kept).or_else(|| led.uncounted(kept))
    }

    /// Returns the snapshot as the JSON text that is stored.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(1024);
        text::object(&mut text, |pairs| {
            self.format.write(pairs);
            pairs.maybe_text("session", self.session.as_deref());
            pairs.plain("seq", self.seq);
            pairs.quoted("chain", self.chain.to_hex());
            pairs.plain("born", self.born);
            if let Some(editions) = self.editions {
                pairs.plain("editions", editions);
            }
            if let Some(turn) = &self.turn {
                pairs.object("turn", |pairs| turn::write_turn(pairs, turn));
            }
            if let Some(clock) = self.clock {
                pairs.quoted("clock", clock);
            }
            pairs.list("machines", &self.holdings, |text, holding| {
                text::object(text, |pairs| holding.write(pairs));
            });
        });
        text
    }

    /// Parses a stored snapshot.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON, if a required field is missing, if a field is invalid, or if a newer version of
    /// plan-machine wrote the snapshot.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let json = text::json(text).map_err(|error| error.message)?;
        let fields = Fields::of(&json)?;
        let format = Format::of(fields)?;
        let session = if format.names_sessions() {
            Some(fields.text("session")?.to_owned())
        } else {
            None
        };
        let chain = Chain::from_hex(fields.text("chain")?).ok_or("`chain` is not a digest")?;
        let turn = fields.json("turn").filter(|_| format.notes_turns());
        let turn = turn.map(|json| turn::turn(Fields::of(json)?)).transpose()?;
        let holdings = fields.list("machines")?.iter().map(MachineSnapshot::read);
        Ok(Self {
            format,
            session,
            seq: fields.number("seq")?,
            chain,
            born: fields.number("born")?,
            holdings: holdings.collect::<Result<_, Bad>>()?,
            editions: fields.maybe_number("editions")?,
            turn,
            clock: fields
                .maybe_text("clock")?
                .map(Instant::parse)
                .transpose()?,
        })
    }
}

impl MachineSnapshot {
    fn write(&self, pairs: &mut Pairs<'_>) {
        pairs.text("machine", &self.machine);
        pairs.plain("version", self.version);
        pairs.text("fingerprint", &self.fingerprint);
        pairs.plans("plans", &self.stored.plans);
        if let Some(slot) = self.stored.slot {
            pairs.plain("slot", slot);
        }
        if !self.bases.is_empty() {
            pairs.list("bases", &self.bases, |text, base| {
                text::object(text, |pairs| base.write(pairs));
            });
        }
        if let Some(editions) = self.stored.editions {
            pairs.plain("editions", editions);
        }
    }

    fn read(json: &Json) -> Result<Self, Bad> {
        let fields = Fields::of(json)?;
        let plans = fields.plans("plans")?;
        let slot = match fields.maybe_number("slot")? {
            None => None,
            Some(slot) => {
                let place = usize::try_from(slot).ok().filter(|at| *at < plans.len());
                Some(place.ok_or_else(|| {
                    format!("`slot` is {slot}, but there is no plan with that index")
                })?)
            }
        };
        Ok(Self {
            machine: fields.text("machine")?.to_owned(),
            version: fields.number("version")?,
            fingerprint: fields.text("fingerprint")?.to_owned(),
            stored: StoredPlans {
                plans,
                slot,
                editions: fields.maybe_number("editions")?,
            },
            bases: fields
                .list("bases")?
                .iter()
                .map(ChangeBase::read)
                .collect::<Result<_, Bad>>()?,
        })
    }
}

impl ChangeBase {
    fn write(&self, pairs: &mut Pairs<'_>) {
        pairs.text("plan", self.plan.as_str());
        pairs.plain("seq", self.seq);
        pairs.plain("bytes", self.bytes);
    }

    fn read(json: &Json) -> Result<Self, Bad> {
        let fields = Fields::of(json)?;
        Ok(Self {
            plan: Id::from(fields.text("plan")?),
            seq: fields.number("seq")?,
            bytes: fields.number("bytes")?,
        })
    }
}

impl Snapshot {
    /// Updates the turn with an entry that begins a turn, or that changes the host tools that may run in the current
    /// turn.
    fn follow_turn(&mut self, entry: &Entry) {
        if let EntryKind::TurnBegan { turn, floor } = &entry.kind {
            let before = self.turn.take().map(|turn| turn.floor);
            self.turn = Some(Turn {
                id: turn.clone(),
                floor: floor.clone().or(before).unwrap_or_default(),
            });
        } else if let (Some(turn), Some(open)) = (&mut self.turn, &entry.step.floor) {
            turn.floor.set(&*entry.step.machine, open.clone());
        }
    }
}

impl MachineSnapshot {
    /// Records, for each plan of the machine, the entry that the next changes to the plan are relative to. A plan that
    /// differs from its image in `past` is left out.
    pub(crate) fn note_bases(&mut self, past: &PlanImages) {
        for plan in &self.stored.plans {
            let Some(image) = past.image(&self.machine, &plan.id) else {
                continue;
            };
            if image.plan == *plan && identical_objects(&image.plan.data, &plan.data) {
                self.bases.push(ChangeBase {
                    plan: plan.id.clone(),
                    seq: image.seq,
                    bytes: image.bytes,
                });
            }
        }
    }
}

/// A snapshot that is updated with the plans of later entries, exactly as the entries contain them. No event is
/// replayed, so it does not matter whether a machine has changed since the entries were written.
#[derive(Debug)]
pub(crate) struct Images {
    pub(crate) snapshot: Snapshot,
    /// The plans that the changes in the next entry are based on.
    pub(crate) past: PlanImages,
}

impl Images {
    /// Starts with the content of a snapshot.
    pub(crate) fn of(snapshot: Snapshot) -> Self {
        let mut past = PlanImages::default();
        for holding in &snapshot.holdings {
            for base in &holding.bases {
                let mut plans = holding.stored.plans.iter();
                let plan = plans.find(|plan| plan.id == base.plan).cloned();
                if let Some(plan) = plan {
                    let (seq, bytes) = (base.seq, base.bytes);
                    past.put(&holding.machine, Image { seq, bytes, plan });
                }
            }
        }
        Self { snapshot, past }
    }

    /// Returns an upper bound for the number of plans started before an entry, for sessions whose earlier entries
    /// cannot be read. Each entry starts at most one plan. New plans are numbered from this bound, so no plan id is
    /// used twice in a session.
    pub(crate) fn most_born(seq: u64) -> u64 {
        seq.saturating_sub(1)
    }

    /// Returns an upper bound for the editions used before an entry, for sessions whose earlier entries cannot be read.
    /// One entry may use several editions: a command that goes to every plan uses one edition per plan.
    pub(crate) fn most_editions(seq: u64) -> u64 {
        seq.saturating_mul(1 << 16)
    }

    /// Updates the content with an entry, given the hash chain after the entry and the entry's size in bytes.
    pub(crate) fn follow(&mut self, entry: &Entry, chain: Chain, bytes: usize) {
        self.past.follow(entry, bytes);
        let step = &entry.step;
        let snapshot = &mut self.snapshot;
        snapshot.seq = entry.seq;
        snapshot.chain = chain;
        if let EntryKind::Restarted { .. } = entry.kind {
            snapshot.editions = Some(Self::most_editions(entry.seq));
            snapshot.holdings.clear();
            snapshot.born = Self::most_born(entry.seq);
            snapshot.turn = None;
            return;
        }
        snapshot.clock = snapshot.clock.max(Some(step.at));
        snapshot.follow_turn(entry);
        if let EntryKind::TurnBegan { .. } = entry.kind {
            return;
        }
        snapshot.born += u64::from(step.new_id.is_some());
        let known = |holding: &MachineSnapshot| holding.machine == step.machine;
        let at = snapshot.holdings.iter().position(known).unwrap_or_else(|| {
            snapshot.holdings.push(MachineSnapshot {
                machine: step.machine.to_string(),
                version: 0,
                fingerprint: String::new(),
                stored: StoredPlans {
                    editions: snapshot.editions,
                    ..StoredPlans::default()
                },
                bases: Vec::new(),
            });
            snapshot.holdings.len() - 1
        });
        if entry.format.editions_restart() {
            // Earlier formats reused editions. No plan had an edition greater than the number of entries.
            for holding in &mut snapshot.holdings {
                holding.stored.editions = Some(entry.seq);
            }
        }
        let holding = &mut snapshot.holdings[at];
        if let (EntryKind::Abandoned { .. }, Some(plan)) = (&entry.kind, &step.acceptance.ended) {
            return remove(&mut holding.stored, &plan.id);
        }
        holding.version = step.version;
        holding.fingerprint = step.fingerprint.to_string();
        for plan in step.acceptance.ended.iter().chain(&step.acceptance.plans) {
            let editions = &mut holding.stored.editions;
            *editions = (*editions).max(Some(plan.edition));
            put(&mut holding.stored.plans, plan);
        }
        // A machine with many plans has no slot, and ignores this index.
        let held = step.acceptance.plans.first().map(|plan| &plan.id);
        let place = |id: &Id| holding.stored.plans.iter().position(|plan| plan.id == *id);
        holding.stored.slot = held.and_then(place);
    }
}

impl Images {
    /// Removes the plans of a machine that are no longer in its slot.
    pub(crate) fn forget_ended(&mut self, machine: &str) {
        let mut holdings = self.snapshot.holdings.iter_mut();
        let Some(holding) = holdings.find(|holding| holding.machine == machine) else {
            return;
        };
        let stored = &mut holding.stored;
        let kept = stored.slot.map(|at| stored.plans.swap_remove(at));
        stored.slot = kept.as_ref().map(|_| 0);
        stored.plans = kept.into_iter().collect();
    }
}

/// Removes a plan, whether or not it is in the slot.
fn remove(stored: &mut StoredPlans, plan: &Id) {
    let held = stored.slot.and_then(|at| stored.plans.get(at));
    let held = held.map(|held| held.id.clone());
    stored.plans.retain(|known| known.id != *plan);
    let place = |id: Id| stored.plans.iter().position(|known| known.id == id);
    stored.slot = held.and_then(place);
}

fn put(plans: &mut Vec<PlanView>, plan: &PlanView) {
    match plans.iter_mut().find(|known| known.id == plan.id) {
        Some(known) => known.clone_from(plan),
        None => plans.push(plan.clone()),
    }
}
