//! Mutants of data changes: each change, each part of an update and each fallback of `??` is dropped, and `first` in an
//! update becomes `where`.

use super::place::remove;
use super::site::Site;
use super::{Kind, Maker};
use crate::source::Span;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Name, Transition, Update, Which};

impl<'a> Maker<'a> {
    pub(super) fn changes(&mut self, site: (&Site<'a>, usize), written: &Transition) {
        let names = |all: &[(Name, _)]| all.iter().map(|(name, _)| name.clone()).collect();
        let set: Vec<Name> = names(&written.set);
        self.drop_each(site, "set", &set, |made, at| remove(&mut made.set, at));
        for (at, (name, value)) in written.set.iter().enumerate() {
            self.fallback(site, at, name, value);
        }
        self.drop_each(site, "clear", &written.clear, |made, at| {
            remove(&mut made.clear, at);
        });
        let updated: Vec<Name> = written.update.iter().map(|one| one.list.clone()).collect();
        self.drop_each(site, "update", &updated, |made, at| {
            remove(&mut made.update, at);
        });
        for (at, update) in written.update.iter().enumerate() {
            self.update(site, at, update);
        }
        let removed: Vec<Name> = names(&written.remove);
        self.drop_each(site, "remove", &removed, |made, at| {
            remove(&mut made.remove, at);
        });
        let inserted: Vec<Name> = written.insert.iter().map(|one| one.list.clone()).collect();
        self.drop_each(site, "insert", &inserted, |made, at| {
            remove(&mut made.insert, at);
        });
        let appended: Vec<Name> = names(&written.append);
        self.drop_each(site, "append", &appended, |made, at| {
            remove(&mut made.append, at);
        });
    }

    fn drop_each(
        &mut self,
        site: (&Site<'a>, usize),
        word: &str,
        names: &[Name],
        drop: fn(&mut Transition, usize),
    ) {
        for (at, name) in names.iter().enumerate() {
            let change = format!("drop `{word}: {}`", name.node);
            self.alter(site, Kind::Change, name.span, change, move |made| {
                drop(made, at);
            });
        }
    }

    /// Drops the fallback of `??`: `set: { title: event.title ?? title }` becomes `set: { title: event.title }`.
    fn fallback(&mut self, site: (&Site<'a>, usize), at: usize, name: &Name, value: &Expr) {
        let ExprKind::Binary(BinaryOp::Coalesce, first, fallback) = &value.node else {
            return;
        };
        let first = (**first).clone();
        let change = format!("drop the fallback after `??` in `set: {}`", name.node);
        self.alter(site, Kind::Change, fallback.span, change, move |made| {
            if let Some((_, value)) = made.set.get_mut(at) {
                *value = first.clone();
            }
        });
    }

    /// Creates a mutant that updates every item for which the condition holds, not only the first one.
    fn first(&mut self, site: (&Site<'a>, usize), at: usize, update: &Update) {
        let Which::First(condition) = &update.which else {
            return;
        };
        let change = format!(
            "`where` instead of `first` in `update: {}`",
            update.list.node
        );
        let every = Which::Where(condition.clone());
        self.alter(site, Kind::Change, condition.span, change, move |made| {
            if let Some(update) = made.update.get_mut(at) {
                update.which = every.clone();
            }
        });
    }

    /// Creates the mutants in which a part of an update is altered: `where` replaces `first`, and if the update sets or
    /// clears several fields, each of these parts is dropped. An update with one such part is only dropped as a whole.
    fn update(&mut self, site: (&Site<'a>, usize), at: usize, update: &Update) {
        self.first(site, at, update);
        if update.set.len() + update.clear.len() < 2 {
            return;
        }
        let list = &update.list.node;
        let mut part = |span: Span, change: String, drop: fn(&mut Update, usize), part: usize| {
            self.alter(site, Kind::Change, span, change, move |made| {
                if let Some(update) = made.update.get_mut(at) {
                    drop(update, part);
                }
            });
        };
        for (index, (name, _)) in update.set.iter().enumerate() {
            let change = format!("drop `set: {}` in `update: {list}`", name.node);
            let drop = |update: &mut Update, at| remove(&mut update.set, at);
            part(name.span, change, drop, index);
        }
        for (index, name) in update.clear.iter().enumerate() {
            let change = format!("drop `clear: {}` in `update: {list}`", name.node);
            let drop = |update: &mut Update, at| remove(&mut update.clear, at);
            part(name.span, change, drop, index);
        }
    }
}
