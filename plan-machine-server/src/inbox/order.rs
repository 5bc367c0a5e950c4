//! The order of the waiting plans: oldest first.

use std::collections::BTreeMap;

use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;

/// A position in the order: the time since which a plan has been waiting, and a number that makes the position unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    /// The nanoseconds since 1970.
    nanos: u128,
    number: u64,
}

impl Position {
    /// Returns the position as a cursor.
    pub(super) fn cursor(self) -> String {
        format!("{}.{}", self.nanos, self.number)
    }

    /// Reads a cursor.
    pub(super) fn read(cursor: &str) -> Option<Self> {
        let (nanos, number) = cursor.split_once('.')?;
        Some(Self {
            nanos: nanos.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

/// A waiting plan: its session, its machine and its id.
pub(super) type PlanKey = (SessionIdentity, String, String);

/// The waiting plans in their order.
#[derive(Debug, Default)]
pub(super) struct Order {
    plans: BTreeMap<Position, PlanKey>,
    numbers: u64,
}

impl Order {
    /// Adds a plan that has been waiting since this time.
    pub(super) fn add(&mut self, since: Instant, plan: PlanKey) -> Position {
        self.numbers += 1;
        let position = Position {
            nanos: since.since_1970().as_nanos(),
            number: self.numbers,
        };
        self.plans.insert(position, plan);
        position
    }

    /// Removes a plan.
    pub(super) fn remove(&mut self, position: Position) {
        self.plans.remove(&position);
    }

    /// Returns the plans after a position.
    pub(super) fn after(
        &self,
        position: Option<Position>,
    ) -> impl Iterator<Item = (Position, &PlanKey)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let start = position.map_or(Unbounded, Excluded);
        let plans = self.plans.range((start, Unbounded));
        plans.map(|(position, plan)| (*position, plan))
    }

    pub(super) fn len(&self) -> usize {
        self.plans.len()
    }
}
