//! Determines which numbers the prover distinguishes: the constants that a number is compared with, is set to or starts
//! from, and the ranges between these constants. A number that no condition compares has no cells and adds no cost.

use std::collections::{BTreeMap, BTreeSet};

use super::abstraction::Abs;
use super::conditions::conditions_of;
use super::numbers::Range;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{ChangeKind, Machine, Transition};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{EventId, FieldId};

/// The maximum number of constants distinguished for one number.
const MOST_CUTS: usize = 16;

/// If the constants of a counted number span at most this range, all numbers between them are distinguished
/// individually.
const MOST_COUNTED: i64 = 32;

/// The maximum number of constants distinguished for one number, including derived ones.
const MOST_FOLLOWING: usize = 48;

/// A number that the spec names: a field of the data, of an event or of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Data(FieldId),
    Event(EventId, FieldId),
    Context(FieldId),
}

/// A named number plus a constant, or a constant alone.
type Linear = (Option<Place>, i64);

/// The distinguished ranges of each named number.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells(BTreeMap<Place, Vec<Range>>);

impl Cells {
    /// Collects the ranges from every comparison and every change of a machine.
    pub(super) fn of(machine: &Machine) -> Self {
        let mut cuts = Cuts::default();
        cuts.read(machine);
        cuts.spread();
        cuts.add_written();
        cuts.fill();
        cuts.spread();
        let ranges = |(place, cuts): (Place, BTreeSet<i64>)| (place, ranges(&cuts));
        Self(cuts.all.into_iter().map(ranges).collect())
    }

    /// Returns whether no numbers are distinguished.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
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
            .0
            .iter()
            .filter(|(place, _)| !matches!(place, Place::Data(_)));
        let ranges = outside.flat_map(|(_, ranges)| ranges);
        ranges
            .map(|range| range.most.min(range.least.max(0)))
            .collect()
    }

    fn ranges(&self, place: Place) -> &[Range] {
        self.0.get(&place).map_or(&[], Vec::as_slice)
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

/// The constants of each number, and how the constants of different numbers depend on one another.
#[derive(Default)]
struct Cuts {
    all: BTreeMap<Place, BTreeSet<i64>>,
    /// `(first, second, shift)`: the constants of the second number, shifted, are also constants of the first.
    follows: Vec<(Place, Place, i64)>,
    /// The constants that numbers are set to or start from.
    written: Vec<(Place, i64)>,
    /// The numbers that are counted up or down.
    counted: BTreeSet<Place>,
}

impl Cuts {
    fn read(&mut self, machine: &Machine) {
        for invariant in &machine.invariants {
            for expr in conditions_of(&invariant.property) {
                self.compare(expr, None);
            }
        }
        for transition in &machine.transitions {
            self.read_transition(machine, transition);
        }
        for (at, field) in machine.data.iter().enumerate() {
            if let Some(Value::Int(start)) = field.start() {
                self.written.push((Place::Data(FieldId::at(at)), start));
            }
        }
    }

    fn read_transition(&mut self, machine: &Machine, transition: &Transition) {
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
        }
    }

    /// Records the values that a number is set to.
    fn write(&mut self, target: Place, value: &Expr, event: Option<EventId>) {
        for (source, shift) in linear(value, event) {
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

    /// Records that two numbers are compared with each other, or that one is set from the other. The constants that are
    /// distinguished for one number are then also distinguished for the other.
    fn follow(&mut self, source: Place, target: Place, shift: i64) {
        // Two fields that are counted from each other would accumulate constants without limit.
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
        for (one, shift) in linear(left, event) {
            for (other, other_shift) in linear(right, event) {
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

    /// Derives constants from one another until no new ones appear.
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

    /// Distinguishes every value between the constants of a counted number, unless there are too many.
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
}

/// Returns the linear forms that an expression may take.
fn linear(expr: &Expr, event: Option<EventId>) -> Vec<Linear> {
    let of = |expr: &Expr| linear(expr, event);
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
        _ => Vec::new(),
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
