//! The types of values.

use plan_machine_kernel::stored;

use super::ids::TypeId;
use super::value::Value;
use crate::source::Span;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `string`.
    Text,
    /// `int`.
    Int,
    /// `bool`.
    Bool,
    /// `time`.
    Time,
    /// `id`.
    Id,
    /// `json`.
    Json,
    /// `[T]`.
    List(Box<Type>),
    /// `T?`.
    Optional(Box<Type>),
    /// A declared enum.
    Enum(TypeId),
    /// A declared record.
    Record(TypeId),
    /// A map without a declared type, in a reply or a `json` value, given by its fields in order.
    Shape(Vec<(String, Type)>),
    /// The type of all of the data.
    Data,
    /// The type of `plans`, the list of the session's records.
    Plans,
    /// The type of an expression with an error. It matches every type, so that one mistake is reported only once.
    Unknown,
}

impl Type {
    /// Returns this type as an optional `T?`; an optional type stays the same.
    #[must_use]
    pub fn optional(self) -> Type {
        match self {
            Type::Optional(_) | Type::Unknown => self,
            other => Type::Optional(Box::new(other)),
        }
    }

    /// Returns the type without its `?`.
    #[must_use]
    pub fn required(&self) -> &Type {
        match self {
            Type::Optional(inner) => inner,
            other => other,
        }
    }

    /// Returns whether a value of this type may be unset.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        matches!(self, Type::Optional(_))
    }
}

/// A declared enum or record.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The name of the type.
    pub name: String,
    /// The location where the type is declared.
    pub span: Span,
    /// The documentation of the type.
    pub doc: Option<String>,
    /// The definition of the type.
    pub kind: TypeDefKind,
}

/// The definition of a declared type.
#[derive(Clone, Debug)]
pub enum TypeDefKind {
    /// The names of the enum's values.
    Enum(Vec<String>),
    /// The fields of the record.
    Record(Vec<Field>),
}

impl TypeDef {
    /// Returns the fields of a record; empty for an enum.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        match &self.kind {
            TypeDefKind::Record(fields) => fields,
            TypeDefKind::Enum(_) => &[],
        }
    }

    /// Returns the values of an enum; empty for a record.
    #[must_use]
    pub fn values(&self) -> &[String] {
        match &self.kind {
            TypeDefKind::Enum(values) => values,
            TypeDefKind::Record(_) => &[],
        }
    }
}

/// A field with its bounds.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name of the field.
    pub name: String,
    /// The location where the field is declared.
    pub span: Span,
    /// The documentation of the field.
    pub doc: Option<String>,
    /// The type of the field.
    pub ty: Type,
    /// The maximum number of characters of a string, items of a list, or bytes of a `json` value, as stated in the
    /// spec.
    pub max: Option<u64>,
    /// Whether blank strings are denied.
    pub nonblank: bool,
    /// The default value.
    pub default: Option<Value>,
}

impl Field {
    /// Returns the type of the items of a list; for any other field, its own type.
    pub(crate) fn item_type(&self) -> &Type {
        match self.ty.required() {
            Type::List(item) => item,
            other => other,
        }
    }

    /// Returns the initial value of the field: its default, an empty list, or unset. `None` if the field has no initial
    /// value.
    #[must_use]
    pub fn start(&self) -> Option<Value> {
        match (&self.default, &self.ty) {
            (Some(value), _) => Some(value.clone()),
            (None, Type::Optional(_)) => Some(Value::Unset),
            (None, Type::List(_)) => Some(Value::List(Vec::new())),
            (None, _) => None,
        }
    }

    /// Returns the bound for new input and writes: a `json` value has a bound even if the spec does not state one.
    #[must_use]
    pub fn bound(&self) -> Option<u64> {
        let json = matches!(self.ty.required(), Type::Json);
        self.max.or(json.then_some(stored::MOST_JSON))
    }

    /// Returns whether every value within the bounds of the other field is also within the bounds of this field.
    pub(super) fn is_no_tighter(&self, other: &Field) -> bool {
        let mut bound = self.bound().into_iter();
        bound.all(|max| other.bound().is_some_and(|own| own <= max))
            && (other.nonblank || !self.nonblank)
    }
}
