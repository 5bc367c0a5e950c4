//! Abstract values, which describe what is known about values. An abstract value contains less information than the
//! value itself, but everything that it says about the value is true.
//!
//! Optionals are set or unset, strings are blank or not, and lists are empty or not. For a list, the possible
//! values of the enum and boolean fields of its items are also known. Booleans and enums are exact, and numbers are
//! ranges.

use super::numbers::Range;
use crate::model::FieldId;
use crate::model::machine::Machine;
use crate::model::types::{Field, Type};
use crate::model::value::Value;

/// What is known about a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Abs {
    /// Nothing is known: the value may be unset, or may be any value.
    Anything,
    /// The value is unset.
    Unset,
    /// The value is set, to any value.
    Something,
    /// The value is this boolean.
    Bool(bool),
    /// The value is this enum value.
    Enum(u32),
    /// The value is a number in this range.
    Int(Range),
    /// The value is a string, blank or not.
    Text {
        /// Whether the string consists only of white space.
        blank: bool,
    },
    /// The value is a list without items.
    Empty,
    /// The value is a list with items.
    Items(Items),
    /// The value is a record with these fields.
    Record(Vec<Abs>),
}

/// The values that the fields of a list's items may have: one set of bits per tracked field, in the order of the
/// record's fields. The last bit of each set represents an unset field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct Items(pub(super) Vec<u64>);

/// The bit that represents an unset field.
const UNSET: u32 = 63;

/// The maximum number of enum values that a set can distinguish.
const MAX_VALUES: usize = 60;

/// The maximum number of combinations that are examined individually; if there are more, the result is treated as
/// unknown.
pub(super) const MAX_COMBINATIONS: usize = 256;

impl Abs {
    /// Returns whether the value may be unset.
    pub(super) fn may_be_unset(&self) -> bool {
        matches!(self, Abs::Anything | Abs::Unset)
    }

    /// Returns the same knowledge about the value, with the additional fact that the value is set.
    pub(super) fn set(self) -> Abs {
        match self {
            Abs::Anything | Abs::Unset => Abs::Something,
            other => other,
        }
    }

    /// Returns whether this abstraction includes every value that the other abstraction describes.
    pub(super) fn covers(&self, value: &Abs) -> bool {
        match (self, value) {
            (Abs::Anything, _) => true,
            (Abs::Something, value) => !value.may_be_unset(),
            (Abs::Int(wide), Abs::Int(range)) => wide.covers(*range),
            (Abs::Items(some), Abs::Items(items)) => {
                let mut sets = some.0.iter().zip(&items.0);
                sets.all(|(some, items)| items & !some == 0)
            }
            (Abs::Record(some), Abs::Record(values)) => {
                some.len() == values.len() && some.iter().zip(values).all(|(a, b)| a.covers(b))
            }
            (abs, value) => abs == value,
        }
    }

    /// Returns what is known about a value that is described by one of the two abstractions.
    pub(super) fn or(self, other: Abs) -> Abs {
        match (self, other) {
            (one, other) if one == other => one,
            (Abs::Int(one), Abs::Int(other)) => Abs::Int(one.or(other)),
            (Abs::Items(one), Abs::Items(other)) => Abs::Items(one.union(&other)),
            (Abs::Record(one), Abs::Record(other)) if one.len() == other.len() => {
                Abs::Record(one.into_iter().zip(other).map(|(a, b)| a.or(b)).collect())
            }
            (one, other) if one.may_be_unset() || other.may_be_unset() => Abs::Anything,
            _ => Abs::Something,
        }
    }
}

impl Items {
    /// Returns the values that may occur in at least one of the two lists.
    pub(super) fn union(&self, other: &Items) -> Items {
        let sets = self.0.iter().zip(&other.0);
        Items(sets.map(|(one, other)| one | other).collect())
    }
}

/// Returns the tracked fields of a list's items, as indices into the record.
pub(super) fn followed(machine: &Machine, item: &Type) -> Vec<usize> {
    let Type::Record(id) = item else {
        return Vec::new();
    };
    let fields = machine.type_def(*id).fields().iter().enumerate();
    fields
        .filter(|(_, field)| match field.ty.required() {
            Type::Bool => true,
            Type::Enum(id) => machine.type_def(*id).values().len() <= MAX_VALUES,
            _ => false,
        })
        .map(|(at, _)| at)
        .collect()
}

/// Returns the bit for the value of a tracked field; `None` if the field may have any value.
fn bit(value: &Abs) -> Option<u32> {
    match value {
        Abs::Unset => Some(UNSET),
        Abs::Bool(truth) => Some(u32::from(*truth)),
        Abs::Enum(place) => Some(*place),
        _ => None,
    }
}

/// Returns the value that a bit of a tracked field represents.
fn of_bit(ty: &Type, bit: u32) -> Abs {
    match ty.required() {
        _ if bit == UNSET => Abs::Unset,
        Type::Bool => Abs::Bool(bit == 1),
        _ => Abs::Enum(bit),
    }
}

/// Returns the positions of the bits in a set, in ascending order.
fn bits(set: u64) -> impl Iterator<Item = u32> {
    let after = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
    let sets = std::iter::successors(Some(set).filter(|set| *set != 0), after);
    sets.map(u64::trailing_zeros)
}

/// Returns the bits of all values that a tracked field can have.
fn every_bit(machine: &Machine, ty: &Type) -> u64 {
    let values = match ty.required() {
        Type::Bool => 2,
        Type::Enum(id) => machine.type_def(*id).values().len(),
        _ => 0,
    };
    let set = (1_u64 << values) - 1;
    if ty.is_optional() {
        set | (1 << UNSET)
    } else {
        set
    }
}

/// Returns the abstraction of a list that contains one item with this value.
pub(super) fn items_of(machine: &Machine, item: &Type, value: &Abs) -> Items {
    let Type::Record(id) = item else {
        return Items::default();
    };
    let fields = machine.type_def(*id).fields();
    let sets = followed(machine, item).into_iter().map(|at| {
        let every = every_bit(machine, &fields[at].ty);
        match value {
            Abs::Record(values) => bit(&values[at]).map_or(every, |bit| 1 << bit),
            _ => every,
        }
    });
    Items(sets.collect())
}

/// Returns the tracked fields of a list's items, each with its type and its possible values.
pub(super) fn item_values(
    machine: &Machine,
    item: &Type,
    items: &Items,
) -> Vec<(FieldId, Type, Vec<Value>)> {
    let Type::Record(id) = item else {
        return Vec::new();
    };
    let fields = machine.type_def(*id).fields();
    let sets = items.0.iter().zip(followed(machine, item));
    sets.map(|(set, at)| {
        let values = bits(*set).map(|bit| match of_bit(&fields[at].ty, bit) {
            Abs::Bool(truth) => Value::Bool(truth),
            Abs::Enum(place) => Value::Enum(place),
            _ => Value::Unset,
        });
        (FieldId::at(at), fields[at].ty.clone(), values.collect())
    })
    .collect()
}

/// Returns every item that a list may contain, as far as its tracked fields determine the item; `None` if there are too
/// many items to examine individually.
pub(super) fn possible_items(machine: &Machine, item: &Type, items: &Items) -> Option<Vec<Abs>> {
    let Type::Record(id) = item else {
        return Some(vec![Abs::Something]);
    };
    let fields = machine.type_def(*id).fields();
    let mut all = vec![
        fields
            .iter()
            .map(|field| top(&field.ty))
            .collect::<Vec<Abs>>(),
    ];
    for (set, at) in items.0.iter().zip(followed(machine, item)) {
        let bits: Vec<u32> = bits(*set).collect();
        if all.len() * bits.len() > MAX_COMBINATIONS {
            return None;
        }
        all = all
            .into_iter()
            .flat_map(|record| {
                bits.iter().map(move |bit| {
                    let mut record = record.clone();
                    record[at] = of_bit(&fields[at].ty, *bit);
                    record
                })
            })
            .collect();
    }
    Some(all.into_iter().map(Abs::Record).collect())
}

/// Returns what is known about a value if only its type is known.
pub(super) fn top(ty: &Type) -> Abs {
    if ty.is_optional() {
        Abs::Anything
    } else {
        Abs::Something
    }
}

/// Returns what is known about a concrete value.
pub(super) fn of_value(machine: &Machine, value: &Value, ty: &Type) -> Abs {
    match (value, ty.required()) {
        (Value::Unset, _) => Abs::Unset,
        (Value::Bool(truth), _) => Abs::Bool(*truth),
        (Value::Enum(place), _) => Abs::Enum(*place),
        (Value::Int(number), _) => Abs::Int(Range::of(*number)),
        (Value::Text(text), Type::Text) => Abs::Text {
            blank: text.trim().is_empty(),
        },
        (Value::List(items), Type::List(item)) => {
            let mut sets: Option<Items> = None;
            for value in items {
                let one = items_of(machine, item, &of_value(machine, value, item));
                sets = Some(sets.map_or_else(|| one.clone(), |all| all.union(&one)));
            }
            sets.map_or(Abs::Empty, Abs::Items)
        }
        (Value::Record(values), Type::Record(id)) => {
            let fields = machine.type_def(*id).fields().iter();
            let values = fields.zip(values);
            Abs::Record(
                values
                    .map(|(field, value)| of_value(machine, value, &field.ty))
                    .collect(),
            )
        }
        _ => Abs::Something,
    }
}

/// Returns every case that the abstraction distinguishes for a payload or context field; a number has one case per
/// range.
pub(super) fn cases(machine: &Machine, field: &Field, numbers: &[Range]) -> Vec<Abs> {
    let mut all = Vec::new();
    if field.ty.is_optional() && field.default.is_none() {
        all.push(Abs::Unset);
    }
    match field.ty.required() {
        Type::Bool => all.extend([Abs::Bool(false), Abs::Bool(true)]),
        Type::Enum(id) => {
            let values = machine.type_def(*id).values().len();
            all.extend((0..u32::try_from(values).unwrap_or(0)).map(Abs::Enum));
        }
        Type::Text => {
            all.push(Abs::Text { blank: false });
            if !field.nonblank {
                all.push(Abs::Text { blank: true });
            }
        }
        Type::Int if !numbers.is_empty() => all.extend(numbers.iter().copied().map(Abs::Int)),
        Type::List(item) => {
            all.push(Abs::Empty);
            all.push(Abs::Items(items_of(machine, item, &Abs::Something)));
        }
        Type::Record(id) => {
            let fields = machine.type_def(*id).fields().iter();
            let each: Vec<Vec<Abs>> = fields.map(|field| cases(machine, field, &[])).collect();
            match combinations(&each) {
                Some(records) => all.extend(records.into_iter().map(Abs::Record)),
                None => all.push(Abs::Something),
            }
        }
        _ => all.push(Abs::Something),
    }
    all
}

/// Returns every combination of one value from each list; `None` if there are too many combinations.
pub(super) fn combinations(each: &[Vec<Abs>]) -> Option<Vec<Vec<Abs>>> {
    let mut all = vec![Vec::new()];
    for cases in each {
        if all.len() * cases.len() > MAX_COMBINATIONS {
            return None;
        }
        all = all
            .into_iter()
            .flat_map(|taken: Vec<Abs>| {
                cases.iter().map(move |case| {
                    let mut taken = taken.clone();
                    taken.push(case.clone());
                    taken
                })
            })
            .collect();
    }
    Some(all)
}
