//! One function per reply, and the code with which the dynamic step calls it.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::Scope;
use super::names;
use super::transition::{Kind, event_of, kind, payload};
use super::types::kept;
use crate::lower::faults::can_fail;
use crate::lower::path::Path;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{EventKind, Machine, Transition};
use crate::model::types::Type;
use crate::model::{StateId, TransitionId};

/// The parameters and the result of a reply's function.
pub(super) struct Reply<'m> {
    machine: &'m Machine,
    id: TransitionId,
    expr: &'m Expr,
    /// Whether the function returns a `Result`.
    pub(super) fails: bool,
    /// Whether the function can fail in some leaf that takes the transition. If it fails, the changes of the step are
    /// rolled back.
    pub(super) undoes: bool,
}

/// Returns whether a reply is built last, after all records have accepted a command that goes to every record.
pub(super) fn is_late(machine: &Machine, id: TransitionId) -> bool {
    let handler = machine.handler(machine.transition(id).handler);
    let each =
        matches!(&machine.event(handler.event).kind, EventKind::Command(command) if command.each);
    each && handler.state != StateId::NONE
}

/// Returns the reply of a transition, if the transition declares one.
pub(super) fn of(machine: &Machine, id: TransitionId) -> Option<Reply<'_>> {
    let transition = machine.transition(id);
    let expr = transition.reply.as_ref()?;
    let mut leaves = machine.users(transition.handler).into_iter();
    Some(Reply {
        machine,
        id,
        expr,
        fails: can_fail(expr),
        undoes: leaves.any(|leaf| Path::new(machine, leaf, transition).reply_fails()),
    })
}

impl Reply<'_> {
    /// Returns the code of the accessor if the reply is a string field of the record, which can be borrowed.
    pub(super) fn lent(&self) -> Option<TokenStream> {
        let place = |expr: &Expr| match expr.kind {
            ExprKind::Data(field) => Some(names::of_data(self.machine, field)),
            _ => None,
        };
        match (&self.expr.kind, &self.expr.ty) {
            (ExprKind::Data(_), Type::Text) => {
                let name = place(self.expr)?;
                Some(quote!(Some(record.data.#name.as_str())))
            }
            (ExprKind::Proved(inner), Type::Text) => {
                let name = place(inner)?;
                Some(quote!(record.data.#name.as_deref()))
            }
            _ => None,
        }
    }

    /// Returns whether the function takes a record.
    fn of_record(&self) -> bool {
        kind(self.machine, self.machine.transition(self.id)) != Kind::Answers
    }

    /// Returns whether the function takes a payload.
    pub(super) fn of_event(&self) -> bool {
        let transition = self.machine.transition(self.id);
        payload(self.machine, event_of(self.machine, transition)).is_some()
    }

    /// Returns whether the function takes the plans as they are after the step, in order to list them.
    fn lists(&self) -> bool {
        self.expr.lists_plans()
    }

    /// Returns the type of the reply.
    pub(super) fn ty(&self) -> TokenStream {
        if self.lent().is_some() {
            return quote!(&str);
        }
        kept(self.machine, &self.expr.ty, &TokenStream::new())
    }

    pub(super) fn is_json(&self) -> bool {
        fn shaped(ty: &Type) -> bool {
            match ty {
                Type::Shape(_) | Type::Data | Type::Plans | Type::Json | Type::Unknown => true,
                Type::List(item) | Type::Optional(item) => shaped(item),
                _ => false,
            }
        }
        shaped(&self.expr.ty)
    }

    /// Returns the call to the function; `record`, `event`, `cx` and `after` are passed only if the function takes
    /// them.
    pub(super) fn call(
        &self,
        record: &TokenStream,
        event: &TokenStream,
        after: &TokenStream,
    ) -> TokenStream {
        let name = names::transition(self.machine, self.id);
        let record = self.of_record().then(|| quote!(#record,));
        let event = self.of_event().then(|| quote!(#event,));
        let after = self.lists().then(|| quote!(, #after));
        quote!(reply::#name(#record #event cx #after))
    }

    /// Returns code that converts the reply in the variable `reply` to the form that the dynamic
    /// step uses.
    pub(super) fn answer(&self) -> TokenStream {
        if self.is_json() {
            return quote!(rt::PendingReply::json(reply));
        }
        match &self.expr.ty {
            Type::Text if self.lent().is_some() => quote!(rt::PendingReply::text(reply.to_owned())),
            Type::Text => quote!(rt::PendingReply::text(reply)),
            Type::Id => quote!(rt::PendingReply::id(reply)),
            Type::Optional(_) => {
                quote!(rt::PendingReply::json(rt::encode_optional(reply.as_ref())))
            }
            _ => quote!(rt::PendingReply::value(&reply)),
        }
    }

    fn function(&self, transition: &Transition) -> TokenStream {
        let machine = self.machine;
        let event = event_of(machine, transition);
        let name = names::transition(machine, self.id);
        let mut scope = Scope::new(machine).with_event(event);
        if self.of_record() {
            scope = scope.with_record("record");
        }
        let record = self.of_record().then(|| quote!(record: &'p Record,));
        let payload = payload(machine, event).map(|payload| quote!(event: &#payload,));
        let after = self.lists().then(|| quote!(, after: &[&Record]));
        let plans = self.lists().then(|| quote!(let plans = cx.listed(after);));
        let value = if self.lent().is_some() {
            scope.lent(self.expr)
        } else if self.is_json() {
            scope.json(self.expr)
        } else {
            scope.kept(self.expr)
        };
        let (ty, value) = match (self.lent().is_some(), self.is_json()) {
            (true, _) => (quote!(&'p str), value),
            (false, true) => (quote!(rt::Json), value),
            (false, false) => (self.ty(), value),
        };
        let (ty, value) = if self.fails {
            (quote!(Result<#ty, rt::Fault>), quote!(Ok(#value)))
        } else {
            (ty, value)
        };
        let lifetime = self.of_record().then(|| quote!(<'p>));
        quote! {
            pub(super) fn #name #lifetime(#record #payload cx: &Cx #after) -> #ty {
                #plans
                #value
            }
        }
    }

    /// Returns the type of the reply in the spec.
    pub(super) fn spec_type(&self) -> &Type {
        &self.expr.ty
    }
}

/// Returns the functions of all replies.
pub(super) fn all(machine: &Machine) -> TokenStream {
    let functions = machine
        .transition_ids()
        .filter_map(|id| of(machine, id))
        .map(|reply| reply.function(machine.transition(reply.id)));
    quote! {
        /// One function per transition that declares a reply.
        mod reply {
            use super::*;
            #(#functions)*
        }
    }
}
