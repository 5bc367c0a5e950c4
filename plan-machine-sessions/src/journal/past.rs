//! The long plans of a session after its last entry. The next entry may record only the changes to these plans.

use std::collections::HashMap;

use super::entry::{Entry, EntryKind};
use super::same::length_of_object;
use plan_machine::Id;
use plan_machine::machine::PlanView;

/// A plan with fewer than this many bytes of data is always written in full: changes would save little space, while an
/// entry with the whole plan can be read on its own.
const SHORT: usize = 512;

/// The latest image of each long plan. A later entry may contain only the changes to such an image.
#[derive(Clone, Debug, Default)]
pub struct PlanImages(HashMap<(String, Id), Image>);

/// The image of a plan: its content after an entry.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// The number of the entry.
    pub(crate) seq: u64,
    /// The total size in bytes of the entries that record changes to the plan since the plan was last written in full.
    pub(crate) bytes: u64,
    pub(crate) plan: PlanView,
}

impl PlanImages {
    /// Returns the latest image of a plan.
    pub(crate) fn image(&self, machine: &str, plan: &Id) -> Option<&Image> {
        // Most sessions have only short plans, which do not have images.
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&(machine.to_owned(), plan.clone()))
    }

    /// Returns the image of a plan if the entry with this number was the last one to change the plan.
    pub(super) fn at(&self, machine: &str, plan: &Id, seq: u64) -> Option<&Image> {
        self.image(machine, plan).filter(|image| image.seq == seq)
    }

    /// Updates the images with an entry whose text has this many bytes. The image of a plan that ended is removed: if a
    /// later entry contains the plan again, that entry contains it in full.
    pub fn follow(&mut self, entry: &Entry, bytes: usize) {
        if let EntryKind::Restarted { .. } = entry.kind {
            return self.0.clear();
        }
        let acceptance = &entry.step.acceptance;
        for plan in acceptance.ended.iter().chain(&acceptance.plans) {
            let key = (entry.step.machine.to_string(), plan.id.clone());
            let is_over = acceptance.plans.iter().all(|held| held.id != plan.id);
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

    /// Adds the image of a plan from a snapshot.
    pub(super) fn put(&mut self, machine: &str, image: Image) {
        self.0
            .insert((machine.to_owned(), image.plan.id.clone()), image);
    }
}
