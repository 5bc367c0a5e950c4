//! Data changes: first all values and positions are computed, then all bounds are checked, and only then is anything
//! written. A denied step thus changes nothing, and no copy of the data is needed.

use plan_machine_kernel::stored;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expr::Scope;
use super::names;
use super::record::check;
use super::values::start;
use crate::lower::bounds::{bounded, holds_bounds, stays_in_bounds};
use crate::model::FieldId;
use crate::model::machine::{Change, ChangeKind, Machine, Which};
use crate::model::types::Field;

/// The data to which the changes apply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The record's own data, in place.
    Own,
    /// A copy of the record's data, for a successor.
    Copy,
    /// The initial data of a record.
    Start,
}

/// The changes of one transition.
pub(super) struct Changes<'a> {
    pub(super) machine: &'a Machine,
    pub(super) all: &'a [Change],
    pub(super) base: Base,
    /// The scope for values that are stored in the record.
    pub(super) scope: Scope<'a>,
}

fn new(field: &Ident) -> Ident {
    format_ident!("new_{}", bare(field))
}

fn at(field: &Ident) -> Ident {
    format_ident!("at_{}", bare(field))
}

/// Returns an identifier without the prefix `r#`, for use as part of a longer identifier.
fn bare(field: &Ident) -> String {
    field.to_string().trim_start_matches("r#").to_owned()
}

impl Changes<'_> {
    fn field(&self, id: FieldId) -> (&Field, Ident) {
        let field = self.machine.field(id);
        (field, names::field(&field.name))
    }

    /// Returns code for the list in the field `name` as it was before the changes: positions refer to this list.
    fn list(&self, name: &Ident) -> TokenStream {
        match self.base {
            Base::Own | Base::Copy => quote!(record.data.#name),
            Base::Start => {
                let new = format_ident!("first_{}", bare(name));
                quote!(#new)
            }
        }
    }

    /// Returns code that computes every value and position.
    pub(super) fn find(&self) -> TokenStream {
        let found = self.all.iter().map(|change| self.find_one(change));
        quote!(#(#found)*)
    }

    fn find_one(&self, change: &Change) -> TokenStream {
        let (field, name) = self.field(change.field);
        let (new, at, list, text) = (new(&name), at(&name), self.list(&name), &field.name);
        let first = match (&change.kind, self.base) {
            (ChangeKind::Set(_) | ChangeKind::Clear, _) | (_, Base::Own | Base::Copy) => None,
            (_, Base::Start) => {
                let start = start(self.machine, field);
                Some(quote!(let #list = #start;))
            }
        };
        let found = match &change.kind {
            ChangeKind::Set(value) => {
                let value = self.scope.kept_as(value, &field.ty);
                quote!(let #new = #value;)
            }
            ChangeKind::Clear => TokenStream::new(),
            ChangeKind::Append(value) => {
                let value = self.scope.kept_as(value, field.item_type());
                quote!(let #new = #value;)
            }
            ChangeKind::Remove(position) => {
                let position = self.scope.lent(position);
                quote!(let #at = rt::position(#position, #list.len(), #text)?;)
            }
            ChangeKind::Insert(position, value) => {
                let position = self.scope.lent(position);
                let value = self.scope.kept_as(value, field.item_type());
                quote! {
                    let #at = rt::position(#position, #list.len() + 1, #text)?;
                    let #new = #value;
                }
            }
            ChangeKind::Update { which, set, .. } => self.find_update(field, &name, which, set),
        };
        quote!(#first #found)
    }

    /// Returns code that computes the new values of the changed items, each with its position.
    fn find_update(
        &self,
        field: &Field,
        name: &Ident,
        which: &Which,
        set: &[(FieldId, crate::model::expr::Expr)],
    ) -> TokenStream {
        let (new, at, list, text) = (new(name), at(name), self.list(name), &field.name);
        let item_fields = self.machine.item_fields(field);
        let values = set
            .iter()
            .map(|(id, value)| self.scope.kept_as(value, &item_fields[id.index()].ty));
        let values = quote!((#(#values,)*));
        match which {
            Which::At(position) => {
                let position = self.scope.lent(position);
                quote! {
                    let #at = rt::position(#position, #list.len(), #text)?;
                    let mut #new = Vec::new();
                    if let Some(item) = #list.get(#at) {
                        let index = rt::length(#at);
                        #new.push((#at, #values));
                    }
                }
            }
            Which::Where(condition) | Which::First(condition) => {
                let holds = self.scope.truth(condition);
                let only = matches!(which, Which::First(_)).then(|| quote!(break;));
                quote! {
                    let mut #new = Vec::new();
                    for (#at, item) in #list.iter().enumerate() {
                        let index = rt::length(#at);
                        if #holds {
                            #new.push((#at, #values));
                            #only
                        }
                    }
                }
            }
        }
    }

    /// Returns code that checks every bound that the changes could violate.
    pub(super) fn bounds(&self) -> TokenStream {
        let checks: Vec<TokenStream> = self
            .all
            .iter()
            .filter_map(|change| self.bounds_of(change))
            .collect();
        if checks.is_empty() {
            return TokenStream::new();
        }
        quote! {
            let mut broken = cx.problems();
            let problems = &mut broken;
            let at = &rt::ValuePath::Payload;
            #(#checks)*
            if !broken.is_empty() {
                return Err(rt::DenialReason::limit(broken));
            }
        }
    }

    fn bounds_of(&self, change: &Change) -> Option<TokenStream> {
        let (field, name) = self.field(change.field);
        if !change.kind.grows() && !bounded(self.machine, std::slice::from_ref(field)) {
            return None;
        }
        let (new, at, list, key) = (new(&name), at(&name), self.list(&name), &field.name);
        let inside = holds_bounds(self.machine, &field.ty);
        let inner = |position: TokenStream| {
            inside.then(|| quote!(rt::Value::check(&#new, rt::Bounds::NONE, &at.field(#key).item(#position), problems);))
        };
        let max = field.max.unwrap_or(stored::MOST_ITEMS);
        let grown = quote!(rt::room(#list.len() + 1, #max, &at.field(#key), problems););
        match &change.kind {
            ChangeKind::Set(value) if stays_in_bounds(self.machine, value, field) => None,
            ChangeKind::Set(_) => Some(check(field, &quote!(&#new), &quote!(&at.field(#key)))),
            ChangeKind::Append(_) => {
                let inner = inner(quote!(#list.len()));
                Some(quote!(#grown #inner))
            }
            ChangeKind::Insert(..) => {
                let inner = inner(quote!(#at));
                Some(quote!(#grown #inner))
            }
            ChangeKind::Update { set, .. } if inside => {
                let fields = self.machine.item_fields(field);
                let mut places: Vec<usize> = (0..set.len()).collect();
                places.sort_by_key(|place| set[*place].0);
                let checks = places.into_iter().filter_map(|place| {
                    let (part, value) = &set[place];
                    let part = &fields[part.index()];
                    let part_key = &part.name;
                    let index = proc_macro2::Literal::usize_unsuffixed(place);
                    (!stays_in_bounds(self.machine, value, part)).then(|| {
                        check(
                            part,
                            &quote!(&values.#index),
                            &quote!(&at.field(#key).item(*position).field(#part_key)),
                        )
                    })
                });
                let checks: Vec<TokenStream> = checks.collect();
                let any = !checks.is_empty();
                any.then(|| quote!(for (position, values) in &#new { #(#checks)* }))
            }
            ChangeKind::Clear | ChangeKind::Remove(_) | ChangeKind::Update { .. } => None,
        }
    }

    /// Returns code that writes the changes to the record, whose fields are in the variable `open`.
    pub(super) fn write(&self) -> TokenStream {
        let written = self.all.iter().map(|change| {
            let (field, name) = self.field(change.field);
            let place = quote!(open.data.#name);
            match &change.kind {
                ChangeKind::Set(_) => {
                    let new = new(&name);
                    quote!(#place = #new;)
                }
                ChangeKind::Clear => {
                    let start = start(self.machine, field);
                    quote!(#place = #start;)
                }
                _ => self.write_list(change, field, &name, &place),
            }
        });
        quote!(#(#written)*)
    }

    fn write_list(
        &self,
        change: &Change,
        field: &Field,
        name: &Ident,
        place: &TokenStream,
    ) -> TokenStream {
        let (new, at) = (new(name), at(name));
        match &change.kind {
            ChangeKind::Remove(_) => quote!(#place.remove(#at);),
            ChangeKind::Insert(..) => quote!(#place.insert(#at, #new);),
            ChangeKind::Append(_) => quote!(#place.push(#new);),
            ChangeKind::Update { set, clear, .. } => {
                let fields = self.machine.item_fields(field);
                let part = |id: &FieldId| names::field(&fields[id.index()].name);
                let set = set.iter().enumerate().map(|(place, (id, _))| {
                    let part = part(id);
                    let index = proc_macro2::Literal::usize_unsuffixed(place);
                    quote!(item.#part = values.#index;)
                });
                let cleared = clear.iter().map(part);
                quote! {
                    for (position, values) in #new {
                        if let Some(item) = #place.get_mut(position) {
                            #(#set)*
                            #(item.#cleared = None;)*
                        }
                    }
                }
            }
            ChangeKind::Set(_) | ChangeKind::Clear => TokenStream::new(),
        }
    }

    /// Returns code that builds the data of a new record.
    pub(super) fn data(&self) -> TokenStream {
        let fields = self.machine.data.iter().enumerate().map(|(index, field)| {
            let name = names::field(&field.name);
            let change = self
                .all
                .iter()
                .find(|change| change.field == FieldId::at(index));
            let value = self.new_value(change, field, &name);
            quote!(#name: #value)
        });
        quote!(Data { #(#fields),* })
    }

    fn new_value(&self, change: Option<&Change>, field: &Field, name: &Ident) -> TokenStream {
        let unchanged = match self.base {
            Base::Start => start(self.machine, field),
            Base::Own | Base::Copy => quote!(record.data.#name.clone()),
        };
        let Some(change) = change else {
            return unchanged;
        };
        match &change.kind {
            ChangeKind::Set(_) => {
                let new = new(name);
                quote!(#new)
            }
            ChangeKind::Clear => start(self.machine, field),
            _ => {
                let first = match self.base {
                    Base::Start => self.list(name),
                    Base::Own | Base::Copy => unchanged,
                };
                let written = self.write_list(change, field, name, &quote!(list));
                quote!({
                    let mut list = #first;
                    #written
                    list
                })
            }
        }
    }
}
