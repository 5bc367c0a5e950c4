//! Opening a session: the last snapshot and what came after it, checked before anything is believed.

use std::collections::HashSet;

use plan_machine_kernel::edition::Editions;

use super::bound;
use super::error::{SessionError, Unreadable};
use super::identity::SessionIdentity;
use crate::gate::{Ensemble, Gate};
use crate::journal::{Chain, Entry, Holding, Images, Misread, Past};
use crate::store::{Row, Store};

/// A session that is open: what its machines hold, as of an entry.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) gate: Gate,
    pub(super) seq: u64,
    pub(super) chain: Chain,
    /// What the changes of the next entry are written onto.
    pub(super) past: Past,
    /// The last snapshot, and how much has been stored since.
    pub(super) last: LastSnapshot,
    /// What is kept of machines that are not here, as it is.
    pub(super) parked: Vec<Holding>,
    /// The last edition that a plan may have had before the session was restarted: for machines that come later.
    pub(super) editions: Option<u64>,
}

/// The last snapshot of a session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastSnapshot {
    /// Its entry; 0 where there is none.
    pub(super) seq: u64,
    /// How many bytes it takes.
    pub(super) bytes: u64,
    /// How many bytes the entries after it take.
    pub(super) since: u64,
}

/// Reads a session.
pub(super) async fn load(
    store: &dyn Store,
    session: &SessionIdentity,
    ensemble: &Ensemble,
) -> Result<Opened, SessionError> {
    let (held, last) = bound::held(store, session).await?;
    let opened = open(ensemble, held, last);
    opened.map_err(|why| unreadable(session, why))
}

/// What machines hold, put back into them.
fn open(ensemble: &Ensemble, mut held: Images, last: LastSnapshot) -> Result<Opened, Unreadable> {
    let (mut gate, mut parked) = (ensemble.gate(), Vec::new());
    for machine in gate.machines() {
        // Nobody asks for these, so nobody minds what is wrong with them: the journal has them.
        if !machine.needs_ended() {
            held.forget_ended(machine.description().name);
        }
    }
    let Images {
        snapshot: held,
        past,
    } = held;
    gate.set_all_editions(Editions::up_to(held.editions));
    for holding in held.holdings {
        if let Some(kept) = restore(&mut gate, ensemble, holding, held.seq)? {
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
        past,
        last,
        parked,
        editions: held.editions,
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
pub(crate) fn following(images: &Images, row: &Row) -> Result<(Chain, Entry), Unreadable> {
    let held = &images.snapshot;
    if row.seq > held.seq + 1 {
        return Err(Unreadable::Missing { seq: held.seq + 1 });
    }
    let (chain, entry) = next(held.chain, row, &images.past)?;
    if row.seq != held.seq + 1 || entry.seq != row.seq {
        let problem = format!("it follows on entry {}", held.seq);
        return Err(altered(row, problem));
    }
    Ok((chain, entry))
}

/// The entry that comes next in a chain.
pub(crate) fn next(chain: Chain, row: &Row, past: &Past) -> Result<(Chain, Entry), Unreadable> {
    let chain = chain.onto(&row.body, row.digest);
    let chain = chain.map_err(|problem| altered(row, problem))?;
    let entry = Entry::read_onto(&row.body, past).map_err(|why| misread(row, why))?;
    Ok((chain, entry))
}

pub(super) fn misread(row: &Row, why: Misread) -> Unreadable {
    match why {
        Misread::Wrong(problem) => altered(row, problem),
        onto @ Misread::Onto { .. } => altered(row, onto.to_string()),
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
    let mut past = Past::default();
    for row in rows {
        let after = chain.onto(&row.body, row.digest);
        chain = after.map_err(|problem| unreadable(altered(row, problem)))?;
        let entry = alone(store, session, row, &mut past).await?;
        past.follow(&entry, row.body.len());
        entries.push(entry);
    }
    Ok(entries)
}

/// Reads an entry whose chain was checked. Where it says what has changed in a plan, the entries that it goes
/// on from are read first, as far as they are not known.
pub(crate) async fn alone(
    store: &dyn Store,
    session: &SessionIdentity,
    row: &Row,
    past: &mut Past,
) -> Result<Entry, SessionError> {
    let mut needed = vec![row.clone()];
    let mut tried = HashSet::new();
    loop {
        let top = needed.last().unwrap_or(row);
        match Entry::read_onto(&top.body, past) {
            Ok(entry) if needed.len() <= 1 => return Ok(entry),
            Ok(entry) => {
                past.follow(&entry, top.body.len());
                needed.pop();
            }
            Err(Misread::Onto { seq }) if seq < top.seq && tried.insert(seq) => {
                needed.push(checked(store, session, seq).await?);
            }
            Err(why) => return Err(unreadable(session, misread(top, why))),
        }
    }
}

/// An entry by its number, which follows on the one before it.
async fn checked(
    store: &dyn Store,
    session: &SessionIdentity,
    seq: u64,
) -> Result<Row, SessionError> {
    let failed = |why| unreadable(session, why);
    let missing = |seq| failed(Unreadable::Missing { seq });
    let rows = store.history(session, seq.saturating_sub(2), 2).await?;
    let chain = match seq.checked_sub(1) {
        None => return Err(missing(seq)),
        Some(0) => Chain::start(session),
        Some(before) => {
            let before = rows.iter().find(|row| row.seq == before);
            Chain::at(before.ok_or_else(|| missing(seq - 1))?.digest)
        }
    };
    let row = rows.into_iter().find(|row| row.seq == seq);
    let row = row.ok_or_else(|| missing(seq))?;
    let whole = chain.onto(&row.body, row.digest);
    whole.map_err(|problem| failed(altered(&row, problem)))?;
    Ok(row)
}

/// Puts back what a machine held; what is to be parked comes back. A plan that does not fit its machine
/// is set aside by the gate.
fn restore(
    gate: &mut Gate,
    ensemble: &Ensemble,
    holding: Holding,
    seq: u64,
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
    let restored = gate.restore_sound(&holding.machine, &holding.stored);
    restored.map_err(|damaged| Unreadable::Altered {
        seq,
        problem: format!("{}: {damaged}", holding.machine),
    })?;
    Ok(None)
}
