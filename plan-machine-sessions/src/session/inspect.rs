//! Reads a session: its plans, the tools and prompts for the model, its history, and its effects.

use plan_machine_kernel::json::Json;

use super::effect::{self, EffectId, SessionEffect};
use super::repeat;
use super::sessions::Session;
use crate::error::{SessionError, UnreadableReason};
use crate::journal::{AnswerRecord, AuditLine, Entry, Snapshot};
use crate::read;
use crate::read::{ReplayDifference, ReplayVerdict, Verifier};
use plan_machine::Lifecycle;
use plan_machine::Record;
use plan_machine::gate::{DamagedPlan, Gate, MachineSet, Shape};
use plan_machine::machine::PlanView;

/// The maximum number of entries that are read at a time when all entries are needed.
const PAGE: u32 = 256;

/// The maximum number of entries whose pending effects are delivered at a time.
const DELIVERED: u32 = 1024;

/// A plan of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionPlan {
    /// The name of the plan's machine.
    pub machine: &'static str,
    /// The plan.
    pub plan: PlanView,
}

/// A plan of a machine that the session does not have now, such as a machine of another mode.
#[derive(Clone, Debug, PartialEq)]
pub struct ParkedPlan {
    /// The name of the plan's machine.
    pub machine: String,
    /// The plan as it is stored; it may be damaged.
    pub plan: PlanView,
}

impl Session {
    /// Returns the plans of the session, grouped by machine: the plan in each slot, and all plans of each machine
    /// with `instances: many`.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn plans(&self) -> Result<Vec<SessionPlan>, SessionError> {
        self.at_gate(|gate| {
            let machines = gate.machines().iter().flat_map(|machine| {
                let name = machine.description().name;
                machine.plans().into_iter().map(move |plan| SessionPlan {
                    machine: name,
                    plan,
                })
            });
            machines.collect()
        })
        .await
    }

    /// Returns the plans of machines that the session does not have now. They are kept unchanged until the session has
    /// their machines again; see [`GateBuilder::parks`](plan_machine::gate::GateBuilder::parks).
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn parked(&self) -> Result<Vec<ParkedPlan>, SessionError> {
        self.look(|opened| {
            let machines = opened.parked.iter().flat_map(|parked| {
                parked.stored.plans.iter().map(|plan| ParkedPlan {
                    machine: parked.machine.clone(),
                    plan: plan.clone(),
                })
            });
            machines.collect()
        })
        .await
    }

    /// Returns the damaged plans: stored plans that their machines cannot use. Each damaged plan is kept unchanged
    /// until [`abandon`](Self::abandon) ends it; all other plans can be used as usual.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn damaged(&self) -> Result<Vec<DamagedPlan>, SessionError> {
        self.at_gate(|gate| gate.damaged().to_vec()).await
    }

    /// Returns the plans of one machine as typed values: the state of a plan is an enum, and its data is a struct.
    ///
    /// # Errors
    ///
    /// If the session cannot answer, or if its plans do not match these types because the session runs a different
    /// version of the machine.
    pub async fn plans_of<L: Lifecycle>(&self) -> Result<Vec<Record<L>>, SessionError> {
        let plans = self.plans().await?.into_iter();
        let own = plans.filter(|held| held.machine == L::MACHINE.name);
        own.map(|held| {
            held.plan
                .typed::<L>()
                .map_err(|damaged| SessionError::Unfit {
                    machine: held.machine.to_owned(),
                    damaged,
                })
        })
        .collect()
    }

    /// Returns the tools that the model may call now.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn advertised(&self, shape: Shape) -> Result<Json, SessionError> {
        self.at_gate(|gate| gate.advertised(shape)).await
    }

    /// Returns the prompts of the current states of the session's machines, grouped by machine. A machine with a slot
    /// is in the state of its plan, or in `none` if it has no plan; a machine with many plans is in `none` and in the
    /// state of each plan.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn prompts(&self) -> Result<Vec<&'static str>, SessionError> {
        self.at_gate(Gate::prompts).await
    }

    /// Calls `inspect` with the session's current gate, and returns the result.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn at_gate<T>(&self, inspect: impl FnOnce(&Gate) -> T) -> Result<T, SessionError> {
        self.look(|opened| inspect(&opened.gate)).await
    }

    /// Returns the number of the session's last entry.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn seq(&self) -> Result<u64, SessionError> {
        Ok(self.shared.store.head(&self.live.identity).await?.seq)
    }

    /// Returns at most `most` entries, starting after the entry with the number `after`.
    ///
    /// # Errors
    ///
    /// If the store fails, or an entry cannot be read.
    pub async fn history(&self, after: u64, most: u32) -> Result<Vec<Entry>, SessionError> {
        match self.page(after, most).await {
            Ok(entries) => Ok(entries),
            Err(error) => {
                Err(read::in_history(&*self.shared.store, &self.live.identity, error).await)
            }
        }
    }

    async fn page(&self, after: u64, most: u32) -> Result<Vec<Entry>, SessionError> {
        let before = self.seq().await?;
        let rows = self
            .shared
            .store
            .history(&self.live.identity, after, most)
            .await?;
        // If the journal ends before the last entry that the store lists, the journal is damaged, unless the session
        // has been deleted in the meantime.
        let last = rows.last().map_or(after, |row| row.seq);
        if rows.len() < most as usize && last < before && before <= self.seq().await? {
            return Err(self.unreadable(UnreadableReason::Missing { seq: last + 1 }));
        }
        read::entries(&*self.shared.store, &self.live.identity, &rows).await
    }

    /// Returns stored answers to calls with ids, oldest first, each with the id of its call. Only answers that were
    /// given while the number of the session's last entry was between `from` and `to`, inclusive, are considered, and
    /// only the last `most` of them are returned. An answer that cannot be read is returned as `None`. Calls that ran,
    /// calls that were denied and calls that only read something have an answer, but no entry.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn answers(
        &self,
        from: u64,
        to: u64,
        most: u32,
    ) -> Result<Vec<(String, Option<AnswerRecord>)>, SessionError> {
        let identity = &self.live.identity;
        let stored = self
            .shared
            .store
            .last_answers(identity, from, to, most)
            .await?;
        let read = stored.iter().map(|given| {
            let record = repeat::record(identity, given).ok();
            let id = record.as_ref().map(|record| record.id(&given.call_id));
            (id.unwrap_or(&given.call_id).to_owned(), record)
        });
        Ok(read.collect())
    }

    /// Returns the audit log: who did what to which plan, with which token. It has at most `most` lines, starting after
    /// the entry with the number `after`.
    ///
    /// # Errors
    ///
    /// If the store fails, or an entry cannot be read.
    pub async fn audit(&self, after: u64, most: u32) -> Result<Vec<AuditLine>, SessionError> {
        let entries = self.history(after, most).await?;
        Ok(entries.iter().map(AuditLine::of).collect())
    }

    /// Replays all events of the session with these machines, and returns the differences between the results and the
    /// entries or the stored snapshot. The first unreadable entry before a [restart](Self::restart) also counts as a
    /// difference.
    ///
    /// # Errors
    ///
    /// If the store fails, if an entry cannot be read and the session has not been restarted since, or if the stored
    /// snapshot cannot be used.
    pub async fn verify(
        &self,
        machine_set: &MachineSet,
    ) -> Result<Vec<ReplayDifference>, SessionError> {
        let mut verifier = Verifier::new(&self.live.identity, machine_set);
        let mut differences = Vec::new();
        let read = self.shared.store.read(&self.live.identity).await?;
        // If the snapshot is not bound to the session, `Snapshot::load` returns an error below, after the entries have
        // been verified.
        let snapshot = Snapshot::bound(&self.live.identity, &read).unwrap_or_default();
        let (mut after, mut unreadable) = (0, None);
        loop {
            let rows = self
                .shared
                .store
                .history(&self.live.identity, after, PAGE)
                .await?;
            let Some(last) = rows.last() else {
                if let Some((_, why)) = unreadable {
                    return Err(self.unreadable(why));
                }
                Snapshot::load(&*self.shared.store, &self.live.identity).await?;
                return Ok(differences);
            };
            after = last.seq;
            for row in rows {
                match verifier.next(&row) {
                    Err(why) => {
                        unreadable.get_or_insert((row.seq, why));
                    }
                    Ok((entry, verdict)) => {
                        let before = unreadable.take();
                        differences.extend(before.map(|(seq, why)| ReplayDifference {
                            seq,
                            other_spec: false,
                            problem: why.to_string(),
                        }));
                        if let ReplayVerdict::Differs(difference) = verdict {
                            differences.push(*difference);
                        }
                        let due = snapshot.as_ref().filter(|one| one.seq == entry.seq);
                        let problem = due.and_then(|one| verifier.problem_of_snapshot(one));
                        differences.extend(problem.map(|problem| ReplayDifference {
                            seq: entry.seq,
                            other_spec: false,
                            problem,
                        }));
                    }
                }
            }
        }
    }

    /// Returns the pending effects of at most 1024 entries, oldest first. Effects of later entries are returned once
    /// these have been settled. No other method delivers effects: after each event, and after the host has restarted,
    /// the host calls this method, carries out the effects in order, and [settles](Self::settle) each one.
    ///
    /// # Errors
    ///
    /// If the store fails, or an entry cannot be read.
    pub async fn effects(&self) -> Result<Vec<SessionEffect>, SessionError> {
        let pending = self
            .shared
            .store
            .pending(&self.live.identity, DELIVERED)
            .await?;
        let mut effects = Vec::new();
        for pending in pending {
            let row = std::slice::from_ref(&pending.row);
            let entries = read::entries(&*self.shared.store, &self.live.identity, row).await?;
            let open = |effect: &SessionEffect| pending.positions.contains(&effect.id.position);
            let found = entries.iter().flat_map(effect::of_entry).filter(open);
            let found: Vec<SessionEffect> = found.collect();
            if found.len() != pending.positions.len() {
                let problem =
                    "the entry does not contain an effect that the store lists as pending";
                return Err(self.unreadable(read::altered(&pending.row, problem)));
            }
            effects.extend(found);
        }
        Ok(effects)
    }

    /// Marks an effect as carried out, so that it is not delivered again.
    ///
    /// # Errors
    ///
    /// If the store fails; in that case, the effect may be delivered again.
    pub async fn settle(&self, effect: &EffectId) -> Result<(), SessionError> {
        let store = &self.shared.store;
        Ok(store
            .settle(&self.live.identity, effect.seq, effect.position)
            .await?)
    }

    pub(super) fn unreadable(&self, why: UnreadableReason) -> SessionError {
        SessionError::Unreadable {
            session: self.live.identity.clone(),
            why,
        }
    }
}
