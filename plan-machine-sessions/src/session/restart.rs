//! Restarts a session that cannot be read, so that it can be used again.

use plan_machine_kernel::edition::Editions;

use super::load::OpenSession;
use super::sessions::Session;
use crate::error::SessionError;
use crate::journal::{
    Chain, Entry, EntryKind, Format, Images, PlanImages, RESTART, without_machine,
};
use crate::read::LastSnapshot;
use crate::store::{Commit, Head, NextDue, Row, StoreErrorKind};
use plan_machine::gate::EventContext;

/// The maximum number of attempts to restart a session to which other processes are writing.
const ATTEMPTS: u32 = 16;

impl Session {
    /// Ends all plans of a session that cannot be read, so that the session can be used again. Returns the number of
    /// the new entry, after which the session is empty. The earlier entries remain unchanged, and the new entry records
    /// who restarted the session and why. Pending effects are discarded together with the plans.
    ///
    /// # Errors
    ///
    /// If the session can be read, if the reason or the actor is too long, if other processes keep writing to the
    /// session, if the store fails, or if the session still cannot be read after the restart. In the last three cases,
    /// pending effects may have been discarded; in the last case, the restart has been stored.
    pub async fn restart(&self, why: &str, around: &EventContext) -> Result<u64, SessionError> {
        let _closed = self.close_to_correct(why, around).await?;
        for _ in 0..ATTEMPTS {
            self.refuse_readable().await?;
            self.repair().await?;
            // The effects are settled before the restart is stored. If settling them fails, the restart can be retried.
            // Once the restart is stored, no effects are pending.
            self.shared.store.settle_all(&self.live.identity).await?;
            let (entry, commit) = self.draft_restart(why, around).await?;
            if self.store_correction(&entry, commit, around).await? {
                // A restart does not replace damaged pages, which may still make the session unreadable.
                self.read_all().await?;
                return Ok(entry.seq);
            }
        }
        Err(SessionError::Contended)
    }

    /// Corrects the store's own record of the session: if the record is damaged, nothing can be stored in the session.
    /// If the repair fails because of damaged pages, the restart may still work, because it reads fewer of them.
    async fn repair(&self) -> Result<(), SessionError> {
        match self.shared.store.repair(&self.live.identity).await {
            Err(error) if error.kind != StoreErrorKind::Damaged => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Refuses to restart a session whose plans and effects can be read.
    async fn refuse_readable(&self) -> Result<(), SessionError> {
        match self.read_all().await {
            Ok(()) => Err(SessionError::Readable),
            Err(SessionError::Unreadable { .. }) => Ok(()),
            // A damaged database page makes entries unreadable, just as damage to an entry does.
            Err(SessionError::Store(error)) if error.kind == StoreErrorKind::Damaged => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Reads the plans and effects of the session from the store.
    async fn read_all(&self) -> Result<(), SessionError> {
        self.open().await?;
        self.effects().await.map(drop)
    }

    async fn draft_restart(
        &self,
        why: &str,
        around: &EventContext,
    ) -> Result<(Entry, Commit), SessionError> {
        let (shared, identity) = (&self.shared, &self.live.identity);
        let Head { seq, digest } = shared.store.head(identity).await?;
        let before = digest.map_or_else(|| Chain::start(identity), Chain::at);
        let entry = Entry {
            format: Format::CURRENT,
            seq: seq + 1,
            call_id: None,
            kind: EntryKind::Restarted {
                why: why.to_owned(),
            },
            step: without_machine(around.now, around.actor.clone(), RESTART),
            bases: Vec::new(),
        };
        let body = entry.to_text();
        let chain = before.then(&body);
        // The commit contains the snapshot of an empty session, so that the earlier entries are not read again.
        let mut gate = shared.machine_set(identity).gate();
        gate.set_born(Images::most_born(entry.seq));
        let editions = Some(Images::most_editions(entry.seq));
        gate.set_all_editions(Editions::up_to(editions));
        let anew = OpenSession {
            gate,
            seq: entry.seq,
            chain,
            past: PlanImages::default(),
            last: LastSnapshot::default(),
            parked: Vec::new(),
            editions,
        };
        let commit = Commit {
            session: identity.clone(),
            expected: seq,
            after: digest,
            rows: vec![Row {
                seq: entry.seq,
                body,
                digest: chain.digest(),
            }],
            effects: Vec::new(),
            answers: Vec::new(),
            snapshot: Some(anew.snapshot(identity, entry.seq, chain)),
            due: NextDue::Never,
        };
        Ok((entry, commit))
    }
}
