//! Resolves the names in invariants and types their conditions.

use super::Resolver;
use super::typing::{Scope, Typing};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::expr::Expr;
use crate::model::machine::{DataPath, Invariant, Property};
use crate::model::types::Type;
use crate::model::{EventId, FieldId, shown_type};
use crate::syntax::ast::{self, Name, Path, Spec};

impl Resolver<'_> {
    pub(super) fn resolve_invariants(&mut self, spec: &Spec) {
        for written in &spec.invariants {
            let before = self.sink.count();
            let properties = self.properties(&written.property.node);
            // An invariant that contains an error is dropped: the remaining part could have another meaning.
            for property in properties
                .filter(|_| self.sink.count() == before)
                .into_iter()
                .flatten()
            {
                self.machine.invariants.push(Invariant {
                    name: written.name.node.clone(),
                    span: written.property.span,
                    text: written.text.clone(),
                    property,
                });
            }
        }
    }

    /// Returns the properties that an invariant claims: one for each timer if the invariant is about the event `timer`,
    /// otherwise a single one.
    fn properties(&mut self, written: &ast::Property) -> Option<Vec<Property>> {
        let each: fn(EventId, Expr) -> Property = match written {
            ast::Property::OnlyIn(..) => Property::OnlyIn,
            ast::Property::After(..) => Property::After,
            ast::Property::NeverEmits(event, effect) => {
                let events = self.events_named(event);
                let effect = self.effect(effect)?;
                let claims = events?.into_iter();
                return Some(
                    claims
                        .map(|event| Property::NeverEmits(event, effect))
                        .collect(),
                );
            }
            other => return self.property(other).map(|property| vec![property]),
        };
        let (ast::Property::OnlyIn(event, expr) | ast::Property::After(event, expr)) = written
        else {
            return None;
        };
        let events = self.events_named(event);
        let claim = self.claim(expr);
        let claims = events?.into_iter();
        Some(claims.map(|event| each(event, claim.clone())).collect())
    }

    /// Returns the property that an invariant claims; `None` for a form about a single event, which `properties`
    /// handles, and for a name that could not be resolved.
    fn property(&mut self, written: &ast::Property) -> Option<Property> {
        Some(match written {
            ast::Property::Always(expr) => Property::Always(self.claim(expr)),
            ast::Property::Never(expr) => Property::Never(self.claim(expr)),
            ast::Property::CanReach(expr, by) => {
                Property::CanReach(self.claim(expr), self.event_list(by)?)
            }
            ast::Property::OnlyBy(expr, by) => {
                Property::OnlyBy(self.claim(expr), self.event_list(by)?)
            }
            ast::Property::ChangesOnlyIn(path, expr) => {
                let path = self.changing(path);
                let claim = self.claim(expr);
                Property::ChangesOnlyIn(path?, claim)
            }
            ast::Property::ChangesOnlyBy(path, by) => {
                let path = self.changing(path);
                Property::ChangesOnlyBy(path?, self.event_list(by)?)
            }
            ast::Property::NeverChanges(path) => Property::NeverChanges(self.changing(path)?),
            ast::Property::OnlyGrows(path) => Property::OnlyGrows(self.growing(path)?),
            ast::Property::EmittedOnlyBy(effect, by) => {
                let effect = self.effect(effect);
                Property::EmittedOnlyBy(effect?, self.event_list(by)?)
            }
            ast::Property::EmittedOnlyIn(effect, expr) => {
                let effect = self.effect(effect);
                let claim = self.claim(expr);
                Property::EmittedOnlyIn(effect?, claim)
            }
            ast::Property::OnlyIn(..)
            | ast::Property::After(..)
            | ast::Property::NeverEmits(..) => {
                return None;
            }
        })
    }

    fn claim(&mut self, written: &ast::Expr) -> Expr {
        let scope = Scope {
            gates: true,
            ..Scope::of_record()
        };
        let mut typing = Typing {
            machine: &self.machine,
            sink: self.sink,
            reads_actor: &mut self.reads_actor,
        };
        typing.condition(written, &scope)
    }

    fn event_list(&mut self, names: &[Name]) -> Option<Vec<EventId>> {
        let found: Vec<_> = names.iter().map(|name| self.events_named(name)).collect();
        let found: Option<Vec<_>> = found.into_iter().collect();
        found.map(|found| found.into_iter().flatten().collect())
    }

    /// Resolves the subject of `only grows`: a number that is always set, or a list.
    fn growing(&mut self, path: &Path) -> Option<FieldId> {
        let DataPath { field, parts } = self.data_path(path)?;
        let ty = &self.machine.field(field).ty;
        if parts.is_empty() && matches!(ty, Type::Int | Type::List(_)) {
            return Some(field);
        }
        let found = match &parts[..] {
            [] => format!("`{}`", shown_type(&self.machine, ty)),
            _ => "a part of a field".to_owned(),
        };
        let message = format!("expected a field of type `int` or a list, found {found}");
        let help =
            "`only grows` applies to numbers that are always set, and to the length of lists";
        self.report(Diagnostic::new(Code::PM0401, path.span, message).help(help));
        None
    }

    /// Resolves the subject of `changes only`: a path, or all of the data.
    #[expect(
        clippy::option_option,
        reason = "`None` is an unknown name, and `Some(None)` is `data`, which means all fields"
    )]
    fn changing(&mut self, path: &Path) -> Option<Option<DataPath>> {
        if path.node.len() == 1 && path.node[0].node == "data" {
            return Some(None);
        }
        self.data_path(path).map(Some)
    }
}
