//! Determines how a change of a list affects the length of the list and the number of items that satisfy a condition.

use super::abstraction::{Abs, Items, MAX_COMBINATIONS, items_of, possible_items};
use super::changes::changed_item;
use super::evaluate::Scope;
use super::measures::{Measure, Tally};
use super::numbers::Range;
use super::truth::Truth;
use crate::model::FieldId;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{Change, ChangeKind, Which};
use crate::model::types::Type;

/// The values of a field and of its measures after a change, each with its index in a configuration.
pub(super) type ChangedValues = Vec<(usize, Abs)>;

/// A change of a list, and the record that it starts from.
pub(super) struct Counting<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) change: &'a Change,
    pub(super) base: &'a [Abs],
}

impl Counting<'_> {
    /// Returns the length of the list before the change.
    pub(super) fn length(&self) -> Range {
        let old = &self.base[self.change.field.index()];
        let tally = Tally::length(self.change.field);
        let range = self.estimate(&tally, old).unwrap_or(Range::up_to(0, None));
        let measured = self.before(&tally);
        measured
            .and_then(|measured| measured.and(range))
            .unwrap_or(range)
    }

    /// Splits a value of the changed field into one case for each combination of the measures of that field. A
    /// combination that no list can have is left out.
    pub(super) fn cases(&self, value: &Abs) -> Vec<ChangedValues> {
        let fields = self.scope.machine.data.len();
        let mut all = vec![vec![(self.change.field.index(), value.clone())]];
        for (at, measure) in self.scope.measures.iter().enumerate() {
            if measure.tally.field != self.change.field {
                continue;
            }
            let Some(range) = self.after(&measure.tally, value) else {
                return Vec::new();
            };
            let cells: Vec<Range> = if all.len() * measure.cells.len() > MAX_COMBINATIONS {
                vec![range]
            } else {
                measure.within(range).collect()
            };
            all = all
                .into_iter()
                .flat_map(|written| {
                    cells.iter().map(move |cell| {
                        let mut written = written.clone();
                        written.push((fields + at, Abs::Int(*cell)));
                        written
                    })
                })
                .collect();
        }
        all.into_iter()
            .filter_map(|written| self.consistent(written))
            .collect()
    }

    /// Removes the possible items that satisfy a condition if the measures say that no item of the list satisfies it;
    /// returns `None` if no list has these measures.
    fn consistent(&self, mut written: ChangedValues) -> Option<ChangedValues> {
        let fields = self.scope.machine.data.len();
        let measured = |measure: &(usize, Abs)| match measure {
            (at, Abs::Int(range)) if *at >= fields => {
                Some((&self.scope.measures[*at - fields], *range))
            }
            _ => None,
        };
        let all: Vec<(&Measure, Range)> = written.iter().filter_map(measured).collect();
        let length = all
            .iter()
            .find(|(measure, _)| measure.tally.condition.is_none());
        let longest = length.map_or(i64::MAX, |(_, range)| range.most);
        if all.iter().any(|(_, range)| range.least > longest) {
            return None;
        }
        let mut list = written[0].1.clone();
        for (measure, range) in &all {
            if let (Abs::Items(items), Some(condition)) = (&list, &measure.tally.condition)
                && range.most == 0
            {
                list = Abs::Items(self.without(items, condition)?);
            }
        }
        written[0].1 = list;
        Some(written)
    }

    /// Returns the items for which a condition may be false; `None` if it is certainly true for all of them.
    fn without(&self, items: &Items, condition: &Expr) -> Option<Items> {
        let item = self.item_type()?;
        let Some(possible) = possible_items(self.scope.machine, item, items) else {
            return Some(items.clone());
        };
        let left = possible.iter();
        let left = left.filter(|one| self.scope.about(one, condition) != Truth::Yes);
        left.map(|one| items_of(self.scope.machine, item, one))
            .reduce(|one, other| one.union(&other))
    }

    /// Returns a measure after the change; `None` if the changed list cannot have this value.
    fn after(&self, tally: &Tally, value: &Abs) -> Option<Range> {
        let machine = self.scope.machine;
        let old = || self.before(tally).unwrap_or(Range::up_to(0, None));
        let moved = match &self.change.kind {
            ChangeKind::Set(value) => self.counted(tally, value),
            ChangeKind::Clear => Range::of(tally.start(machine)),
            ChangeKind::Append(item) | ChangeKind::Insert(_, item) => {
                let (least, most) = self.counts(tally, &self.scope.value(item)).times();
                old().moved(least, most)
            }
            ChangeKind::Remove(_) => {
                let list = &self.base[self.change.field.index()];
                let (least, most) = self.counts_all(tally, list).times();
                old().moved(-most, -least)
            }
            ChangeKind::Update { which, set, clear } => {
                let (least, most) = self.updated(tally, which, set, clear);
                old().moved(least, most)
            }
        };
        moved
            .and(tally.limits(machine))?
            .and(self.estimate(tally, value)?)
    }

    /// Returns a measure of the list before the change.
    fn before(&self, tally: &Tally) -> Option<Range> {
        let mut measures = self.scope.measures.iter();
        let at = measures.position(|measure| measure.tally == *tally)?;
        match self.base.get(self.scope.machine.data.len() + at)? {
            Abs::Int(range) => Some(*range),
            _ => None,
        }
    }

    /// Returns a measure of a list that is assigned to the field.
    fn counted(&self, tally: &Tally, list: &Expr) -> Range {
        match &tally.condition {
            None => self.scope.length(list),
            Some(condition) => self.scope.count(list, condition),
        }
    }

    /// Returns the range of a measure that follows from a value of the list.
    fn estimate(&self, tally: &Tally, list: &Abs) -> Option<Range> {
        let limits = tally.limits(self.scope.machine);
        let range = match (list, self.counts_all(tally, list)) {
            (Abs::Empty, _) | (_, Truth::No) => Range::of(0),
            (Abs::Items(_), Truth::Yes) => Range::up_to(1, None),
            _ => limits,
        };
        range.and(limits)
    }

    /// Returns whether a measure counts an item.
    fn counts(&self, tally: &Tally, item: &Abs) -> Truth {
        let condition = tally.condition.as_ref();
        condition.map_or(Truth::Yes, |condition| self.scope.about(item, condition))
    }

    /// Returns `Yes` if a measure counts all items that a list may contain, and `No` if it counts none of them.
    fn counts_all(&self, tally: &Tally, list: &Abs) -> Truth {
        // The length counts every item, so the possible items need not be listed.
        if tally.condition.is_none() {
            return Truth::Yes;
        }
        let possible = match list {
            Abs::Items(items) => self.possible(items),
            _ => None,
        };
        let Some(possible) = possible else {
            return self.counts(tally, &Abs::Something);
        };
        let truths = possible.iter().map(|item| self.counts(tally, item));
        let all = truths.reduce(|all, one| if all == one { all } else { Truth::Unknown });
        all.unwrap_or(Truth::Unknown)
    }

    fn possible(&self, items: &Items) -> Option<Vec<Abs>> {
        possible_items(self.scope.machine, self.item_type()?, items)
    }

    fn item_type(&self) -> Option<&Type> {
        match &self.scope.machine.field(self.change.field).ty {
            Type::List(item) => Some(item),
            _ => None,
        }
    }

    /// Returns by how much an update may change a measure: the minimum and the maximum.
    fn updated(
        &self,
        tally: &Tally,
        which: &Which,
        set: &[(FieldId, Expr)],
        clear: &[FieldId],
    ) -> (i64, i64) {
        let chosen = self.chosen(which);
        let written = |condition: &Expr| writes(condition, set, clear);
        if chosen.most == 0 || !tally.condition.as_ref().is_some_and(written) {
            return (0, 0);
        }
        let possible = match &self.base[self.change.field.index()] {
            Abs::Items(items) => self.possible(items),
            _ => None,
        };
        let possible = possible.unwrap_or_else(|| vec![Abs::Something]);
        let mut moves: Option<Range> = None;
        for item in &possible {
            if self.is_chosen(which, item) == Truth::No {
                continue;
            }
            let inside = Scope {
                item: Some(item),
                ..*self.scope
            };
            let before = self.counts(tally, item).times();
            let after = self
                .counts(tally, &changed_item(&inside, item, set, clear))
                .times();
            let range = Range {
                least: after.0 - before.1,
                most: after.1 - before.0,
            };
            moves = Some(moves.map_or(range, |moves| moves.or(range)));
        }
        let moves = moves.unwrap_or(Range::of(0));
        let times = |by: i64| [chosen.least, chosen.most].map(|times| by.saturating_mul(times));
        let ends = [times(moves.least), times(moves.most)].concat();
        let least = ends.iter().min().copied().unwrap_or_default();
        (least, ends.into_iter().max().unwrap_or_default())
    }

    /// Returns how many items an update changes.
    fn chosen(&self, which: &Which) -> Range {
        let one = Range::of(1);
        let (condition, most) = match which {
            Which::At(_) => return one,
            Which::Where(condition) => (condition, Range::up_to(0, None)),
            Which::First(condition) => (condition, Range::up_to(0, Some(1))),
        };
        let tally = Tally {
            field: self.change.field,
            condition: Some(condition.clone()),
        };
        let list = &self.base[self.change.field.index()];
        let matching = self.before(&tally).or_else(|| self.estimate(&tally, list));
        let matching = matching.unwrap_or(Range::up_to(0, None));
        Range {
            least: matching.least.min(most.most),
            most: matching.most.min(most.most),
        }
    }

    fn is_chosen(&self, which: &Which, item: &Abs) -> Truth {
        match which {
            Which::At(_) => Truth::Unknown,
            Which::Where(condition) | Which::First(condition) => self.scope.about(item, condition),
        }
    }
}

/// Returns whether an update may write something that a condition on an item reads.
fn writes(condition: &Expr, set: &[(FieldId, Expr)], clear: &[FieldId]) -> bool {
    let (mut items, mut members, mut written) = (0, 0, false);
    condition.walk(&mut |inner| match &inner.kind {
        ExprKind::Item => items += 1,
        ExprKind::Member(base, field) if base.kind == ExprKind::Item => {
            members += 1;
            written |= set.iter().any(|(part, _)| part == field) || clear.contains(field);
        }
        _ => {}
    });
    // A condition on the item as a whole reads all of its fields.
    written || items > members
}
