//! Opens a session: restores its stored plans into its machines.

use plan_machine::Editions;
use plan_machine::gate::{Gate, MachineSet};

use crate::error::{SessionError, UnreadableReason};
use crate::identity::SessionIdentity;
use crate::journal::{Chain, Images, MachineSnapshot, PlanImages};
use crate::read::{LastSnapshot, held, unreadable};
use crate::store::Store;

/// An open session: the content of its machines after the entry with the number `seq`.
#[derive(Debug)]
pub(super) struct OpenSession {
    pub(super) gate: Gate,
    pub(super) seq: u64,
    pub(super) chain: Chain,
    /// The plans that the changes in the next entry are based on.
    pub(super) past: PlanImages,
    /// The position and size of the last snapshot, and the size of the entries stored since.
    pub(super) last: LastSnapshot,
    /// The stored plans of machines that this program does not have. They are kept unchanged.
    pub(super) parked: Vec<MachineSnapshot>,
    /// The highest edition that any plan may have had before the session was restarted. Machines that are added later
    /// continue counting from this edition.
    pub(super) editions: Option<u64>,
}

/// Reads a session from the store, and opens it.
pub(super) async fn load(
    store: &dyn Store,
    session: &SessionIdentity,
    machine_set: &MachineSet,
) -> Result<OpenSession, SessionError> {
    let (held, last) = held(store, session).await?;
    let opened = open(machine_set, held, last);
    opened.map_err(|why| unreadable(session, why))
}

/// Restores the content of a session into its machines.
fn open(
    machine_set: &MachineSet,
    mut held: Images,
    last: LastSnapshot,
) -> Result<OpenSession, UnreadableReason> {
    let (mut gate, mut parked) = (machine_set.gate(), Vec::new());
    for machine in gate.machines() {
        // A machine that does not need its ended plans never reads them, so damage to them does not matter. The ended
        // plans remain in the journal.
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
        if let Some(kept) = restore(&mut gate, machine_set, holding, held.seq)? {
            parked.push(kept);
        }
    }
    gate.set_born(held.born);
    gate.set_turn(held.turn);
    gate.set_clock(held.clock);
    gate.forget_ended();
    gate.record();
    Ok(OpenSession {
        gate,
        seq: held.seq,
        chain: held.chain,
        past,
        last,
        parked,
        editions: held.editions,
    })
}

/// Restores the content of a machine. The gate sets aside any plan that its machine cannot use. If this program does
/// not have the machine, the content is returned, so that it is kept unchanged. If such content contains plans, and the
/// machine set does not park the machine, the result is an error.
fn restore(
    gate: &mut Gate,
    machine_set: &MachineSet,
    holding: MachineSnapshot,
    seq: u64,
) -> Result<Option<MachineSnapshot>, UnreadableReason> {
    let Some(known) = machine_set
        .machines()
        .find(|machine| machine.name == holding.machine)
    else {
        let empty = holding.stored.plans.is_empty();
        return if empty || machine_set.parks(&holding.machine) {
            Ok(Some(holding))
        } else {
            Err(UnreadableReason::UnknownMachine(holding.machine))
        };
    };
    if holding.version > known.version {
        return Err(UnreadableReason::Newer {
            machine: holding.machine,
            stored: holding.version,
            known: known.version,
        });
    }
    let restored = gate.restore_sound(&holding.machine, &holding.stored);
    restored.map_err(|damaged| UnreadableReason::Altered {
        seq,
        problem: format!(
            "the plans of {} cannot be restored: {damaged}",
            holding.machine
        ),
    })?;
    Ok(None)
}
