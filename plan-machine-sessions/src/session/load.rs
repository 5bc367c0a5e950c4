//! Opening a session: what is stored of it is put back into its machines.

use plan_machine::Editions;
use plan_machine::gate::{Gate, MachineSet};

use crate::error::{SessionError, UnreadableReason};
use crate::identity::SessionIdentity;
use crate::journal::{Chain, Images, MachineSnapshot, PlanImages};
use crate::read::{LastSnapshot, held, unreadable};
use crate::store::Store;

/// A session that is open: what its machines hold, as of an entry.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) gate: Gate,
    pub(super) seq: u64,
    pub(super) chain: Chain,
    /// What the changes of the next entry are written onto.
    pub(super) past: PlanImages,
    /// The last snapshot, and how much has been stored since.
    pub(super) last: LastSnapshot,
    /// What is kept of machines that are not here, as it is.
    pub(super) parked: Vec<MachineSnapshot>,
    /// The last edition that a plan may have had before the session was restarted: for machines that come later.
    pub(super) editions: Option<u64>,
}

/// Reads a session.
pub(super) async fn load(
    store: &dyn Store,
    session: &SessionIdentity,
    machine_set: &MachineSet,
) -> Result<Opened, SessionError> {
    let (held, last) = held(store, session).await?;
    let opened = open(machine_set, held, last);
    opened.map_err(|why| unreadable(session, why))
}

/// What machines hold, put back into them.
fn open(
    machine_set: &MachineSet,
    mut held: Images,
    last: LastSnapshot,
) -> Result<Opened, UnreadableReason> {
    let (mut gate, mut parked) = (machine_set.gate(), Vec::new());
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
        if let Some(kept) = restore(&mut gate, machine_set, holding, held.seq)? {
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

/// Puts back what a machine held; what is to be parked comes back. A plan that does not fit its machine
/// is set aside by the gate.
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
        problem: format!("{}: {damaged}", holding.machine),
    })?;
    Ok(None)
}
