//! One function per transition, shared by typed moves and the dynamic step: requirements, changes,
//! effects.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::changes::{Base, Changes};
use super::expr::Scope;
use super::names;
use crate::lower::faults::{can_fail, reads_event};
use crate::lower::refusal::bounded;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{ChangeKind, Emit, EventKind, Machine, Next, Transition, Which};
use crate::model::{EventId, FieldId, StateId, TransitionId};

/// The kinds of transition, by what they need and give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `none` answers: no record.
    Answers,
    /// A record starts.
    Starts,
    /// A record is looked at, and nothing changes.
    Looks,
    /// A record stays or moves, or leaves the slot.
    Goes,
    /// A record ends, and another takes its place.
    Succeeds,
}

pub(super) fn kind(machine: &Machine, transition: &Transition) -> Kind {
    let from_none = machine.handler(transition.handler).state == StateId::NONE;
    match (from_none, transition.to, transition.next) {
        (true, None, _) => Kind::Answers,
        (true, Some(_), _) => Kind::Starts,
        (false, _, Some(Next::Copy(_) | Next::Fresh(_))) => Kind::Succeeds,
        (false, None, None) if transition.changes.is_empty() && transition.emit.is_empty() => {
            Kind::Looks
        }
        _ => Kind::Goes,
    }
}

/// The event whose payload a transition reads: that of the entry it stands under.
pub(super) fn event_of(machine: &Machine, transition: &Transition) -> EventId {
    machine.handler(transition.handler).event
}

/// The type of an event's payload; nothing where it carries nothing.
pub(super) fn payload(machine: &Machine, id: EventId) -> Option<TokenStream> {
    let event = machine.event(id);
    if matches!(event.kind, EventKind::External | EventKind::Other) {
        return Some(quote!(rt::HostTool));
    }
    let name = names::of_event(machine, id);
    super::declare::has_payload(event).then(|| quote!(event::#name))
}

/// The functions of all transitions.
pub(super) fn all(machine: &Machine) -> TokenStream {
    let functions = machine.transition_ids().map(|id| function(machine, id));
    quote! {
        /// What each transition requires, changes and puts out.
        mod transition {
            use super::*;
            #(#functions)*
        }
    }
}

fn function(machine: &Machine, id: TransitionId) -> TokenStream {
    let transition = machine.transition(id);
    let event = event_of(machine, transition);
    let name = names::transition(machine, id);
    let kind = kind(machine, transition);
    let payload = payload(machine, event).map(|payload| quote!(event: &mut #payload,));
    let scope = Scope {
        taken: taken(transition),
        ..Scope::new(machine).with_event(event)
    };
    let scope = if matches!(kind, Kind::Answers | Kind::Starts) {
        scope
    } else {
        scope.with_record("record")
    };
    let require = require(transition, &scope);
    let work = Work {
        machine,
        transition,
        scope,
    };
    let (record, gives, body) = match kind {
        Kind::Answers => (None, quote!(()), work.answers()),
        Kind::Starts => (None, quote!(Box<Record>), work.starts()),
        Kind::Looks => (Some(quote!(record: &Record,)), quote!(()), quote!(Ok(()))),
        Kind::Goes => (Some(quote!(record: &mut Record,)), quote!(()), work.goes()),
        Kind::Succeeds => (
            Some(quote!(record: &mut Record,)),
            quote!(Box<Record>),
            work.succeeds(),
        ),
    };
    let cx = if kind == Kind::Looks {
        quote!(cx: &Cx)
    } else {
        quote!(cx: &mut Cx)
    };
    let payload = match kind {
        Kind::Looks => payload_of_look(machine, event),
        _ => payload,
    };
    quote! {
        #[inline]
        pub(super) fn #name(#record #payload #cx) -> Result<#gives, rt::Refusal> {
            #require
            #body
        }
    }
}

fn payload_of_look(machine: &Machine, event: EventId) -> Option<TokenStream> {
    payload(machine, event).map(|payload| quote!(event: &#payload,))
}

/// The fields of the payload that only one change reads, and nothing after it.
fn taken(transition: &Transition) -> BTreeSet<FieldId> {
    let mut counts = std::collections::BTreeMap::new();
    let mut count = |expr: &Expr, weight: usize| {
        expr.walk(&mut |inner| {
            if let ExprKind::Event(field) = inner.kind {
                *counts.entry(field).or_insert(0) += weight;
            }
        });
    };
    for change in &transition.changes {
        match &change.kind {
            ChangeKind::Set(value) | ChangeKind::Append(value) => count(value, 1),
            ChangeKind::Clear => {}
            ChangeKind::Remove(at) => count(at, 1),
            ChangeKind::Insert(at, value) => {
                count(at, 1);
                count(value, 1);
            }
            // Values of an update may be made once for each item.
            ChangeKind::Update { which, set, .. } => {
                match which {
                    Which::At(expr) | Which::Where(expr) => count(expr, 2),
                }
                for (_, value) in set {
                    count(value, 2);
                }
            }
        }
    }
    let once = counts
        .into_iter()
        .filter(|(_, times)| *times == 1)
        .map(|(field, _)| field);
    let later = |field: &FieldId| {
        let emitted = transition
            .emit
            .iter()
            .flat_map(|emit| emit.fields.iter().flatten());
        let mut all = emitted.chain(&transition.reply);
        all.any(|expr| reads_event(expr, *field))
    };
    once.filter(|field| !later(field)).collect()
}

/// All failing requirements are told together; one that relies on a failed one is skipped.
fn require(transition: &Transition, scope: &Scope<'_>) -> TokenStream {
    if transition.require.is_empty() {
        return TokenStream::new();
    }
    if let [only] = &transition.require[..]
        && !can_fail(&only.that.expr)
        && !can_fail(&only.otherwise)
    {
        let holds = scope.truth(&only.that.expr);
        let message = scope.text(&only.otherwise);
        let message = constant(&only.otherwise).map_or(message, |text| quote!(#text));
        return quote!(if !(#holds) { return Err(rt::Refusal::refused(#message)); });
    }
    let each = transition.require.iter().map(|require| {
        let holds = scope.truth(&require.that.expr);
        let message = scope.text(&require.otherwise);
        let text = &require.that.text;
        let holds = fallible(&holds, can_fail(&require.that.expr), &quote!(bool));
        quote!(rt::require(#holds, &mut messages, || Ok(#message), #text)?;)
    });
    quote! {
        let mut messages = Vec::new();
        #(#each)*
        if !messages.is_empty() {
            return Err(rt::Refusal::all_refused(messages));
        }
    }
}

/// The text of a message that has no value in it.
fn constant(message: &Expr) -> Option<String> {
    match &message.kind {
        ExprKind::Value(crate::model::value::Value::Text(text)) => Some(text.to_string()),
        ExprKind::Template(parts) => parts
            .iter()
            .map(|part| match part {
                crate::model::expr::Part::Literal(text) => Some(text.as_str()),
                crate::model::expr::Part::Expr(_) => None,
            })
            .collect(),
        _ => None,
    }
}

/// Code that may fail, as a `Result` of its own.
pub(super) fn fallible(code: &TokenStream, fails: bool, ty: &TokenStream) -> TokenStream {
    if fails {
        quote!((|| -> Result<#ty, rt::Fault> { Ok(#code) })())
    } else {
        quote!(Ok(#code))
    }
}

/// What a transition does, piece by piece.
struct Work<'m> {
    machine: &'m Machine,
    transition: &'m Transition,
    scope: Scope<'m>,
}

impl Work<'_> {
    fn changes(&self, base: Base) -> Changes<'_> {
        Changes {
            machine: self.machine,
            all: &self.transition.changes,
            base,
            scope: &self.scope,
        }
    }

    fn answers(&self) -> TokenStream {
        let scope = Scope::new(self.machine).with_event(event_of(self.machine, self.transition));
        let effects = self.effects_of(&self.transition.emit, &scope, None);
        if effects.is_empty() {
            return quote!(Ok(()));
        }
        quote! {
            let mark = cx.mark();
            let emitted = (|| -> Result<(), rt::Refusal> { #effects Ok(()) })();
            if emitted.is_err() {
                cx.reset(mark);
            }
            emitted
        }
    }

    fn starts(&self) -> TokenStream {
        let scope = Scope {
            starting: true,
            ..self.scope.clone()
        };
        let changes = Changes {
            scope: &scope,
            ..self.changes(Base::Start)
        };
        let (find, bounds, data) = (changes.find(), changes.bounds(), changes.data());
        let leaf = self
            .transition
            .to
            .map_or(StateId::NONE, |to| self.machine.state(to).initial_leaf);
        let state = names::of_state(self.machine, leaf);
        let edition = u64::from(self.machine.writes_reviewed(self.transition));
        let effects = self.effects_of(
            &self.transition.emit,
            &self.seeing("created"),
            Some("created"),
        );
        let entries = self.entries_of_new(leaf, "created");
        let settle = settle(&quote!(#effects #entries), self.effects_fail(), None);
        quote! {
            let id = cx.new_id();
            #find
            #bounds
            let created = Record::start(id, State::#state, #data, #edition);
            #settle
            Ok(created)
        }
    }

    fn goes(&self) -> TokenStream {
        let changes = self.changes(Base::Own);
        let (find, bounds, write) = (changes.find(), changes.bounds(), changes.write());
        let transition = self.transition;
        let grows = transition.to.is_some() || !transition.changes.is_empty();
        let revision = grows.then(|| quote!(record.revision += 1;));
        let edition = self
            .machine
            .writes_reviewed(transition)
            .then(|| quote!(record.edition += 1;));
        let moved = self.moved();
        let (from, exits, entries) = self.on_the_way();
        let own = self.effects_of(&transition.emit, &self.seeing("record"), Some("record"));
        let settle = settle(&quote!(#exits #own #entries), self.effects_fail(), Some(()));
        let before = before(self.effects_fail());
        quote! {
            #find
            #bounds
            #before
            #from
            #write
            #revision
            #edition
            #moved
            #settle
            Ok(())
        }
    }

    fn succeeds(&self) -> TokenStream {
        let base = match self.transition.next {
            Some(Next::Fresh(_)) => Base::Start,
            _ => Base::Copy,
        };
        let changes = self.changes(base);
        let (find, bounds, data) = (changes.find(), changes.bounds(), changes.data());
        let leaf = self
            .machine
            .successor(self.transition)
            .unwrap_or(StateId::NONE);
        let state = names::of_state(self.machine, leaf);
        let edition = u64::from(self.machine.writes_reviewed(self.transition));
        let revision = self.transition.to.map(|_| quote!(record.revision += 1;));
        let moved = self.moved();
        let (from, exits, entries) = self.on_the_way();
        let own = self.effects_of(
            &self.transition.emit,
            &self.seeing("created"),
            Some("created"),
        );
        let first = self.entries_of_new(leaf, "created");
        let settle = settle(
            &quote!(#exits #own #entries #first),
            self.effects_fail(),
            Some(()),
        );
        let before = before(self.effects_fail());
        quote! {
            #find
            #bounds
            let data = #data;
            let id = cx.new_id();
            let created = record.succeed(id, State::#state, data, record.edition + #edition);
            #before
            #from
            #revision
            #moved
            #settle
            Ok(created)
        }
    }

    fn seeing(&self, record: &str) -> Scope<'_> {
        Scope {
            taken: BTreeSet::new(),
            ..self.scope.clone()
        }
        .with_record(record)
    }

    fn moved(&self) -> Option<TokenStream> {
        let to = self.machine.state(self.transition.to?).initial_leaf;
        let state = names::of_state(self.machine, to);
        Some(quote!(record.state = State::#state;))
    }

    /// What is put out on leaving and entering, whichever leaf the record comes from.
    fn on_the_way(&self) -> (Option<TokenStream>, TokenStream, TokenStream) {
        let machine = self.machine;
        let Some(to) = self.transition.to else {
            return (None, TokenStream::new(), TokenStream::new());
        };
        let to = machine.state(to).initial_leaf;
        let handler = self.transition.handler;
        let leaves = machine.users(handler);
        let speaks = |states: Vec<StateId>, exit: bool| -> Vec<StateId> {
            let emits = |id: &StateId| {
                let state = machine.state(*id);
                !(if exit { &state.exit } else { &state.enter }).is_empty()
            };
            states.into_iter().filter(emits).collect()
        };
        let exits: Vec<_> = leaves
            .iter()
            .map(|leaf| (*leaf, speaks(machine.path(*leaf, to).0, true)))
            .collect();
        let entries: Vec<_> = leaves
            .iter()
            .map(|leaf| (*leaf, speaks(machine.path(*leaf, to).1, false)))
            .collect();
        let exits = self.by_leaf(&exits, true);
        let entries = self.by_leaf(&entries, false);
        let differs = exits.1 || entries.1;
        let from = differs.then(|| quote!(let from = record.state;));
        (from, exits.0, entries.0)
    }

    /// What the states on the way put out; the flag says that it depends on the leaf.
    fn by_leaf(&self, ways: &[(StateId, Vec<StateId>)], exit: bool) -> (TokenStream, bool) {
        let spoken = |states: &[StateId]| {
            let each = states.iter().map(|id| {
                let state = self.machine.state(*id);
                let emits = if exit { &state.exit } else { &state.enter };
                self.effects_of(emits, &self.without_event("record"), Some("record"))
            });
            quote!(#(#each)*)
        };
        let mut groups: Vec<(&[StateId], Vec<StateId>)> = Vec::new();
        for (leaf, way) in ways {
            match groups.iter_mut().find(|(known, _)| known == way) {
                Some((_, leaves)) => leaves.push(*leaf),
                None => groups.push((way, vec![*leaf])),
            }
        }
        if let [(way, _)] = &groups[..] {
            return (spoken(way), false);
        }
        let arms = groups
            .iter()
            .filter(|(way, _)| !way.is_empty())
            .map(|(way, leaves)| {
                let leaves = leaves
                    .iter()
                    .map(|leaf| names::of_state(self.machine, *leaf));
                let code = spoken(way);
                quote!(#(State::#leaves)|* => { #code })
            });
        (quote!(match from { #(#arms)* _ => {} }), true)
    }

    fn without_event(&self, record: &str) -> Scope<'_> {
        Scope::new(self.machine).with_record(record)
    }

    fn entries_of_new(&self, leaf: StateId, record: &str) -> TokenStream {
        let each = self.machine.entries_from_root(leaf).into_iter().map(|id| {
            let emits = &self.machine.state(id).enter;
            self.effects_of(emits, &self.without_event(record), Some(record))
        });
        quote!(#(#each)*)
    }

    /// Whether something that is put out can fail after the record has changed.
    fn effects_fail(&self) -> bool {
        let machine = self.machine;
        let fails = |emit: &Emit| {
            bounded(machine, &machine.effect(emit.effect).fields)
                || emit.fields.iter().flatten().any(can_fail)
        };
        let moves = self.transition.to.is_some() || self.transition.next.is_some();
        let on_the_way = machine
            .states
            .iter()
            .flat_map(|state| state.enter.iter().chain(&state.exit));
        self.transition.emit.iter().any(fails) || (moves && on_the_way.into_iter().any(fails))
    }

    fn effects_of(&self, emits: &[Emit], scope: &Scope<'_>, record: Option<&str>) -> TokenStream {
        let machine = self.machine;
        let each = emits.iter().map(|emit| {
            let declared = &machine.effect(emit.effect).fields;
            let fields = declared.iter().zip(&emit.fields).map(|(field, value)| {
                let name = names::field(&field.name);
                let key = &field.name;
                let value = match value {
                    Some(expr) if can_fail(expr) => {
                        let kept = scope.kept_as(expr, &field.ty);
                        let kept = fallible(&kept, true, &quote!(_));
                        quote!(#kept.map_err(|fault| fault.in_effect(#key))?)
                    }
                    Some(expr) => scope.kept_as(expr, &field.ty),
                    None => super::values::start(machine, field),
                };
                quote!(#name: #value)
            });
            let name = names::of_effect(machine, emit.effect);
            let made = if declared.is_empty() {
                quote!(Effect::#name)
            } else {
                quote!(Effect::#name { #(#fields),* })
            };
            let bounds = bounded(machine, declared).then(|| quote!(rt::in_bounds(&effect)?;));
            let put = if let Some(record) = record {
                let record = Ident::new(record, proc_macro2::Span::call_site());
                quote!(cx.emit(&#record, effect);)
            } else {
                quote!(cx.emit_without_plan(effect);)
            };
            quote! {{
                let effect = #made;
                #bounds
                #put
            }}
        });
        quote!(#(#each)*)
    }
}

/// What is needed to take a step back whose effects fail.
fn before(fails: bool) -> Option<TokenStream> {
    fails.then(|| quote!(let before = record.clone();))
}

/// Puts effects out; where one fails, the record goes back to what it was.
fn settle(effects: &TokenStream, fails: bool, record: Option<()>) -> TokenStream {
    if !fails {
        return quote!(#effects);
    }
    let restore = record.map(|()| quote!(*record = before;));
    quote! {
        let mark = cx.mark();
        let emitted = (|| -> Result<(), rt::Refusal> { #effects Ok(()) })();
        if let Err(refusal) = emitted {
            #restore
            cx.reset(mark);
            return Err(refusal);
        }
    }
}
