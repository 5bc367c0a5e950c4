//! The results of typed methods whose alternatives have different targets.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::super::declare::own_events;
use super::super::docs;
use super::super::names;
use crate::lower::outcome::{self, Outcome};
use crate::model::machine::Machine;
use crate::model::names::type_name;
use crate::model::{EventId, StateId};

/// Returns the distinct outcomes. Staying in a state counts as moving to the same state if another alternative moves,
/// releases or replaces the plan, because both outcomes return a plan in that state.
pub(super) fn distinct(machine: &Machine, leaf: StateId, event: EventId) -> Vec<Outcome> {
    let mut all = outcome::all(machine, leaf, event);
    if all.iter().any(|outcome| {
        matches!(
            outcome,
            Outcome::Moves(_) | Outcome::Releases(_) | Outcome::Succeeds(..)
        )
    }) {
        for outcome in &mut all {
            if *outcome == Outcome::Stays {
                *outcome = Outcome::Moves(leaf);
            }
        }
        all.sort();
        all.dedup();
    }
    all
}

/// Returns the name of the enum, for example `ReadyFinish`. If two enums would have the same name, such as those for
/// the state `AB` with the event `C` and for the state `A` with the event `BC`, an underscore separates the parts.
pub(super) fn name(machine: &Machine, leaf: StateId, event: EventId) -> Ident {
    let parts = |leaf: StateId, event: EventId| {
        let (state, event) = (&machine.state(leaf).name, &machine.event(event).name);
        (type_name(state), type_name(event))
    };
    let (state, event) = parts(leaf, event);
    let whole = format!("{state}{event}");
    let mut others = machine.leaves().filter(|other| {
        let other = type_name(&machine.state(*other).name);
        other != state && whole.starts_with(&other)
    });
    let shared = others.any(|leaf| {
        let mut events = own_events(machine).into_iter();
        events.any(|event| {
            let (state, event) = parts(leaf, event);
            format!("{state}{event}") == whole
        })
    });
    if shared {
        format_ident!("{state}_{event}")
    } else {
        format_ident!("{whole}")
    }
}

fn plain(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// Returns the type of one outcome.
pub(super) fn ty(machine: &Machine, outcome: Outcome, plan: &Ident) -> TokenStream {
    let of = |leaf: StateId| {
        let state = names::of_state(machine, leaf);
        quote!(#plan<state::#state>)
    };
    match outcome {
        Outcome::Answers | Outcome::Stays => quote!(()),
        Outcome::Starts(leaf) | Outcome::Moves(leaf) => of(leaf),
        Outcome::Releases(leaf) => {
            let ended = of(leaf);
            quote!(rt::ReleasedPlan<#ended>)
        }
        Outcome::Succeeds(ended, next) => {
            let (ended, next) = (of(ended), of(next));
            quote!(rt::Succession<#ended, #next>)
        }
    }
}

/// Returns the name of the variant for one outcome: the state that the plan is in, or a name such as `Stayed`, to which
/// an underscore is appended if a state has the same name.
fn variant(machine: &Machine, outcome: Outcome) -> Ident {
    let state = |leaf| plain(&names::of_state(machine, leaf));
    let name = match outcome {
        Outcome::Answers => format_ident!("Answered"),
        Outcome::Stays => format_ident!("Stayed"),
        Outcome::Starts(leaf) | Outcome::Moves(leaf) => names::of_state(machine, leaf),
        Outcome::Releases(leaf) => format_ident!("Released{}", state(leaf)),
        Outcome::Succeeds(ended, next) => {
            format_ident!("Succeeded{}By{}", state(ended), state(next))
        }
    };
    let is_state = matches!(outcome, Outcome::Starts(_) | Outcome::Moves(_));
    if !is_state
        && machine
            .leaves()
            .any(|leaf| names::of_state(machine, leaf) == name)
    {
        return format_ident!("{name}_");
    }
    name
}

/// Returns code for the value of one outcome; the variables `record` and `created` contain the records.
pub(super) fn value(outcome: Outcome) -> TokenStream {
    match outcome {
        Outcome::Answers | Outcome::Stays => quote!(()),
        Outcome::Starts(_) => quote!(self::known(created)),
        Outcome::Moves(_) => quote!(self::known(record)),
        Outcome::Releases(_) => quote!(rt::ReleasedPlan {
            ended: self::known(record)
        }),
        Outcome::Succeeds(..) => quote!(rt::Succession {
            ended: self::known(record),
            plan: self::known(created)
        }),
    }
}

/// Returns the pattern that distinguishes an outcome from the others, matched against
/// `(after.outcome, record.state)`.
fn pattern(machine: &Machine, outcome: Outcome) -> (TokenStream, Option<TokenStream>) {
    let at = |leaf: StateId| {
        let state = names::of_state(machine, leaf);
        quote!(State::#state)
    };
    match outcome {
        Outcome::Answers | Outcome::Stays => (quote!((rt::SlotChange::Stays, _)), None),
        Outcome::Moves(leaf) => {
            let state = at(leaf);
            (quote!((rt::SlotChange::Stays, #state)), None)
        }
        Outcome::Releases(leaf) => {
            let state = at(leaf);
            (quote!((rt::SlotChange::Released, #state)), None)
        }
        Outcome::Starts(leaf) => {
            let state = at(leaf);
            (
                quote!((rt::SlotChange::Starts(created), _)),
                Some(quote!(if created.state == #state)),
            )
        }
        Outcome::Succeeds(ended, next) => {
            let (ended, next) = (at(ended), at(next));
            (
                quote!((rt::SlotChange::Succeeded(created), #ended)),
                Some(quote!(if created.state == #next)),
            )
        }
    }
}

/// Returns code that turns the result of a handler, in the variable `after`, into an outcome.
pub(super) fn made(
    machine: &Machine,
    leaf: StateId,
    event: EventId,
    all: &[Outcome],
) -> TokenStream {
    let name = name(machine, leaf, event);
    let state = if leaf == StateId::NONE {
        quote!(())
    } else {
        quote!(record.state)
    };
    let arms = all.iter().map(|outcome| {
        let (pattern, guard) = pattern(machine, *outcome);
        let (variant, value) = (variant(machine, *outcome), value(*outcome));
        let payload = has_value(*outcome).then(|| quote!((#value)));
        quote!(#pattern #guard => outcome::#name::#variant #payload)
    });
    quote! {
        match (after.outcome, #state) {
            #(#arms,)*
            _ => rt::impossible(),
        }
    }
}

fn has_value(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Answers | Outcome::Stays)
}

/// Returns the module `outcome`: an enum for each state and each of its events whose alternatives have different
/// targets.
pub(super) fn all(machine: &Machine, plan: &Ident) -> TokenStream {
    let mut enums = Vec::new();
    for leaf in machine.leaves() {
        for event in own_events(machine) {
            let outcomes = distinct(machine, leaf, event);
            if outcomes.len() < 2 || machine.alternatives(leaf, event).is_none() {
                continue;
            }
            enums.push(definition(machine, leaf, event, &outcomes, plan));
        }
    }
    if enums.is_empty() {
        return TokenStream::new();
    }
    quote! {
        /// The results of typed methods whose alternatives have different targets.
        pub mod outcome {
            use super::{#plan, rt, state};
            #(#enums)*
        }
    }
}

fn definition(
    machine: &Machine,
    leaf: StateId,
    event: EventId,
    all: &[Outcome],
    plan: &Ident,
) -> TokenStream {
    let name = name(machine, leaf, event);
    let doc = docs::doc(&format!(
        "The result of `{}` in `{}`.",
        machine.event(event).name,
        machine.state(leaf).name
    ));
    let variants = all.iter().map(|outcome| {
        let variant = variant(machine, *outcome);
        let doc = docs::doc(&words(machine, *outcome));
        let ty = ty(machine, *outcome, plan);
        let payload = has_value(*outcome).then(|| quote!((#ty)));
        quote!(#doc #variant #payload)
    });
    quote! {
        #doc
        #[derive(Debug)]
        #[must_use]
        pub enum #name { #(#variants,)* }
    }
}

fn words(machine: &Machine, outcome: Outcome) -> String {
    let state = |leaf| &machine.state(leaf).name;
    match outcome {
        Outcome::Answers => "There is still no plan.".to_owned(),
        Outcome::Stays => "The plan stays in its state.".to_owned(),
        Outcome::Starts(leaf) | Outcome::Moves(leaf) => {
            format!("The plan is in `{}`.", state(leaf))
        }
        Outcome::Releases(leaf) => format!("The plan has ended in `{}`.", state(leaf)),
        Outcome::Succeeds(ended, next) => format!(
            "The plan has ended in `{}`, and its successor is in `{}`.",
            state(ended),
            state(next)
        ),
    }
}
