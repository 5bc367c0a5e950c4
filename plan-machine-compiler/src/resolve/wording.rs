//! Resolves the texts for events that are not available.

use plan_machine_kernel::tables::TextPart;

use super::states::Pending;
use super::{Resolver, position};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::machine::{Wording, WordingPart};
use crate::model::shown_type;
use crate::model::types::{Field, Type};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Name, Part, Spec};

impl Resolver<'_> {
    pub(super) fn resolve_wording(&mut self, spec: &Spec, pending: &Pending<'_>) {
        let commands = spec
            .commands
            .iter()
            .map(|one| (&one.name, &one.unavailable));
        let signals = spec.signals.iter().map(|one| (&one.name, &one.unavailable));
        let tools = spec.tools.iter().map(|one| (&one.name, &one.unavailable));
        let external = spec.external_tools.iter();
        let external = external.map(|one| (&one.name, &one.unavailable));
        for (name, text) in commands.chain(signals).chain(tools).chain(external) {
            // A name that is declared twice has already been reported.
            if let (Some(id), Some(text)) = (self.events.get(&name.node).copied(), text) {
                self.machine.events[id.index()].unavailable = Some(self.wording(text));
            }
        }
        for (index, state) in pending.states.iter().enumerate() {
            let texts: &[(Name, Expr)] = state.map_or(&[], |state| &state.unavailable);
            for (name, text) in texts {
                let text = self.wording(text);
                if let Some(event) = self.event(name) {
                    self.machine.states[index].unavailable.push((event, text));
                }
            }
        }
    }

    fn wording(&mut self, text: &Expr) -> Wording {
        let span = text.span;
        let parts = match &text.node {
            ExprKind::Template(parts) => parts.iter().filter_map(|part| self.part(part)).collect(),
            ExprKind::Text(text) => vec![literal(text)],
            _ => Vec::new(),
        };
        let blank = |part: &WordingPart| matches!(part, WordingPart::Text(TextPart::Literal(text)) if text.trim().is_empty());
        if parts.iter().all(blank) {
            let found = Diagnostic::new(Code::PM0107, span, "the text of `unavailable` is blank");
            self.report(found.help("say what the sender can do instead"));
        }
        Wording { span, parts }
    }

    fn part(&mut self, part: &Part) -> Option<WordingPart> {
        let expr = match part {
            Part::Literal(text) => return Some(literal(text)),
            Part::Expr(expr) => expr,
        };
        let (base, otherwise) = match &expr.node {
            ExprKind::Binary(BinaryOp::Coalesce, base, other) => match &other.node {
                ExprKind::Text(text) => (&**base, Some(text.clone())),
                _ => return self.unreadable(other.span),
            },
            _ => (expr, None),
        };
        match member(base) {
            Some(("plan", member)) if member.node == "state" && otherwise.is_none() => {
                Some(WordingPart::State)
            }
            Some(("context", member)) => self.context_part(member, base.span, otherwise),
            _ => self.unreadable(expr.span),
        }
    }

    fn unreadable(&mut self, span: Span) -> Option<WordingPart> {
        let message = "the text of `unavailable` can contain only `{plan.state}`, `{context.field}` and `{context.field ?? \"text\"}`";
        let help =
            "the text is shown before the payload is read, and may be shown when there is no plan";
        self.report(Diagnostic::new(Code::PM0509, span, message).help(help));
        None
    }

    fn context_part(
        &mut self,
        name: &Name,
        span: Span,
        otherwise: Option<String>,
    ) -> Option<WordingPart> {
        let Some(place) = position(&self.machine.context, &name.node) else {
            let known: Vec<String> = self
                .machine
                .context
                .iter()
                .map(|f| f.name.clone())
                .collect();
            self.unknown("context field", name, known.iter().map(String::as_str));
            return None;
        };
        let field = self.machine.context[place.index()].clone();
        self.check_context_part(&field, span, otherwise.is_some());
        Some(WordingPart::Text(TextPart::Context {
            field: field.name,
            otherwise,
        }))
    }

    /// Reports a field that a text cannot show: a list, a record, JSON, or an optional without a fallback.
    fn check_context_part(&mut self, field: &Field, span: Span, covered: bool) {
        let optional = matches!(field.ty, Type::Optional(_));
        let ty = field.ty.required();
        if matches!(ty, Type::List(_) | Type::Record(_) | Type::Json) {
            let message = format!(
                "`context.{}` is of type `{}`, which the text of `unavailable` cannot show",
                field.name,
                shown_type(&self.machine, ty)
            );
            let help = "lists, records and `json` values cannot be shown; use a context field of another type";
            self.report(Diagnostic::new(Code::PM0401, span, message).help(help));
        } else if optional && !covered {
            let message = format!("`context.{}` may be unset here", field.name);
            let help = format!(
                "write what to show instead: `{{context.{} ?? \"text\"}}`",
                field.name
            );
            self.report(Diagnostic::new(Code::PM0402, span, message).help(help));
        }
    }
}

fn literal(text: &str) -> WordingPart {
    WordingPart::Text(TextPart::Literal(text.to_owned()))
}

/// Returns the parts of `base.member`.
fn member(expr: &ast::Expr) -> Option<(&str, &Name)> {
    let ExprKind::Member(base, member) = &expr.node else {
        return None;
    };
    match &base.node {
        ExprKind::Name(base) => Some((base, member)),
        _ => None,
    }
}
