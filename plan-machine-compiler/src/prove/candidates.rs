//! Concrete payloads that the prover tries: a few values for each abstract value.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{Machine, Property};
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::semantics::to_json;

use super::abstraction::MAX_COMBINATIONS;
use super::cells::Cells;
use super::conditions::{conditions, conditions_of};

/// Values to try, most of them taken from the spec: for example, a comparison with 3 adds the values 2, 3 and 4.
#[derive(Debug, PartialEq)]
pub(super) struct Candidates {
    numbers: Vec<i64>,
    texts: Vec<Arc<str>>,
    instants: Vec<Instant>,
    /// The lengths of the longer lists to try.
    lengths: Vec<usize>,
    /// The maximum number of stored payloads per event.
    most: usize,
}

/// The maximum number of values in all payloads together.
const MAX_VALUES: usize = 2_000_000;

/// The number of payloads that each event may have even if the limit `MAX_VALUES` is exceeded.
const MIN_PAYLOADS: usize = 16;

/// The maximum number of combinations of values for the fields that matter.
const MAX_PAYLOADS: usize = MAX_COMBINATIONS;

/// The maximum number of combinations that are built by also varying the fields that do not matter.
const MAX_IDLE_PAYLOADS: usize = 64;

/// Numbers far beyond those that the comparisons of a spec usually contain.
const FAR: [i64; 2] = [1_000_000, -1_000_000];

/// The maximum number of items from which longer lists are built; each of these lists repeats a single item.
const MAX_REPEATED: usize = 4;

/// The maximum number of literals of each type that are taken from the spec.
const MAX_LITERALS: usize = 6;

impl Candidates {
    /// Collects the literals of every condition and value.
    pub(super) fn of(machine: &Machine, cells: &Cells) -> Self {
        let mut numbers = BTreeSet::new();
        let mut texts = BTreeSet::new();
        let mut instants = BTreeSet::new();
        let mut look = |expr: &Expr| {
            expr.walk(&mut |inner| match &inner.kind {
                ExprKind::Value(Value::Int(number)) if numbers.len() < 3 * MAX_LITERALS => {
                    for near in [number.saturating_sub(1), *number, number.saturating_add(1)] {
                        numbers.insert(near);
                    }
                }
                ExprKind::Value(Value::Text(text)) if texts.len() < MAX_LITERALS => {
                    texts.insert(Arc::clone(text));
                }
                ExprKind::Value(Value::Time(instant)) if instants.len() < MAX_LITERALS => {
                    instants.insert(*instant);
                }
                _ => {}
            });
        };
        for transition in &machine.transitions {
            conditions(transition).into_iter().for_each(&mut look);
        }
        for invariant in &machine.invariants {
            let property: &Property = &invariant.property;
            conditions_of(property).into_iter().for_each(&mut look);
        }
        numbers.extend(cells.examples());
        let first = [1, 0, 2, -1];
        let rest = numbers.into_iter().filter(|number| !first.contains(number));
        let inputs = machine.events.iter().map(|event| event.input.len());
        let fields = inputs.sum::<usize>() + machine.context.len();
        Self {
            most: (MAX_VALUES / fields.max(1)).max(MIN_PAYLOADS),
            numbers: first.into_iter().chain(rest).chain(FAR).collect(),
            texts: texts.into_iter().collect(),
            instants: instants.into_iter().collect(),
            lengths: cells.lengths(),
        }
    }

    /// Returns the instants to try: those that the spec mentions, the instants just after them, and one instant about a
    /// year after the instant at which runs begin.
    pub(super) fn instants(&self) -> Vec<Instant> {
        let second = std::time::Duration::from_secs(1);
        let mentioned = self.instants.iter().flat_map(|instant| {
            let after = instant.since_1970().checked_add(second);
            [Some(*instant), after.and_then(Instant::from_since_1970)]
        });
        let ahead = Instant::at_second(1_800_000_000);
        mentioned.flatten().chain([ahead]).collect()
    }

    /// Returns payloads for an event, starting with the simplest payload; the fields that matter are varied first.
    pub(super) fn payloads(
        &self,
        machine: &Machine,
        fields: &[Field],
        relevant: &[bool],
    ) -> Vec<Vec<Value>> {
        let each: Vec<Vec<Value>> = fields
            .iter()
            .map(|field| self.values_of(machine, field, 0))
            .collect();
        combined(&each, relevant, self.most)
    }

    /// Returns contexts to try; fields that do not matter are not varied.
    pub(super) fn contexts(
        &self,
        machine: &Machine,
        fields: &[Field],
        relevant: &[bool],
    ) -> Vec<Vec<Value>> {
        let each = fields.iter().zip(relevant);
        let each = each.map(|(field, relevant)| {
            let mut values = self.values_of(machine, field, 0);
            if !relevant {
                values.truncate(1);
            }
            values
        });
        let each: Vec<Vec<Value>> = each.collect();
        combined(&each, relevant, self.most)
    }

    fn values_of(&self, machine: &Machine, field: &Field, depth: usize) -> Vec<Value> {
        let mut all = Vec::new();
        if field.ty.is_optional() && field.default.is_none() {
            all.push(Value::Unset);
        }
        all.extend(self.values(machine, &field.ty, field, depth));
        all
    }
    fn values(&self, machine: &Machine, ty: &Type, field: &Field, depth: usize) -> Vec<Value> {
        match ty.required() {
            Type::Text => {
                let mut all = vec![Value::text("x")];
                if !field.nonblank {
                    all.push(Value::text(""));
                }
                all.extend(self.texts.iter().cloned().map(Value::Text));
                all.push(Value::text("# Plan\n\nStatus: complete\n"));
                if !field.nonblank {
                    all.push(Value::text(" "));
                }
                all
            }
            Type::Id => vec![Value::text("x"), Value::text("y")],
            Type::Int => self.numbers.iter().copied().map(Value::Int).collect(),
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Time => {
                let later = Instant::at_second(1_800_000_000);
                let known = self.instants.iter().copied();
                known.chain([later]).map(Value::Time).collect()
            }
            Type::Enum(id) => {
                let values = machine.type_def(*id).values().len();
                (0..u32::try_from(values).unwrap_or(0))
                    .map(Value::Enum)
                    .collect()
            }
            Type::List(item) if depth < 2 => {
                let items = self.values(machine, item, &plain(field, item), depth + 1);
                // Lists with one item, without items, with two items, with one item many times, and with all items.
                let one = items.iter().map(|item| Value::List(vec![item.clone()]));
                let mut all: Vec<Value> = one.chain([Value::List(Vec::new())]).collect();
                let first = items.first();
                all.extend(first.map(|item| Value::List(vec![item.clone(), item.clone()])));
                all.extend(items.windows(2).map(|two| Value::List(two.to_vec())));
                for length in &self.lengths {
                    let each = items.iter().take(MAX_REPEATED);
                    all.extend(each.map(|item| Value::List(vec![item.clone(); *length])));
                }
                if items.len() > 2 {
                    all.push(Value::List(items));
                }
                all
            }
            Type::List(_) => vec![Value::List(Vec::new())],
            Type::Record(id) if depth < 3 => {
                let fields = machine.type_def(*id).fields();
                let mut records: Vec<Vec<Value>> = vec![Vec::new()];
                for field in fields {
                    let values = self.values_of(machine, field, depth + 1);
                    let room = (16 / records.len()).max(1);
                    records = values
                        .iter()
                        .take(room)
                        .flat_map(|value| {
                            records.iter().map(move |taken| {
                                let mut taken = taken.clone();
                                taken.push(value.clone());
                                taken
                            })
                        })
                        .collect();
                }
                records.into_iter().map(Value::Record).collect()
            }
            Type::Record(_) => Vec::new(),
            _ => vec![Value::Json(Arc::new(Json::Object(Object::new())))],
        }
    }
}

/// Returns every combination of one value from each list, up to the limit; the fields that matter are varied first.
fn combined(each: &[Vec<Value>], relevant: &[bool], most: usize) -> Vec<Vec<Value>> {
    let plainest = each.iter().map(|values| values.first().cloned());
    let Some(plainest) = plainest.collect::<Option<Vec<Value>>>() else {
        return Vec::new();
    };
    let mut all = vec![plainest];
    for (wanted, room) in [(true, MAX_PAYLOADS), (false, MAX_IDLE_PAYLOADS)] {
        let room_for_all = room.min(most);
        let varied = (0..each.len()).filter(|at| relevant.get(*at) == Some(&wanted));
        for at in varied {
            let room = (room_for_all / all.len()).max(1);
            let tried = each[at].iter().take(room);
            all = tried
                .flat_map(|value| {
                    all.iter().map(move |taken| {
                        let mut taken = taken.clone();
                        taken[at] = value.clone();
                        taken
                    })
                })
                .collect();
        }
    }
    vary_one_by_one(each, &mut all, most);
    all.truncate(most);
    all
}

/// Varies one field at a time if the limit does not allow all combinations.
fn vary_one_by_one(each: &[Vec<Value>], all: &mut Vec<Vec<Value>>, most: usize) {
    let Some(plain) = all.first().cloned() else {
        return;
    };
    // Only a combination that differs from the simplest payload in a single field can occur again below.
    let tried: Vec<(usize, Value)> = all
        .iter()
        .filter_map(|one| only_difference(&plain, one))
        .collect();
    for (at, values) in each.iter().enumerate() {
        for (place, value) in values.iter().enumerate() {
            let mut same = tried.iter().filter(|(field, _)| *field == at);
            let known = plain[at] == *value
                || values[..place].contains(value)
                || same.any(|(_, known)| known == value);
            if known {
                continue;
            }
            if all.len() >= most {
                return;
            }
            let mut varied = plain.clone();
            varied[at] = value.clone();
            all.push(varied);
        }
    }
}

/// Returns the field in which a payload differs from the simplest payload, with the value of the field; `None` if the
/// payloads differ in no field or in several fields.
fn only_difference(plain: &[Value], other: &[Value]) -> Option<(usize, Value)> {
    let mut differing = (0..plain.len()).filter(|at| plain[*at] != other[*at]);
    let at = differing.next()?;
    differing.next().is_none().then(|| (at, other[at].clone()))
}

/// Returns a copy of a field with another type and without bounds.
fn plain(field: &Field, ty: &Type) -> Field {
    Field {
        ty: ty.clone(),
        max: None,
        nonblank: false,
        default: None,
        ..field.clone()
    }
}

/// Returns a payload as the object that a call carries.
pub(super) fn object(machine: &Machine, fields: &[Field], payload: &[Value]) -> Object {
    let mut object = Object::new();
    for (field, value) in fields.iter().zip(payload) {
        if value.is_set() {
            object.push(field.name.clone(), to_json(machine, value, &field.ty));
        }
    }
    object
}
