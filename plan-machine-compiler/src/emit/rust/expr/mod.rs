//! Expressions as Rust code: borrowed if that is enough, owned if the value is stored, and JSON if the value is part of
//! a reply.

mod json;
mod kept;
mod lists;
mod truth;

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::names;
use super::types::{keep, lend};
use super::values::{int, literal};
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, ListedPart, PlanPart};
use crate::model::machine::Machine;
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{EventId, FieldId, StateId};

/// The context of an expression in generated code.
#[derive(Clone)]
pub(super) struct Scope<'m> {
    pub(super) machine: &'m Machine,
    /// The variable that contains the record; `None` if there is no plan.
    pub(super) record: Option<Ident>,
    /// Whether a record is being started; its id is then in the variable `id`.
    pub(super) starting: bool,
    /// The event whose payload is in the variable `event`.
    pub(super) event: Option<EventId>,
    /// The payload fields that are read only once, so that they can be moved out of the payload.
    pub(super) taken: BTreeSet<FieldId>,
    /// Whether the expression is inside `plans where`; the plan being examined is then in the variable `listed`.
    pub(super) listed: bool,
    /// Whether the value is stored; a stored value must not become too large.
    pub(super) stores: bool,
}

/// An expression as Rust code: borrowed or owned.
pub(super) enum Code {
    /// A reference, or a value that can be copied.
    Borrowed(TokenStream),
    /// An owned value.
    Owned(TokenStream),
}

impl<'m> Scope<'m> {
    /// Returns a scope that contains only the context.
    pub(super) fn new(machine: &'m Machine) -> Self {
        Self {
            machine,
            record: None,
            starting: false,
            event: None,
            taken: BTreeSet::new(),
            listed: false,
            stores: false,
        }
    }

    /// Sets whether the values of this scope are stored.
    pub(super) fn storing(mut self, stores: bool) -> Self {
        self.stores = stores;
        self
    }

    /// Adds the record, given by the name of its variable.
    pub(super) fn with_record(mut self, name: &str) -> Self {
        self.record = Some(format_ident!("{name}"));
        self
    }

    /// Adds the payload of an event.
    pub(super) fn with_event(mut self, event: EventId) -> Self {
        self.event = Some(event);
        self
    }

    fn record(&self) -> TokenStream {
        let Some(record) = &self.record else {
            // A checked machine never reads a record if there is no plan.
            return quote!(::core::unreachable!());
        };
        quote!(#record)
    }

    /// Returns a place expression for the value of an expression, if the value is stored in a variable or a field.
    fn place(&self, expr: &Expr) -> Option<TokenStream> {
        Some(match &expr.kind {
            ExprKind::Data(field) => {
                let record = self.record();
                let name = names::of_data(self.machine, *field);
                quote!(#record.data.#name)
            }
            ExprKind::Event(field) => {
                let input = &self.machine.event(self.event?).input;
                let name = names::field(&input[field.index()].name);
                quote!(event.#name)
            }
            ExprKind::Context(field) => {
                let name = names::field(&self.machine.context[field.index()].name);
                quote!(cx.context.#name)
            }
            ExprKind::Item => quote!((*item)),
            ExprKind::Member(base, field) => {
                let Type::Record(id) = base.ty.required() else {
                    return None;
                };
                let name = names::field(&self.machine.type_def(*id).fields()[field.index()].name);
                let base = if let Some(place) = self.place(base) {
                    place
                } else {
                    let base = self.lent(base);
                    quote!((#base))
                };
                quote!(#base.#name)
            }
            ExprKind::Listed(ListedPart::Field(field)) => {
                let name = names::of_data(self.machine, *field);
                quote!(listed.summary.#name)
            }
            _ => return None,
        })
    }

    /// Returns code for the borrowed value. If the value must be built first, the code borrows it for as long as the
    /// enclosing expression lasts.
    pub(super) fn lent(&self, expr: &Expr) -> TokenStream {
        match self.code(expr) {
            Code::Borrowed(code) => code,
            Code::Owned(code) => lend(&quote!((#code)), &expr.ty),
        }
    }

    /// Returns code for the owned value.
    pub(super) fn kept(&self, expr: &Expr) -> TokenStream {
        if let Some(taken) = self.taken_out(expr) {
            return taken;
        }
        if let ExprKind::Binary(BinaryOp::Coalesce, left, right) = &expr.kind
            && self.taken_out(left).is_some()
        {
            return coalesced(&self.kept(left), self.kept(right), &right.ty, &expr.ty);
        }
        if let Some(place) = self.place(expr) {
            return if super::types::class(&expr.ty) == super::types::Class::Copied {
                place
            } else {
                quote!(#place.clone())
            };
        }
        match self.code(expr) {
            Code::Owned(code) => code,
            Code::Borrowed(code) => keep(&code, &expr.ty),
        }
    }

    /// Returns code for the owned value, converted to the required type: an optional accepts a plain value.
    pub(super) fn kept_as(&self, expr: &Expr, wanted: &Type) -> TokenStream {
        let code = self.kept(expr);
        if wanted.is_optional() && !expr.ty.is_optional() {
            quote!(Some(#code))
        } else {
            code
        }
    }

    fn code(&self, expr: &Expr) -> Code {
        if let Some(place) = self.place(expr) {
            return Code::Borrowed(lend(&place, &expr.ty));
        }
        match &expr.kind {
            ExprKind::Value(value) => self.value(value, &expr.ty),
            ExprKind::Plan(part) => self.plan(*part),
            ExprKind::Listed(part) => Code::Borrowed(listed(*part)),
            ExprKind::Now => Code::Borrowed(quote!(cx.now)),
            ExprKind::Index => Code::Borrowed(quote!(index)),
            ExprKind::Proved(inner) => match self.code(inner) {
                Code::Borrowed(code) => Code::Borrowed(quote!(#code.ok_or(rt::Fault::Unset)?)),
                Code::Owned(code) => Code::Owned(quote!(#code.ok_or(rt::Fault::Unset)?)),
            },
            ExprKind::At(list, index) => self.at(list, index),
            ExprKind::Call(helper, arguments) => self.call(*helper, arguments),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => self.coalesce(left, right, expr),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let (left, right) = (self.lent(left), self.lent(right));
                Code::Borrowed(if op == &BinaryOp::Add {
                    quote!(rt::add(#left, #right)?)
                } else {
                    quote!(rt::subtract(#left, #right)?)
                })
            }
            ExprKind::Quantified(quantifier, list, condition) => {
                Code::Borrowed(self.quantified(*quantifier, list, condition))
            }
            ExprKind::Template(parts) => Code::Owned(self.template(parts)),
            ExprKind::Record(fields) => Code::Owned(self.record_value(fields, &expr.ty)),
            ExprKind::List(items) => Code::Owned(self.list_value(items, &expr.ty)),
            ExprKind::ToJson(inner) => Code::Owned(self.to_json(inner)),
            ExprKind::AllData | ExprKind::Plans(_) => Code::Owned(self.json(expr)),
            _ => Code::Borrowed(self.truth(expr)),
        }
    }

    fn value(&self, value: &Value, ty: &Type) -> Code {
        match (value, ty) {
            (Value::Text(text), Type::Text) => Code::Borrowed(quote!(#text)),
            (Value::Int(number), Type::Int) => Code::Borrowed(int(*number)),
            _ => Code::Owned(literal(self.machine, value, ty)),
        }
    }

    fn plan(&self, part: PlanPart) -> Code {
        if part == PlanPart::Id && self.record.is_none() && self.starting {
            return Code::Borrowed(quote!(&id));
        }
        let record = self.record();
        match part {
            PlanPart::Id => Code::Borrowed(quote!(&#record.id)),
            PlanPart::Revision => Code::Borrowed(quote!(rt::count(#record.revision))),
            PlanPart::Edition => Code::Borrowed(quote!(rt::count(#record.edition))),
            PlanPart::Token => Code::Owned(quote!(String::from(token(&#record)))),
            PlanPart::State => Code::Borrowed(quote!(#record.state.as_str())),
            PlanPart::Previous => Code::Borrowed(quote!(#record.previous.as_ref())),
        }
    }

    fn call(&self, helper: Helper, arguments: &[Expr]) -> Code {
        let lent: Vec<TokenStream> = arguments
            .iter()
            .map(|argument| self.lent(argument))
            .collect();
        match helper {
            Helper::Len => Code::Borrowed(self.length(&arguments[0])),
            Helper::Section => {
                let section = quote!(rt::section(#(#lent),*));
                // A slice of a string that is built here would not outlive the string.
                match self.code(&arguments[0]) {
                    Code::Borrowed(_) => Code::Borrowed(section),
                    Code::Owned(_) => Code::Owned(quote!(#section.map(str::to_owned))),
                }
            }
            Helper::WithSection if self.stores => {
                Code::Owned(quote!(rt::stored_text(rt::with_section(#(#lent),*))?))
            }
            Helper::WithSection => Code::Owned(quote!(rt::with_section(#(#lent),*))),
            Helper::IsComplete => Code::Borrowed(quote!(rt::is_complete(#(#lent),*))),
        }
    }

    fn coalesce(&self, left: &Expr, right: &Expr, whole: &Expr) -> Code {
        if !left.ty.is_optional() {
            return self.code(left);
        }
        let chosen = |left, code| coalesced(&left, code, &right.ty, &whole.ty);
        match (self.code(left), self.code(right)) {
            (Code::Borrowed(left), Code::Borrowed(right)) => Code::Borrowed(chosen(left, right)),
            _ => Code::Owned(chosen(self.kept(left), self.kept(right))),
        }
    }

    /// Returns code for the leaf that state conditions and `final` refer to; `None` if there is no plan.
    fn leaf(&self) -> Option<TokenStream> {
        if self.listed {
            return Some(quote!(listed.state));
        }
        let record = self.record.as_ref()?;
        Some(quote!(#record.state))
    }

    /// Returns code for the condition that the leaf is one of the given leaves.
    fn is_one_of(&self, leaves: &[StateId]) -> TokenStream {
        let Some(leaf) = self.leaf() else {
            let none = leaves.contains(&StateId::NONE);
            return quote!(#none);
        };
        let names: Vec<Ident> = leaves
            .iter()
            .filter(|leaf| **leaf != StateId::NONE)
            .map(|leaf| names::of_state(self.machine, *leaf))
            .collect();
        if names.is_empty() {
            return quote!(false);
        }
        quote!(::core::matches!(#leaf, #(State::#names)|*))
    }
}

/// Returns code for the left value if it is set, and otherwise for the right value.
fn coalesced(left: &TokenStream, right: TokenStream, right_ty: &Type, whole: &Type) -> TokenStream {
    let (found, other) = match (whole.is_optional(), right_ty.is_optional()) {
        (false, _) => (quote!(value), right),
        (true, true) => (quote!(Some(value)), right),
        (true, false) => (quote!(Some(value)), quote!(Some(#right))),
    };
    quote!(match #left { Some(value) => #found, None => #other })
}

fn listed(part: ListedPart) -> TokenStream {
    match part {
        ListedPart::Id => quote!(&listed.id),
        ListedPart::State => quote!(listed.state.as_str()),
        ListedPart::Revision => quote!(rt::count(listed.revision)),
        // A field has a place expression, which is handled before this match.
        ListedPart::Field(_) => TokenStream::new(),
    }
}
