//! The paths that one step may take, as far as the abstraction determines them.
//!
//! The interpreter defines what a step does; this module determines what a step may do, for all the records that an
//! abstract record represents. The result of every concrete step is among the paths.

mod assume;
mod doubt;
mod effects;
mod inputs;
mod stepper;
mod texts;

pub(super) use doubt::Doubt;
pub(super) use stepper::{PayloadCase, Stepper, Way};

use doubt::{Assumed, Need};
use effects::bounds_effects;
use stepper::AbstractEvent;

use super::abstraction::{Abs, MAX_COMBINATIONS};
use super::bounds::{Bound, bound, chosen, list_bound};
use super::changes;
use super::config::Config;
use super::counting::{ChangedValues, Counting};
use super::known::KnownFacts;
use super::numbers::Range;
use super::pairs::Term;
use super::refine::refined;
use super::tools::NAME;
use super::truth::Truth;
use crate::model::expr::Expr;
use crate::model::machine::{ChangeKind, Condition, Fate, Next, Transition, Which};
use crate::model::types::{Field, Type};
use crate::model::{EventId, StateId, TransitionId};

impl Stepper<'_> {
    /// Returns the paths of an event from a configuration, or from "no plan".
    pub(super) fn ways(
        &self,
        config: Option<&Config>,
        event: EventId,
        payload: &PayloadCase,
        context: &[Abs],
    ) -> Vec<Way> {
        let sent = AbstractEvent {
            event,
            payload: &payload.values,
            name: payload.name,
            context,
        };
        let mut all = self.paths(config, sent);
        let name = sent.payload.get(NAME.index());
        if self.machine.is_host_tool(event) && name == Some(&Abs::Text { blank: true }) {
            // Gates deny a call to a tool with a blank name, but a program may call the machine directly, without a
            // gate.
            for way in &mut all {
                way.doubts.push(Doubt {
                    text: "a tool has a blank name".to_owned(),
                    by_payload: false,
                });
            }
            let known = KnownFacts::of(&self.relevant.pairs, config);
            all.push(denied(Assumed::knowing(known)));
        }
        let leaf = config.map_or(StateId::NONE, |config| config.leaf);
        if self.machine.timer(event).is_some() && !self.machine.fires_next(leaf, event) {
            for way in &mut all {
                way.doubts.push(Doubt::that_fires(self.machine, event));
            }
        }
        all
    }

    fn paths(&self, config: Option<&Config>, sent: AbstractEvent<'_>) -> Vec<Way> {
        let leaf = config.map_or(StateId::NONE, |config| config.leaf);
        let mut all = Vec::new();
        let mut assumed = Assumed::knowing(KnownFacts::of(&self.relevant.pairs, config));
        let mut before = config.cloned();
        for id in self.alternatives(leaf, sent.event) {
            let transition = self.machine.transition(*id);
            // Nothing is claimed about a space that takes too much work to explore.
            if self.unset.is_spent() {
                break;
            }
            self.unset
                .spend(before.as_ref().map_or(1, |config| config.data.len()));
            if transition.fate == Fate::Deny {
                break;
            }
            let Some(when) = &transition.when else {
                self.follow(*id, before.as_ref(), sent, assumed, &mut all);
                return all;
            };
            let scope = self.scope(before.as_ref(), sent, &assumed.known);
            match scope.truth(&when.expr) {
                Truth::Yes => {
                    self.follow(*id, before.as_ref(), sent, assumed, &mut all);
                    return all;
                }
                Truth::No => {}
                Truth::Unknown => {
                    let mut taken = assumed.clone();
                    let narrowed = self.taking(before.as_ref(), when, true, sent, &mut taken);
                    self.follow(*id, narrowed.as_ref(), sent, taken, &mut all);
                    before = self.taking(before.as_ref(), when, false, sent, &mut assumed);
                }
            }
        }
        all.push(denied(assumed));
        all
    }

    /// Returns the configuration under the assumption that a condition holds or does not hold.
    fn taking(
        &self,
        config: Option<&Config>,
        condition: &Condition,
        truth: bool,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) -> Option<Config> {
        self.assume(condition, truth, sent, assumed);
        self.remember(config, &condition.expr, truth, sent, assumed);
        let config = config?;
        let scope = self.scope(Some(config), sent, &assumed.known);
        Some(Config {
            data: refined(&scope, &condition.expr, truth),
            ..config.clone()
        })
    }

    /// Follows one alternative: its requirements, its changes and its target.
    fn follow(
        &self,
        id: TransitionId,
        before: Option<&Config>,
        sent: AbstractEvent<'_>,
        mut assumed: Assumed,
        all: &mut Vec<Way>,
    ) {
        let transition = self.machine.transition(id);
        let mut before = before.cloned();
        for require in &transition.require {
            self.look_at_denial(require, before.as_ref(), sent, &assumed.known);
            let scope = self.scope(before.as_ref(), sent, &assumed.known);
            match scope.truth(&require.that.expr) {
                Truth::Yes => {}
                Truth::No => {
                    all.push(denied(assumed));
                    return;
                }
                Truth::Unknown => {
                    let mut failed = assumed.clone();
                    self.assume(&require.that, false, sent, &mut failed);
                    all.push(denied(failed));
                    before = self.taking(before.as_ref(), &require.that, true, sent, &mut assumed);
                }
            }
        }
        self.assume_sums(id, before.as_ref(), sent, &mut assumed);
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
        let made_of = self.made_of(transition, before.as_ref(), sent, &assumed.known);
        for data in outcomes {
            let way = self.lead(id, before.as_ref(), data, &made_of, &assumed);
            self.look_at(transition, before.as_ref(), &way, sent);
            all.push(way);
        }
    }

    /// Returns the data after the step, one entry per possible result; `None` if the step is denied.
    fn changed(
        &self,
        transition: &Transition,
        before: Option<&Config>,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) -> Option<Vec<Vec<Abs>>> {
        let known = assumed.known.clone();
        let scope = self.scope(before, sent, &known);
        let base = match (before, transition.next) {
            (Some(config), None | Some(Next::None | Next::Copy(_))) => config.data.clone(),
            _ => self.start(),
        };
        let mut outcomes = vec![base.clone()];
        for change in &transition.changes {
            let field = self.machine.field(change.field);
            let old = &base[change.field.index()];
            let counting = Counting {
                scope: &scope,
                change,
                base: &base,
            };
            let length = counting.length();
            if let Some((at, places)) = position(&change.kind, length) {
                self.assume_position(at, scope.range(at), places, sent, assumed);
            }
            let cases = changes::cases(&scope, change, old, length)?;
            let bound = match &change.kind {
                ChangeKind::Set(value) => bound(&scope, field, value),
                ChangeKind::Append(value) | ChangeKind::Insert(_, value) => {
                    list_bound(&scope, field, length, Some(value))
                }
                ChangeKind::Update { set, .. } => changes::update_bound(&scope, field, set),
                ChangeKind::Clear | ChangeKind::Remove(_) => Bound::Fine,
            };
            let kept = match bound {
                Bound::Fine => true,
                Bound::Broken => return None,
                Bound::Chosen => chosen(&scope, field, &change.kind)
                    .into_iter()
                    .all(|(value, field)| self.see_to(Need::Fits(value, field), sent, assumed)),
                Bound::Doubt => false,
            };
            if !kept {
                assumed.fear(format!("`{}` stays within its bounds", field.name));
            }
            if self.relevant.data[change.field.index()] {
                let cells = &self.relevant.cells;
                let cases = cases.into_iter();
                let cases = cases.flat_map(|case| cells.stored(change.field, case));
                let cases = cases.flat_map(|case| counting.cases(&case));
                let cases: Vec<ChangedValues> = cases.collect();
                if cases.is_empty() {
                    return None;
                }
                if cases.len() > 1 {
                    assumed.doubts.push(Doubt {
                        text: what_is_open(field),
                        by_payload: false,
                    });
                }
                outcomes = spread(&outcomes, cases);
            }
        }
        Some(outcomes)
    }

    /// Returns the path that takes an alternative, with the records after the step.
    fn lead(
        &self,
        id: TransitionId,
        before: Option<&Config>,
        data: Vec<Abs>,
        made_of: &[Option<Term>],
        assumed: &Assumed,
    ) -> Way {
        let transition = self.machine.transition(id);
        let related = self.related(&assumed.known, made_of, &data);
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
                    related,
                });
            }
            Some(config) => {
                let leaf = self.machine.target(config.leaf, transition);
                let successor = self.machine.successor(transition);
                let old_data = match successor {
                    Some(_) => config.data.clone(),
                    None => data.clone(),
                };
                let old_related = match successor {
                    Some(_) => self.related(&assumed.known, &self.unchanged(), &old_data),
                    None => related.clone(),
                };
                way.created = successor.map(|leaf| Config {
                    leaf,
                    data,
                    previous: previous(Abs::Something),
                    related,
                });
                way.record = Some(Config {
                    leaf,
                    data: old_data,
                    previous: config.previous.clone(),
                    related: old_related,
                });
            }
        }
        way
    }
}

/// Combines every outcome with each case of one field; if there are too many combinations, the cases are merged.
fn spread(outcomes: &[Vec<Abs>], cases: Vec<ChangedValues>) -> Vec<Vec<Abs>> {
    let cases = if outcomes.len() * cases.len() > MAX_COMBINATIONS {
        cases.into_iter().reduce(merged).into_iter().collect()
    } else {
        cases
    };
    let mut all = Vec::with_capacity(outcomes.len() * cases.len());
    for outcome in outcomes {
        for case in &cases {
            let mut outcome = outcome.clone();
            for (at, value) in case {
                outcome[*at] = value.clone();
            }
            all.push(outcome);
        }
    }
    all
}

/// Returns what is known if one of two cases of the same field applies, whichever it is.
fn merged(one: ChangedValues, other: ChangedValues) -> ChangedValues {
    let values = one.into_iter().zip(other);
    values
        .map(|((at, one), (_, other))| (at, one.or(other)))
        .collect()
}

/// Returns the position that a change needs, and the number of valid positions in a list with this length.
fn position(change: &ChangeKind, length: Range) -> Option<(&Expr, Range)> {
    match change {
        ChangeKind::Insert(at, _) => Some((at, length.moved(1, 1))),
        ChangeKind::Remove(at)
        | ChangeKind::Update {
            which: Which::At(at),
            ..
        } => Some((at, length)),
        _ => None,
    }
}

/// Describes what is not known about a field after a change.
fn what_is_open(field: &Field) -> String {
    match field.ty.required() {
        Type::List(_) => "which items are left in the list".to_owned(),
        Type::Int => format!("how large `{}` is after the change", field.name),
        _ => format!("the value of `{}` after the change", field.name),
    }
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
