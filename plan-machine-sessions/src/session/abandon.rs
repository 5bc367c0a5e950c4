//! Ends a damaged plan, which its machine can no longer use.

use super::sessions::Session;
use crate::error::{SessionError, UnreadableReason};
use crate::journal::{Entry, EntryKind, Format, Images, MachineSnapshot, Snapshot};
use crate::read;
use crate::store::{Commit, Head, NextDue, Row};
use plan_machine::gate::{EventContext, Step};
use plan_machine::machine::{Acceptance, Call, CallKind, PlanView};
use plan_machine_kernel::json::{Json, Object};

/// The maximum number of attempts to end a plan while other processes are writing to the session.
const ATTEMPTS: u32 = 1000;

/// The event name, in journals and logs, of an entry that ends a damaged plan.
const ABANDON: &str = "abandon";

impl Session {
    /// Ends a damaged plan, which no command of its machine can end, and returns the number of the new entry. The entry
    /// records the plan as it was stored, who ended the plan, and why; the earlier entries remain unchanged.
    ///
    /// A plan that its machine can use is not ended, because commands of the machine can end it. If this program does
    /// not have the machine, the plan cannot be checked, so it is ended without that check.
    ///
    /// # Errors
    ///
    /// If the session has no such plan, the plan is not damaged, or the session cannot answer.
    pub async fn abandon(
        &self,
        machine: &str,
        plan: &str,
        why: &str,
        around: &EventContext,
    ) -> Result<u64, SessionError> {
        let _closed = self.close_to_correct(why, around).await?;
        for _ in 0..ATTEMPTS {
            let (entry, commit) = self.draft_abandon(machine, plan, why, around).await?;
            if self.store_correction(&entry, commit, around).await? {
                return Ok(entry.seq);
            }
        }
        Err(SessionError::Contended)
    }

    async fn draft_abandon(
        &self,
        machine: &str,
        plan: &str,
        why: &str,
        around: &EventContext,
    ) -> Result<(Entry, Commit), SessionError> {
        let (shared, live) = (&self.shared, &self.live);
        let (held, _) = read::held(&*shared.store, &live.identity).await?;
        let Images {
            snapshot: held,
            past,
        } = held;
        let before = Head {
            seq: held.seq,
            digest: (held.seq > 0).then(|| held.chain.digest()),
        };
        self.refuse_behind(before).await?;
        let (holding, view) = find(&held, machine, plan).ok_or_else(|| SessionError::NoPlan {
            machine: machine.to_owned(),
            plan: plan.to_owned(),
        })?;
        self.refuse_sound(holding, plan)?;
        let mut entry = Entry {
            format: Format::CURRENT,
            seq: held.seq + 1,
            call_id: None,
            kind: EntryKind::Abandoned {
                why: why.to_owned(),
            },
            step: abandoned(holding, view, around),
            bases: Vec::new(),
        };
        entry.choose_bases(&past);
        let body = entry.to_text_onto(&past);
        let digest = held.chain.then(&body).digest();
        let commit = Commit {
            session: live.identity.clone(),
            expected: held.seq,
            after: before.digest,
            rows: vec![Row {
                seq: entry.seq,
                body,
                digest,
            }],
            effects: Vec::new(),
            answers: Vec::new(),
            snapshot: None,
            due: NextDue::Unchanged,
        };
        Ok((entry, commit))
    }

    /// Returns an error if the machine of a plan can use the plan, because commands of the machine can end it.
    fn refuse_sound(&self, holding: &MachineSnapshot, plan: &str) -> Result<(), SessionError> {
        let machine_set = self.shared.machine_set(&self.live.identity);
        let known = machine_set
            .machines()
            .find(|known| known.name == holding.machine);
        let Some(known) = known else {
            return Ok(());
        };
        if holding.version > known.version {
            return Err(self.unreadable(UnreadableReason::Newer {
                machine: holding.machine.clone(),
                stored: holding.version,
                known: known.version,
            }));
        }
        let mut gate = machine_set.gate();
        let restored = gate.restore_sound(&holding.machine, &holding.stored);
        // Plans that contradict each other can be ended one by one until the remaining plans are consistent.
        if restored.is_err() || gate.damaged().iter().any(|damaged| damaged.plan.id == plan) {
            return Ok(());
        }
        Err(SessionError::NotDamaged {
            machine: holding.machine.clone(),
            plan: plan.to_owned(),
        })
    }
}

fn find<'s>(
    held: &'s Snapshot,
    machine: &str,
    plan: &str,
) -> Option<(&'s MachineSnapshot, &'s PlanView)> {
    let mut holdings = held.holdings.iter();
    let holding = holdings.find(|holding| holding.machine == machine)?;
    let view = holding.stored.plans.iter().find(|view| view.id == plan)?;
    Some((holding, view))
}

/// Returns the step of an entry that ends a damaged plan. The step contains the plan as it was stored.
fn abandoned(holding: &MachineSnapshot, view: &PlanView, around: &EventContext) -> Step {
    let mut call = Call::new(CallKind::Event(ABANDON.into()));
    call.plan_id = Some(view.id.as_str().to_owned());
    Step {
        machine: holding.machine.clone().into(),
        version: holding.version,
        fingerprint: holding.fingerprint.clone().into(),
        at: around.now,
        actor: around.actor.clone(),
        call,
        context: Object::new(),
        new_id: None,
        acceptance: Acceptance {
            plans: Vec::new(),
            each: false,
            ended: Some(view.clone()),
            effects: Vec::new(),
            reply: Json::Null,
            runs: None,
        },
        floor: None,
    }
}
