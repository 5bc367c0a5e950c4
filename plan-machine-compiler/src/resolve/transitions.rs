//! Resolves the expressions of transitions and of entry and exit actions; each expression is typed with the facts known
//! at that point.

use super::Resolver;
use super::states::Pending;
use super::typing::{Facts, Item, RecordAccess, Scope, Typing};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::machine::{
    Change, ChangeKind, Condition, Emit, HandlerKind, Machine, Next, Require, Transition, Which,
};
use crate::model::types::Type;
use crate::model::{FieldId, HandlerId, StateId, TransitionId};
use crate::syntax::ast::{self, Name};

impl Resolver<'_> {
    pub(super) fn resolve_transitions(&mut self, pending: &Pending<'_>) {
        for index in 0..self.machine.handlers.len() {
            let handler = HandlerId::at(index);
            let HandlerKind::Transitions(alternatives) = &self.machine.handler(handler).kind else {
                continue;
            };
            let alternatives = alternatives.clone();
            let mut known = facts_of(&self.machine, handler);
            let around = self.required_around(handler, pending);
            self.reads_actor = false;
            for id in &alternatives {
                let written = pending.transitions[id.index()];
                self.resolve_transition(*id, written, &around, &mut known);
            }
            if self.reads_actor {
                self.require_actor(handler, &alternatives);
            }
        }
    }

    /// Resolves a transition. `around` contains the requirements of the states around the handler; `known` contains the
    /// facts that hold in the state, and those that follow because the `when` of every earlier alternative was false.
    fn resolve_transition(
        &mut self,
        id: TransitionId,
        written: &ast::Transition,
        around: &[&ast::Require],
        known: &mut Facts,
    ) {
        let transition = self.machine.transition(id);
        let handler = self.machine.handler(transition.handler);
        let starts = handler.state == StateId::NONE;
        let (to, next) = (transition.to, transition.next);
        let access = |there: RecordAccess| if starts { there } else { RecordAccess::Whole };
        let mut scope = Scope {
            event: Some(handler.event),
            record: access(RecordAccess::Nothing),
            facts: known.clone(),
            ..Scope::of_record()
        };

        let when = written
            .when
            .as_ref()
            .map(|when| self.condition(when, &scope));
        if let Some(when) = &when {
            scope.facts.assume(&self.machine, &when.expr, true);
            known.assume(&self.machine, &when.expr, false);
        }
        let required = around.iter().copied().chain(&written.require);
        let require = self.requirements(required, &mut scope);
        scope.record = match to {
            Some(_) => access(RecordAccess::IdOnly),
            None => access(RecordAccess::Nothing),
        };
        let changes = self.changes(written, &scope);

        scope.record = match to {
            Some(_) => RecordAccess::Whole,
            None => access(RecordAccess::Nothing),
        };
        scope.facts = self.facts_after(&scope.facts, &changes, to, next);
        let emit = self.emits(&written.emit, &scope);
        scope.plans = true;
        let reply = written
            .reply
            .as_ref()
            .map(|reply| self.typing().any(reply, &scope));

        let made: &mut Transition = &mut self.machine.transitions[id.index()];
        made.when = when;
        made.require = require;
        made.changes = changes;
        made.emit = emit;
        made.reply = reply;
    }

    fn typing(&mut self) -> Typing<'_> {
        Typing {
            machine: &self.machine,
            sink: self.sink,
            reads_actor: &mut self.reads_actor,
        }
    }

    fn condition(&mut self, written: &ast::Condition, scope: &Scope) -> Condition {
        Condition {
            expr: self.typing().condition(&written.expr, scope),
            text: written.text.clone(),
        }
    }

    /// Resolves requirements in order: each requirement may rely on the requirements before it.
    fn requirements<'w>(
        &mut self,
        written: impl Iterator<Item = &'w ast::Require>,
        scope: &mut Scope,
    ) -> Vec<Require> {
        let mut all = Vec::new();
        for require in written {
            let that = self.condition(&require.that, scope);
            if let Some(otherwise) = &require.otherwise {
                let mut failed = scope.clone();
                failed.facts.assume(&self.machine, &that.expr, false);
                let otherwise = self.typing().expect(otherwise, &Type::Text, &failed);
                scope.facts.assume(&self.machine, &that.expr, true);
                all.push(Require { that, otherwise });
            }
        }
        all
    }

    /// Returns the facts known about the record that `emit` and `reply` see.
    fn facts_after(
        &self,
        before: &Facts,
        changes: &[Change],
        to: Option<StateId>,
        next: Option<Next>,
    ) -> Facts {
        let mut after = before.clone();
        if matches!(next, Some(Next::Fresh(_))) {
            after.forget_record();
        }
        for change in changes {
            after.forget_field(change.field);
            match &change.kind {
                ChangeKind::Set(value) if !value.ty.is_optional() => {
                    after.add_field(&self.machine, change.field);
                }
                ChangeKind::Clear if self.machine.field(change.field).default.is_some() => {
                    after.add_field(&self.machine, change.field);
                }
                _ => {}
            }
        }
        let held = match next {
            Some(Next::Copy(state) | Next::Fresh(state)) => Some(state),
            Some(Next::None) | None => to,
        };
        if let Some(state) = held {
            let leaf = self.machine.state(state).initial_leaf;
            for field in self.machine.has(leaf) {
                after.add_field(&self.machine, field);
            }
        }
        after
    }

    fn emits(&mut self, written: &[ast::Emit], scope: &Scope) -> Vec<Emit> {
        let mut all = Vec::new();
        for emit in written {
            let Some(effect) = self.effect(&emit.effect) else {
                continue;
            };
            let declared = self.machine.effect(effect).fields.clone();
            let what = format!("the effect `{}`", emit.effect.node);
            let span = emit.effect.span;
            let fields = self
                .typing()
                .fields(&what, &declared, &emit.fields, span, scope);
            all.push(Emit {
                effect,
                span,
                fields,
            });
        }
        all
    }

    /// Resolves the effects of entry and exit actions. Entry actions see the record in the entered state; exit actions
    /// see the record as it is after the step.
    pub(super) fn resolve_entries(&mut self, pending: &Pending<'_>) {
        for (index, state) in pending.states.iter().enumerate() {
            let Some(state) = state.filter(|_| index != 0) else {
                continue;
            };
            let mut scope = Scope::of_record();
            let exit = self.emits(&state.exit, &scope);
            for field in self.machine.has(StateId::at(index)).collect::<Vec<_>>() {
                scope.facts.add_field(&self.machine, field);
            }
            let enter = self.emits(&state.enter, &scope);
            self.machine.states[index].enter = enter;
            self.machine.states[index].exit = exit;
        }
    }

    /// Resolves data changes, in the order in which they apply.
    fn changes(&mut self, written: &ast::Transition, scope: &Scope) -> Vec<Change> {
        let mut all = Vec::new();
        for (name, value) in &written.set {
            let made = self.field(name).map(|field| {
                let wanted = self.machine.field(field).ty.clone();
                let value = self.typing().expect(value, &wanted, scope);
                (field, ChangeKind::Set(value))
            });
            self.push_change(&mut all, name, made);
        }
        for name in &written.clear {
            let made = self.field(name).map(|field| (field, ChangeKind::Clear));
            if let Some((field, _)) = made {
                self.check_clear(field, name);
            }
            self.push_change(&mut all, name, made);
        }
        for update in &written.update {
            let made = self.update(update, scope);
            self.push_change(&mut all, &update.list, made);
        }
        for (name, at) in &written.remove {
            let made = self.list(name).map(|(field, _)| {
                let at = self.typing().expect(at, &Type::Int, scope);
                (field, ChangeKind::Remove(at))
            });
            self.push_change(&mut all, name, made);
        }
        for insert in &written.insert {
            let made = self.list(&insert.list).map(|(field, item)| {
                let at = self.typing().expect(&insert.at, &Type::Int, scope);
                let value = self.typing().expect(&insert.value, &item, scope);
                (field, ChangeKind::Insert(at, value))
            });
            self.push_change(&mut all, &insert.list, made);
        }
        for (name, value) in &written.append {
            let made = self.list(name).map(|(field, item)| {
                let value = self.typing().expect(value, &item, scope);
                (field, ChangeKind::Append(value))
            });
            self.push_change(&mut all, name, made);
        }
        all
    }

    fn push_change(
        &mut self,
        all: &mut Vec<Change>,
        name: &Name,
        made: Option<(FieldId, ChangeKind)>,
    ) {
        let Some((field, kind)) = made else { return };
        let first: Option<&Change> = all.iter().find(|change| change.field == field);
        if let Some(first) = first {
            let message = format!("this transition writes `{}` twice", name.node);
            let found = Diagnostic::new(Code::PM0408, name.span, message);
            let found = found.also(first.span, "first written here").help(
                "all changes read the record as it was before the step, so one of the two changes would be \
                 lost; keep only one",
            );
            self.report(found);
            return;
        }
        all.push(Change {
            field,
            span: name.span,
            kind,
        });
    }

    fn check_clear(&mut self, field: FieldId, name: &Name) {
        if self.machine.field(field).start().is_none() {
            let message = format!(
                "`{}` has no initial value, so it cannot be cleared",
                name.node
            );
            let help = "optional fields, lists and fields with a `default` have an initial value";
            self.report(Diagnostic::new(Code::PM0401, name.span, message).help(help));
        }
    }

    /// Returns the id of a list in the data and the type of its items.
    fn list(&mut self, name: &Name) -> Option<(FieldId, Type)> {
        let field = self.field(name)?;
        match &self.machine.field(field).ty {
            Type::List(item) => Some((field, (**item).clone())),
            Type::Unknown => None,
            Type::Optional(inner) if matches!(**inner, Type::List(_)) => {
                let message = format!(
                    "`{}` is an optional list, which can only be `set` as a whole",
                    name.node
                );
                let help = "a list does not need to be optional: it starts empty, and `is empty` tests whether \
                    it is empty";
                self.report(Diagnostic::new(Code::PM0401, name.span, message).help(help));
                None
            }
            _ => {
                let message = format!("`{}` is not a list", name.node);
                self.report(Diagnostic::new(Code::PM0401, name.span, message));
                None
            }
        }
    }

    fn update(&mut self, update: &ast::Update, scope: &Scope) -> Option<(FieldId, ChangeKind)> {
        let (field, item) = self.list(&update.list)?;
        let mut inside = scope.clone();
        inside.item = Item::Of(item.clone());
        let which = match &update.which {
            ast::Which::At(at) => Which::At(self.typing().expect(at, &Type::Int, scope)),
            ast::Which::Where(written) | ast::Which::First(written) => {
                let condition = self.typing().condition(written, &inside);
                inside.facts.assume(&self.machine, &condition, true);
                match update.which {
                    ast::Which::First(_) => Which::First(condition),
                    _ => Which::Where(condition),
                }
            }
        };
        let Type::Record(id) = item else {
            let message = format!("the items of `{}` are not records", update.list.node);
            let help = "`update` changes fields of records: make the items records, or `set` the whole list";
            self.report(Diagnostic::new(Code::PM0401, update.list.span, message).help(help));
            return None;
        };
        let fields = self.machine.type_def(id).fields().to_vec();
        let mut set = Vec::new();
        let mut clear = Vec::new();
        for (name, value) in &update.set {
            if let Some(part) = self.item_field(&fields, name) {
                let value = self
                    .typing()
                    .expect(value, &fields[part.index()].ty, &inside);
                set.push((part, value));
            }
        }
        for name in &update.clear {
            let Some(part) = self.item_field(&fields, name) else {
                continue;
            };
            if !fields[part.index()].ty.is_optional() {
                let message = format!("`{}` is not optional, so it cannot be unset", name.node);
                self.report(Diagnostic::new(Code::PM0401, name.span, message));
            }
            if set.iter().any(|(known, _)| *known == part) {
                let message = format!("this update writes `{}` twice", name.node);
                self.report(Diagnostic::new(Code::PM0408, name.span, message));
            }
            clear.push(part);
        }
        Some((field, ChangeKind::Update { which, set, clear }))
    }

    fn item_field(
        &mut self,
        fields: &[crate::model::types::Field],
        name: &Name,
    ) -> Option<FieldId> {
        let found = super::position(fields, &name.node);
        if found.is_none() {
            let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            self.unknown("field", name, known);
        }
        found
    }
}

/// Returns the facts that hold in every leaf that uses the handler.
fn facts_of(machine: &Machine, handler: HandlerId) -> Facts {
    let mut leaves = machine.users(handler);
    if leaves.is_empty() {
        leaves.push(machine.handler(handler).state);
    }
    let mut facts = Facts::default();
    let (first, rest) = (leaves[0], &leaves[1..]);
    for field in machine.has(first) {
        if rest
            .iter()
            .all(|leaf| machine.has(*leaf).any(|known| known == field))
        {
            facts.add_field(machine, field);
        }
    }
    facts
}
