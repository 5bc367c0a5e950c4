//! The ways that one step may go, as far as the abstraction tells.
//!
//! The interpreter says what a step does; this says what it may do, for all the records that an
//! abstract one stands for. Whatever a concrete step does is among the ways.

use super::abstraction::{Abs, MAX_COMBINATIONS, combinations, of_value};
use super::bounds::{Bound, bound, list_bound};
use super::candidates::Candidates;
use super::changes;
use super::evaluate::{Scope, Unset};
use super::overflow::Overflow;
use super::refine::refined;
use super::relevance::{Relevant, expressions_of};
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{ChangeKind, Condition, Emit, Machine, Next, Require, Transition};
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::model::{EventId, StateId, TransitionId};
use crate::semantics::{Record, START_OF_TIME, fits, holds_for};

/// A record, as far as the abstraction tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Config {
    pub(super) leaf: StateId,
    pub(super) data: Vec<Abs>,
    pub(super) previous: Abs,
}

impl Config {
    /// The configuration that a record belongs to.
    pub(super) fn of(machine: &Machine, relevant: &Relevant, record: &Record) -> Self {
        let fields = machine.data.iter().zip(&record.data).zip(&relevant.data);
        let data = fields.map(|((field, value), relevant)| {
            if *relevant {
                of_value(machine, value, &field.ty)
            } else {
                Abs::Anything
            }
        });
        let previous = match &record.previous {
            _ if !relevant.previous => Abs::Anything,
            Some(_) => Abs::Something,
            None => Abs::Unset,
        };
        Self {
            leaf: record.leaf(),
            data: data.collect(),
            previous,
        }
    }
}

/// Something that was assumed because the abstraction does not decide it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Doubt {
    /// What was assumed, in the words of the spec.
    pub(super) text: String,
    /// Whoever sends the event can make it so.
    pub(super) by_payload: bool,
}

/// One way a step may go.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The alternative that is taken; none where the step is denied.
    pub(super) taken: Option<TransitionId>,
    /// The record that took it, afterwards.
    pub(super) record: Option<Config>,
    /// The record that was started.
    pub(super) created: Option<Config>,
    /// The slot lets go of the record.
    pub(super) released: bool,
    pub(super) doubts: Vec<Doubt>,
}

/// What a way rests on while it is being followed.
#[derive(Clone, Default)]
struct Assumed {
    doubts: Vec<Doubt>,
    /// Conditions that the sender makes true, or false, by the payload.
    choices: Vec<(Expr, bool)>,
    /// The changes may turn out to be impossible.
    may_fail: bool,
}

impl Assumed {
    /// Notes a doubt because of which the step may be denied.
    fn fear(&mut self, text: String) {
        self.may_fail = true;
        self.doubts.push(Doubt {
            text,
            by_payload: false,
        });
    }
}

/// Follows the ways of one machine.
pub(super) struct Stepper<'a> {
    pub(super) machine: &'a Machine,
    pub(super) relevant: &'a Relevant,
    /// Where reliance on what may be unset is noted, and whether anyone asks.
    pub(super) unset: &'a Unset,
    pub(super) look_at_effects: bool,
    payloads: Vec<Vec<Vec<Value>>>,
    overflow: Overflow,
}

/// One event with its abstract inputs.
#[derive(Clone, Copy)]
struct Sent<'a> {
    event: EventId,
    payload: &'a [Abs],
    context: &'a [Abs],
}

impl<'a> Stepper<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        relevant: &'a Relevant,
        candidates: &'a Candidates,
        unset: &'a Unset,
        look_at_effects: bool,
    ) -> Self {
        let events = machine.events.iter();
        Self {
            // Whoever chooses a payload chooses one that is accepted.
            payloads: events
                .zip(&relevant.event)
                .map(|(event, relevant)| {
                    let mut payloads = candidates.payloads(machine, &event.input, relevant);
                    payloads.retain(|payload| fits(machine, &event.input, payload));
                    payloads
                })
                .collect(),
            overflow: Overflow::of(machine),
            machine,
            relevant,
            unset,
            look_at_effects,
        }
    }

    /// Every case of an event's payload that is told apart.
    pub(super) fn payload_cases(&self, event: EventId) -> Vec<Vec<Abs>> {
        let fields = &self.machine.event(event).input;
        cases_of(self.machine, fields, &self.relevant.event[event.index()])
    }

    /// Every case of the context.
    pub(super) fn context_cases(&self) -> Vec<Vec<Abs>> {
        cases_of(self.machine, &self.machine.context, &self.relevant.context)
    }

    /// Whether some transition of an event reads the context; the other tools may be any event.
    pub(super) fn reads_context(&self, event: EventId) -> bool {
        let of_event = |transition: &&Transition| {
            let handled = self.machine.handler(transition.handler).event;
            handled == event || handled == self.machine.other_tools()
        };
        let mut all = self.machine.transitions.iter().filter(of_event);
        all.any(|transition| {
            let mut reads = false;
            for expr in expressions_of(transition) {
                expr.walk(&mut |inner| reads |= matches!(inner.kind, ExprKind::Context(_)));
            }
            reads
        })
    }

    /// The data that a record starts with.
    fn start(&self) -> Vec<Abs> {
        let fields = self.machine.data.iter();
        let values = fields.map(|field| {
            let start = field.start().unwrap_or(Value::Unset);
            of_value(self.machine, &start, &field.ty)
        });
        self.kept(values.collect())
    }

    /// What does not matter is forgotten, so that it makes no difference.
    fn kept(&self, mut data: Vec<Abs>) -> Vec<Abs> {
        for (value, relevant) in data.iter_mut().zip(&self.relevant.data) {
            if !relevant {
                *value = Abs::Anything;
            }
        }
        data
    }

    fn alternatives(&self, leaf: StateId, event: EventId) -> &'a [TransitionId] {
        self.machine.taken_for(leaf, event).unwrap_or_default()
    }

    /// The ways of one event in a configuration, or where there is no plan.
    pub(super) fn ways(
        &self,
        config: Option<&Config>,
        event: EventId,
        payload: &[Abs],
        context: &[Abs],
    ) -> Vec<Way> {
        let sent = Sent {
            event,
            payload,
            context,
        };
        let leaf = config.map_or(StateId::NONE, |config| config.leaf);
        let mut all = Vec::new();
        let mut assumed = Assumed::default();
        let mut before = config.cloned();
        for id in self.alternatives(leaf, event) {
            let transition = self.machine.transition(*id);
            let Some(when) = &transition.when else {
                self.follow(*id, before.as_ref(), sent, assumed, &mut all);
                return all;
            };
            match self.scope(before.as_ref(), sent).truth(&when.expr) {
                Truth::Yes => {
                    self.follow(*id, before.as_ref(), sent, assumed, &mut all);
                    return all;
                }
                Truth::No => {}
                Truth::Unknown => {
                    let mut taken = assumed.clone();
                    self.assume(when, true, sent, &mut taken);
                    let narrowed = self.narrowed(before.as_ref(), &when.expr, true, sent);
                    self.follow(*id, narrowed.as_ref(), sent, taken, &mut all);
                    self.assume(when, false, sent, &mut assumed);
                    before = self.narrowed(before.as_ref(), &when.expr, false, sent);
                }
            }
        }
        all.push(denied(assumed));
        all
    }

    fn scope<'s>(&'s self, config: Option<&'s Config>, sent: Sent<'s>) -> Scope<'s> {
        Scope {
            machine: self.machine,
            leaf: config.map_or(StateId::NONE, |config| config.leaf),
            data: config.map_or(&[], |config| &config.data),
            previous: config.map_or(&Abs::Unset, |config| &config.previous),
            event: sent.payload,
            context: sent.context,
            item: None,
            unset: self.unset,
        }
    }

    fn narrowed(
        &self,
        config: Option<&Config>,
        condition: &Expr,
        truth: bool,
        sent: Sent<'_>,
    ) -> Option<Config> {
        let config = config?;
        let scope = self.scope(Some(config), sent);
        Some(Config {
            data: refined(&scope, condition, truth),
            ..config.clone()
        })
    }

    /// Notes that a condition is taken to hold, or not to, and whether the sender can see to it.
    fn assume(&self, condition: &Condition, truth: bool, sent: Sent<'_>, assumed: &mut Assumed) {
        let text = if truth {
            format!("`{}` holds", condition.text)
        } else {
            format!("`{}` does not hold", condition.text)
        };
        self.assume_expr(&condition.expr, truth, text, sent, assumed);
    }

    fn assume_expr(
        &self,
        expr: &Expr,
        truth: bool,
        text: String,
        sent: Sent<'_>,
        assumed: &mut Assumed,
    ) {
        assumed.choices.push((expr.clone(), truth));
        let by_payload = reads_payload_alone(expr) && self.can_choose(sent, &assumed.choices);
        if !by_payload {
            assumed.choices.pop();
        }
        assumed.doubts.push(Doubt { text, by_payload });
    }

    /// Whether one payload of the case makes all of the choices come true.
    fn can_choose(&self, sent: Sent<'_>, choices: &[(Expr, bool)]) -> bool {
        let fields = &self.machine.event(sent.event).input;
        let fits = |payload: &[Value]| {
            let values = payload.iter().zip(fields).zip(sent.payload);
            values.into_iter().all(|((value, field), case)| {
                matches!(case, Abs::Anything | Abs::Something)
                    || of_value(self.machine, value, &field.ty) == *case
            })
        };
        self.payloads[sent.event.index()]
            .iter()
            .filter(|payload| fits(payload))
            .any(|payload| {
                choices.iter().all(|(expr, truth)| {
                    holds_for(self.machine, payload, expr, START_OF_TIME) == Some(*truth)
                })
            })
    }

    /// A way through one alternative: its requirements, its changes, where it leads.
    fn follow(
        &self,
        id: TransitionId,
        before: Option<&Config>,
        sent: Sent<'_>,
        mut assumed: Assumed,
        all: &mut Vec<Way>,
    ) {
        let transition = self.machine.transition(id);
        let mut before = before.cloned();
        for require in &transition.require {
            self.look_at_refusal(require, before.as_ref(), sent);
            match self.scope(before.as_ref(), sent).truth(&require.that.expr) {
                Truth::Yes => {}
                Truth::No => {
                    all.push(denied(assumed));
                    return;
                }
                Truth::Unknown => {
                    let mut refused = assumed.clone();
                    self.assume(&require.that, false, sent, &mut refused);
                    all.push(denied(refused));
                    self.assume(&require.that, true, sent, &mut assumed);
                    before = self.narrowed(before.as_ref(), &require.that.expr, true, sent);
                }
            }
        }
        if self.overflow.may_happen(id) {
            assumed.fear("no number grows beyond what fits".to_owned());
        }
        let Some(outcomes) = self.changed(transition, before.as_ref(), sent, &mut assumed) else {
            all.push(denied(assumed));
            return;
        };
        if bounds_effects(self.machine, transition, before.as_ref()) {
            assumed.fear("the effects stay within their bounds".to_owned());
        }
        if assumed.may_fail {
            all.push(denied(assumed.clone()));
        }
        if outcomes.len() > 1 {
            assumed.doubts.push(Doubt {
                text: "which items are left".to_owned(),
                by_payload: false,
            });
        }
        for data in outcomes {
            let way = self.lead(id, before.as_ref(), data, &assumed);
            self.look_at(transition, before.as_ref(), &way, sent);
            all.push(way);
        }
    }

    /// The data afterwards, one entry for each way it may turn out; `None` where the step is denied.
    fn changed(
        &self,
        transition: &Transition,
        before: Option<&Config>,
        sent: Sent<'_>,
        assumed: &mut Assumed,
    ) -> Option<Vec<Vec<Abs>>> {
        let scope = self.scope(before, sent);
        let base = match (before, transition.next) {
            (Some(config), None | Some(Next::None | Next::Copy(_))) => config.data.clone(),
            _ => self.start(),
        };
        let mut outcomes = vec![base.clone()];
        for change in &transition.changes {
            let field = self.machine.field(change.field);
            let old = &base[change.field.index()];
            if let ChangeKind::Remove(at) | ChangeKind::Insert(at, _) = &change.kind {
                self.assume_position(
                    at,
                    old,
                    matches!(change.kind, ChangeKind::Insert(..)),
                    sent,
                    assumed,
                );
            }
            if let ChangeKind::Update {
                which: crate::model::machine::Which::At(at),
                ..
            } = &change.kind
            {
                self.assume_position(at, old, false, sent, assumed);
            }
            let cases = changes::cases(&scope, change, old)?;
            let bound = match &change.kind {
                ChangeKind::Set(value) => bound(&scope, field, value),
                ChangeKind::Append(value) | ChangeKind::Insert(_, value) => {
                    list_bound(&scope, field, old, Some(value))
                }
                ChangeKind::Update { set, .. } => changes::update_bound(&scope, field, set),
                ChangeKind::Clear | ChangeKind::Remove(_) => Bound::Fine,
            };
            match bound {
                Bound::Fine => {}
                // What the payload must be for other reasons may be too long.
                Bound::Chosen if assumed.choices.is_empty() => {}
                Bound::Broken => return None,
                Bound::Chosen | Bound::Doubt => {
                    assumed.fear(format!("`{}` stays within its bounds", field.name));
                }
            }
            if self.relevant.data[change.field.index()] {
                outcomes = spread(outcomes, change.field.index(), cases);
            }
        }
        Some(outcomes)
    }

    /// A position is a condition: the sender can name the first item of a list that has one.
    fn assume_position(
        &self,
        at: &Expr,
        list: &Abs,
        end: bool,
        sent: Sent<'_>,
        assumed: &mut Assumed,
    ) {
        let first = Expr {
            kind: ExprKind::Value(Value::Int(0)),
            ty: Type::Int,
            span: at.span,
        };
        let is_first = Expr {
            kind: ExprKind::Binary(BinaryOp::Equal, Box::new(at.clone()), Box::new(first)),
            ty: Type::Bool,
            span: at.span,
        };
        let text = "there is such a position".to_owned();
        let literal_zero = matches!(at.kind, ExprKind::Value(Value::Int(0)));
        let there = matches!(list, Abs::Items(_)) || end;
        if literal_zero && there {
            return;
        }
        if there && reads_payload_alone(at) {
            self.assume_expr(&is_first, true, text, sent, assumed);
            let chosen = assumed.doubts.last().is_some_and(|doubt| doubt.by_payload);
            assumed.may_fail |= !chosen;
        } else {
            assumed.fear(text);
        }
    }

    /// The records after an alternative was taken.
    fn lead(
        &self,
        id: TransitionId,
        before: Option<&Config>,
        data: Vec<Abs>,
        assumed: &Assumed,
    ) -> Way {
        let transition = self.machine.transition(id);
        let mut way = Way {
            taken: Some(id),
            record: None,
            created: None,
            released: transition.next.is_some(),
            doubts: assumed.doubts.clone(),
        };
        let previous = |abs: Abs| {
            if self.relevant.previous {
                abs
            } else {
                Abs::Anything
            }
        };
        match before {
            None => {
                way.created = transition.to.map(|to| Config {
                    leaf: self.machine.state(to).initial_leaf,
                    data,
                    previous: previous(Abs::Unset),
                });
            }
            Some(config) => {
                let leaf = self.machine.target(config.leaf, transition);
                let successor = self.machine.successor(transition);
                let old_data = match successor {
                    Some(_) => config.data.clone(),
                    None => data.clone(),
                };
                way.created = successor.map(|leaf| Config {
                    leaf,
                    data,
                    previous: previous(Abs::Something),
                });
                way.record = Some(Config {
                    leaf,
                    data: old_data,
                    previous: config.previous.clone(),
                });
            }
        }
        way
    }

    /// Evaluates what is said where a requirement fails, for what it relies on alone.
    fn look_at_refusal(&self, require: &Require, before: Option<&Config>, sent: Sent<'_>) {
        let scope = self.scope(before, sent);
        if self.look_at_effects && scope.truth(&require.that.expr) != Truth::Yes {
            scope.value(&require.otherwise);
        }
    }

    /// Evaluates effects and the reply, for what they rely on alone.
    fn look_at(&self, transition: &Transition, before: Option<&Config>, way: &Way, sent: Sent<'_>) {
        if !self.look_at_effects {
            return;
        }
        let old = way.record.as_ref();
        let subject = way.created.as_ref().or(old);
        let look = |emits: &[Emit], seen: Option<&Config>| {
            for expr in emits.iter().flat_map(|emit| emit.fields.iter().flatten()) {
                self.scope(seen, sent).value(expr);
            }
        };
        look(&transition.emit, subject);
        if let Some(reply) = &transition.reply {
            self.scope(subject, sent).value(reply);
        }
        if let (Some(before), Some(after), Some(_)) = (before, old, transition.to) {
            let (exits, entries) = self.machine.path(before.leaf, after.leaf);
            for state in exits {
                look(&self.machine.state(state).exit, old);
            }
            for state in entries {
                look(&self.machine.state(state).enter, old);
            }
        }
        if let Some(created) = &way.created {
            for state in self.machine.entries_from_root(created.leaf) {
                look(&self.machine.state(state).enter, Some(created));
            }
        }
    }
}

/// Every outcome with each of the cases of one field; too many cases are taken as one.
fn spread(outcomes: Vec<Vec<Abs>>, at: usize, cases: Vec<Abs>) -> Vec<Vec<Abs>> {
    let cases = if outcomes.len() * cases.len() > MAX_COMBINATIONS {
        vec![cases.into_iter().reduce(Abs::or).unwrap_or(Abs::Anything)]
    } else {
        cases
    };
    let mut all = Vec::with_capacity(outcomes.len() * cases.len());
    for mut outcome in outcomes {
        for case in &cases[1..] {
            let mut other = outcome.clone();
            other[at] = case.clone();
            all.push(other);
        }
        outcome[at] = cases[0].clone();
        all.push(outcome);
    }
    all
}

fn denied(assumed: Assumed) -> Way {
    Way {
        taken: None,
        record: None,
        created: None,
        released: false,
        doubts: assumed.doubts,
    }
}

/// Every case of some fields; those that do not matter are left open, and all of them where there
/// would be too many.
fn cases_of(
    machine: &Machine,
    fields: &[crate::model::types::Field],
    relevant: &[bool],
) -> Vec<Vec<Abs>> {
    let mut each: Vec<Vec<Abs>> = fields
        .iter()
        .zip(relevant)
        .map(|(field, relevant)| {
            if *relevant {
                super::abstraction::cases(machine, field)
            } else {
                vec![super::abstraction::top(&field.ty)]
            }
        })
        .collect();
    loop {
        if let Some(all) = combinations(&each) {
            return all;
        }
        // The field with the most cases is given up first.
        let Some(widest) = (0..each.len()).max_by_key(|at| each[*at].len()) else {
            return vec![Vec::new()];
        };
        each[widest] = vec![super::abstraction::top(&fields[widest].ty)];
    }
}

/// Every effect that a transition may put out, entries and exits included.
fn emits_of<'m>(
    machine: &'m Machine,
    transition: &'m Transition,
    before: Option<&Config>,
) -> Vec<&'m Emit> {
    let mut states = Vec::new();
    if let (Some(config), Some(_)) = (before, transition.to) {
        let (exits, entries) = machine.path(config.leaf, machine.target(config.leaf, transition));
        states.extend(exits.iter().map(|id| &machine.state(*id).exit));
        states.extend(entries.iter().map(|id| &machine.state(*id).enter));
    }
    let started = match before {
        None => transition.to.map(|to| machine.state(to).initial_leaf),
        Some(_) => machine.successor(transition),
    };
    let entered = started.map_or_else(Vec::new, |leaf| machine.entries_from_root(leaf));
    states.extend(entered.iter().map(|id| &machine.state(*id).enter));
    transition
        .emit
        .iter()
        .chain(states.into_iter().flatten())
        .collect()
}

/// Whether a step puts out an effect that has bounds.
fn bounds_effects(machine: &Machine, transition: &Transition, before: Option<&Config>) -> bool {
    let emits = emits_of(machine, transition, before);
    let mut fields = emits
        .iter()
        .flat_map(|emit| &machine.effect(emit.effect).fields);
    fields.any(|field| is_bounded(machine, field, 0))
}

fn is_bounded(machine: &Machine, field: &Field, depth: usize) -> bool {
    let mut ty = &field.ty;
    while let Type::List(inner) | Type::Optional(inner) = ty {
        ty = inner;
    }
    let inside = match ty {
        // Records that hold themselves are looked at a few levels deep, and then taken as bounded.
        Type::Record(_) if depth > 4 => true,
        Type::Record(id) => {
            let fields = machine.type_def(*id).fields();
            fields
                .iter()
                .any(|field| is_bounded(machine, field, depth + 1))
        }
        _ => false,
    };
    field.max.is_some() || field.nonblank || inside
}

/// Whether a condition reads nothing but the payload.
fn reads_payload_alone(expr: &Expr) -> bool {
    let mut alone = true;
    expr.walk(&mut |inner| {
        alone &= !matches!(
            inner.kind,
            ExprKind::Data(_)
                | ExprKind::AllData
                | ExprKind::Context(_)
                | ExprKind::Plan(_)
                | ExprKind::Now
                | ExprKind::Plans(_)
                | ExprKind::InState(_)
                | ExprKind::IsFinal
                | ExprKind::Gate(..)
        );
    });
    alone
}
