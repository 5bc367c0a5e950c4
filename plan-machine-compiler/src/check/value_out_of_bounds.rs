//! PM0406: defaults and literals are within the bounds of their fields.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::expr::{BinaryOp, Expr, ExprKind, Part};
use crate::model::machine::{Change, ChangeKind, Emit, Machine};
use crate::model::types::{Field, Type, TypeDef};
use crate::model::value::Value;
use crate::source::Span;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    let mut bounds = Bounds {
        machine,
        sink,
        of_effects: false,
    };
    bounds.defaults();
    for transition in &machine.transitions {
        transition
            .changes
            .iter()
            .for_each(|change| bounds.change(change));
        transition.emit.iter().for_each(|emit| bounds.emit(emit));
    }
    for state in &machine.states {
        let emits = state.enter.iter().chain(&state.exit);
        emits.for_each(|emit| bounds.emit(emit));
    }
}

struct Bounds<'a> {
    machine: &'a Machine,
    sink: &'a mut Sink,
    /// Whether an effect is being checked: effects have only the bounds that the spec states explicitly.
    of_effects: bool,
}

impl Bounds<'_> {
    fn defaults(&mut self) {
        let machine = self.machine;
        let declared = machine.data.iter().chain(&machine.context);
        let declared = declared.chain(machine.events.iter().flat_map(|event| &event.input));
        let declared = declared.chain(machine.types.iter().flat_map(TypeDef::fields));
        declared.for_each(|field| self.default(field));
        self.of_effects = true;
        let effects = machine.effects.iter().flat_map(|effect| &effect.fields);
        effects.for_each(|field| self.default(field));
        self.of_effects = false;
    }

    fn default(&mut self, field: &Field) {
        if let Some(value) = &field.default {
            let what = format!("the default of `{}`", field.name);
            self.value(field, value, field.span, &what);
        }
    }

    fn change(&mut self, change: &Change) {
        let field = self.machine.field(change.field);
        match &change.kind {
            ChangeKind::Set(value) => self.expr(field, value),
            ChangeKind::Insert(_, value) | ChangeKind::Append(value) => self.inside(value),
            ChangeKind::Update { set, .. } => {
                let Type::List(item) = &field.ty else { return };
                let Type::Record(id) = **item else { return };
                let parts = self.machine.type_def(id).fields();
                for (part, value) in set {
                    self.expr(&parts[part.index()], value);
                }
            }
            ChangeKind::Clear | ChangeKind::Remove(_) => {}
        }
    }

    fn emit(&mut self, emit: &Emit) {
        let fields = &self.machine.effect(emit.effect).fields;
        self.of_effects = true;
        for (field, value) in fields.iter().zip(&emit.fields) {
            if let Some(value) = value {
                self.expr(field, value);
            }
        }
        self.of_effects = false;
    }

    /// Checks a value that is written to a field, as far as the spec determines the value.
    fn expr(&mut self, field: &Field, expr: &Expr) {
        match &expr.kind {
            ExprKind::Value(value) => self.value(field, value, expr.span, "this value"),
            ExprKind::Template(parts) => {
                let literal = parts.iter().map(|part| match part {
                    Part::Literal(text) => Some(text.as_str()),
                    Part::Expr(_) => None,
                });
                if let Some(text) = literal.clone().collect::<Option<String>>() {
                    self.value(field, &Value::text(text), expr.span, "this value");
                } else if matches!(field.ty.required(), Type::Text) {
                    // The values between the fixed parts can be empty.
                    let fixed = literal.flatten().map(|text| text.chars().count()).sum();
                    let what = "the fixed part of this text";
                    self.limit(field, fixed, "characters", expr.span, what);
                }
            }
            ExprKind::List(items) => {
                self.limit(field, items.len(), "items", expr.span, "this value");
                self.inside(expr);
            }
            // If the left side is unset, the right side is written.
            ExprKind::Binary(BinaryOp::Coalesce, _, right) => self.expr(field, right),
            _ => self.inside(expr),
        }
    }

    /// Checks each field of a record, or of the records in a list, against the bounds of that field.
    fn inside(&mut self, expr: &Expr) {
        match (&expr.kind, &expr.ty) {
            (ExprKind::Record(values), Type::Record(id)) => {
                let fields = self.machine.type_def(*id).fields();
                for (field, value) in fields.iter().zip(values) {
                    if let Some(value) = value {
                        self.expr(field, value);
                    }
                }
            }
            (ExprKind::List(items), _) => items.iter().for_each(|item| self.inside(item)),
            _ => {}
        }
    }

    /// Checks a constant value and its parts against the bounds of a field.
    fn value(&mut self, field: &Field, value: &Value, span: Span, what: &str) {
        match value {
            Value::Text(text) if field.nonblank && text.trim().is_empty() => {
                let message = format!("{what} is blank, but `{}` is `nonblank`", field.name);
                self.sink.push(report(field, span, message));
            }
            Value::Text(text) => self.limit(field, text.chars().count(), "characters", span, what),
            Value::List(items) => self.limit(field, items.len(), "items", span, what),
            Value::Json(json) => self.limit(field, json.canonical_len(), "bytes", span, what),
            _ => {}
        }
        self.parts(&field.ty, value, span);
    }

    /// Checks the fields of the records inside a constant value against the bounds of these fields.
    fn parts(&mut self, ty: &Type, value: &Value, span: Span) {
        match (ty.required(), value) {
            (Type::List(item), Value::List(items)) => {
                for value in items {
                    self.parts(item, value, span);
                }
            }
            (Type::Record(id), Value::Record(values)) => {
                for (field, value) in self.machine.type_def(*id).fields().iter().zip(values) {
                    // An omitted field gets its default, which is checked at the declaration.
                    if field.default.as_ref() != Some(value) {
                        let what = format!("the value of `{}`", field.name);
                        self.value(field, value, span, &what);
                    }
                }
            }
            _ => {}
        }
    }

    fn limit(&mut self, field: &Field, size: usize, unit: &str, span: Span, what: &str) {
        let bound = if self.of_effects {
            field.max
        } else {
            field.bound()
        };
        let Some(most) = bound else { return };
        if u64::try_from(size).is_ok_and(|size| size <= most) {
            return;
        }
        let name = &field.name;
        let message = format!("{what} has {size} {unit}, but `{name}` allows at most {most}");
        self.sink.push(report(field, span, message));
    }
}

fn report(field: &Field, span: Span, message: String) -> Diagnostic {
    let found = Diagnostic::new(Code::PM0406, span, message);
    if span.order() == field.span.order() {
        return found.help("change the default or the bound");
    }
    found
        .also(field.span, "the field and its bounds are declared here")
        .help("change the value or the bound: a step with this value is always denied")
}
