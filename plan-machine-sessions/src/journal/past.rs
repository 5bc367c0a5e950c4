//! The plans of a session as its entries left them, so that the next entry can be written as changes.

use std::collections::HashMap;

use super::entry::{Entry, EntryKind};
use super::same::length_of_object;
use plan_machine::Id;
use plan_machine::machine::PlanView;

/// A plan with less data than this is written in full: a change would save little, and a self-contained entry is worth
/// more.
const SHORT: usize = 512;

/// The last image of each plan that changes may be based on.
#[derive(Clone, Debug, Default)]
pub struct PlanImages(HashMap<(String, Id), Image>);

/// A plan after an entry.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// The entry.
    pub(crate) seq: u64,
    /// The size in bytes of the entries since the last one that contains the whole plan.
    pub(crate) bytes: u64,
    pub(crate) plan: PlanView,
}

impl PlanImages {
    /// Returns the last image of a plan.
    pub(crate) fn image(&self, machine: &str, plan: &Id) -> Option<&Image> {
        // Most sessions have only short plans, which are not stored here.
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&(machine.to_owned(), plan.clone()))
    }

    /// Returns the image of a plan after the entry with exactly this number.
    pub(super) fn at(&self, machine: &str, plan: &Id, seq: u64) -> Option<&Image> {
        self.image(machine, plan).filter(|image| image.seq == seq)
    }

    /// Applies an entry of this many bytes. A plan that has left the session is dropped: if it comes back, it is
    /// written in full.
    pub fn follow(&mut self, entry: &Entry, bytes: usize) {
        if let EntryKind::Restarted { .. } = entry.kind {
            return self.0.clear();
        }
        let taken = &entry.step.taken;
        for plan in taken.ended.iter().chain(&taken.plans) {
            let key = (entry.step.machine.to_string(), plan.id.clone());
            let is_over = taken.plans.iter().all(|held| held.id != plan.id);
            if is_over || length_of_object(&plan.data, SHORT) < SHORT {
                self.0.remove(&key);
                continue;
            }
            let before = self.0.get(&key).map_or(0, |image| image.bytes);
            let bytes = if entry.base_of(&plan.id).is_some() {
                before + bytes as u64
            } else {
                0
            };
            let image = Image {
                seq: entry.seq,
                bytes,
                plan: plan.clone(),
            };
            self.0.insert(key, image);
        }
    }

    /// Adds a plan from a snapshot.
    pub(super) fn put(&mut self, machine: &str, image: Image) {
        self.0
            .insert((machine.to_owned(), image.plan.id.clone()), image);
    }
}
