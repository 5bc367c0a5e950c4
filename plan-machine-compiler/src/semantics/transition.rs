//! Takes one alternative of one handler for one record: its checks, changes and effects.

use std::cell::Cell;
use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Late;

use super::bounds::AppliedBounds;
use super::change::{self, DenialReason, too_large};
use super::convert::to_json;
use super::effects;
use super::eval::{Fault, Scope};
use super::outcome::{Denial, EmittedEffect};
use super::record::{Configuration, HeldRecords, Record};
use super::timers::{self, StepTime};
use crate::model::machine::{Fate, Next, Transition};
use crate::model::value::Value;
use crate::model::{Machine, StateId, TransitionId};

/// The inputs of a transition.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub(super) machine: &'a Machine,
    pub(super) held: &'a HeldRecords,
    pub(super) event: &'a [Value],
    pub(super) context: &'a [Value],
    pub(super) now: Instant,
    pub(super) late: Option<Late>,
    /// The number of bytes that the step may still build.
    pub(super) budget: &'a Cell<usize>,
    /// The number of parts of expressions that the step may still evaluate.
    pub(super) evaluations: &'a Cell<usize>,
}

impl Inputs<'_> {
    fn time(&self) -> StepTime {
        StepTime {
            now: self.now,
            late: self.late,
        }
    }
}

/// The result of a transition, not yet applied.
pub(super) struct Applied {
    pub(super) taken: TransitionId,
    /// The record that took the transition, as it is after the transition.
    pub(super) record: Option<(usize, Record)>,
    /// The record that was started, which may be the successor of the record that took the transition.
    pub(super) created: Option<Record>,
    /// Whether the slot releases the record that took the transition.
    pub(super) released: bool,
    pub(super) effects: Vec<EmittedEffect>,
    pub(super) reply: Json,
}

impl Applied {
    /// Returns the record that the reply refers to: the record that was created, or otherwise the record that took the
    /// transition.
    fn subject(&self) -> Option<&Record> {
        let changed = self.record.as_ref().map(|(_, record)| record);
        self.created.as_ref().or(changed)
    }
}

/// Returns the first alternative whose `when` holds.
pub(super) fn choose(
    inputs: Inputs<'_>,
    index: Option<usize>,
    alternatives: &[TransitionId],
) -> Result<TransitionId, Denial> {
    let record = index.map(|index| &inputs.held.records[index]);
    let state = record.map_or(StateId::NONE, Record::leaf);
    let chosen = chosen(&scope(inputs, record), alternatives);
    chosen.map_err(|(kind, messages)| Denial::all(kind, state, messages))
}

/// Takes an alternative.
pub(super) fn take(
    inputs: Inputs<'_>,
    index: Option<usize>,
    taken: TransitionId,
    new_id: &mut dyn FnMut() -> Arc<str>,
) -> Result<Applied, Denial> {
    let record = index.map(|index| &inputs.held.records[index]);
    let state = record.map_or(StateId::NONE, Record::leaf);
    let denied = |(kind, messages): DenialReason| Denial::all(kind, state, messages);
    let scope = scope(inputs, record);
    let transition = inputs.machine.transition(taken);
    require(&scope, transition).map_err(denied)?;
    let new_id = &mut *new_id;
    let mut applied = Applied {
        taken,
        record: None,
        created: None,
        released: transition.next.is_some(),
        effects: Vec::new(),
        reply: Json::Null,
    };
    match (index, record) {
        (Some(index), Some(record)) => {
            go_on(
                inputs,
                &scope,
                record,
                transition,
                new_id,
                (index, &mut applied),
            )
            .map_err(denied)?;
        }
        _ => start(inputs, &scope, transition, new_id, &mut applied).map_err(denied)?,
    }
    collect_effects(inputs, record, transition, &mut applied).map_err(denied)?;
    applied.reply = reply(inputs, transition, &applied).map_err(denied)?;
    Ok(applied)
}

fn scope<'a>(inputs: Inputs<'a>, record: Option<&'a Record>) -> Scope<'a> {
    Scope {
        machine: inputs.machine,
        record,
        new_id: None,
        event: inputs.event,
        context: inputs.context,
        now: inputs.now,
        item: None,
        plans: &[],
        listed: None,
        stores: false,
        budget: Some(inputs.budget),
        evaluations: Some(inputs.evaluations),
    }
}

fn chosen(scope: &Scope<'_>, alternatives: &[TransitionId]) -> Result<TransitionId, DenialReason> {
    let mut wanted = Vec::new();
    for id in alternatives {
        let transition = scope.machine.transition(*id);
        let Some(when) = &transition.when else {
            return match transition.fate {
                Fate::Deny => Err(denied_call(scope, &wanted)),
                _ => Ok(*id),
            };
        };
        match scope.holds(&when.expr) {
            Ok(true) => return Ok(*id),
            Ok(false) | Err(Fault::Unset) => wanted.push(when.text.as_str()),
            Err(fault) => return Err(too_large(fault)),
        }
    }
    let message = messages::needs_one_of(&wanted);
    Err((DenialKind::Refused, vec![message]))
}

/// Returns the reason why the word `deny` denies a call to a host tool.
fn denied_call(scope: &Scope<'_>, conditions: &[&str]) -> DenialReason {
    let name = match scope.event.first() {
        Some(Value::Text(name)) => name,
        _ => "",
    };
    let message = messages::denied_unless(name, conditions);
    (DenialKind::NotAllowed, vec![message])
}

/// Reports all failed requirements together; a requirement that depends on a failed requirement is skipped.
fn require(scope: &Scope<'_>, transition: &Transition) -> Result<(), DenialReason> {
    let mut found = Vec::new();
    for require in &transition.require {
        let holds = scope.holds(&require.that.expr);
        if let Err(fault) = holds
            && fault != Fault::Unset
        {
            return Err(too_large(fault));
        }
        let skipped = holds == Err(Fault::Unset) && !found.is_empty();
        if holds == Ok(true) || skipped {
            continue;
        }
        match scope.text(&require.otherwise) {
            Ok(message) => found.push(message),
            // After a failed requirement, a message may read an optional that is unset.
            Err(Fault::Unset) => found.push(messages::needs(&require.that.text)),
            Err(fault) => return Err(too_large(fault)),
        }
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err((DenialKind::Refused, found))
    }
}

/// Returns the initial data of a record.
fn starting_data(machine: &Machine) -> Vec<Value> {
    let fields = machine.data.iter();
    fields
        .map(|field| field.start().unwrap_or(Value::Unset))
        .collect()
}

/// Takes a transition of `none`, which starts a record or only replies.
fn start(
    inputs: Inputs<'_>,
    scope: &Scope<'_>,
    transition: &Transition,
    new_id: &mut dyn FnMut() -> Arc<str>,
    applied: &mut Applied,
) -> Result<(), DenialReason> {
    let Some(to) = transition.to else {
        return Ok(());
    };
    let (machine, editions) = (scope.machine, inputs.held.editions);
    let id = new_id();
    let scope = Scope {
        new_id: Some(&id),
        ..*scope
    };
    let data = change::changed(
        machine,
        &starting_data(machine),
        &transition.changes,
        &scope,
        AppliedBounds::in_step(editions),
    )?;
    let leaf = machine.state(to).initial_leaf;
    applied.created = Some(Record {
        configuration: Configuration::at(leaf),
        data,
        revision: 1,
        edition: first_edition(machine, editions, transition),
        previous: None,
        timers: timers::started(machine, inputs.time(), leaf),
        id,
    });
    Ok(())
}

/// Returns the edition of a new record; if the spec reviews no fields, every record has edition 0.
fn first_edition(machine: &Machine, editions: Editions, transition: &Transition) -> u64 {
    if machine.review.is_empty() {
        0
    } else {
        editions.first(machine.writes_reviewed(transition))
    }
}

/// Takes a transition of a record: the record changes, leaves the slot, or is succeeded by another record.
fn go_on(
    inputs: Inputs<'_>,
    scope: &Scope<'_>,
    record: &Record,
    transition: &Transition,
    new_id: &mut dyn FnMut() -> Arc<str>,
    (index, applied): (usize, &mut Applied),
) -> Result<(), DenialReason> {
    let machine = scope.machine;
    let base = match transition.next {
        Some(Next::Fresh(_)) => starting_data(machine),
        _ => record.data.clone(),
    };
    let (editions, written) = (inputs.held.editions, machine.writes_reviewed(transition));
    let counted = AppliedBounds::in_step(editions);
    let data = change::changed(machine, &base, &transition.changes, scope, counted)?;
    let mut old = record.clone();
    old.configuration = Configuration::at(machine.target(record.leaf(), transition));
    if let Some(leaf) = machine.successor(transition) {
        // Changes that are applied to a successor do not affect the revision of the old record.
        old.revision += u64::from(transition.to.is_some());
        applied.created = Some(Record {
            id: new_id(),
            configuration: Configuration::at(leaf),
            data,
            revision: 1,
            edition: if machine.review.is_empty() {
                0
            } else {
                editions.succeeding(record.edition, written)
            },
            previous: Some(Arc::clone(&record.id)),
            timers: timers::started(machine, inputs.time(), leaf),
        });
    } else {
        old.revision += u64::from(transition.to.is_some() || !transition.changes.is_empty());
        if written {
            old.edition = editions.after(record.edition);
        }
        old.data = data;
    }
    if transition.next.is_some() {
        timers::end(&mut old);
    } else if transition.to.is_some() {
        timers::move_on(machine, inputs.time(), record.leaf(), &mut old);
    }
    applied.record = Some((index, old));
    Ok(())
}

/// Collects the effects of the old record's exit actions, of the transition, of the record's entry actions and of the
/// successor's entry actions, in this order.
fn collect_effects(
    inputs: Inputs<'_>,
    before: Option<&Record>,
    transition: &Transition,
    applied: &mut Applied,
) -> Result<(), DenialReason> {
    let machine = inputs.machine;
    let mut all = Vec::new();
    let moved = match (&applied.record, before, transition.to) {
        (Some((_, after)), Some(before), Some(_)) => {
            Some((after, machine.path(before.leaf(), after.leaf())))
        }
        _ => None,
    };
    if let Some((after, (exits, _))) = &moved {
        let seen = scope(inputs, Some(*after));
        for state in exits {
            effects::collect(&machine.state(*state).exit, &seen, &mut all)?;
        }
    }
    effects::collect(
        &transition.emit,
        &scope(inputs, applied.subject()),
        &mut all,
    )?;
    if let Some((after, (_, entries))) = &moved {
        let seen = scope(inputs, Some(*after));
        for state in entries {
            effects::collect(&machine.state(*state).enter, &seen, &mut all)?;
        }
    }
    if let Some(created) = &applied.created {
        let seen = scope(inputs, Some(created));
        for state in machine.entries_from_root(created.leaf()) {
            effects::collect(&machine.state(state).enter, &seen, &mut all)?;
        }
    }
    applied.effects = all;
    Ok(())
}

/// Returns the reply of a step that has not been applied yet.
fn reply(
    inputs: Inputs<'_>,
    transition: &Transition,
    applied: &Applied,
) -> Result<Json, DenialReason> {
    let mut plans: Vec<&Record> = inputs.held.records.iter().collect();
    if let Some((index, record)) = &applied.record {
        plans[*index] = record;
    }
    plans.extend(&applied.created);
    replied(inputs, transition, applied.subject(), &plans)
}

/// Returns the reply of a step that has been applied.
pub(super) fn reply_of(
    inputs: Inputs<'_>,
    taken: TransitionId,
    subject: Option<&Record>,
) -> Result<Json, DenialReason> {
    let plans: Vec<&Record> = inputs.held.records.iter().collect();
    replied(inputs, inputs.machine.transition(taken), subject, &plans)
}

/// Returns the reply for these plans; a transition without `reply` replies with the name of the state.
fn replied(
    inputs: Inputs<'_>,
    transition: &Transition,
    subject: Option<&Record>,
    plans: &[&Record],
) -> Result<Json, DenialReason> {
    let machine = inputs.machine;
    let Some(expr) = &transition.reply else {
        let leaf = subject.map_or(StateId::NONE, Record::leaf);
        return Ok(Json::from(machine.state(leaf).name.as_str()));
    };
    let seen = Scope {
        plans,
        ..scope(inputs, subject)
    };
    match seen.eval(expr) {
        Ok(value) => Ok(to_json(machine, &value, &expr.ty)),
        Err(Fault::Unset) => Err((
            DenialKind::Refused,
            vec![messages::NOTHING_TO_REPLY.to_owned()],
        )),
        Err(fault) => Err(too_large(fault)),
    }
}
