//! The constants that cut the numbers of a machine into ranges.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::{conditions, conditions_of};
use super::growth::growing_by_value;
use super::measures::{MAX_MEASURES, Tally, TrackedMeasures, copied_lists, needed_length};
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{Change, ChangeKind, Machine, Transition};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{EventId, FieldId};

/// The maximum number of constants that are taken from the conditions and changes of a spec for one number.
const MOST_CUTS: usize = 16;

/// If the constants of a number that is counted up or down span at most this range, all numbers between them are
/// distinguished individually.
const MOST_COUNTED: i64 = 32;

/// The maximum number of constants distinguished for one number when constants are derived from those of other numbers.
const MOST_FOLLOWING: usize = 48;

/// A number that the spec names: a field of the data, of an event or of the context, or a measure of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Data(FieldId),
    Event(EventId, FieldId),
    Context(FieldId),
    /// The measure with this index.
    Measure(usize),
}

/// A named number plus a constant, or a constant alone.
type Linear = (Option<Place>, i64);

/// The constants of each number, and how the constants of different numbers depend on one another.
pub(super) struct Cuts<'m> {
    machine: &'m Machine,
    /// Whether the lengths that changes need are tracked.
    asked: bool,
    /// The lengths and counts that can be measured.
    pub(super) tallies: Vec<Tally>,
    pub(super) all: BTreeMap<Place, BTreeSet<i64>>,
    /// `(first, second, shift)`: the constants of the second number, shifted, are also constants of the first number.
    follows: Vec<(Place, Place, i64)>,
    /// The constants that numbers are set to or start from.
    written: Vec<(Place, i64)>,
    /// The numbers that are counted up or down.
    counted: BTreeSet<Place>,
}

impl<'m> Cuts<'m> {
    /// Collects the constants from every comparison and every change of a machine.
    pub(super) fn of(machine: &'m Machine, measured: TrackedMeasures) -> Self {
        let mut cuts = Self {
            machine,
            asked: measured == TrackedMeasures::Asked,
            tallies: tallies(machine, measured),
            all: BTreeMap::new(),
            follows: Vec::new(),
            written: Vec::new(),
            counted: BTreeSet::new(),
        };
        cuts.read();
        cuts.spread();
        cuts.add_written();
        cuts.fill();
        cuts.spread();
        cuts
    }

    fn read(&mut self) {
        let machine = self.machine;
        for invariant in &machine.invariants {
            for expr in conditions_of(&invariant.property) {
                self.compare(expr, None);
                self.ask(expr);
            }
        }
        for transition in &machine.transitions {
            self.read_transition(transition);
        }
        for field in growing_by_value(machine) {
            self.grow(field);
        }
        for (at, field) in machine.data.iter().enumerate() {
            if let Some(Value::Int(start)) = field.start() {
                self.written.push((Place::Data(FieldId::at(at)), start));
            }
        }
        for (at, tally) in self.tallies.iter().enumerate() {
            let place = Place::Measure(at);
            self.written.push((place, 0));
            self.written.push((place, tally.start(machine)));
            self.counted.insert(place);
        }
    }

    /// Records each place where an invariant asks whether any, all or none of the items of a list satisfy a condition.
    fn ask(&mut self, expr: &Expr) {
        expr.walk(&mut |inner| {
            let asked = Tally::asked(self.machine, inner);
            if let Some(place) = asked.and_then(|tally| self.measure(&tally)) {
                self.cut(place, 0);
            }
        });
    }

    /// Records that a number, or the length of a list, is compared with its earlier value: the constants that it is set
    /// to are distinguished.
    fn grow(&mut self, field: FieldId) {
        let place = match self.machine.field(field).ty {
            Type::Int => Some(Place::Data(field)),
            _ => self.measure(&Tally::length(field)),
        };
        if let Some(place) = place {
            self.all.entry(place).or_default();
        }
    }

    fn measure(&self, tally: &Tally) -> Option<Place> {
        let at = self.tallies.iter().position(|known| known == tally);
        at.map(Place::Measure)
    }

    fn read_transition(&mut self, transition: &Transition) {
        let machine = self.machine;
        let event = Some(machine.handler(transition.handler).event);
        let whens = transition.when.iter().map(|when| &when.expr);
        let requires = transition.require.iter().map(|require| &require.that.expr);
        for expr in whens.chain(requires) {
            self.compare(expr, event);
        }
        for change in &transition.changes {
            for expr in change.kind.expressions() {
                self.compare(expr, event);
            }
            if let ChangeKind::Set(value) = &change.kind
                && *machine.field(change.field).ty.required() == Type::Int
            {
                self.write(Place::Data(change.field), value, event);
            }
            for list in copied_lists(&change.kind) {
                self.copy(list, change.field);
            }
            self.need(change);
        }
    }

    /// Records that a change needs a list of a certain length, if the lengths that changes need are tracked.
    fn need(&mut self, change: &Change) {
        let length = self.measure(&Tally::length(change.field));
        let needed = needed_length(self.machine, change);
        let needed = needed.filter(|length| self.asked && *length <= MOST_COUNTED);
        if let Some((place, length)) = length.zip(needed) {
            self.cut(place, length);
        }
    }

    /// Records that a list is copied: the constants of one list are then also distinguished for the other list.
    fn copy(&mut self, from: FieldId, to: FieldId) {
        let into = self.tallies.iter().filter(|tally| tally.field == to);
        let copies: Vec<(Place, Place)> = into
            .filter_map(|tally| {
                let source = self.measure(&Tally {
                    field: from,
                    ..tally.clone()
                });
                source.zip(self.measure(tally))
            })
            .collect();
        for (source, target) in copies {
            self.follow(source, target, 0);
        }
    }

    /// Records the values that a number is set to.
    fn write(&mut self, target: Place, value: &Expr, event: Option<EventId>) {
        for (source, shift) in self.linear(value, event) {
            match source {
                None => self.written.push((target, shift)),
                Some(source) => {
                    self.follow(source, target, shift);
                    if shift != 0 {
                        self.counted.insert(target);
                    }
                }
            }
        }
    }

    /// Records that one number is set to another number plus a shift. The constants of the target, shifted back, are
    /// then also distinguished for the source. If the shift is zero, the constants of the source are also distinguished
    /// for the target.
    fn follow(&mut self, source: Place, target: Place, shift: i64) {
        // If two fields are each set to the other field plus a constant, they would accumulate constants without limit.
        let kept = |place: Place| matches!(place, Place::Data(_));
        if source == target || (kept(source) && shift != 0) {
            return;
        }
        self.follows.push((source, target, shift.saturating_neg()));
        if shift == 0 {
            self.follows.push((target, source, 0));
        }
    }

    /// Records every comparison of numbers in an expression.
    fn compare(&mut self, expr: &Expr, event: Option<EventId>) {
        expr.walk(&mut |inner| match &inner.kind {
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                self.compare_two(left, right, event);
            }
            ExprKind::In(one, items) => {
                for item in items {
                    self.compare_two(one, item, event);
                }
            }
            _ => {}
        });
    }

    fn compare_two(&mut self, left: &Expr, right: &Expr, event: Option<EventId>) {
        if *left.ty.required() != Type::Int {
            return;
        }
        for (one, shift) in self.linear(left, event) {
            for (other, other_shift) in self.linear(right, event) {
                let apart = other_shift.saturating_sub(shift);
                match (one, other) {
                    (Some(one), None) => self.cut(one, apart),
                    (None, Some(other)) => self.cut(other, apart.saturating_neg()),
                    (Some(one), Some(other)) => {
                        self.follows.push((one, other, apart));
                        self.follows.push((other, one, apart.saturating_neg()));
                    }
                    (None, None) => {}
                }
            }
        }
    }

    fn cut(&mut self, place: Place, constant: i64) {
        let cuts = self.all.entry(place).or_default();
        if cuts.len() < MOST_CUTS {
            cuts.insert(constant);
        }
    }

    /// Distinguishes the constants that a number is set to, if the number is compared with anything.
    fn add_written(&mut self) {
        for (place, constant) in std::mem::take(&mut self.written) {
            if self.all.contains_key(&place) {
                self.cut(place, constant);
            }
        }
    }

    /// Derives constants from one another until no new constants appear.
    fn spread(&mut self) {
        let follows = std::mem::take(&mut self.follows);
        let mut grew = true;
        while grew {
            grew = false;
            for (to, from, shift) in &follows {
                let constants = self.all.get(from).cloned().unwrap_or_default();
                let shifted = constants.iter().filter_map(|cut| cut.checked_add(*shift));
                for constant in shifted.collect::<Vec<i64>>() {
                    grew |= self.cut_wide(*to, constant);
                }
            }
        }
        self.follows = follows;
    }

    /// Adds a derived constant, up to the limit; returns whether it is new.
    fn cut_wide(&mut self, place: Place, constant: i64) -> bool {
        let cuts = self.all.entry(place).or_default();
        cuts.len() < MOST_FOLLOWING && cuts.insert(constant)
    }

    /// Distinguishes every value between the constants of a number that is counted up or down, unless there are too
    /// many values.
    fn fill(&mut self) {
        for place in &self.counted {
            let Some(cuts) = self.all.get_mut(place) else {
                continue;
            };
            let (Some(first), Some(last)) = (cuts.first().copied(), cuts.last().copied()) else {
                continue;
            };
            if last
                .checked_sub(first)
                .is_some_and(|span| span <= MOST_COUNTED)
            {
                cuts.extend(first..=last);
            }
        }
    }

    /// Returns the linear forms that an expression may take.
    fn linear(&self, expr: &Expr, event: Option<EventId>) -> Vec<Linear> {
        let of = |expr: &Expr| self.linear(expr, event);
        match &expr.kind {
            ExprKind::Value(Value::Int(number)) => vec![(None, *number)],
            ExprKind::Data(field) => vec![(Some(Place::Data(*field)), 0)],
            ExprKind::Context(field) => vec![(Some(Place::Context(*field)), 0)],
            ExprKind::Event(field) => {
                let place = event.map(|event| Place::Event(event, *field));
                place.map(|place| (Some(place), 0)).into_iter().collect()
            }
            ExprKind::Proved(inner) => of(inner),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
                of(left).into_iter().chain(of(right)).collect()
            }
            ExprKind::Binary(BinaryOp::Add, left, right) => sums(&of(left), &of(right), 1),
            ExprKind::Binary(BinaryOp::Subtract, left, right) => sums(&of(left), &of(right), -1),
            _ => {
                let tally = Tally::of(self.machine, expr);
                let place = tally.and_then(|tally| self.measure(&tally));
                place.map(|place| (Some(place), 0)).into_iter().collect()
            }
        }
    }
}

/// Returns every sum or difference of two linear forms that is itself a linear form.
fn sums(left: &[Linear], right: &[Linear], sign: i64) -> Vec<Linear> {
    let mut all = Vec::new();
    for (one, shift) in left {
        for (other, other_shift) in right {
            let place = match (one, other) {
                (place, None) => *place,
                (None, place) if sign == 1 => *place,
                _ => continue,
            };
            all.push((
                place,
                shift.saturating_add(sign.saturating_mul(*other_shift)),
            ));
        }
    }
    all
}

/// Returns the tallies of the machine: the lengths and counts that it reads, the lists that an invariant claims to
/// grow, the lengths that changes need, and the items that an invariant asks about, as far as `measured` includes them.
fn tallies(machine: &Machine, measured: TrackedMeasures) -> Vec<Tally> {
    if measured == TrackedMeasures::Nothing {
        return Vec::new();
    }
    let asked = |expr: &Expr| match measured {
        TrackedMeasures::Asked => Tally::asked(machine, expr),
        _ => None,
    };
    let mut all: Vec<Tally> = Vec::new();
    let mut add = |tally: Tally| {
        if all.len() < MAX_MEASURES && !all.contains(&tally) {
            all.push(tally);
        }
    };
    for invariant in &machine.invariants {
        for condition in conditions_of(&invariant.property) {
            condition.walk(&mut |inner| {
                let read = Tally::of(machine, inner).or_else(|| asked(inner));
                read.into_iter().for_each(&mut add);
            });
        }
    }
    for field in growing_by_value(machine) {
        if matches!(machine.field(field).ty, Type::List(_)) {
            add(Tally::length(field));
        }
    }
    for transition in &machine.transitions {
        let changes = transition.changes.iter();
        let needed = changes.filter(|change| needed_length(machine, change).is_some());
        for change in needed.filter(|_| measured == TrackedMeasures::Asked) {
            add(Tally::length(change.field));
        }
        for expr in conditions(transition) {
            expr.walk(&mut |inner| {
                Tally::of(machine, inner).into_iter().for_each(&mut add);
            });
        }
    }
    // If a list is measured, the lists that are copied into it are measured in the same way.
    let mut next = 0;
    while next < all.len() {
        let into = all[next].clone();
        let changes = machine.transitions.iter().flat_map(|taken| &taken.changes);
        let changes = changes.filter(|change| change.field == into.field);
        for field in changes.flat_map(|change| copied_lists(&change.kind)) {
            let copied = Tally {
                field,
                ..into.clone()
            };
            if all.len() < MAX_MEASURES && !all.contains(&copied) {
                all.push(copied);
            }
        }
        next += 1;
    }
    all
}
