//! Opening a session: the last snapshot and what came after it, checked before anything is believed.

use super::error::{SessionError, Unreadable};
use super::identity::SessionIdentity;
use crate::gate::{Ensemble, Gate};
use crate::journal::{Chain, Entry, Holding, Images, Snapshot};
use crate::store::{Read, Row, Store};

/// A session that is open: what its machines hold, as of an entry.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) gate: Gate,
    pub(super) seq: u64,
    pub(super) chain: Chain,
    /// The entry of the last snapshot.
    pub(super) snapshot: u64,
    /// What is kept of machines that are not here, as it is.
    pub(super) parked: Vec<Holding>,
}

/// Reads a session.
pub(super) async fn load(
    store: &dyn Store,
    session: &SessionIdentity,
    ensemble: &Ensemble,
) -> Result<Opened, SessionError> {
    let read = store.read(session).await?;
    let opened = open(session, ensemble, &read);
    opened.map_err(|why| SessionError::Unreadable {
        session: session.clone(),
        why,
    })
}

fn open(session: &SessionIdentity, ensemble: &Ensemble, read: &Read) -> Result<Opened, Unreadable> {
    let held = Snapshot::of(session, read)?;
    let (mut gate, mut parked) = (ensemble.gate(), Vec::new());
    for holding in held.holdings {
        if let Some(kept) = restore(&mut gate, ensemble, holding)? {
            parked.push(kept);
        }
    }
    gate.set_born(held.born);
    gate.forget_ended();
    gate.record();
    Ok(Opened {
        gate,
        seq: held.seq,
        chain: held.chain,
        snapshot: read.snapshot.as_ref().map_or(0, |row| row.seq),
        parked,
    })
}

impl Snapshot {
    /// What a session holds by what is stored of it: its snapshot and the entries after that. No
    /// machine is asked, so plans of any machine, older or newer ones too, are told as they were
    /// written.
    ///
    /// # Errors
    ///
    /// Where something is not as it was written.
    pub fn of(session: &SessionIdentity, read: &Read) -> Result<Self, Unreadable> {
        let start = Snapshot::empty(Chain::start(session));
        let snapshot = read.snapshot.as_ref().map(snapshot).transpose()?;
        let mut images = Images(snapshot.unwrap_or(start));
        for row in &read.tail {
            let chain = images.0.chain.then(&row.body);
            let problem = if chain.digest() != row.digest {
                Some("its digest is not that of its text and of the entries before it".to_owned())
            } else if row.seq != images.0.seq + 1 {
                Some(format!("it follows on entry {}", images.0.seq))
            } else {
                None
            };
            if let Some(problem) = problem {
                return Err(Unreadable::Altered {
                    seq: row.seq,
                    problem,
                });
            }
            images.follow(&entry(row)?, chain);
        }
        Ok(images.0)
    }
}

fn snapshot(row: &Row) -> Result<Snapshot, Unreadable> {
    let altered = |problem| Unreadable::Altered {
        seq: row.seq,
        problem,
    };
    let snapshot = Snapshot::read(&row.body)
        .map_err(|problem| altered(format!("its snapshot cannot be read: {problem}")))?;
    if snapshot.seq != row.seq || snapshot.chain.beside("snapshot", &row.body) != row.digest {
        return Err(altered(
            "the digest of its snapshot is not that of its text".to_owned(),
        ));
    }
    Ok(snapshot)
}

/// Reads an entry whose digest has been looked at.
pub(super) fn entry(row: &Row) -> Result<Entry, Unreadable> {
    Entry::read(&row.body).map_err(|problem| Unreadable::Altered {
        seq: row.seq,
        problem,
    })
}

/// Puts back what a machine held; what is to be parked comes back.
fn restore(
    gate: &mut Gate,
    ensemble: &Ensemble,
    holding: Holding,
) -> Result<Option<Holding>, Unreadable> {
    let Some(known) = ensemble
        .machines()
        .find(|machine| machine.name == holding.machine)
    else {
        let empty = holding.stored.plans.is_empty();
        return if empty || ensemble.parks(&holding.machine) {
            Ok(Some(holding))
        } else {
            Err(Unreadable::UnknownMachine(holding.machine))
        };
    };
    if holding.version > known.version {
        return Err(Unreadable::Newer {
            machine: holding.machine,
            stored: holding.version,
            known: known.version,
        });
    }
    let restored = gate.restore(&holding.machine, &holding.stored);
    restored.map_err(|damaged| Unreadable::Plan {
        machine: holding.machine,
        damaged,
    })?;
    Ok(None)
}
