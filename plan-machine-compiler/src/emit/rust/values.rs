//! Literals: defaults, initial values, and values written in expressions.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names;
use super::types::kept;
use crate::model::machine::Machine;
use crate::model::types::{Field, Type};
use crate::model::value::Value;

/// Returns code for an owned value of a type.
pub(super) fn literal(machine: &Machine, value: &Value, ty: &Type) -> TokenStream {
    if let Type::Optional(inner) = ty {
        if !value.is_set() {
            return quote!(None);
        }
        let inner = literal(machine, value, inner);
        return quote!(Some(#inner));
    }
    match (value, ty) {
        (Value::Text(text), Type::Id) => quote!(rt::Id::from(#text)),
        (Value::Text(text), _) if text.is_empty() => quote!(String::new()),
        (Value::Text(text), _) => quote!(String::from(#text)),
        (Value::Int(number), _) => int(*number),
        (Value::Bool(truth), _) => quote!(#truth),
        (Value::Time(instant), _) => {
            let since = instant.since_1970();
            let (seconds, nanos) = (since.as_secs(), since.subsec_nanos());
            quote!(rt::instant(#seconds, #nanos))
        }
        (Value::Enum(place), Type::Enum(id)) => {
            let ty = names::of_type(machine, *id);
            let values = machine.type_def(*id).values();
            let value = names::of_value(values.get(*place as usize).map_or("", String::as_str));
            quote!(types::#ty::#value)
        }
        (Value::List(items), Type::List(item)) if items.is_empty() => {
            let item = kept(machine, item, &TokenStream::new());
            quote!(Vec::<#item>::new())
        }
        (Value::List(items), Type::List(item)) => {
            let items = items.iter().map(|value| literal(machine, value, item));
            quote!(::std::vec![#(#items),*])
        }
        (Value::Record(values), Type::Record(id)) => {
            let ty = names::of_type(machine, *id);
            let fields = machine.type_def(*id).fields();
            let names = fields.iter().map(|field| names::field(&field.name));
            let values = fields.iter().zip(values);
            let values = values.map(|(field, value)| literal(machine, value, &field.ty));
            quote!(types::#ty { #(#names: #values),* })
        }
        (Value::Json(json), _) => {
            let text = json.to_string();
            quote!(rt::json(#text))
        }
        _ => quote!(rt::Json::Null),
    }
}

/// Returns code for a number; a negative number is in parentheses, so that a method call can follow it.
pub(super) fn int(number: i64) -> TokenStream {
    let digits = Literal::i64_suffixed(number);
    if number < 0 {
        quote!((#digits))
    } else {
        quote!(#digits)
    }
}

/// Returns code for the initial value of a field.
pub(super) fn start(machine: &Machine, field: &Field) -> TokenStream {
    let Some(value) = field.start() else {
        // In a checked machine, every transition that starts a record sets this field.
        return quote!(::core::default::Default::default());
    };
    literal(machine, &value, &field.ty)
}
