//! Determines which numbers the prover distinguishes: the constants that a number is compared with, is set to or starts
//! from, and the ranges between these constants. A number that no condition compares has no such ranges and adds no
//! cost. The length of a list, and how many of its items satisfy a condition, are numbers as well.

use std::collections::{BTreeMap, BTreeSet};

use super::abstraction::Abs;
use super::cuts::{Cuts, Place};
use super::measures::{Measure, Tally, TrackedMeasures};
use super::numbers::Range;
use crate::model::machine::Machine;
use crate::model::{EventId, FieldId};

/// The maximum length of the lists that are tried in payloads because their lengths are distinguished.
const MAX_LENGTH: usize = 40;

/// The distinguished ranges of each named number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cells {
    ranges: BTreeMap<Place, Vec<Range>>,
    /// The tracked measures of lists.
    pub(super) measures: Vec<Measure>,
}

impl Cells {
    /// Collects the ranges from every comparison and every change of a machine.
    pub(super) fn of(machine: &Machine, wanted: TrackedMeasures) -> Self {
        let Cuts { tallies, all, .. } = Cuts::of(machine, wanted);
        let measure = |(at, tally): (usize, &Tally)| {
            let limits = tally.limits(machine);
            let cells = ranges(all.get(&Place::Measure(at))?).into_iter();
            Some(Measure {
                tally: tally.clone(),
                cells: cells.filter_map(|cell| cell.and(limits)).collect(),
            })
        };
        let measures = tallies.iter().enumerate().filter_map(measure).collect();
        let is_measure = |place: &Place| matches!(place, Place::Measure(_));
        let numbers = all.iter().filter(|(place, _)| !is_measure(place));
        Self {
            ranges: numbers
                .map(|(place, cuts)| (*place, ranges(cuts)))
                .collect(),
            measures,
        }
    }

    /// Returns whether no numbers are distinguished.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.measures.is_empty()
    }

    /// Stops distinguishing the measures of lists or, if no measures are distinguished, all numbers; returns `false` if
    /// no numbers were distinguished.
    pub(super) fn give_up(&mut self) -> bool {
        if !self.measures.is_empty() {
            self.measures.clear();
            return true;
        }
        let told_apart = !self.is_empty();
        self.ranges.clear();
        told_apart
    }

    /// Returns the values that a field may contain. If the field is a tracked number, there is one value per
    /// distinguished range. Numbers inside records are not tracked.
    pub(super) fn stored(&self, field: FieldId, value: Abs) -> Vec<Abs> {
        self.told_apart(Place::Data(field), value)
    }

    /// Returns the ranges of a number carried by an event; empty if the number is not tracked.
    pub(super) fn sent(&self, event: EventId, field: FieldId) -> &[Range] {
        self.ranges(Place::Event(event, field))
    }

    /// Returns the ranges of a number in the context.
    pub(super) fn around(&self, field: FieldId) -> &[Range] {
        self.ranges(Place::Context(field))
    }

    /// Returns one number from each range, to use in payloads and contexts.
    pub(super) fn examples(&self) -> BTreeSet<i64> {
        let outside = self
            .ranges
            .iter()
            .filter(|(place, _)| !matches!(place, Place::Data(_)));
        let ranges = outside.flat_map(|(_, ranges)| ranges);
        ranges
            .map(|range| range.most.min(range.least.max(0)))
            .collect()
    }

    /// Returns the lengths of lists to use in payloads: the largest numbers that are distinguished.
    pub(super) fn lengths(&self) -> Vec<usize> {
        let measures = self.measures.iter();
        let largest = measures.flat_map(|measure| measure.cells.iter().rev().take(2));
        let lengths = largest.filter_map(|cell| usize::try_from(cell.least).ok());
        let lengths: BTreeSet<usize> = lengths
            .filter(|length| (3..=MAX_LENGTH).contains(length))
            .collect();
        lengths.into_iter().collect()
    }

    fn ranges(&self, place: Place) -> &[Range] {
        self.ranges.get(&place).map_or(&[], Vec::as_slice)
    }

    fn told_apart(&self, place: Place, value: Abs) -> Vec<Abs> {
        let ranges = self.ranges(place);
        let within = |wide: Range| {
            let met = ranges.iter().filter(move |range| range.meets(wide));
            met.map(|range| Abs::Int(*range))
        };
        match value {
            Abs::Int(_) if ranges.is_empty() => vec![Abs::Something],
            Abs::Int(range) => within(range).collect(),
            Abs::Something if !ranges.is_empty() => within(Range::ANY).collect(),
            Abs::Anything if !ranges.is_empty() => std::iter::once(Abs::Unset)
                .chain(within(Range::ANY))
                .collect(),
            Abs::Record(fields) => vec![Abs::Record(fields.into_iter().map(forgotten).collect())],
            other => vec![other],
        }
    }
}

/// Removes all knowledge about numbers from a value.
fn forgotten(value: Abs) -> Abs {
    match value {
        Abs::Int(_) => Abs::Something,
        Abs::Record(fields) => Abs::Record(fields.into_iter().map(forgotten).collect()),
        other => other,
    }
}

/// Returns a range for each constant, and the ranges between the constants.
fn ranges(cuts: &BTreeSet<i64>) -> Vec<Range> {
    let mut all = Vec::new();
    let mut from = Some(i64::MIN);
    for cut in cuts {
        if let Some(least) = from.filter(|least| least < cut) {
            let most = cut.saturating_sub(1);
            all.push(Range { least, most });
        }
        all.push(Range::of(*cut));
        from = cut.checked_add(1);
    }
    all.extend(from.map(|least| Range {
        least,
        most: i64::MAX,
    }));
    all
}
