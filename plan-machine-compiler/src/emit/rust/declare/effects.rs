//! The generated type `Effect`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::docs;
use super::super::names;
use super::super::record::{bound, checks, decode, encode};
use super::super::types::kept;
use crate::model::EffectId;
use crate::model::bounds::states_bounds;
use crate::model::machine::Machine;

/// Returns the declaration of the type `Effect`.
pub(in super::super) fn effects(machine: &Machine) -> TokenStream {
    let ids = || (0..machine.effects.len()).map(EffectId::at);
    if machine.effects.is_empty() {
        return no_effects();
    }
    let variants = ids().map(|id| variant(machine, id));
    let patterns: Vec<TokenStream> = ids().map(|id| pattern(machine, id)).collect();
    let texts = machine.effects.iter().map(|effect| &effect.name);
    let encodes = ids().map(|id| encode(&machine.effect(id).fields, bound));
    let decodes = ids().zip(&patterns).map(|(id, pattern)| {
        let effect = machine.effect(id);
        let (text, decode) = (&effect.name, decode(machine, &effect.fields, false));
        let fields = effect.fields.iter().map(|field| names::read(&field.name));
        let fields: Vec<Ident> = fields.collect();
        quote!(#text => {
            #decode
            #(let #fields = #fields?;)*
            Some(#pattern)
        })
    });
    let inner_bounds = inner_bounds(machine, &patterns);
    quote! {
        /// The effects that the machine emits, for the host to carry out.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Effect { #(#variants,)* }
        impl Effect {
            fn named(&self) -> (&'static str, rt::Object) {
                let mut object = rt::Object::new();
                let name = match self {
                    #(#patterns => { #encodes #texts })*
                };
                (name, object)
            }
        }
        #[automatically_derived]
        impl rt::Value for Effect {
            #inner_bounds
            fn encode(&self) -> rt::Json {
                let (name, object) = self.named();
                rt::tagged(name, object)
            }
            fn decode(json: &rt::Json, at: &rt::ValuePath<'_>, problems: &mut rt::Problems) -> Option<Self> {
                let (name, object) = rt::tag(json, at, problems)?;
                let at = &at.member(name);
                match name {
                    #(#decodes)*
                    _ => rt::no_effect(at, problems),
                }
            }
            fn digest(&self, out: &mut rt::Digester) {
                rt::Value::digest(&self.encode(), out);
            }
        }
        rt::through_json!(Effect);
    }
}

/// Returns the variant of an effect.
fn variant(machine: &Machine, id: EffectId) -> TokenStream {
    let effect = machine.effect(id);
    let ours = format!("The effect `{}`.", effect.name);
    let doc = docs::doc(&docs::or(effect.doc.as_deref(), &ours));
    let name = names::of_effect(machine, id);
    let fields = effect.fields.iter().map(|field| {
        let doc = docs::doc(&docs::of_field(field));
        let (name, ty) = (
            names::field(&field.name),
            kept(machine, &field.ty, &TokenStream::new()),
        );
        quote!(#doc #name: #ty)
    });
    if effect.fields.is_empty() {
        quote!(#doc #name)
    } else {
        quote!(#doc #name { #(#fields),* })
    }
}

/// Returns code that checks the bounds of the fields of effects; `None` if the spec does not state any bounds for them.
/// `patterns` contains the pattern of each effect, in order.
fn inner_bounds(machine: &Machine, patterns: &[TokenStream]) -> Option<TokenStream> {
    let mut effects = machine.effects.iter();
    if !effects.any(|effect| states_bounds(machine, &effect.fields)) {
        return None;
    }
    let arms = machine
        .effects
        .iter()
        .zip(patterns)
        .map(|(effect, pattern)| {
            let checks = checks(machine, &effect.fields, bound);
            quote!(#pattern => { #checks })
        });
    Some(quote! {
        const BOUNDED: bool = true;
        fn inner_bounds(&self, at: &rt::ValuePath<'_>, problems: &mut rt::Problems) {
            match self { #(#arms)* }
        }
    })
}

/// Returns the type `Effect` for a machine without effects.
fn no_effects() -> TokenStream {
    quote! {
        /// The effects that the machine emits. This machine has no effects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Effect {}
        impl Effect {
            fn named(self) -> (&'static str, rt::Object) { match self {} }
        }
        #[automatically_derived]
        impl rt::Value for Effect {
            fn encode(&self) -> rt::Json { match *self {} }
            fn decode(_: &rt::Json, at: &rt::ValuePath<'_>, problems: &mut rt::Problems) -> Option<Self> {
                rt::no_effect(at, problems)
            }
            fn digest(&self, _: &mut rt::Digester) { match *self {} }
        }
        rt::through_json!(Effect);
    }
}

/// Returns a pattern such as `Self::PlanReady { plan: read_plan, token: read_token }`.
fn pattern(machine: &Machine, id: EffectId) -> TokenStream {
    let name = names::of_effect(machine, id);
    let fields = &machine.effect(id).fields;
    let names = fields.iter().map(|field| names::field(&field.name));
    let read = fields.iter().map(|field| names::read(&field.name));
    if fields.is_empty() {
        quote!(Self::#name)
    } else {
        quote!(Self::#name { #(#names: #read),* })
    }
}
