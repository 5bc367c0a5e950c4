//! Opening a session: the last snapshot and what came after it, checked before anything is believed.

use plan_machine_kernel::edition::Editions;

use super::bound;
use super::error::{SessionError, Unreadable};
use super::identity::SessionIdentity;
use crate::gate::{Ensemble, Gate};
use crate::journal::{Chain, Entry, Holding, Images, Misread, Snapshot};
use crate::store::{Row, Store};

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
    let (held, snapshot) = bound::held(store, session).await?;
    let opened = open(ensemble, held, snapshot);
    opened.map_err(|why| unreadable(session, why))
}

/// What machines hold, put back into them.
fn open(ensemble: &Ensemble, held: Snapshot, snapshot: u64) -> Result<Opened, Unreadable> {
    let mut held = Images(held);
    let (mut gate, mut parked) = (ensemble.gate(), Vec::new());
    for machine in gate.machines() {
        // Nobody asks for these, so nobody minds what is wrong with them: the journal has them.
        if !machine.needs_ended() {
            held.forget_ended(machine.description().name);
        }
    }
    let held = held.0;
    gate.set_all_editions(Editions::up_to(held.editions));
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
        snapshot,
        parked,
    })
}

pub(super) fn unreadable(session: &SessionIdentity, why: Unreadable) -> SessionError {
    SessionError::Unreadable {
        session: session.clone(),
        why,
    }
}

pub(crate) fn altered(row: &Row, problem: impl Into<String>) -> Unreadable {
    Unreadable::Altered {
        seq: row.seq,
        problem: problem.into(),
    }
}

/// The entry that comes next in a session that holds this.
pub(crate) fn following(held: &Snapshot, row: &Row) -> Result<(Chain, Entry), Unreadable> {
    if row.seq > held.seq + 1 {
        return Err(Unreadable::Missing { seq: held.seq + 1 });
    }
    let (chain, entry) = next(held.chain, row)?;
    if row.seq != held.seq + 1 || entry.seq != row.seq {
        let problem = format!("it follows on entry {}", held.seq);
        return Err(altered(row, problem));
    }
    Ok((chain, entry))
}

/// The entry that comes next in a chain.
pub(crate) fn next(chain: Chain, row: &Row) -> Result<(Chain, Entry), Unreadable> {
    let chain = chain.onto(&row.body, row.digest);
    let chain = chain.map_err(|problem| altered(row, problem))?;
    let entry = Entry::read(&row.body).map_err(|why| misread(row, why))?;
    Ok((chain, entry))
}

pub(super) fn misread(row: &Row, why: Misread) -> Unreadable {
    match why {
        Misread::Wrong(problem) => altered(row, problem),
        Misread::Newer { found } => Unreadable::NewerFormat {
            seq: row.seq,
            found,
        },
    }
}

/// Reads entries that follow on each other, from anywhere in a session: nothing is believed that does
/// not follow on the entry before it.
pub(super) async fn entries(
    store: &dyn Store,
    session: &SessionIdentity,
    rows: &[Row],
) -> Result<Vec<Entry>, SessionError> {
    let unreadable = |why| unreadable(session, why);
    let Some(first) = rows.first() else {
        return Ok(Vec::new());
    };
    let mut chain = match first.seq.checked_sub(2) {
        None => Chain::start(session),
        Some(before) => {
            let last = store.history(session, before, 1).await?;
            let last = last.first().filter(|row| row.seq + 1 == first.seq);
            let missing = || unreadable(Unreadable::Missing { seq: before + 1 });
            Chain::at(last.ok_or_else(missing)?.digest)
        }
    };
    let mut entries = Vec::new();
    for row in rows {
        let (after, entry) = next(chain, row).map_err(unreadable)?;
        chain = after;
        entries.push(entry);
    }
    Ok(entries)
}

/// Puts back what a machine held; what is to be parked comes back. A plan that does not fit its machine
/// is set aside by the gate.
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
    gate.restore_sound(&holding.machine, &holding.stored);
    Ok(None)
}
